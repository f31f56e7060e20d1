"""What a Perfatlas bundle says of options: levels, configurations, formulas and feature models."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.valid import valid_configurations
from dashboard.importers.bundle.files import FILE_OF
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import ConfigurationRecord, OptionRecord, SystemRecords

# Notes a fault of an entry, from its problem, its remedy and the value at fault.
Note = Callable[..., None]
Levels = Mapping[str, Sequence[str]]


def levels_of(records: SystemRecords) -> Levels:
    """The labels of the levels of each option, the reference level first."""
    return {option.name: [level.label for level in option.levels] for option in records.options}


def check_levels(levels: Levels, named: Iterable[Mapping[str, Any]], note: Note) -> None:
    """Note options and levels that are none of the system's; each of `named` is {option: label or labels}."""
    pairs = {
        (name, label)
        for one in named
        for name, labels in one.items()
        for label in ((labels,) if isinstance(labels, str) else labels)
    }
    remedy = f"Add it to {FILE_OF['options']}"
    for name, label in sorted(pairs):
        if name not in levels:
            note("the option is unknown", remedy, name)
        elif label not in levels[name]:
            note(f"{name} has no such level", remedy, label)


def check_option(option: OptionRecord, note: Note) -> None:
    """Note levels with one label or one value, and names that no formula can say."""
    if len({level.label for level in option.levels}) < len(option.levels):
        note("two levels have one label", "Rename one", option.name)
    try:
        option.as_option()
    except ConfigurationError as error:
        note(str(error), "Correct the option", option.name)


def check_configuration(levels: Levels, configuration: ConfigurationRecord, note: Note) -> None:
    """Note reference levels: a configuration says what differs from them."""
    for name, label in configuration.assignments.items():
        if label == levels.get(name, [""])[0]:
            problem = f"{name} has no such level beside its reference level"
            note(problem, "Leave reference levels out", label)


def check_formulas(records: SystemRecords, formulas: Mapping[str, Sequence[str]], note: Note) -> None:
    """Note formulas that make no partition of the configurations; they are called by their keys."""
    try:
        space = records.option_space()
    except ConfigurationError:
        return  # noted with the options
    for key, result in try_partitions(space, formulas).items():
        if isinstance(result, ConfigurationError):
            note(str(result), f"Correct the formulas of {key}")


def check_feature_model(records: SystemRecords, one: FeatureModelRecord, note: Note) -> None:
    """Note a model that is no tree or does not fit the options, and locations of features that it lacks."""
    try:
        folding = fold(one.model)
        valid_configurations(folding, records.option_space())
    except ConfigurationError as error:
        note(str(error), "Correct the model or the options")
        return
    for location in one.locations:
        if location.feature not in folding.presences:
            note("a location belongs to no feature", "Correct its name", location.feature)

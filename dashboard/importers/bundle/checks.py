"""What the parts of a Perfatlas bundle must say of one another."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.valid import valid_configurations
from analytics.configurations.options import OptionSpace
from dashboard.importers.bundle.files import FILE_OF, KEYS, LIST_SHAPES, record_class
from dashboard.importers.errors import Faults
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.model_records import HybridRecord, PerformanceModelRecord
from dashboard.importers.partitions import try_partitions
from dashboard.importers.record_fields import NAMED_BY, references_in
from dashboard.importers.records import (
    ConfigurationRecord,
    OptionRecord,
    OrderRecord,
    SeriesRecord,
    SystemRecords,
)
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord

# What is wrong with an entry: problem, remedy, and the value at fault, "" for none.
Contradiction = tuple[str, str, str]


def check(records: SystemRecords, faults: Faults) -> None:
    """Note what contradicts: repeated entries, positions out of range, unknown names, formulas that split nothing."""
    checks = _EntryChecks(records)
    for field, file in FILE_OF.items():
        for position, (problem, remedy, value) in checks.contradictions(field):
            if ".csv" in file:
                faults.add(file, problem, remedy, line=position + 2, value=value)
            else:
                faults.add(file, problem, remedy, column=str(position), value=value)
    for digest, text in records.sources.items():
        # Excerpts are shared by all systems: one under a wrong digest would show in others.
        if sha256(text.encode()).hexdigest() != digest:
            problem = "the text has another SHA-256"
            faults.add(FILE_OF["sources"], problem, "Write its own digest", value=digest)


def _is_repetitive(values: Sequence[Hashable]) -> bool:
    return len(set(values)) < len(values)


class _EntryChecks:
    """What is wrong with single entries: a method for each field of `SystemRecords` that has something to check."""

    def __init__(self, records: SystemRecords) -> None:
        self._records = records
        # The labels of each option's levels, the reference level first.
        self._levels = {one.name: [level.label for level in one.levels] for one in records.options}
        self._names = {
            field: {one.name for one in getattr(records, field)} for field in NAMED_BY if field != "sources"
        }

    def contradictions(self, field: str) -> Iterator[tuple[int, Contradiction]]:
        """What is wrong with the entries of a list, each with its position from 0.

        Keys and references in array tables, and references in other tables, are checked where these are read.
        """
        entries = getattr(self._records, field)
        if not isinstance(entries, tuple):
            return
        word, names = KEYS[field]
        made = record_class(field) if field in LIST_SHAPES else None
        check_alone = getattr(self, field, lambda _: ())
        first: dict[Any, int] = {}
        for position, entry in enumerate(entries):
            values = [getattr(entry, name) for name in names] or [entry]
            key = tuple(frozenset(one.items()) if isinstance(one, Mapping) else one for one in values)
            earlier = first.setdefault(key, position)
            if earlier != position:
                yield position, (f"repeats the {word} of entry {earlier}", "Keep one of the two", "")
            for name, collection, value in references_in(made, entry) if made else ():
                for contradiction in self._unknown(name, collection, value):
                    yield position, contradiction
            for contradiction in check_alone(entry):
                yield position, contradiction

    def _unknown(self, name: str, collection: str, value: Any) -> Iterator[Contradiction]:
        """Positions out of range, and names of options, levels, revisions and workloads that no entry has."""
        if collection == "levels":
            yield from self._unknown_levels([value])
        elif collection in self._names:
            if value not in self._names[collection]:
                word = collection.removesuffix("s")
                yield f"the {word} is unknown", f"Add it to {FILE_OF[collection]}", value
        elif value >= (size := len(getattr(self._records, collection))):
            problem = f"there are only {size} for {name}"
            yield problem, "Write a position, counted from 0", str(value)

    def orders(self, order: OrderRecord) -> Iterator[Contradiction]:
        if _is_repetitive(list(order.places.values())):
            yield "two revisions have one position", "Move one", order.name

    def options(self, option: OptionRecord) -> Iterator[Contradiction]:
        if _is_repetitive([level.label for level in option.levels]):
            yield "two levels have one label", "Rename one", option.name
        try:
            option.as_option()
        except ConfigurationError as error:
            yield str(error), "Correct the option", option.name

    def configurations(self, configuration: ConfigurationRecord) -> Iterator[Contradiction]:
        """A configuration says what differs from the reference levels."""
        for name, label in configuration.assignments.items():
            if label == self._levels.get(name, [""])[0]:
                problem = f"{name} has no such level beside its reference level"
                yield problem, "Leave reference levels out", label

    def series(self, series: SeriesRecord) -> Iterator[Contradiction]:
        if (series.configuration is None) == (not series.subject):
            yield "needs a subject or a configuration, not both", "Give one of them", ""

    def feature_models(self, one: FeatureModelRecord) -> Iterator[Contradiction]:
        """A model must be a tree and fit the options, and its locations be of its features."""
        try:
            folding = fold(one.model)
            valid_configurations(folding, self._records.option_space())
        except ConfigurationError as error:
            yield str(error), "Correct the model or the options", ""
            return
        for location in one.locations:
            if location.feature not in folding.presences:
                yield "a location belongs to no feature", "Correct its name", location.feature

    def performance_models(self, model: PerformanceModelRecord) -> Iterator[Contradiction]:
        names = [one.name for one in model.corrections]
        if _is_repetitive(names):
            yield "two corrections have one name", "Rename one", ""
        # Without any corrections, the one that predictions were made with may be known by name only.
        if names and model.published_correction and model.published_correction not in names:
            problem, remedy = "the published correction is unknown", "Name one of the corrections"
            yield problem, remedy, model.published_correction
        for correction in model.corrections:
            if correction.slope == 0:
                yield "a slope of 0 corrects nothing", "Write the fitted slope", correction.name
        if _is_repetitive([one.configuration for one in model.predictions]):
            yield "two predictions are of one configuration", "Keep one of them", ""
        formulas: dict[str, tuple[str, ...]] = {}
        regions = self._records.regions
        for part in model.partitions:
            key = regions[part.region].key if part.region < len(regions) else ""
            if key in formulas:
                yield "two partitions are of one region", "Keep one of them", key
            formulas[key] = part.formulas
        yield from self._unsound_formulas(formulas)

    def white_box_analyses(self, one: WhiteBoxRecord) -> Iterator[Contradiction]:
        """The options and levels that an analysis names must be the system's, and its formulas partitions of them."""
        yield from self._unknown_levels(one.found.named_levels())
        for name in sorted(one.found.named_options() - self._levels.keys()):
            yield "the option is unknown", f"Add it to {FILE_OF['options']}", name
        yield from self._unsound_formulas(
            {
                f"{region} ({at})": part
                for region, parts in one.found.partitions.items()
                for at, part in enumerate(parts)
            }
        )

    def counts(self, counts: CountsRecord) -> Iterator[Contradiction]:
        """Sites and positions must ascend, and each run be of another configuration."""
        if list(counts.sites) != sorted(set(counts.sites)):
            yield "sites are not in order, or one is there twice", "Sort them", ""
        for run in counts.runs:
            positions = [position for position, _ in run.counts]
            if positions != sorted(set(positions)) or any(one >= len(counts.sites) for one in positions):
                yield "these are no ascending positions of sites", "Correct them", ""
        if _is_repetitive([(run.configuration, run.workload, run.environment) for run in counts.runs]):
            yield "two runs are of one configuration", "Keep one of them", ""

    def hybrid_models(self, one: HybridRecord) -> Iterator[Contradiction]:
        if _is_repetitive([row.region for row in one.regions]):
            yield "two models are of one region", "Keep one of them", ""
        for where, model in (("the whole", one.whole), *((row.region, row.model) for row in one.regions)):
            size = len(model.terms)
            if not size:
                yield "a model has no terms", "Leave it out, or write the intercept: {}", where
            if _is_repetitive([frozenset(term.items()) for term in model.terms]):
                yield "a term is there twice", "Keep one of them", where
            if len(model.coefficients) != size:
                yield f"{size} terms have {len(model.coefficients)} coefficients", "Write one for each", where
            triangle, held = size * (size + 1) // 2, len(model.covariance)
            if held != triangle:
                problem = f"{size} terms have {held} covariances, not {triangle}"
                yield problem, "Write the lower triangle", where

    def _unknown_levels(self, named: Iterable[Mapping[str, Any]]) -> Iterator[Contradiction]:
        """Options and levels that are none of the system's; each of `named` is {option: label or labels}."""
        pairs = {
            (name, label)
            for one in named
            for name, labels in one.items()
            for label in ((labels,) if isinstance(labels, str) else labels)
        }
        remedy = f"Add it to {FILE_OF['options']}"
        for name, label in sorted(pairs):
            if name not in self._levels:
                yield "the option is unknown", remedy, name
            elif label not in self._levels[name]:
                yield f"{name} has no such level", remedy, label

    @cached_property
    def _space(self) -> OptionSpace | None:
        """The space of the configurations; None where the options make none, which is noted with them."""
        try:
            return self._records.option_space()
        except ConfigurationError:
            return None

    def _unsound_formulas(self, formulas: Mapping[str, Sequence[str]]) -> Iterator[Contradiction]:
        """Formulas that make no partition of the configurations; they are called by their keys."""
        for key, result in try_partitions(self._space, formulas).items() if self._space else ():
            if isinstance(result, ConfigurationError):
                yield str(result), f"Correct the formulas of {key}", ""

"""What the parts of a Perfatlas bundle must say of one another."""

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from hashlib import sha256
from operator import attrgetter
from typing import Any

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.valid import valid_configurations
from dashboard.importers.bundle.files import (
    ANALYSES,
    COEFFICIENTS,
    CONFIGURATIONS,
    ENVIRONMENTS,
    FEATURE_MODELS,
    HYBRIDS,
    MANIFEST,
    METRICS,
    OPTIONS,
    ORDERS,
    REGION_VERSIONS,
    REGIONS,
    REVISIONS,
    RUNS,
    SERIES,
    SOURCES,
    WORKLOADS,
)
from dashboard.importers.bundle.hybrid_checks import check_hybrids
from dashboard.importers.bundle.traced_checks import check_traced
from dashboard.importers.errors import Faults
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import PerformanceModelRecord, SystemRecords

Note = Callable[..., None]
_PLACE = ("revision", "workload", "environment")


def check(records: SystemRecords, faults: Faults) -> None:
    """Note what contradicts: repeated names, positions out of range, unknown names, formulas that split nothing."""
    _check_unique(records, faults)
    _check_options(records, faults)
    _check_orders(records, faults)
    for digest, text in records.sources.items():
        # Excerpts are shared by all systems: one under a wrong digest would show in others.
        if sha256(text.encode()).hexdigest() != digest:
            faults.add(SOURCES, "the text has another SHA-256", "Write its own digest", value=digest)
    sources = set(records.sources)
    for row, version in enumerate(records.region_versions):
        if version.source and version.source not in sources:
            remedy = f"Add the text to {SOURCES} or leave it blank"
            _note(faults, REGION_VERSIONS, row, "the source is unknown", remedy, version.source)
    for place, one in enumerate(records.series):
        if (one.configuration is None) == (not one.subject):
            _note(faults, SERIES, place, "needs a subject or a configuration, not both", "Give one of them")
        _check_place(records, SERIES, place, one, faults)
    _check_coefficients(records, faults)
    for place, model in enumerate(records.feature_models):
        _check_feature_model(records, place, model, faults)
    check_traced(records, faults)
    check_hybrids(records, faults)
    for place, analysis in enumerate(records.analyses):
        _check_analysis(records, place, analysis, faults)


def _note(faults: Faults, file: str, place: int, *words: str) -> None:
    """Problem, remedy and value of a fault in the entry at `place`, counted from 0, of a table or a JSON list."""
    problem, remedy, value = (*words, "")[:3]
    if ".csv" in file:
        faults.add(file, problem, remedy, line=place + 2, value=value)
    else:
        faults.add(file, problem, remedy, column=str(place), value=value)


def _check_unique(records: SystemRecords, faults: Faults) -> None:
    keyed: dict[str, tuple[str, Iterable[Any], Callable[[Any], Hashable]]] = {
        MANIFEST: ("digest", records.batches, attrgetter("digest")),
        REVISIONS: ("name", records.revisions, attrgetter("name")),
        ORDERS: ("name", records.orders, attrgetter("name")),
        OPTIONS: ("name", records.options, attrgetter("name")),
        WORKLOADS: ("name", records.workloads, attrgetter("name")),
        ENVIRONMENTS: ("digest", records.environments, attrgetter("digest")),
        METRICS: ("metric", records.metrics, _itself),
        REGIONS: ("key", records.regions, attrgetter("key")),
        SERIES: ("series", records.series, _itself),
        CONFIGURATIONS: (
            "assignments",
            records.configurations,
            lambda one: frozenset(one.assignments.items()),
        ),
        REGION_VERSIONS: ("region and revision", records.region_versions, attrgetter("region", "revision")),
        RUNS: ("run", records.runs, attrgetter(*_PLACE, "batch", "configuration", "kind", "repetition")),
        FEATURE_MODELS: ("batch", records.feature_models, attrgetter("batch")),
        COEFFICIENTS: (
            "coefficient",
            records.coefficients,
            attrgetter("batch", "revision", "metric", "term"),
        ),
        ANALYSES: ("analysis", records.analyses, attrgetter(*_PLACE, "batch", "kind")),
        HYBRIDS: ("hybrid model", records.hybrids, attrgetter(*_PLACE, "metric")),
    }
    for file, (word, entries, key) in keyed.items():
        _check_once(file, word, map(key, entries), faults)


def _itself(record: Hashable) -> Hashable:
    return record


def _check_once(file: str, word: str, keys: Iterable[Hashable], faults: Faults) -> None:
    first: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        earlier = first.setdefault(key, place)
        if earlier != place:
            _note(faults, file, place, f"repeats the {word} of entry {earlier}", "Keep one of the two")


def _check_options(records: SystemRecords, faults: Faults) -> None:
    revisions = {one.name for one in records.revisions}
    levels: dict[str, list[str]] = {}
    for place, option in enumerate(records.options):
        levels[option.name] = [level.label for level in option.levels]
        for name in (option.first_revision, option.last_revision):
            if name and name not in revisions:
                _note(faults, OPTIONS, place, "the revision is unknown", f"Add it to {REVISIONS}", name)
        if len(set(levels[option.name])) < len(option.levels):
            _note(faults, OPTIONS, place, "two levels have one label", "Rename one", option.name)
        try:
            option.as_option()
        except ConfigurationError as error:
            _note(faults, OPTIONS, place, str(error), "Correct the option", option.name)
    for place, configuration in enumerate(records.configurations):
        for name, label in configuration.assignments.items():
            if name not in levels:
                _note(faults, CONFIGURATIONS, place, "the option is unknown", f"Add it to {OPTIONS}", name)
            elif label not in levels[name][1:]:
                problem = f"{name} has no such level beside its reference level"
                _note(faults, CONFIGURATIONS, place, problem, "Leave reference levels out", label)


def _check_orders(records: SystemRecords, faults: Faults) -> None:
    revisions = {one.name for one in records.revisions}
    for place, order in enumerate(records.orders):
        for name in order.places:
            if name not in revisions:
                _note(faults, ORDERS, place, "the revision is unknown", f"Add it to {REVISIONS}", name)
        if len(set(order.places.values())) < len(order.places):
            _note(faults, ORDERS, place, "two revisions have one position", "Move one", order.name)


def _check_coefficients(records: SystemRecords, faults: Faults) -> None:
    revisions = {one.name for one in records.revisions}
    levels = {one.name: {level.label for level in one.levels} for one in records.options}
    for place, one in enumerate(records.coefficients):
        note = partial(_note, faults, COEFFICIENTS, place)
        if one.revision not in revisions:
            note("the revision is unknown", f"Add it to {REVISIONS}", one.revision)
        for position, size in ((one.batch, len(records.batches)), (one.metric, len(records.metrics))):
            if position >= size:
                note(f"there are only {size} of these", "Write a position, counted from 0", str(position))
        for name, labels in (one.levels or {}).items():
            for label in (labels,) if isinstance(labels, str) else labels:
                if label not in levels.get(name, set()):
                    note(f"{name} has no such level", f"Add it to {OPTIONS}", label)


def _check_feature_model(records: SystemRecords, place: int, one: FeatureModelRecord, faults: Faults) -> None:
    note = partial(_note, faults, FEATURE_MODELS, place)
    if one.batch >= len(records.batches):
        problem = f"there are only {len(records.batches)} batches"
        note(problem, "Write a position, counted from 0", str(one.batch))
    try:
        folding = fold(one.model)
        valid_configurations(folding, records.option_space())
    except ConfigurationError as error:
        note(str(error), "Correct the model or the options")
        return
    for location in one.locations:
        if location.feature not in folding.presences:
            note("a location belongs to no feature", "Correct its name", location.feature)


def _check_place(records: SystemRecords, file: str, place: int, one: Any, faults: Faults) -> None:
    """Workload, environment and whatever positions an entry of a series or analysis has."""
    if one.workload not in {workload.name for workload in records.workloads}:
        _note(faults, file, place, "the workload is unknown", f"Add it to {WORKLOADS}", one.workload)
    sizes = {
        "batch": len(records.batches),
        "environment": len(records.environments),
        "metric": len(records.metrics),
        "region_metric": len(records.metrics),
        "total_metric": len(records.metrics),
        "configuration": len(records.configurations),
    }
    for name, size in sizes.items():
        position = getattr(one, name, None)
        if position is not None and position >= size:
            problem = f"there are only {size} for {name}"
            _note(faults, file, place, problem, "Write a position, counted from 0", str(position))


def _check_analysis(
    records: SystemRecords, place: int, analysis: PerformanceModelRecord, faults: Faults
) -> None:
    _check_place(records, ANALYSES, place, analysis, faults)

    note = partial(_note, faults, ANALYSES, place)

    if analysis.revision not in {one.name for one in records.revisions}:
        note("the revision is unknown", f"Add it to {REVISIONS}", analysis.revision)
    options = {one.name for one in records.options}
    for name in analysis.options:
        if name not in options:
            note("the option is unknown", f"Add it to {OPTIONS}", name)
    names = [one.name for one in analysis.corrections]
    if len(set(names)) < len(names):
        note("two corrections have one name", "Rename one")
    # Without any corrections, the one that predictions were made with may be known by name only.
    if names and analysis.published_correction and analysis.published_correction not in names:
        note(
            "the published correction is unknown",
            "Name one of the corrections",
            analysis.published_correction,
        )
    for correction in analysis.corrections:
        if correction.slope == 0:
            note("a slope of 0 corrects nothing", "Write the fitted slope", correction.name)
    configurations = [one.configuration for one in analysis.predictions]
    if any(position >= len(records.configurations) for position in configurations):
        note("a prediction is of an unknown configuration", f"Add it to {CONFIGURATIONS}")
    if len(set(configurations)) < len(configurations):
        note("two predictions are of one configuration", "Keep one of them")
    _check_partitions(records, analysis, note)


def _check_partitions(records: SystemRecords, analysis: PerformanceModelRecord, note: Note) -> None:
    formulas: dict[str, tuple[str, ...]] = {}
    for part in analysis.partitions:
        if part.region >= len(records.regions):
            note("a partition is of an unknown region", f"Add it to {REGIONS}", str(part.region))
        elif (key := records.regions[part.region].key) in formulas:
            note("two partitions are of one region", "Keep one of them", key)
        else:
            formulas[key] = part.formulas
    try:
        space = records.option_space()
    except ConfigurationError:
        return  # told with the options
    for key, result in try_partitions(space, formulas).items():
        if isinstance(result, ConfigurationError):
            note(str(result), f"Correct the formulas of {key}")

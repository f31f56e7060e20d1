"""What the parts of a Perfatlas bundle must say of one another."""

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any

from dashboard.importers.bundle.files import FILE_OF, KEYS, LIST_SHAPES, record_class
from dashboard.importers.bundle.option_checks import (
    Levels,
    Note,
    check_configuration,
    check_feature_model,
    check_formulas,
    check_levels,
    check_option,
    levels_of,
)
from dashboard.importers.errors import Faults
from dashboard.importers.model_records import HybridRecord, PerformanceModelRecord
from dashboard.importers.record_fields import NAMED_BY, references_in
from dashboard.importers.records import OrderRecord, SeriesRecord, SystemRecords
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord


def check(records: SystemRecords, faults: Faults) -> None:
    """Note what contradicts: repeated entries, positions out of range, unknown names, formulas that split nothing."""
    for field in KEYS:
        _check_unique(records, field, faults)
    for digest, text in records.sources.items():
        # Excerpts are shared by all systems: one under a wrong digest would show in others.
        if sha256(text.encode()).hexdigest() != digest:
            problem = "the text has another SHA-256"
            faults.add(FILE_OF["sources"], problem, "Write its own digest", value=digest)
    _check_references(records, faults)
    levels = levels_of(records)
    checks: dict[str, Callable[[Any, Note], None]] = {
        "orders": _check_order,
        "options": check_option,
        "configurations": partial(check_configuration, levels),
        "series": _check_series,
        "feature_models": partial(check_feature_model, records),
        "performance_models": partial(_check_performance_model, records),
        "white_box_analyses": partial(_check_white_box, records, levels),
        "counts": _check_counts,
        "hybrid_models": _check_hybrid_model,
    }
    for field, check_entry in checks.items():
        for position, entry in enumerate(getattr(records, field)):
            check_entry(entry, partial(_note, faults, field, position))


def _note(faults: Faults, field: str, position: int, *words: str) -> None:
    """Note a fault of the entry at `position`, counted from 0, of a table or a JSON list: problem, remedy, value."""
    problem, remedy, value = (*words, "")[:3]
    file = FILE_OF[field]
    if ".csv" in file:
        faults.add(file, problem, remedy, line=position + 2, value=value)
    else:
        faults.add(file, problem, remedy, column=str(position), value=value)


def _check_unique(records: SystemRecords, field: str, faults: Faults) -> None:
    """Note entries that repeat the key of an earlier one; those of array tables are checked where they are read."""
    entries = getattr(records, field)
    if not isinstance(entries, tuple):
        return
    word, names = KEYS[field]
    first: dict[Any, int] = {}
    for position, entry in enumerate(entries):
        values = [getattr(entry, name) for name in names] or [entry]
        key = tuple(frozenset(one.items()) if isinstance(one, Mapping) else one for one in values)
        earlier = first.setdefault(key, position)
        if earlier != position:
            problem = f"repeats the {word} of entry {earlier}"
            _note(faults, field, position, problem, "Keep one of the two")


def _check_references(records: SystemRecords, faults: Faults) -> None:
    """Note positions out of range, and names of options, levels, revisions and workloads that no entry has.

    References in tables are checked where their cells are read.
    """
    sizes = {field: len(held) for field in FILE_OF if isinstance(held := getattr(records, field), tuple)}
    names = {field: {one.name for one in getattr(records, field)} for field in NAMED_BY if field != "sources"}
    levels = levels_of(records)
    for field in LIST_SHAPES:
        visit = None if field == "sources" else references_in(record_class(field))
        if visit is None:
            continue
        for position, entry in enumerate(getattr(records, field)):
            note = partial(_note, faults, field, position)
            for name, collection, value in visit(field, entry):
                if collection == "levels":
                    check_levels(levels, [value], note)
                elif collection in names:
                    if value not in names[collection]:
                        problem = f"the {collection.removesuffix('s')} is unknown"
                        note(problem, f"Add it to {FILE_OF[collection]}", value)
                elif value >= sizes[collection]:
                    problem = f"there are only {sizes[collection]} for {name}"
                    note(problem, "Write a position, counted from 0", str(value))


def _check_order(order: OrderRecord, note: Note) -> None:
    if len(set(order.places.values())) < len(order.places):
        note("two revisions have one position", "Move one", order.name)


def _check_series(series: SeriesRecord, note: Note) -> None:
    if (series.configuration is None) == (not series.subject):
        note("needs a subject or a configuration, not both", "Give one of them")


def _check_performance_model(records: SystemRecords, model: PerformanceModelRecord, note: Note) -> None:
    names = [one.name for one in model.corrections]
    if len(set(names)) < len(names):
        note("two corrections have one name", "Rename one")
    # Without any corrections, the one that predictions were made with may be known by name only.
    if names and model.published_correction and model.published_correction not in names:
        problem, remedy = "the published correction is unknown", "Name one of the corrections"
        note(problem, remedy, model.published_correction)
    for correction in model.corrections:
        if correction.slope == 0:
            note("a slope of 0 corrects nothing", "Write the fitted slope", correction.name)
    if len({one.configuration for one in model.predictions}) < len(model.predictions):
        note("two predictions are of one configuration", "Keep one of them")
    formulas: dict[str, tuple[str, ...]] = {}
    for part in model.partitions:
        key = records.regions[part.region].key if part.region < len(records.regions) else ""
        if key in formulas:
            note("two partitions are of one region", "Keep one of them", key)
        formulas[key] = part.formulas
    check_formulas(records, formulas, note)


def _check_hybrid_model(one: HybridRecord, note: Note) -> None:
    regions = [row.region for row in one.regions]
    if len(set(regions)) < len(regions):
        note("two models are of one region", "Keep one of them")
    for where, model in (("the whole", one.whole), *((row.region, row.model) for row in one.regions)):
        size = len(model.terms)
        if not size:
            note("a model has no terms", "Leave it out, or write the intercept: {}", where)
        if len({frozenset(term.items()) for term in model.terms}) < size:
            note("a term is there twice", "Keep one of them", where)
        if len(model.coefficients) != size:
            note(f"{size} terms have {len(model.coefficients)} coefficients", "Write one for each", where)
        triangle, held = size * (size + 1) // 2, len(model.covariance)
        if held != triangle:
            problem = f"{size} terms have {held} covariances, not {triangle}"
            note(problem, "Write the lower triangle", where)


def _check_white_box(records: SystemRecords, levels: Levels, one: WhiteBoxRecord, note: Note) -> None:
    """The options and levels that an analysis names must be the system's, and its formulas partitions of them."""
    check_levels(levels, one.found.named_levels(), note)
    for name in sorted(one.found.named_options() - levels.keys()):
        note("the option is unknown", f"Add it to {FILE_OF['options']}", name)
    formulas = {
        f"{region} ({at})": part
        for region, parts in one.found.partitions.items()
        for at, part in enumerate(parts)
    }
    check_formulas(records, formulas, note)


def _check_counts(counts: CountsRecord, note: Note) -> None:
    """Sites and positions must ascend, and each run be of another configuration."""
    if list(counts.sites) != sorted(set(counts.sites)):
        note("sites are not in order, or one is there twice", "Sort them")
    for run in counts.runs:
        positions = [position for position, _ in run.counts]
        if positions != sorted(set(positions)) or any(one >= len(counts.sites) for one in positions):
            note("these are no ascending positions of sites", "Correct them")
    if len({(run.configuration, run.workload, run.environment) for run in counts.runs}) < len(counts.runs):
        note("two runs are of one configuration", "Keep one of them")

"""What the hybrid models of a Perfatlas bundle must say of its other parts."""

from collections.abc import Callable

from dashboard.importers.bundle.files import HYBRIDS, OPTIONS, REVISIONS, WORKLOADS
from dashboard.importers.errors import Faults
from dashboard.importers.hybrid_records import HybridRecord, TermsRecord
from dashboard.importers.records import SystemRecords

Note = Callable[[str, str, str], None]


def check_hybrids(records: SystemRecords, faults: Faults) -> None:
    """Note positions out of range, unknown names, and models whose numbers do not fit their terms."""
    for place, one in enumerate(records.hybrids):

        def note(problem: str, remedy: str, value: str, place: int = place) -> None:
            faults.add(HYBRIDS, problem, remedy, column=str(place), value=value)

        _check_place(records, one, note)
        _check_names(records, one, note)
        regions = [row.region for row in one.regions]
        if len(set(regions)) < len(regions):
            note("two models are of one region", "Keep one of them", "")
        for where, model in (("the whole", one.whole), *((row.region, row.model) for row in one.regions)):
            _check_numbers(model, where, note)


def _check_place(records: SystemRecords, one: HybridRecord, note: Note) -> None:
    known = {
        "batch": len(records.batches),
        "environment": len(records.environments),
        "metric": len(records.metrics),
    }
    for name, size in known.items():
        if (position := getattr(one, name)) >= size:
            note(f"there are only {size} for {name}", "Write a position, counted from 0", str(position))
    if one.revision not in {row.name for row in records.revisions}:
        note("the revision is unknown", f"Add it to {REVISIONS}", one.revision)
    if one.workload not in {row.name for row in records.workloads}:
        note("the workload is unknown", f"Add it to {WORKLOADS}", one.workload)


def _check_names(records: SystemRecords, one: HybridRecord, note: Note) -> None:
    """The options and levels that terms name must be the system's."""
    levels = {row.name: {level.label for level in row.levels} for row in records.options}
    models = (one.whole, *(row.model for row in one.regions))
    named = {pair for model in models for term in model.terms for pair in term.items()}
    for name in sorted({*one.options, *(name for name, _ in named)} - levels.keys()):
        note("the option is unknown", f"Add it to {OPTIONS}", name)
    for name, label in sorted(named):
        if name in levels and label not in levels[name]:
            note(f"{name} has no such level", f"Add it to {OPTIONS}", label)


def _check_numbers(model: TermsRecord, where: str, note: Note) -> None:
    size = len(model.terms)
    if not size:
        note("a model has no terms", "Leave it out, or write the intercept: {}", where)
    if len({frozenset(term.items()) for term in model.terms}) < size:
        note("a term is there twice", "Keep one of them", where)
    if len(model.coefficients) != size:
        note(f"{size} terms have {len(model.coefficients)} coefficients", "Write one for each", where)
    triangle = size * (size + 1) // 2
    if len(model.covariance) != triangle:
        given = len(model.covariance)
        note(f"{size} terms have {given} covariances, not {triangle}", "Write the lower triangle", where)

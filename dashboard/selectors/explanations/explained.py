"""A step of a history explained: split into terms and into regions, with what is not known and what would tell it."""

from collections.abc import Sequence

from analytics.influence.times import PROGRAM_REGION
from analytics.step_parts import (
    Changed,
    StepPart,
    measured_step,
    measured_terms,
    split_regions,
    split_terms,
)
from dashboard.access import NotFound
from dashboard.models import Metric, Series, System
from dashboard.selectors.explanations.cells import (
    RegionCells,
    counted_cells,
    point_cells,
    profiled_cells,
)
from dashboard.selectors.explanations.configurations import step_configurations
from dashboard.selectors.explanations.regions import step_regions
from dashboard.selectors.explanations.rows import ExplainedStep
from dashboard.selectors.histories.counted import measured_pair
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.revisions import ordered_revisions, place_of, stretch_of
from dashboard.selectors.histories.rows import ChangeRow, History, SeriesRow

_ITSELF: Changed = frozenset()
# So many measured revisions of each side tell a level at most.
_LEVEL = 5


def explain_change(*, system: System, history: History, change: ChangeRow) -> ExplainedStep:
    """The step of a change of a history, split by what was measured right before and right after it.

    The step is that of the change, with its interval. Raises `NotFound` for a series whose steps are not split.
    """
    before, after = measured_pair(history, change)
    size = change.size
    # The interval is a share of the same level as the relative size.
    unit = size / change.relative if change.relative else 0.0
    ends = sorted((change.low * unit, change.high * unit))
    step = StepPart("", size, *((size, size) if change.is_exact else ends))
    return explain_step(
        system=system,
        series=history.series,
        before=before,
        after=after,
        level=(step, _around(history, change)),
        order=history.order,
    )


def _around(history: History, change: ChangeRow) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The measured revisions that tell the levels around a change, the nearest first: as far as no other change lies between."""
    at = history.changes.index(change)
    begin = history.changes[at - 1].after.position if at else -1
    end = history.changes[at + 1].before.position if at + 1 < len(history.changes) else None
    before = [one for one in history.measured if begin <= one.position <= change.before.position]
    after = [
        one
        for one in history.measured
        if change.after.position <= one.position and (end is None or one.position <= end)
    ]
    return (
        tuple(one.revision for one in reversed(before[-_LEVEL:])),
        tuple(one.revision for one in after[:_LEVEL]),
    )


def explain_step(
    *,
    system: System,
    series: SeriesRow,
    before: str,
    after: str,
    level: tuple[StepPart, tuple[tuple[str, ...], tuple[str, ...]]] | None = None,
    order: OrderedRevisions | None = None,
) -> ExplainedStep:
    """What a series took more at one revision than at another, split into terms and into regions.

    The step is what was measured at the two, or that of a `level`: the step, and the revisions that tell it on both sides.
    `order` is the system's where it was read already.
    Raises `NotFound` for unknown revisions, for those at which the series was not measured, and for a series whose steps
    are not split. Twelve queries at most; where things were counted, four more a configuration.
    """
    order = order or ordered_revisions(system=system)
    first, last = (place_of(name, order.revisions) for name in (before, after))
    found = step_configurations(system, series)
    exact = series.clock == Metric.Clock.COUNT
    ids = {place.name: place.revision_id for place in order.revisions}
    step, names = level or (None, ((), ()))
    further = ([ids[name] for name in side if not exact] for side in names)
    sides = zip((first, last), further, strict=True)
    before_ids, after_ids = (tuple(dict.fromkeys([place.revision_id, *some])) for place, some in sides)
    ends = (before_ids, after_ids)
    own = point_cells(system, series, {_ITSELF: series.subject}, ends, kind=series.kind)
    if _ITSELF not in own:
        raise NotFound(f"{series.label} was not measured at both {first.name} and {last.name}")
    is_term = series.kind == Series.SubjectKind.TERM
    points = point_cells(system, series, found.cells, ends, kind=Series.SubjectKind.CONFIGURATION)
    step = step or measured_step({_ITSELF: 1.0}, {_ITSELF: own[_ITSELF] if is_term else points[found.whole]})
    terms = measured_terms(found.whole, points.keys())
    counted = counted_cells(system, series, found, (first.name, last.name)) if exact else None
    regions = counted if exact else profiled_cells(system, series, found, ends)
    split = None
    if regions is not None:
        split = split_regions(
            step, regions.keys, found.weights, regions.cells, regions.together, kept=PROGRAM_REGION
        )
    untold = () if is_term or found.whole in terms else found.untold(terms)
    return ExplainedStep(
        series=series,
        before=first,
        after=last,
        stretch=stretch_of(order, first, last),
        step=step,
        revisions=(len(ends[0]), len(ends[1])),
        terms=split_terms(step, terms, points) if terms and not is_term else None,
        labels={"*".join(sorted(term)): found.label(term) for term in terms},
        untold=untold,
        of_regions=split,
        regions=step_regions(system, regions, split, found, ends) if regions and split else (),
        missing=_missing(regions, untold, [step, *(split.parts if split else ())]),
        needed=tuple(found.selection(one) for one in found.needed),
    )


def _missing(
    regions: RegionCells | None, untold: Sequence[str], parts: Sequence[StepPart]
) -> tuple[str, ...]:
    """What is not known of a step, and which runs would tell it."""
    missing = []
    if regions is None:
        missing.append("which functions take it: profiled runs of both revisions would tell")
    if untold:
        missing.append(f"how much of it is {', '.join(untold)}: runs of these configurations would tell")
    if any(part.low is None for part in parts):
        missing.append("how sure this is: it was run once, more runs would tell")
    return tuple(missing)

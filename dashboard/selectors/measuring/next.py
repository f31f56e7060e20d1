"""Which revisions of a history are worth measuring next, and why."""

from collections.abc import Collection, Mapping, Sequence

from analytics.histories.acquisition import Reason, Suggestion, suggest
from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, Run
from dashboard.selectors.histories import fitted_history
from dashboard.selectors.histories.rows import RevisionPlace, SuggestionRow
from dashboard.selectors.histories.series import get_series, measured_points, ordered_revisions
from dashboard.selectors.measuring.times import seconds_per_run

# How often each of them is run when it is measured from here.
REPETITIONS = 3


def measure_next(
    *, principal: Principal, slug: str, series_id: int, order: str = "", count: int = 5
) -> tuple[SuggestionRow, ...]:
    """Up to `count` revisions of the order worth measuring, the best first.

    Left out are those that were measured, that hold the same code as a measured one, or that never ran. Of several
    revisions with the same code the first one stands for all. Raises `NotFound` for an unknown series or order.
    """
    series = get_series(principal=principal, slug=slug, series_id=series_id)
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    points = measured_points(principal=principal, slug=slug, series_ids=(series_id,), order=placed)[series_id]
    if not points:
        raise NotFound(f"series {series_id} has no measured revision in the order {placed.name!r}")
    at = {place.position: place for place in placed.revisions}
    hopeless = unmeasurable(principal=principal, slug=slug, workload=series.workload)
    ran = frozenset(point.position for point in points)
    candidates = _distinct([place for place in placed.revisions if place.revision_id not in hopeless], ran)
    found = suggest(fitted_history(points, None, len(placed.revisions), series.kind), candidates, count=count)
    each = seconds_per_run(system=require(principal, slug), workload=series.workload, profile=False)
    return _in_words(found, at, None if each is None else each * REPETITIONS)


def unmeasurable(*, principal: Principal, slug: str, workload: str) -> frozenset[int]:
    """The revisions, by id, that were tried with a workload and never ran: gaps, not values."""
    system = require(principal, slug)
    tried = Run.objects.filter(
        revision__system=system, workload__name=workload, batch__state=Batch.State.VISIBLE
    )
    ran = tried.filter(status=Run.Status.OK).values("revision_id")
    return frozenset(tried.exclude(revision_id__in=ran).values_list("revision_id", flat=True))


def _distinct(places: Sequence[RevisionPlace], measured: Collection[int]) -> list[int]:
    """The positions whose code no measured revision holds, each code once; a code that is not known is its own."""
    seen = {place.content for place in places if place.content and place.position in measured}
    found = []
    for place in places:
        if place.position not in measured and place.content not in seen:
            found.append(place.position)
            seen |= {place.content} - {""}
    return found


def _in_words(
    found: Sequence[Suggestion], at: Mapping[int, RevisionPlace], seconds: float | None
) -> tuple[SuggestionRow, ...]:
    names = {position: place.name for position, place in at.items()}
    return tuple(
        SuggestionRow(
            revision=at[one.position].name,
            position=one.position,
            message=at[one.position].message,
            reason=reason_in_words(one, names),
            gain=one.expected_gain,
            seconds=seconds,
        )
        for one in found
    )


def reason_in_words(found: Suggestion, names: Mapping[int, str]) -> str:
    """Why a position is worth measuring, with the `names` of the revisions around it. For selectors and services."""
    before = names[found.bracket_before] if found.bracket_before is not None else None
    after = names[found.bracket_after] if found.bracket_after is not None else None
    many = f"{found.unmeasured} unmeasured revision{'s' if found.unmeasured != 1 else ''}"
    if found.reason is Reason.HIDDEN_STEP:
        step = f"{100 * found.relative_step:+.0f} %".replace("-", "\N{MINUS SIGN}")
        return f"{many} between {before} and {after} hide a step of {step}"
    if before is None:
        return f"{many} before {after}, the first one measured"
    if after is None:
        return f"{many} after {before}, the last one measured"
    return f"the longest gap: {many} between {before} and {after}"

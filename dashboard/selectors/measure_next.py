"""Which revisions of a history are worth measuring next, and why."""

from collections.abc import Sequence

from analytics.histories import FittedHistory
from analytics.histories.acquisition import Reason, Suggestion, suggest
from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, Run
from dashboard.selectors.histories import fitted_history
from dashboard.selectors.histories_rows import RevisionPlace, SuggestionRow
from dashboard.selectors.series import get_series, measured_points, ordered_revisions


def measure_next(
    *, principal: Principal, slug: str, series_id: int, order: str = "", count: int = 5
) -> tuple[SuggestionRow, ...]:
    """Up to `count` revisions of the order without a measurement, the best first.

    Raises `NotFound` for an unknown series or order.
    """
    series = get_series(principal=principal, slug=slug, series_id=series_id)
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    points = measured_points(principal=principal, slug=slug, series_ids=(series_id,), order=placed)[series_id]
    if not points:
        raise NotFound(f"series {series_id} has no measured revision in the order {placed.name!r}")
    at = {place.position: place for place in placed.revisions}
    hopeless = unmeasurable(principal=principal, slug=slug, workload=series.workload)
    candidates = [position for position, place in at.items() if place.revision_id not in hopeless]
    return _in_words(fitted_history(points, None, len(placed.revisions)), at, candidates, count)


def unmeasurable(*, principal: Principal, slug: str, workload: str) -> frozenset[int]:
    """The revisions, by id, that were tried with a workload and never ran: gaps, not values."""
    system = require(principal, slug)
    tried = Run.objects.filter(
        revision__system=system, workload__name=workload, batch__state=Batch.State.VISIBLE
    )
    ran = tried.filter(status=Run.Status.OK).values("revision_id")
    return frozenset(tried.exclude(revision_id__in=ran).values_list("revision_id", flat=True))


def _in_words(
    fitted: FittedHistory, at: dict[int, RevisionPlace], candidates: Sequence[int], count: int
) -> tuple[SuggestionRow, ...]:
    return tuple(
        SuggestionRow(
            revision=at[found.position].name,
            position=found.position,
            reason=_reason(found, at),
            gain=found.expected_gain,
        )
        for found in suggest(fitted, sorted(candidates), count=count)
    )


def _reason(found: Suggestion, at: dict[int, RevisionPlace]) -> str:
    before = at[found.bracket_before].name if found.bracket_before is not None else None
    after = at[found.bracket_after].name if found.bracket_after is not None else None
    many = f"{found.unmeasured} unmeasured revision{'s' if found.unmeasured != 1 else ''}"
    if found.reason is Reason.HIDDEN_STEP:
        step = f"{100 * found.relative_step:+.0f} %".replace("-", "\N{MINUS SIGN}")
        return f"{many} between {before} and {after} hide a step of {step}"
    if before is None:
        return f"{many} before {after}, the first one measured"
    if after is None:
        return f"{many} after {before}, the last one measured"
    return f"the longest gap: {many} between {before} and {after}"

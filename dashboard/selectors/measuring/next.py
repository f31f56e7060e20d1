"""Which revisions of a history are worth measuring next, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analytics.histories import Suggestion, SuggestionReason
from analytics.histories.stopping import StopReason
from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, Run
from dashboard.selectors.histories.codes import CodeVersions
from dashboard.selectors.histories.curves import curve_of
from dashboard.selectors.histories.rows import RevisionPlace, SuggestionRow
from dashboard.selectors.histories.series import OrderedRevisions, get_series, ordered_revisions
from dashboard.selectors.measuring.outlook import outlook, usual_rule
from dashboard.selectors.measuring.times import seconds_per_revision

# How often each of them is run when it is measured from here.
REPETITIONS = 3


@dataclass(frozen=True, slots=True)
class RevisionProposal:
    """The revisions worth measuring, the best first, and in words why tracking would measure none of them now.

    `stop` is "" where tracking would go on. `measured` counts the revisions that were measured or hold the code of one
    that was, `unbuildable` those that were tried and never ran.
    """

    rows: tuple[SuggestionRow, ...]
    stop: str
    measured: int
    unbuildable: int


def propose(
    *, principal: Principal, slug: str, series_id: int, order: str = "", count: int = 5
) -> RevisionProposal:
    """Up to `count` revisions of the order worth measuring, the best first.

    Left out are those that were measured, that hold the same code as a measured one, or that never ran. Of several
    revisions with the same code the first one stands for all. Constant number of queries. Raises `NotFound` for an
    unknown series or order.
    """
    series = get_series(principal=principal, slug=slug, series_id=series_id)
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    curve = curve_of(principal=principal, slug=slug, series=series, order=placed)
    if not curve.points:
        raise NotFound(f"series {series_id} has no measured revision in the order {placed.name!r}")
    unbuildable = unbuildable_revisions(principal=principal, slug=slug, workload=series.workload)
    found = outlook(
        curve, placed.revisions, {one.name for one in placed.revisions if one.revision_id in unbuildable}
    )
    line = curve.line
    stop = found.next_or_stop(usual_rule(line.length))
    seconds = seconds_per_revision(
        system=require(principal, slug), workload=series.workload, repetitions=REPETITIONS
    )
    known = set(found.fitted.measurements.positions.tolist())
    return RevisionProposal(
        rows=_rows(found.best(count), found.candidates, placed, line, seconds),
        stop=stop.value if isinstance(stop, StopReason) else "",
        measured=sum(line.version_at[place.position] in known for place in placed.revisions),
        unbuildable=sum(place.revision_id in unbuildable for place in placed.revisions),
    )


def unbuildable_revisions(*, principal: Principal, slug: str, workload: str) -> frozenset[int]:
    """The revisions, by id, that were tried with a workload and never ran: gaps, not values."""
    system = require(principal, slug)
    tried = Run.objects.filter(
        revision__system=system, workload__name=workload, batch__state=Batch.State.VISIBLE
    )
    ran = tried.filter(status=Run.Status.OK).values("revision_id")
    return frozenset(tried.exclude(revision_id__in=ran).values_list("revision_id", flat=True))


def _rows(
    found: Sequence[Suggestion],
    candidates: Mapping[int, RevisionPlace],
    placed: OrderedRevisions,
    line: CodeVersions,
    seconds: float | None,
) -> tuple[SuggestionRow, ...]:
    names: dict[int, str] = {}
    for place in placed.revisions:
        names.setdefault(line.version_at[place.position], place.name)
    return tuple(
        SuggestionRow(
            revision=candidates[one.position].name,
            position=candidates[one.position].position,
            message=candidates[one.position].message,
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
    if found.reason is SuggestionReason.HIDDEN_STEP:
        step = f"{100 * found.relative_step:+.0f} %".replace("-", "\N{MINUS SIGN}")
        return f"{many} between {before} and {after} hide a step of {step}"
    if before is None:
        return f"{many} before {after}, the first one measured"
    if after is None:
        return f"{many} after {before}, the last one measured"
    return f"the longest gap: {many} between {before} and {after}"

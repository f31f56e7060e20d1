"""Which revisions of a history are worth measuring next, and why: for the page, `next` and tracking jobs."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from analytics.histories import Suggestion, SuggestionReason, suggest
from analytics.histories.stopping import StopReason, next_or_stop, usual_rule
from dashboard.access import NotFound
from dashboard.models import Batch, Run, System
from dashboard.selectors.batch_manifests import BatchManifest, manifest_of, measured_with
from dashboard.selectors.histories.curves import load_curve
from dashboard.selectors.histories.fits import HistoryCurve, fitted_history
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import BROWNIAN, NextRevision, RevisionPlace
from dashboard.selectors.histories.series import get_series
from dashboard.selectors.histories.tracking_logs import MEASURED
from dashboard.selectors.run_times import estimate_seconds

# How often each of them is run when it is measured from here.
REPETITIONS = 3


@dataclass(frozen=True, slots=True)
class RevisionProposal:
    """The revisions worth measuring, the best first, and in words why tracking would measure none of them now.

    `stop` is "" where tracking would go on. `measured` counts the revisions that were measured or hold the code of one
    that was, `unbuildable` those that were tried and never ran.
    """

    rows: tuple[NextRevision, ...]
    stop: str
    measured: int
    unbuildable: int


def propose(*, system: System, series_id: int, order: str = "", count: int = 5) -> RevisionProposal:
    """Up to `count` revisions of the order worth measuring, the best first.

    Left out are those that were measured, that hold the same code as a measured one, or that never ran. Of several
    revisions with the same code the first one stands for all. Constant number of queries. Raises `NotFound` for an
    unknown series or order.
    """
    series = get_series(system=system, series_id=series_id)
    ordered = ordered_revisions(system=system, order=order)
    # What to measure next goes by Brownian motion, as tracking does, whatever kernel the page shows.
    curve = load_curve(system, series, ordered).with_kernel(BROWNIAN)
    if not curve.points:
        raise NotFound(f"series {series_id} has no measured revision in the order {ordered.name!r}")
    failed = unbuildable_revisions(system=system, workload=series.workload)
    unbuildable = {place.position for place in ordered.revisions if place.revision_id in failed}
    versions, fitted = curve.versions, fitted_history(curve)
    candidates = measurable_versions(curve, ordered.revisions, unbuildable)
    stop = next_or_stop(fitted, list(candidates), usual_rule(versions.length))
    seconds = _seconds_per_revision(system, series.workload)
    names: dict[int, str] = {}
    for place in ordered.revisions:
        names.setdefault(versions.version_at[place.position], place.name)
    measured = set(fitted.measurements.positions.tolist())
    return RevisionProposal(
        rows=tuple(
            NextRevision(
                revision_id=candidates[one.position].revision_id,
                revision=candidates[one.position].name,
                position=candidates[one.position].position,
                message=candidates[one.position].message,
                reason=reason_in_words(one, names),
                gain=one.expected_gain,
                seconds=seconds,
            )
            for one in suggest(fitted, list(candidates), count=count)
        ),
        stop=stop.value if isinstance(stop, StopReason) else "",
        measured=sum(versions.version_at[place.position] in measured for place in ordered.revisions),
        unbuildable=len(unbuildable),
    )


def measurable_versions(
    curve: HistoryCurve, revisions: Iterable[RevisionPlace], unbuildable: Collection[int] = ()
) -> dict[int, RevisionPlace]:
    """By code version, in order, the revision to measure for it: what is left to measure of a curve with points.

    Of these revisions all may be measured but those at the positions in `unbuildable`.
    """
    at = {one.position: one for one in revisions}
    version_at = curve.versions.version_at
    done = {*fitted_history(curve).measurements.positions.tolist()}
    done |= {version_at[position] for position in unbuildable if position in at}
    return {version: at[position] for version, position in curve.versions.unmeasured(at, done).items()}


def unbuildable_revisions(*, system: System, workload: str) -> frozenset[int]:
    """The revisions, by id, that were tried with a workload and never ran: gaps, not values. One query."""
    tried = Run.objects.filter(
        revision__system=system, workload__name=workload, batch__state=Batch.State.VISIBLE
    )
    ran = tried.filter(status=Run.Status.OK).values("revision_id")
    return frozenset(tried.exclude(revision_id__in=ran).values_list("revision_id", flat=True))


def reason_in_words(suggestion: Suggestion, names: Mapping[int, str]) -> str:
    """Why a code version is worth measuring, with the `names` of the versions around it."""
    before = names[suggestion.bracket_before] if suggestion.bracket_before is not None else None
    after = names[suggestion.bracket_after] if suggestion.bracket_after is not None else None
    many = f"{suggestion.unmeasured} unmeasured revision{'s' if suggestion.unmeasured != 1 else ''}"
    if suggestion.reason is SuggestionReason.HIDDEN_STEP:
        step = f"{100 * suggestion.relative_step:+.0f} %".replace("-", "\N{MINUS SIGN}")
        return f"{many} between {before} and {after} hide a step of {step}"
    if before is None:
        return f"{many} before {after}, the first one measured"
    if after is None:
        return f"{many} after {before}, the last one measured"
    return f"the longest gap: {many} between {before} and {after}"


def _seconds_per_revision(system: System, workload: str) -> float | None:
    """What it should take to build a revision and to run it `REPETITIONS` times; None where nothing tells.

    The median of what the newest tracking of the workload took for one, else that of the runs alone. Four queries at
    most.
    """
    batches = Batch.objects.filter(
        measured_with(workload=workload), system=system, format="track", state=Batch.State.VISIBLE
    )
    batch = batches.order_by("-pk").first()
    newest = BatchManifest() if batch is None else manifest_of(batch)
    taken = [step.seconds for step in newest.trail if step.outcome == MEASURED]
    if taken and newest.repetitions == REPETITIONS:
        return median(taken)
    return estimate_seconds(system=system, workload=workload, profile=False, runs=REPETITIONS)

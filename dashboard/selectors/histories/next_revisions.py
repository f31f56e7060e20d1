"""Which revisions of a history are worth measuring next, and what tracking jobs have chosen: for the page, `next` and jobs."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median

from django.db.models import Exists, OuterRef

from analytics.histories.acquisition import suggest
from analytics.histories.active_sampling import StopReason, next_or_stop, usual_rule
from analytics.histories.gaps import Suggestion, SuggestionReason
from dashboard.access import NotFound
from dashboard.models import Batch, Revision, Run, Series, System
from dashboard.selectors.batch_manifests import BatchManifest, TrackingStep, manifest_of, measured_with
from dashboard.selectors.histories.curves import load_curves
from dashboard.selectors.histories.fits import HistoryCurve, fitted_history
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import BROWNIAN, NextRevision
from dashboard.selectors.histories.series import get_series, stored_series
from dashboard.selectors.job_columns import jobs_by_batch
from dashboard.selectors.runs import estimate_seconds
from dashboard.selectors.systems import visible_runs

# How often each of them is run when it is measured from here.
REPETITIONS = 3


_KIND = "track"
# So many jobs: their logs fill a page.
_SHOWN = 5
MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class RevisionProposal:
    """The revisions worth measuring, the best first, and in words why tracking would measure none of them now.

    `seconds` is what the runs of one should take, without building it; None where no run tells. `stop` is "" where
    tracking would go on. `measured` counts the revisions that were measured or hold the code of one
    that was, `unbuildable` those that were tried and never ran.
    """

    rows: tuple[NextRevision, ...]
    seconds: float | None
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
    curve = replace(load_curves(system, [series], ordered)[series.series_id], kernel=BROWNIAN)
    if not curve.points:
        raise NotFound(f"series {series_id} has no measured revision in the order {ordered.name!r}")
    failed = unbuildable_revisions(system=system, workload=series.workload)
    unbuildable = {place.position for place in ordered.revisions if place.revision_id in failed}
    versions, fitted = curve.versions, fitted_history(curve)
    candidates = measurable_versions(curve, ordered.revisions, unbuildable)
    stop = next_or_stop(fitted, list(candidates), usual_rule(versions.length))
    names: dict[int, str] = {}
    for position, name in ordered.names.items():
        names.setdefault(versions.version_at[position], name)
    measured = set(fitted.measurements.positions.tolist())
    return RevisionProposal(
        rows=tuple(
            NextRevision(candidates[one.position], reason_in_words(one, names), one.expected_gain)
            for one in suggest(fitted, list(candidates), count=count)
        ),
        seconds=_seconds_per_revision(system, series.workload),
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
    tried = visible_runs(system).filter(workload__name=workload)
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
        measured_with(workload=workload), system=system, format=_KIND, state=Batch.State.VISIBLE
    )
    batch = batches.order_by("-pk").first()
    newest = BatchManifest() if batch is None else manifest_of(batch)
    taken = [step.seconds for step in newest.trail if step.outcome == MEASURED]
    if taken and newest.repetitions == REPETITIONS:
        return median(taken)
    return estimate_seconds(system=system, workload=workload, profile=False, runs=REPETITIONS)


def tracking_logs(*, system: System, series_id: int) -> tuple[tuple[BatchManifest, int | None], ...]:
    """The newest tracking jobs that measured for a history, the latest first; only configurations are tracked.

    Each by its decision log and its id, which is None where the job ran elsewhere, or is deleted.
    Constant number of queries. Raises `NotFound`.
    """
    series = stored_series(system, series_id)
    if series.subject_kind != Series.SubjectKind.CONFIGURATION:
        return ()
    measured = Run.objects.filter(
        batch=OuterRef("pk"),
        configuration__identity=series.subject,
        workload_id=series.workload_id,
        environment_id=series.environment_id,
    )
    found = Batch.objects.filter(Exists(measured), system=system, format=_KIND, state=Batch.State.VISIBLE)
    logs = {batch.pk: manifest_of(batch) for batch in found.order_by("-pk")[:_SHOWN]}
    job_of = jobs_by_batch(system, (_KIND,))
    return tuple((log, job_of[pk][0] if pk in job_of else None) for pk, log in logs.items())


def messages_of(*, system: System, steps: Iterable[TrackingStep]) -> dict[str, str]:
    """The messages of the revisions that were chosen, by name. One query."""
    names = {step.revision for step in steps}
    return dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "message"))

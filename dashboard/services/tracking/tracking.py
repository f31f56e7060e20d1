"""Tracking a program: a job that chooses the revisions to measure itself, until its budget is spent."""

from typing import Any

from dashboard.access import Access
from dashboard.selectors.batch_manifests import manifest_of, save_manifest
from dashboard.selectors.histories.next_revisions import MEASURED
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.tracking.choosing import limit_of
from dashboard.services.tracking.loop import TrackingLoop, TrackingRequest
from dashboard.services.tracking.tracked_series import TrackedSeries, choosable_revisions


def start_tracking(*, access: Access, request: TrackingRequest) -> int:
    """Queue the tracking of a system's subject. Raises as `choosable_revisions`."""
    if request.most is not None and request.most < 1:
        raise RequestInvalid("most", f"{request.most} revisions cannot be measured: write 1 or more")
    limit_of(request.stop_at)
    subject, revisions = choosable_revisions(access, request)
    chosen = request.model_copy(update={"revisions": tuple(one.identifier for one in revisions)})
    title = f"Track {subject.name}: {request.configuration}, {len(revisions)} revisions"
    return enqueue(access, chosen, title=title)


def track(context: JobContext) -> dict[str, Any]:
    """The kind of job that tracks; resumed, it goes on from what is stored."""
    request = TrackingRequest.of(context.job)
    noted = request.model_dump(include={"workload", "configuration", "repetitions"})
    with TrackedSeries.begin(context, request.as_measuring(), trail=(), **noted) as series:
        loop = TrackingLoop(series, request)
        stopped = loop.run()
    batch, noise = series.executor.batch, loop.state().session_noise
    outcomes = [step.outcome for step in manifest_of(batch).trail]
    with context.fenced():
        save_manifest(batch, stopped=stopped)
    if noise is not None:
        context.log(
            f"the same code, measured at different times, differs by {noise:.1%} (standard deviation)"
        )
    context.progress(1.0, f"{outcomes.count(MEASURED)} revisions measured; {stopped}")
    counted = {one: outcomes.count(one) for one in sorted(set(outcomes))}
    return {"outcomes": counted, "stopped": stopped, "noise": noise}

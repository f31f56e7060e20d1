"""The decision log of a tracking job: what it measured, choice by choice, why, and why it stopped."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from dashboard.access import NotFound
from dashboard.models import Batch, Job, Revision, Run, Series, System
from dashboard.selectors.batch_manifests import TrackingStep, manifest_of

_KIND = "track"
# So many jobs: their logs fill a page.
_SHOWN = 5
MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class TrackingLog:
    """A tracking job: its choices, the latest first, and in words why it stopped; "" while it has not.

    `messages` are those of the revisions, by name. `job_id` is None where its job ran elsewhere, or is deleted.
    """

    steps: tuple[TrackingStep, ...]
    stopped: str
    job_id: int | None
    messages: Mapping[str, str]


def tracking_logs(*, system: System, series_id: int) -> tuple[TrackingLog, ...]:
    """The newest tracking jobs that measured for a history, the latest first; only configurations are tracked.

    Constant number of queries. Raises `NotFound`.
    """
    series = Series.objects.filter(system=system, pk=series_id).first()
    if series is None:
        raise NotFound(f"there is no series {series_id} in {system.slug!r}")
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
    names = {step.revision for log in logs.values() for step in log.trail}
    messages = dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "message"))
    # By the batch that the job remembers: numbers of jobs mean nothing in a batch that was measured elsewhere.
    jobs = Job.objects.filter(system=system, kind=_KIND, checkpoint__batch__in=list(logs))
    job_of = {checkpoint["batch"]: pk for pk, checkpoint in jobs.values_list("pk", "checkpoint")}
    return tuple(
        TrackingLog(tuple(reversed(log.trail)), log.stopped, job_of.get(pk), messages)
        for pk, log in logs.items()
    )

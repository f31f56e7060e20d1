"""The decision log of a tracking job: what it measured, choice by choice, why, and why it stopped."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

from dashboard.access import NotFound
from dashboard.models import Batch, Job, Revision, Run, Series, System
from dashboard.selectors.batch_manifests import BatchManifest, TrackingStep, manifest_of
from dashboard.selectors.job_checkpoints import read_checkpoint, with_batch

_KIND = "track"
# So many jobs: their logs fill a page.
_SHOWN = 5
MEASURED = "measured"


def tracking_logs(*, system: System, series_id: int) -> tuple[tuple[BatchManifest, int | None], ...]:
    """The newest tracking jobs that measured for a history, the latest first; only configurations are tracked.

    Each by its decision log and its id, which is None where the job ran elsewhere, or is deleted.
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
    # By the batch that the job remembers: numbers of jobs mean nothing in a batch that was measured elsewhere.
    jobs = Job.objects.filter(with_batch(logs), system=system, kind=_KIND)
    job_of = {read_checkpoint(stored).batch: pk for pk, stored in jobs.values_list("pk", "checkpoint")}
    return tuple((log, job_of.get(pk)) for pk, log in logs.items())


def messages_of(*, system: System, steps: Iterable[TrackingStep]) -> dict[str, str]:
    """The messages of the revisions that were chosen, by name. One query."""
    names = {step.revision for step in steps}
    return dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "message"))

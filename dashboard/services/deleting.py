"""Deleting a system: a preview of what goes, then a job that takes it away in small steps."""

from typing import Any, ClassVar

from django.db import models, transaction

from dashboard.access import Access, Permission, Refused
from dashboard.models import (
    Configuration,
    Environment,
    Job,
    PerformanceModel,
    Region,
    RegionMeasurement,
    RegionVersion,
    Report,
    Revision,
    Run,
    Series,
    SourceText,
    System,
    Workload,
)
from dashboard.selectors.job_columns import JobRequest
from dashboard.services import audit
from dashboard.services.imports.batches import delete_unused, ids_in_chunks, writing
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.system_tables import ways_to


class DeletingRequest(JobRequest):
    """The hidden system (its id) whose rows go; the job is not the system's own, for those go, too."""

    kind: ClassVar = "delete"

    system: int


def preview_deletion(*, access: Access) -> dict[str, int]:
    """What goes if the system is deleted: how many of what, in people's words, zeros left out.

    Needs the role admin. Raises `Forbidden`.
    """
    access.check(Permission.ADMIN)
    system = access.system
    counted: tuple[tuple[str, models.QuerySet[Any]], ...] = (
        ("runs", Run.objects.filter(batch__system=system)),
        ("measurements of regions", RegionMeasurement.objects.filter(run__batch__system=system)),
        ("configurations", Configuration.objects.filter(system=system)),
        ("revisions", Revision.objects.filter(system=system)),
        ("regions", Region.objects.filter(system=system)),
        ("performance models", PerformanceModel.objects.filter(system=system)),
        ("histories", Series.objects.filter(system=system)),
        ("workloads", Workload.objects.filter(system=system)),
        ("reports", Report.objects.filter(system=system)),
        ("jobs", Job.objects.filter(system=system)),
    )
    return {words: count for words, rows in counted if (count := rows.count())}


def delete_system(*, access: Access, typed: str) -> int:
    """Hide a system from everybody at once, and queue the job that takes its rows away. There is no way back.

    `typed` must be the system's slug. Its name is free again at once; the audit entry stays. Needs the role admin.
    Raises `Refused` also while a job of the system is active, and `Forbidden`.
    """
    counts = preview_deletion(access=access)
    slug = access.slug
    if typed.strip() != slug:
        raise Refused(f"type {slug} to delete it for good")
    with transaction.atomic():
        system = System.objects.select_for_update().get(slug=slug, visible=True)
        if active := Job.objects.filter(system=system, state__in=Job.ACTIVE).count():
            word = "job of it is" if active == 1 else "jobs of it are"
            raise Refused(f"{active} {word} active: wait, or cancel first")
        if writing(system):
            raise Refused("an import writes to it: wait until it has ended")
        # A slug that nobody can ask for; a system that is deleted twice has two of them.
        System.objects.filter(pk=system.pk).update(visible=False, slug=f"~{system.pk}")
        audit.record(access.principal, "delete system", slug, name=system.name, **counts)
        return enqueue(access.principal, DeletingRequest(system=system.pk), title=f"Delete {system.name}")


def delete(context: JobContext) -> dict[str, Any]:
    """The kind of job that takes a hidden system's rows away, chunk by chunk; repeated, it goes on where it was."""
    pk = DeletingRequest.of(context.job).system
    found = System.objects.filter(pk=pk, visible=False)
    if not found.exists():
        return {"rows": 0}
    versions = RegionVersion.objects.filter(region__system=pk, source__isnull=False)
    runs = Run.objects.filter(batch__system=pk)
    # What the system may share with others (ids): to be looked at again once it is gone.
    shared = context.checkpoint or {
        "sources": list(versions.order_by().values_list("source_id", flat=True).distinct()),
        "environments": list(runs.order_by().values_list("environment_id", flat=True).distinct()),
    }
    context.save_checkpoint(shared)
    gone, ways = 0, ways_to(System)
    for step, (model, way) in enumerate(ways.items()):
        context.progress(step / len(ways), f"taking {model._meta.verbose_name_plural} away")  # noqa: SLF001 -- Django documents it
        for chunk in ids_in_chunks(model, **{way: pk}):
            with context.fenced():
                models.QuerySet[Any](model).filter(pk__in=chunk).delete()
            gone += len(chunk)
            context.check()
    with context.fenced():
        found.delete()
    delete_unused(SourceText, shared["sources"])
    delete_unused(Environment, shared["environments"])
    return {"rows": gone}

"""Storing the runs that a machine of others sent: by the import of any bundle, once they are those that were asked for."""

import time
from collections.abc import Collection, Iterator

from analytics.configurations.identities import configuration_identity
from dashboard.access import AccessError, Refused
from dashboard.importers.errors import ImporterError
from dashboard.importers.records import SystemRecords
from dashboard.models import Batch, Revision, System
from dashboard.selectors.job_columns import MeasuringRequest, SubjectCheckpoint
from dashboard.services.imports.batches import writing
from dashboard.services.imports.importing import import_file
from dashboard.services.imports.uploads import drop_upload, find_upload
from dashboard.services.jobs.context import JobContext, JobError

_WAIT_SECONDS = 0.5
# Nothing but runs is taken from a machine, with what they showed.
_NOT_SENT = (
    *("orders", "series", "performance_models", "coefficients", "feature_models"),
    *("white_box_analyses", "hybrid_models", "host_link"),
)


def store_sent_runs(context: JobContext, request: MeasuringRequest) -> Batch:
    """The batch of the runs in the file that the job's checkpoint names, stored now or before an interruption.

    Raises `JobError` where they are not what was asked for, and as `JobContext.check`.
    """
    system = context.access.system

    def reached() -> SubjectCheckpoint:
        return SubjectCheckpoint.model_validate(context.checkpoint)

    def accept(records: SystemRecords) -> None:
        if problem := next(_problems(system, request, records), ""):
            raise Refused(problem)
        context.save_checkpoint(reached().changed(digest=records.batches[0].digest))

    if not Batch.objects.filter(pk=reached().batch, system=system).exists():
        try:
            upload = find_upload(principal=context.principal, token=reached().upload)
            while writing(system):
                context.progress(1.0, "waiting for another import to end")
                time.sleep(_WAIT_SECONDS)
            import_file(
                principal=context.principal,
                format_name="bundle",
                path=upload.path,
                system_name=system.slug,
                go_on=context.check,
                accept=accept,
            )
        except (ImporterError, Refused, AccessError) as error:
            raise JobError(f"what the machine sent cannot be stored: {error}") from None
        stored = Batch.objects.get(system=system, digest=reached().digest, state=Batch.State.VISIBLE)
        context.save_checkpoint(reached().changed(batch=stored.pk))
    drop_upload(reached().upload)
    return Batch.objects.select_related("system").get(pk=reached().batch, system=system)


def _problems(system: System, request: MeasuringRequest, records: SystemRecords) -> Iterator[str]:
    """What was sent that was not asked for."""
    for name in _NOT_SENT:
        if getattr(records, name):
            yield f"it holds {name.replace('_', ' ')}"
    if len(records.points.series) or len(records.batches) != 1 or not records.runs:
        yield "it holds other than one batch of runs"
    asked = set(Revision.objects.filter(pk__in=request.revision_ids).values_list("name", flat=True))
    held: tuple[tuple[str, set[str], Collection[str]], ...] = (
        ("environment", {one.digest for one in records.environments}, {request.environment}),
        ("workload", {one.name for one in records.workloads}, {request.workload}),
        ("revision", {one.name for one in records.revisions}, asked),
        ("option", {one.name for one in records.options}, system.options.values_list("name", flat=True)),
    )
    for word, sent, wanted in held:
        for strange in sorted(sent.difference(wanted)):
            yield f"it holds the {word} {strange!r}, which was not asked for"
    planned = {configuration_identity(dict(one)) for one in request.planned}
    for configuration in records.configurations:
        if planned and configuration_identity(dict(configuration.assignments)) not in planned:
            yield f"it holds the configuration {dict(configuration.assignments)}, which was not asked for"

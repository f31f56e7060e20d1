"""Measuring a registered subject: a job that makes every planned run and stores it as it comes."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from dashboard.access import Permission, Principal, require
from dashboard.models import Job, Run, System
from dashboard.selectors.jobs import MEASURED
from dashboard.services.factorial_models import refresh_factorial_models
from dashboard.services.histories.term_points import refresh_term_points
from dashboard.services.jobs import JobId, enqueue
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.plans import (
    MeasuringError,
    MeasuringRequest,
    Selected,
    in_full,
    is_counted,
    planned_runs,
    select,
)
from dashboard.services.measuring.stored import Stored
from dashboard.services.measuring.traced_analyses import refresh_partitioned_models
from dashboard.services.measuring.workbench import bench_alone, open_batch
from dashboard.services.subjects import (
    assignments_of,
    registered_subject,
    runner_state,
    store_revisions,
    stored_revisions,
)

__all__ = ["KIND", "MeasuringError", "MeasuringRequest", "measure", "start_measuring"]

KIND = MEASURED
# Beyond so many configurations a grid of the plan shows nothing, and the job's row need not hold them.
MOST_PLANNED = 1_000


def start_measuring(
    *, principal: Principal, slug: str, request: MeasuringRequest, look_again: bool = False
) -> JobId:
    """Queue the measurement of a system's registered subject; the selection is checked first.

    With `look_again` it is asked where the revisions come from, which may take a while; else those listed last count.
    Needs the role editor. Raises `RequestInvalid` and other `MeasuringError`, `SubjectError`, `NotFound`, `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    system = require(principal, slug, Permission.EDIT)
    subject = registered_subject(slug=slug)
    known = () if look_again else stored_revisions(slug=slug, subject=subject)
    if not known or not system.revisions.filter(name=known[-1].identifier).exists():
        known = store_revisions(principal=principal, slug=slug)
    request = in_full(system, subject, request)
    selected = select(subject, known, request)
    planned = [assignments_of(configuration, subject) for configuration in selected.configurations]
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Measure {subject.name}: {_counted(selected)}",
        parameters={
            "configurations": list(request.configurations),
            "revisions": [revision.identifier for revision in selected.revisions],
            "repetitions": request.repetitions,
            "workload": request.workload,
            "profile": request.profile,
            "seed": request.seed,
            "counts": is_counted(subject, request),
            "planned": planned if len(planned) <= MOST_PLANNED else [],
        },
        system=system,
        queue=Job.Queue.MEASURE,
    )


def measure(context: JobContext) -> dict[str, Any]:
    """The kind of job that makes the runs; resumed, it leaves out those that are stored already."""
    system = System.objects.get(jobs=context.job_id)
    request = _request(context.parameters)
    subject = registered_subject(slug=system.slug)
    selected = select(subject, stored_revisions(slug=system.slug, subject=subject), request)
    batch = open_batch(context, system, KIND, _manifest(request))
    state = runner_state()
    share = context.checkpoint.get("position", 0) / selected.runs
    stored = Stored(batch, subject)
    runs = planned_runs(subject, selected, request)
    with bench_alone(
        context=context, subject=subject, state=state, batch=batch, revisions=selected.revisions, share=share
    ) as bench:
        for run in runs:
            if not stored.made(run):
                context.progress(run.position / len(runs), bench.in_words(run))
                stored.add(run, bench.make(run, profile=request.profile))
                # A job that gets on may be interrupted any number of times.
                context.save_checkpoint({**context.checkpoint, "position": run.position})
            if request.counts and stored.uncounted(run):
                bench.count(run)
    counts = {
        status: batch.runs.filter(status=status, kind=Run.Kind.PLAIN).count() for status in Run.Status.values
    }
    failed = sum(counts.values()) - counts[Run.Status.OK]
    context.progress(1.0, f"{sum(counts.values())} runs, {failed or 'none'} failed")
    with transaction.atomic():
        analyses = refresh_factorial_models(system=system, batch=batch)
        analyses += refresh_partitioned_models(system=system, batch=batch)
        refresh_term_points(system=system, batch=batch)
    return {"runs": counts, "analyses": analyses}


def _request(parameters: Mapping[str, Any]) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=tuple(parameters["configurations"]),
        revisions=tuple(parameters["revisions"]),
        repetitions=parameters["repetitions"],
        workload=parameters["workload"],
        profile=parameters["profile"],
        seed=parameters["seed"],
        # Jobs that were queued before there were counts go on without.
        counts=parameters.get("counts", False),
    )


def _manifest(request: MeasuringRequest) -> dict[str, Any]:
    return {
        "seed": request.seed,
        "repetitions": request.repetitions,
        "profile": request.profile,
        "workload": request.workload,
        "configurations": list(request.configurations),
    }


def _counted(selected: Selected) -> str:
    parts = (
        (len(selected.configurations), "configuration"),
        (len(selected.revisions), "revision"),
        (selected.repetitions, "repetition"),
    )
    return " × ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in parts)

"""Measuring a registered subject: a job that makes every planned run and stores it as it comes."""

from typing import Any

import numpy as np
from django.db import transaction

from analytics.bisection import FloatArray
from analytics.power import COMPARISON_VERSION, differing_comparisons
from dashboard.access import Access, Permission
from dashboard.figures.repetitions_words import made_in_words
from dashboard.models import Batch, Measurement, Metric, Revision, Run
from dashboard.selectors.batch_manifests import save_manifest
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.histories.fit_jobs import queue_fits
from dashboard.services.histories.region_searches import contexts_to_search
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.blocks import needed_runs, repeating_result
from dashboard.services.measuring.disturbed_runs import mark_disturbed, measure_again
from dashboard.services.measuring.plans import (
    RequestInvalid,
    against_itself,
    expand_selection,
    is_counted,
    select,
    where_measured,
)
from dashboard.services.measuring.run_executor import CompletedRuns, RunExecutor
from dashboard.services.measuring.storing_runs import store_sent_runs
from dashboard.services.measuring.work import learn_weights
from dashboard.services.metrics import INSTRUCTIONS, WORK, seconds
from dashboard.services.performance_models.full_factorial import (
    refresh_factorial_models,
    refresh_partitioned_models,
)
from dashboard.services.performance_models.term_histories import refresh_term_points
from dashboard.services.subjects import (
    assignments_of,
    registered_subject,
    runner_state,
    store_revisions,
    stored_revisions,
)
from runner.instructions import counter_of
from runner.subjects import SubjectDefinition

# Beyond so many configurations a grid of the plan shows nothing, and the job's row need not hold them.
MOST_PLANNED = 1_000


def start_measuring(*, access: Access, request: MeasuringRequest, look_again: bool = False) -> int:
    """Queue the measurement of a system's registered subject; the selection is checked first.

    With `look_again` it is asked where the revisions come from, which may take a while; else those listed last count.
    Needs the role editor. Raises `Refused` (`RequestInvalid` where a field is to blame), `NotFound`, `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    access.check(Permission.EDIT)
    system, slug = access.system, access.slug
    subject = registered_subject(slug=slug)
    listed = () if look_again else stored_revisions(slug=slug, subject=subject, ids=request.revision_ids)
    if not listed or not system.revisions.filter(name=listed[-1].identifier).exists():
        listed = store_revisions(access=access, subject=subject)
        if request.revision_ids:
            listed = stored_revisions(slug=slug, subject=subject, ids=request.revision_ids)
    request = expand_selection(system, subject, request)
    configurations, revisions = select(subject, listed, request)
    if request.aa:
        request = against_itself(request, cells=len(configurations) * len(revisions))
    request = counted_alone(subject, request)
    where = where_measured(system, subject, request)
    # What cannot be counted elsewhere is told there.
    if is_counted(subject, request) and not request.environment:
        counter_of(subject, runner_state())
    names = [revision.identifier for revision in revisions]
    rows = dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "pk"))
    planned = tuple(assignments_of(configuration, subject) for configuration in configurations)
    product = {"configuration": len(configurations), "revision": len(revisions), "repetition": request.most}
    numbers = [f"{count} {word}{'s' if count != 1 else ''}" for word, count in product.items()]
    if (rule := request.rule) is not None:
        numbers[-1] = f"{rule.least} to {numbers[-1]}"
    counted = " × ".join(numbers)
    chosen = request.model_copy(
        update={
            "revisions": (),
            "revision_ids": tuple(rows[name] for name in names),
            "counts": is_counted(subject, request),
            "planned": planned if len(planned) <= MOST_PLANNED else (),
        }
    )
    verb = "Count" if request.is_counted_alone else "Measure"
    against = " against itself" if request.aa else " again" if request.of_change else ""
    return enqueue(access, chosen, title=f"{verb} {subject.name}{against}{where}: {counted}")


def measure(context: JobContext) -> dict[str, Any]:
    """The kind of job that makes the runs; resumed, it leaves out those that are stored already."""
    request = MeasuringRequest.of(context.job)
    if request.environment:
        return _stored_from_elsewhere(context, request)
    manifest = request.model_dump(
        include={"seed", "repetitions", "profile", "workload", "configurations", "metric"}
    )
    executor = RunExecutor(context, request, manifest)
    completed = CompletedRuns(executor.batch, executor.job.subject)
    _make_runs(executor, context, request, completed)
    # Runs that are compared with one another stay as they came.
    again = 0 if request.aa else measure_again(executor)
    mark_disturbed(context, executor.batch)
    if request.asked_by:
        return {"runs": _by_status(executor.batch)}
    repeating = repeating_result(executor.batch, request, completed.cells)
    return _told(context, request, executor.batch, again=again, repeating=repeating)


def _stored_from_elsewhere(context: JobContext, request: MeasuringRequest) -> dict[str, Any]:
    """Store the runs that a machine of the request's environment sent, and tell what they tell."""
    batch = store_sent_runs(context, request)
    plain = batch.runs.filter(kind=Run.Kind.PLAIN)
    cells = set(plain.values_list("revision__name", "configuration__identity"))
    again = plain.filter(repetition__gt=request.most).count()
    repeating = repeating_result(batch, request, cells)
    return _told(context, request, batch, again=again, repeating=repeating)


def _by_status(batch: Batch) -> dict[str, int]:
    plain = batch.runs.filter(kind=Run.Kind.PLAIN)
    return {status: plain.filter(status=status).count() for status in Run.Status.values}


def _told(
    context: JobContext, request: MeasuringRequest, batch: Batch, *, again: int, repeating: dict[str, Any]
) -> dict[str, Any]:
    """Tell analyses and histories from all runs of a batch; the result of its job."""
    system, counts = batch.system, _by_status(batch)
    total = sum(counts.values())
    failed = total - counts[Run.Status.OK]
    context.progress(1.0, made_in_words(total, failed=failed, again=again, repeating=repeating))
    with transaction.atomic():
        learn_weights(batch, is_sent=bool(request.environment))
        timed = batch.runs.filter(status=Run.Status.OK, measurements__metric=seconds(Metric.Clock.CPU))
        contexts = MeasurementContext.of_runs(timed)
        analyses = refresh_factorial_models(system=system, contexts=contexts)
        analyses += refresh_partitioned_models(system=system, batch=batch)
        refresh_term_points(system=system, contexts=contexts)
    if request.of_change or contexts_to_search(system=system):
        queue_fits(access=context.access)
    result: dict[str, Any] = {"runs": counts, "analyses": analyses, "again": again}
    if repeating:
        result["repeating"] = repeating
    if request.aa:
        result |= _compared(context, request, batch)
    return result


def _compared(context: JobContext, request: MeasuringRequest, batch: Batch) -> dict[str, int]:
    """How many comparisons of the identical runs differ, kept with the batch; nothing where too many runs failed."""
    of_each = request.most // (2 * request.comparisons)
    differing, comparisons = differing_comparisons(paired_times(batch), of_each)
    if not comparisons:
        return {}
    found = {"differing": differing, "comparisons": comparisons, "runs_of_each": of_each}
    with context.fenced():
        save_manifest(batch, **found, comparison_version=COMPARISON_VERSION)
    return found


def _make_runs(
    executor: RunExecutor, context: JobContext, request: MeasuringRequest, completed: CompletedRuns
) -> None:
    """Make what is planned, needed and not stored yet, in random order."""
    for run, done in needed_runs(executor, request, completed):
        if not completed.contains(run):
            context.progress(done, executor.in_words(run))
            if request.is_counted_alone:
                completed.add(run, executor.count(run, alone=True))
            else:
                completed.add(run, executor.make(run, profile=request.profile))
            # A job that gets on may be interrupted any number of times.
            executor.job.save_checkpoint(position=run.position)
        if request.counts and not request.is_counted_alone and completed.needs_counting(run):
            executor.count(run)


def counted_alone(subject: SubjectDefinition, request: MeasuringRequest) -> MeasuringRequest:
    """The request with one run of each that only counts, where that is asked for. Raises `RequestInvalid`."""
    if not request.is_counted_alone:
        return request
    own = WORK if subject.entry.callable or subject.counts_functions else INSTRUCTIONS
    if request.metric != own or request.aa:
        what = (
            "has no noise: nothing is compared"
            if request.aa
            else f"is not counted of {subject.name}: write {own}"
        )
        raise RequestInvalid("metric", f"{request.metric} {what}")
    return request.model_copy(update={"repetitions": 1, "profile": False, "counts": True})


def paired_times(batch: Batch) -> FloatArray:
    """The CPU times of the runs of one cell in their order, (2 p,), in seconds; pairs of which one failed are left out."""
    measured = Measurement.objects.filter(
        run__batch=batch, run__kind=Run.Kind.PLAIN, run__status=Run.Status.OK
    )
    rows = measured.filter(metric=seconds(Metric.Clock.CPU), run__invalid_reason="")
    # A run that was too quick for the clock tells nothing.
    times = {at: value for at, value in rows.values_list("run__repetition", "value") if value > 0}
    whole = (first for first in sorted(times) if first % 2 and first + 1 in times)
    return np.array([times[at] for first in whole for at in (first, first + 1)])

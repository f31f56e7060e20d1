"""The kind of job that evaluates: measures what is missing, then holds approaches side by side."""

from typing import Any

from django.conf import settings

from analytics.configurations.options import IntArray
from dashboard.models import WhiteBoxAnalysis
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.selectors.whitebox.rows import WhiteBoxDetail
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.whitebox.analyzing import keep_checked_pairs, uncounted_words
from studies.evaluation.budgets import evaluate_methods, paired_comparisons
from studies.evaluation.program_runs import EvaluationRunFile, make_runs, missing_runs
from studies.evaluation.requests import EvaluationRequest
from studies.evaluation.results import BruteForceResult, EvaluationResult, stored_result
from studies.evaluation.soundness import brute_force
from studies.evaluation.tables import COVER, choose_sample, distinct_rows, measured_program, selected_rows

MEASURING = 0.8  # of the whole job, roughly; the rest is learning
_MOST_FAILED = 20


class EvaluationFailed(Exception):
    """The program was not analyzed, or too few of its configurations ran."""


def evaluate(context: JobContext) -> dict[str, Any]:
    """Measure and compare; resumed, it goes on from the runs in its file."""
    request = EvaluationRequest.of(context.job)
    job = SubjectJob.begin(context)
    configurations = SubjectConfigurations.of(job.system, job.subject)
    analysis = newest_analysis(job.system, request.revision)
    if analysis is None:
        raise EvaluationFailed(f"revision {request.revision} was not analyzed: run `manage.py analyze` first")
    sample = choose_sample(request, configurations, analysis)
    file = _measured(job, request, configurations, distinct_rows(sample), profiled=sample[COVER])
    brute = _brute(job, request, configurations, analysis) if request.brute else None
    measured, failed = measured_program(sample, file, analysis, configurations, request.timed)
    rows = evaluate_methods(
        measured,
        request.budgets,
        seeds=request.seeds,
        test=request.test,
        report=lambda share, words: context.progress(MEASURING + (1 - MEASURING) * share, words),
    )
    result = EvaluationResult(
        rows=rows,
        paired_comparisons=paired_comparisons(rows),
        subject=job.subject.name,
        revision=request.revision,
        workload=request.workload,
        measured=len(measured.configurations),
        random=len(measured.random),
        test=request.test,
        seeds=request.seeds,
        repetitions=request.timed,
        traced=len(measured.cover),
        tracing_seconds=measured.analysis_cost,
        options=len(measured.space.options),
        sites=measured.counts.shape[1],
        failed=failed[:_MOST_FAILED],
        failures=len(failed),
        brute=brute,
        uncounted=uncounted_words(analysis),
    )
    return stored_result(result)


def _brute(
    job: SubjectJob,
    request: EvaluationRequest,
    configurations: SubjectConfigurations,
    analysis: WhiteBoxAnalysis,
) -> BruteForceResult:
    """Count everything over some options, on the workload that was traced, and judge the analysis by it."""
    rows = selected_rows(configurations, f"only={','.join(request.brute)}")
    counting = request.model_copy(update={"workload": analysis.workload.name, "times": False})
    file = _measured(job, counting, configurations, rows, profiled=rows[:0])
    detail = WhiteBoxDetail(
        analysis.revision.name,
        analysis.workload.name,
        analysis.batch.written_at,
        analysis.result,
        configurations.space,
    )
    found = brute_force(rows, file, detail, configurations, request.brute)
    if found.functions is not None:
        keep_checked_pairs(context=job.context, analysis=analysis, checked=found.functions)
    return found


def _measured(
    job: SubjectJob,
    request: EvaluationRequest,
    configurations: SubjectConfigurations,
    rows: IntArray,
    *,
    profiled: IntArray,
) -> EvaluationRunFile:
    """The file of the request's workload, after making those runs of `rows` that it lacks."""
    prepared = job.prepared(request.revision)
    file = EvaluationRunFile(
        settings.VAR / "evaluations",
        subject=configurations.subject,
        revision=request.revision,
        workload=request.workload,
        environment=prepared.environment,
    )
    missing = missing_runs(file, rows, profiled, configurations, repetitions=request.timed)
    if missing:
        make_runs(
            job.context,
            file,
            missing,
            prepared=prepared,
            configurations=configurations,
            workload=request.workload,
            share=MEASURING,
        )
    return file

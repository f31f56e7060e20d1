"""The kind of job that evaluates: measures what is missing, then holds approaches side by side."""

from dataclasses import asdict, replace
from typing import Any

from django.conf import settings

from analytics.configurations.options import IntArray
from analytics.evaluation import EvaluationSettings, run_evaluation
from dashboard.models import WhiteBoxAnalysis
from dashboard.selectors.job_requests import read_request
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.services.evaluating.brute import brute_force, brute_rows
from dashboard.services.evaluating.chosen import choose
from dashboard.services.evaluating.files import RecordFile
from dashboard.services.evaluating.request import EvaluatingRequest
from dashboard.services.evaluating.runs import make_runs, missing_runs, wanted_runs
from dashboard.services.evaluating.tables import tables
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob

MEASURING = 0.8  # of the whole job, roughly; the rest is learning
_MOST_FAILED = 20


class EvaluationFailed(Exception):
    """The program was not analyzed, or too few of its configurations ran."""


def evaluate(context: JobContext) -> dict[str, Any]:
    """Measure and compare; resumed, it goes on from the runs in its file."""
    request = read_request(EvaluatingRequest, context.parameters)
    job = SubjectJob.begin(context)
    configurations = SubjectConfigurations.of(job.system, job.subject)
    analysis = newest_analysis(job.system, request.revision)
    if analysis is None:
        raise EvaluationFailed(f"revision {request.revision} was not analyzed: run `manage.py analyze` first")
    chosen = choose(request, configurations, analysis)
    file = _measured(job, request, configurations, chosen.rows, profiled=chosen.cover)
    brute = _brute(job, request, configurations, analysis) if request.brute else None
    found = tables(chosen, file, analysis, configurations, request.timed)
    evaluation = run_evaluation(
        found.measured,
        EvaluationSettings(request.budgets, request.seeds, request.test),
        lambda share, words: context.progress(MEASURING + (1 - MEASURING) * share, words),
    )
    return {
        **asdict(evaluation),
        "duels": [asdict(duel) for duel in evaluation.duels()],
        "subject": configurations.subject.name,
        "random": len(found.measured.random),
        "options": len(configurations.space.options),
        "sites": len(found.sites),
        "failed": list(found.failed[:_MOST_FAILED]),
        "failures": len(found.failed),
        "workload": request.workload,
        "revision": request.revision,
        "repetitions": request.timed,
        "brute": brute,
    }


def _brute(
    job: SubjectJob,
    request: EvaluatingRequest,
    configurations: SubjectConfigurations,
    analysis: WhiteBoxAnalysis,
) -> dict[str, Any]:
    """Count everything over some options, on the workload that was traced, and judge the analysis by it."""
    rows = brute_rows(configurations, request.brute)
    counting = replace(request, workload=analysis.workload.name, times=False)
    file = _measured(job, counting, configurations, rows, profiled=rows[:0])
    return brute_force(rows, file, analysis, configurations, request.brute)


def _measured(
    job: SubjectJob,
    request: EvaluatingRequest,
    configurations: SubjectConfigurations,
    rows: IntArray,
    *,
    profiled: IntArray,
) -> RecordFile:
    """The file of the request's workload, after making those runs of `rows` that it lacks."""
    prepared = job.prepared(request.revision)
    file = RecordFile(
        settings.VAR / "evaluations",
        subject=configurations.subject,
        revision=request.revision,
        workload=request.workload,
        found=prepared.environment,
    )
    wanted = wanted_runs(rows, profiled, repetitions=request.timed)
    missing = missing_runs(file, wanted, configurations)
    if missing:
        with job.measuring_slot() as held:
            make_runs(
                job.context,
                file,
                missing,
                prepared=prepared,
                configurations=configurations,
                workload=request.workload,
                held=held,
                share=MEASURING,
            )
    return file

"""All kinds of jobs, by name: what exists depends on this list, not on what was imported."""

from collections.abc import Mapping

from dashboard.selectors.histories.kernels import JOB_KIND as COMPARE_KERNELS
from dashboard.services import deleting, evaluation, measuring, metrics, sweeping, tracking
from dashboard.services.histories import fit_jobs as history_fit_jobs
from dashboard.services.histories import kernel_jobs
from dashboard.services.imports import jobs as import_jobs
from dashboard.services.jobs.context import Kind
from dashboard.services.performance_models import hybrid as learned_hybrid
from dashboard.services.performance_models import learned as learned_models
from dashboard.services.tracking import bisecting
from dashboard.services.whitebox import analyzing
from studies.evaluation import job as evaluation_study
from studies.evaluation import requests as evaluation_requests

KINDS: Mapping[str, Kind] = {
    history_fit_jobs.KIND: history_fit_jobs.fit_in_job,
    COMPARE_KERNELS: kernel_jobs.compare_in_job,
    history_fit_jobs.PART: history_fit_jobs.fit_part,
    analyzing.KIND: analyzing.analyze,
    bisecting.KIND: bisecting.bisect,
    evaluation.KIND: evaluation.evaluate_in_job,
    deleting.KIND: deleting.delete,
    evaluation_requests.KIND: evaluation_study.evaluate,
    import_jobs.KIND: import_jobs.run_import,
    learned_hybrid.KIND: learned_hybrid.learn_hybrid_in_job,
    learned_models.KIND: learned_models.learn_in_job,
    measuring.KIND: measuring.measure,
    metrics.KIND: metrics.set_metric_in_job,
    sweeping.KIND: sweeping.sweep,
    tracking.KIND: tracking.track,
}

"""All kinds of jobs, by name: what exists depends on this list, not on what was imported."""

from collections.abc import Mapping

from dashboard.selectors.alerts import DeliveringRequest, NoticingRequest
from dashboard.selectors.histories.kernels import KernelRequest
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.alerts.deliveries import deliver_in_job
from dashboard.services.alerts.noticing import notice_in_job
from dashboard.services.deleting import DeletingRequest, delete
from dashboard.services.evaluation import ApproachRequest
from dashboard.services.histories.fit_jobs import FitRequest, PartRequest, fit_in_job, fit_part
from dashboard.services.histories.kernel_jobs import compare_in_job
from dashboard.services.imports.jobs import ImportRequest, run_import
from dashboard.services.jobs.context import Kind
from dashboard.services.measuring.job import measure
from dashboard.services.metrics import MetricRequest, set_metric_in_job
from dashboard.services.passwords import PasswordMailRequest, mail_in_job
from dashboard.services.performance_models.hybrid import HybridRequest, learn_hybrid_in_job
from dashboard.services.performance_models.learned import LearningRequest, learn_in_job
from dashboard.services.sweeping import SweepingRequest, sweep
from dashboard.services.tracking.bisecting import BisectingRequest, bisect
from dashboard.services.tracking.loop import TrackingRequest, track
from dashboard.services.whitebox.analyzing import AnalyzingRequest, analyze
from studies.evaluation.approach_jobs import evaluate_in_job
from studies.evaluation.job import evaluate
from studies.evaluation.requests import EvaluationRequest

KINDS: Mapping[str, Kind] = {
    AnalyzingRequest.kind: analyze,
    ApproachRequest.kind: evaluate_in_job,
    BisectingRequest.kind: bisect,
    DeletingRequest.kind: delete,
    DeliveringRequest.kind: deliver_in_job,
    EvaluationRequest.kind: evaluate,
    FitRequest.kind: fit_in_job,
    HybridRequest.kind: learn_hybrid_in_job,
    ImportRequest.kind: run_import,
    KernelRequest.kind: compare_in_job,
    LearningRequest.kind: learn_in_job,
    MeasuringRequest.kind: measure,
    MetricRequest.kind: set_metric_in_job,
    NoticingRequest.kind: notice_in_job,
    PartRequest.kind: fit_part,
    PasswordMailRequest.kind: mail_in_job,
    SweepingRequest.kind: sweep,
    TrackingRequest.kind: track,
}

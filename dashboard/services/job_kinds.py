"""All kinds of jobs, by name: what exists depends on this list, not on what was imported."""

from collections.abc import Mapping

from dashboard.services import (
    analyzing,
    bisecting,
    comparing,
    deleting,
    history_fit_jobs,
    import_jobs,
    learned_models,
    measuring,
    metric_jobs,
    sweeping,
    tracking,
)
from dashboard.services.job_context import Kind

KINDS: Mapping[str, Kind] = {
    history_fit_jobs.KIND: history_fit_jobs.fit_in_job,
    history_fit_jobs.PART: history_fit_jobs.fit_part,
    analyzing.KIND: analyzing.analyze,
    bisecting.KIND: bisecting.bisect,
    comparing.KIND: comparing.compare_in_job,
    deleting.KIND: deleting.delete,
    import_jobs.KIND: import_jobs.run_import,
    learned_models.KIND: learned_models.learn_in_job,
    measuring.KIND: measuring.measure,
    metric_jobs.KIND: metric_jobs.set_metric_in_job,
    sweeping.KIND: sweeping.sweep,
    tracking.KIND: tracking.track,
}

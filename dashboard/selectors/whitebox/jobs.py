"""The jobs that analyze a system, and whether what they traced was measured since."""

from collections import defaultdict

from django.db.models import Q

from dashboard.access import Access
from dashboard.models import Batch, Job, PerformanceModel, Run, System
from dashboard.selectors.jobs import ANALYZED, JobRow, list_jobs
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.analyses import newest_analysis

_STOPPED = frozenset({"cancelled", "failed"})


def newest_job(*, access: Access) -> JobRow | None:
    """The newest job that analyzes the system, None without any."""
    return next(
        iter(list_jobs(principal=access.principal, system=access.system, kind=ANALYZED, limit=1)), None
    )


def can_resume(row: JobRow) -> bool:
    """Whether a job was stopped early and has a checkpoint. One query, none where it was not stopped."""
    return row.state in _STOPPED and Job.objects.filter(pk=row.id).exclude(checkpoint={}).exists()


def is_modelled(*, system: System, revision: str) -> bool:
    """Whether what the newest analysis of the revision traced was measured since, so that a model has its partitions.

    All configurations that were traced to their end must have been measured in the batch of one model: one that was
    measured before the analysis went on has the partitions of back then. Those that failed are not asked for again.
    Three queries.
    """
    newest = newest_analysis(system, revision)
    if newest is None:
        return False
    models = PerformanceModel.objects.filter(
        revision=newest.revision,
        kind=PerformanceModel.Kind.PARTITIONED,
        batch__state=Batch.State.VISIBLE,
        # A model that is older has the partitions of an earlier analysis.
        batch_id__gt=newest.batch_id,
    )
    # The model is composed of profiled runs; a run that failed has no profile.
    runs = Run.objects.filter(
        Q(kind=Run.Kind.PROFILED) | ~Q(status=Run.Status.OK),
        revision=newest.revision,
        batch__in=models.values("batch"),
        invalid_reason="",
    )
    measured: dict[int, list[dict[str, str]]] = defaultdict(list)
    for batch, assignments in runs.values_list("batch_id", "configuration__assignments").distinct():
        measured[batch].append(assignments)
    space = options_of(system)
    wanted = set(map(tuple, space.encode(run.levels for run in newest.result.traced).tolist()))
    return any(wanted <= set(map(tuple, space.encode(one).tolist())) for one in measured.values())

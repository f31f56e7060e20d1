"""The jobs that analyze a system: the one that runs or waits, or the last one if it can go on."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Q

from dashboard.access import Principal, require
from dashboard.models import Batch, Job, PerformanceModel, Run
from dashboard.selectors.jobs import ANALYZED, JobRow, list_jobs
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.stored import analyzed_in, newest_tracing

_STOPPED = frozenset({"cancelled", "failed"})


@dataclass(frozen=True, slots=True)
class AnalyzingJob:
    """The newest job that analyzes a system; `may_go_on` where it was stopped and has something to go on from."""

    row: JobRow
    may_go_on: bool


def newest_job(*, principal: Principal, slug: str) -> AnalyzingJob | None:
    """The newest job that analyzes the system, None without any. Three queries. Raises `NotFound`."""
    row = next(iter(list_jobs(principal=principal, system=slug, kind=ANALYZED, limit=1)), None)
    if row is None:
        return None
    ended_early = row.state in _STOPPED
    begun = ended_early and Job.objects.filter(pk=row.id).exclude(checkpoint={}).exists()
    return AnalyzingJob(row, begun)


def analyzed_revisions(*, principal: Principal, slug: str) -> tuple[str, ...]:
    """The revisions of which an analysis has traced anything, the one analyzed last first. Raises `NotFound`."""
    return analyzed_in(require(principal, slug))


def is_modelled(*, principal: Principal, slug: str, revision: str) -> bool:
    """Whether what the newest analysis of the revision found was measured since, so that a model has its partitions.

    All configurations that were traced to their end must have been measured in the batch of one model: one that was
    measured before the analysis went on has the partitions of back then. Those that failed are not asked for again.
    Three queries after the check. Raises `NotFound`.
    """
    system = require(principal, slug)
    newest = newest_tracing(system, revision)
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
    traced = space.encode(run["levels"] for run in newest.result["runs"] if run["status"] == "ok")
    wanted = set(map(tuple, traced.tolist()))
    return any(wanted <= set(map(tuple, space.encode(one).tolist())) for one in measured.values())

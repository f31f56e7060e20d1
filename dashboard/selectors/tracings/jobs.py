"""The jobs that analyze a system: the one that runs or waits, or the last one if it can go on."""

from dataclasses import dataclass

from dashboard.access import Principal, require
from dashboard.models import Analysis, Batch, Job
from dashboard.selectors.jobs import JobRow, list_jobs
from dashboard.selectors.tracings.stored import analyzed_in, tracings_of

KIND = "analyze"
_STOPPED = frozenset({"cancelled", "failed"})


@dataclass(frozen=True, slots=True)
class AnalyzingJob:
    """The newest job that analyzes a system; `may_go_on` where it was stopped and has something to go on from."""

    row: JobRow
    may_go_on: bool


def newest_job(*, principal: Principal, slug: str) -> AnalyzingJob | None:
    """The newest job that analyzes the system, None without any. Three queries. Raises `NotFound`."""
    row = next(iter(list_jobs(principal=principal, system=slug, kind=KIND, limit=1)), None)
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

    Two queries after the check. Raises `NotFound`.
    """
    system = require(principal, slug)
    newest = tracings_of(system, revision).values_list("batch_id", flat=True).first()
    return Analysis.objects.filter(
        system=system,
        revision__name=revision,
        kind=Analysis.Kind.PARTITIONED,
        batch__state=Batch.State.VISIBLE,
        # A model that is older has the partitions of an earlier analysis.
        batch_id__gt=newest or 0,
    ).exists()

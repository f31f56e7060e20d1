"""What a job that chooses its revisions itself measures: one configuration of a subject, and its code versions."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np
from django.db.models import QuerySet

from analytics.configurations.identities import configuration_identity
from analytics.histories.change_prior import ChangePrior
from analytics.histories.measurements import FloatArray
from analytics.histories.sessions import Session
from dashboard.access import Access
from dashboard.models import Environment, Job, Measurement, Metric, Run, Series, Workload
from dashboard.selectors.histories.curves import sessions_of
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.selectors.job_columns import JobRequest, MeasuringRequest
from dashboard.selectors.regions.sources import time_shares
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.plans import RequestInvalid, select
from dashboard.services.measuring.run_executor import RunExecutor
from dashboard.services.metrics import seconds
from dashboard.services.subjects import assignments_of, registered_subject, store_revisions
from runner.environments import Unprepared, run_environment
from runner.executions import Execution
from runner.interpreters import interpreter
from runner.plans import PlannedRun
from runner.revisions import notices, touched_functions
from runner.source_revisions import SourceRevision
from runner.subjects import SubjectDefinition

# The functions of so many versions are told apart; of more, reading the source takes longer than it saves.
MOST_READ = 500
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


class SeriesRequest(JobRequest):
    """What a job is asked for that chooses the revisions of one configuration itself.

    `budget_seconds` covers building and running. `one_only` refuses several configurations.
    """

    queue: ClassVar = Job.Queue.MEASURE
    one_only: ClassVar[str]

    configuration: str = "default"
    workload: str = "regular"
    budget_seconds: float = 3600.0

    def as_measuring(self) -> MeasuringRequest:
        """What is chosen from, as a measurement is asked for; each kind of job adds its revisions."""
        configurations = (self.configuration,)
        return MeasuringRequest(configurations=configurations, workload=self.workload, profile=False)


def choosable_revisions(
    access: Access, request: SeriesRequest
) -> tuple[SubjectDefinition, tuple[SourceRevision, ...]]:
    """The system's subject and the revisions that a job chooses from; it is asked first where they come from.

    Needs the role editor. Raises `Refused` (`RequestInvalid` where a field is to blame), `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    subject = registered_subject(slug=access.slug)
    # What is of a branch stands in no order.
    known = [one for one in store_revisions(access=access, subject=subject) if not one.branch]
    if request.budget_seconds <= 0:
        raise RequestInvalid(
            "budget", f"{request.budget_seconds} seconds are no budget: give a positive time"
        )
    configurations, revisions = select(subject, known, request.as_measuring())
    if len(configurations) != 1:
        raise RequestInvalid("configuration", request.one_only.format(count=len(configurations)))
    return subject, revisions


class TrackedSeries(RunExecutor):
    """The one configuration of a job, on one workload, measured on this machine by CPU time; `identity` is its identity."""

    def __init__(self, context: JobContext, request: SeriesRequest, **noted: object) -> None:
        """Begin, as `RunExecutor`; `noted` is kept in the batch.

        The job's log says what a person should know of where the revisions come from.
        """
        super().__init__(context, request.as_measuring(), noted)
        (self._configuration,) = self.configurations
        self.identity = configuration_identity(assignments_of(self._configuration, self.job.subject))
        for notice in notices(self.job.subject, self.job.state):
            context.log(notice)

    def runs(self, revision: str) -> QuerySet[Run]:
        """The runs of a revision that the job has made."""
        return self.batch.runs.filter(
            kind=Run.Kind.PLAIN, revision__name=revision, configuration__identity=self.identity
        )

    def measure(self, revision: str, repetition: int) -> Execution | Unprepared:
        """Make a run of a revision and store it. Raises as `make`."""
        run = PlannedRun(0, revision, self._configuration, self.request.workload, repetition)
        return self.make(run, profile=False)

    def context(self) -> SeriesContext | None:
        """The ids of what is measured; None while nothing was measured in this environment. Three queries."""
        found = run_environment(
            self.job.subject, interpreter(self.job.state, self.job.subject.install.python)
        )
        environment = Environment.objects.filter(digest=found.digest).first()
        workload = Workload.objects.filter(system=self.job.system, name=self.request.workload).first()
        if environment is None or workload is None:
            return None
        return SeriesContext(
            kind=Series.SubjectKind.CONFIGURATION,
            subject=self.identity,
            workload_id=workload.pk,
            environment_id=environment.pk,
            metric_id=seconds(Metric.Clock.CPU).pk,
        )

    def sessions(self) -> tuple[Session, ...]:
        """The valid sessions that were measured in this environment."""
        own = self.context()
        return () if own is None else sessions_of(self.job.system, {0: own}).get(0, ())

    def step_weights(self, versions: Sequence["CodeVersion"]) -> FloatArray:
        """How likely each version (n,) is to be the one that changed the time, as far as its source and profiles tell.

        Raises `RevisionsUnavailable`.
        """
        job, touched = self.job, None
        if len(versions) <= MOST_READ:
            touched = touched_functions(job.subject, job.state, [version.first for version in versions])
        profile = time_shares(system=job.system, workload=self.request.workload)
        return step_weights(versions, touched, profile)


class RandomizedRuns:
    """The runs of a job of which a coin chose the revision, one of two: each is noted, none is drawn twice."""

    def __init__(self, series: TrackedSeries) -> None:
        self._series = series

    def made(self) -> list[tuple[str, str, float | None]]:
        """The revision that ran, the other one and the time in seconds, in order; None where it failed. Two queries."""
        batch = self._series.batch
        checkpoint = self._series.job.checkpoint
        runs = batch.runs.filter(kind=Run.Kind.PLAIN).order_by("pk").values_list("pk", "status")
        measured = Measurement.objects.filter(run__batch=batch, metric=seconds(Metric.Clock.CPU))
        times = dict(measured.values_list("run_id", "value"))
        return [
            (*lot, times[run] if status == Run.Status.OK else None)
            for lot, (run, status) in zip(checkpoint.lots, runs[checkpoint.chosen_runs :], strict=False)
        ]

    def draw(self, one: str, other: str) -> None:
        """Run one of two revisions, by a fair coin. Raises as `TrackedSeries.measure`."""
        series, lots = self._series, self._series.job.checkpoint.lots
        made = series.batch.runs.filter(kind=Run.Kind.PLAIN).count() - series.job.checkpoint.chosen_runs
        if len(lots) == made:
            # Kept before the run: one that is interrupted is made again, and not drawn again.
            lots = (*lots, (one, other) if secrets.randbelow(2) else (other, one))
            series.job.save_checkpoint(lots=lots)
        revision = lots[made][0]
        series.measure(revision, series.runs(revision).count() + 1)


@dataclass(frozen=True, slots=True)
class CodeVersion:
    """Revisions next to each other that hold the same code, and so share their measurements, at a position in order."""

    position: int
    revisions: tuple[SourceRevision, ...]

    @property
    def first(self) -> str:
        """The revision that brought this code: the one that is measured."""
        return self.revisions[0].identifier

    @property
    def title(self) -> str:
        """Its first revision as people read it: a release, or the start of a commit's hash and its message."""
        revision = self.revisions[0]
        if not _COMMIT.fullmatch(revision.identifier):
            return revision.identifier
        return f"{revision.identifier[:10]} {revision.message[:60]}".strip()


def versions_of(revisions: Sequence[SourceRevision]) -> tuple[CodeVersion, ...]:
    """The revisions, in order, as code versions 0, 1, ...; one whose content is not known is a version of its own."""
    groups = groupby(enumerate(revisions), key=lambda numbered: numbered[1].content or numbered[0])
    return tuple(
        CodeVersion(position, tuple(revision for _, revision in group))
        for position, (_, group) in enumerate(groups)
    )


def code_numbers(versions: Sequence[CodeVersion]) -> list[int]:
    """The code of each version as a number; equal ones hold the same code."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(one.revisions[0].content or one.position, one.position) for one in versions]


def step_weights(
    versions: Sequence[CodeVersion],
    touched: Sequence[frozenset[tuple[str, str]]] | None,
    profile: Mapping[tuple[str, str], float],
) -> FloatArray:
    """How likely each version (n,) is to be the one that changed the time, relative to one another, before any run.

    By the lines that it changed, and by the share of the time that is spent in the functions, (file, name), that it
    `touched` (n), as a `profile` tells. Without a profile all code counts alike, and comments hardly.
    """
    lines = [version.revisions[0].changed_lines for version in versions[1:]]
    known = np.array([np.nan if one is None else one for one in lines])
    shares = None if touched is None else np.array([_share(one, profile) for one in touched[1:]])
    return np.append(1.0, np.diff(ChangePrior.of_changes(0, known, shares=shares).cumulative))


def _share(touched: frozenset[tuple[str, str]], profile: Mapping[tuple[str, str], float]) -> float:
    """The share of the time in the functions that are `touched`; a file that is not told apart counts with all of its own."""
    if not profile:
        return float(bool(touched))
    return sum(
        share
        for (file, name), share in profile.items()
        if any(f"/{path}".endswith(f"/{file}") and one in {name, ""} for path, one in touched)
    )


def versions_in(order: OrderedRevisions, revisions: Sequence[SourceRevision]) -> tuple[CodeVersion, ...]:
    """Some revisions of an order as code versions, at the positions that `order.versions` gives them."""
    versions = order.versions
    version_at = {name: versions.version_at[position] for position, name in order.names.items()}
    groups: dict[int, list[SourceRevision]] = {}
    for revision in revisions:
        groups.setdefault(version_at[revision.identifier], []).append(revision)
    return tuple(CodeVersion(position, tuple(group)) for position, group in sorted(groups.items()))

"""What a job that chooses its revisions itself measures: one configuration of a subject, and its code versions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analytics.configurations.identities import configuration_identity
from analytics.histories.sessions import Session
from dashboard.models import Batch, Environment, Metric, Series, Workload
from dashboard.selectors.histories.curves import sessions_of
from dashboard.selectors.histories.revisions import OrderedRevisions
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.metrics import seconds
from dashboard.services.subjects import assignments_of
from runner.environments import run_environment
from runner.interpreters import interpreter
from runner.selections import SelectedConfiguration
from runner.source_revisions import SourceRevision

_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class TrackedSeries:
    """One configuration and workload of the subject of a job, measured on this machine by CPU time."""

    job: SubjectJob
    configuration: SelectedConfiguration
    workload: str

    @property
    def identity(self) -> str:
        """The identity of the configuration."""
        return configuration_identity(assignments_of(self.configuration, self.job.subject))

    def context(self) -> SeriesContext | None:
        """The ids of what is measured; None while nothing was measured in this environment. Three queries."""
        found = run_environment(
            self.job.subject, interpreter(self.job.state, self.job.subject.install.python)
        )
        environment = Environment.objects.filter(digest=found.digest).first()
        workload = Workload.objects.filter(system=self.job.system, name=self.workload).first()
        if environment is None or workload is None:
            return None
        return SeriesContext(
            kind=Series.SubjectKind.CONFIGURATION,
            subject=self.identity,
            workload_id=workload.pk,
            environment_id=environment.pk,
            metric_id=seconds(Metric.Clock.CPU).pk,
        )

    def sessions(self, *, batch: Batch | None = None) -> tuple[Session, ...]:
        """The valid sessions that were measured in this environment; with a `batch` its runs alone."""
        own = self.context()
        return () if own is None else sessions_of(self.job.system, {0: own}, batch=batch).get(0, ())


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
    groups: list[list[SourceRevision]] = []
    for revision in revisions:
        if groups and revision.content and revision.content == groups[-1][-1].content:
            groups[-1].append(revision)
        else:
            groups.append([revision])
    return tuple(CodeVersion(position, tuple(group)) for position, group in enumerate(groups))


def versions_in(order: OrderedRevisions, revisions: Sequence[SourceRevision]) -> tuple[CodeVersion, ...]:
    """Some revisions of an order as code versions, at the positions that `order.versions` gives them."""
    versions = order.versions
    version_at = {one.name: versions.version_at[one.position] for one in order.revisions}
    groups: dict[int, list[SourceRevision]] = {}
    for revision in revisions:
        groups.setdefault(version_at[revision.identifier], []).append(revision)
    return tuple(CodeVersion(position, tuple(group)) for position, group in sorted(groups.items()))

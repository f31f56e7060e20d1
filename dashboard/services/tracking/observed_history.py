"""The values of one configuration by revision, as a job that chooses its revisions itself sees them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analytics.configurations.identities import configuration_identity
from dashboard.models import Batch, Environment, Metric, Series, System, Workload
from dashboard.selectors.histories.codes import Bracket
from dashboard.selectors.histories.elsewhere import group_of, sibling_changes, sibling_series
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.selectors.histories.series import OrderedRevisions
from dashboard.selectors.histories.sessions import Session, sessions_of
from dashboard.services.metrics import seconds
from dashboard.services.subjects import assignments_of
from runner.environments import run_environment
from runner.interpreters import interpreter
from runner.selections import SelectedConfiguration
from runner.source_revisions import SourceRevision
from runner.state import RunnerState
from runner.subjects import SubjectDefinition

_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class TrackedSeries:
    """What a job looks at: one configuration and workload of a system, on this machine, by one clock."""

    system: System
    subject: SubjectDefinition
    state: RunnerState
    configuration: SelectedConfiguration
    workload: str
    clock: Metric.Clock = Metric.Clock.CPU

    @property
    def identity(self) -> str:
        """The identity of the configuration."""
        return configuration_identity(assignments_of(self.configuration, self.subject))


@dataclass(frozen=True, slots=True)
class CodeVersion:
    """Revisions next to each other that hold the same code, and so share their measurements, at a place in line."""

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


def stages(revisions: Sequence[SourceRevision]) -> tuple[CodeVersion, ...]:
    """The revisions, in order, as stages; a revision whose content is not known is a stage of its own."""
    groups: list[list[SourceRevision]] = []
    for revision in revisions:
        if groups and revision.content and revision.content == groups[-1][-1].content:
            groups[-1].append(revision)
        else:
            groups.append([revision])
    return tuple(CodeVersion(position, tuple(group)) for position, group in enumerate(groups))


def stages_in(order: OrderedRevisions, revisions: Sequence[SourceRevision]) -> tuple[CodeVersion, ...]:
    """Some revisions of an order as stages; their positions are the places of its line, with gaps for what is left out."""
    line = order.line
    version_at = {one.name: line.version_at[one.position] for one in order.revisions}
    groups: dict[int, list[SourceRevision]] = {}
    for revision in revisions:
        groups.setdefault(version_at[revision.identifier], []).append(revision)
    return tuple(CodeVersion(place, tuple(group)) for place, group in sorted(groups.items()))


def whereabouts(course: TrackedSeries) -> SeriesContext | None:
    """What the job's history is of; None while nothing was measured in this environment."""
    found = run_environment(course.subject, interpreter(course.state, course.subject.install.python))
    environment = Environment.objects.filter(digest=found.digest).first()
    workload = Workload.objects.filter(system=course.system, name=course.workload).first()
    if environment is None or workload is None:
        return None
    return SeriesContext(
        kind=Series.SubjectKind.CONFIGURATION,
        subject=course.identity,
        workload_id=workload.pk,
        environment_id=environment.pk,
        metric_id=seconds(course.clock).pk,
    )


def sessions(course: TrackedSeries, *, batch: Batch | None = None) -> tuple[Session, ...]:
    """The valid sessions that were measured in this environment; with a `batch` its runs alone."""
    own = whereabouts(course)
    return () if own is None else sessions_of(course.system, {0: own}, batch=batch).get(0, ())


def observed(
    course: TrackedSeries, places: Sequence[CodeVersion], *, batch: Batch | None = None
) -> dict[int, list[Session]]:
    """The sessions by stage, also those of equal code elsewhere in line."""
    codes = {revision.identifier: _code(revision) for place in places for revision in place.revisions}
    by_code: dict[str, list[Session]] = {}
    for session in sessions(course, batch=batch):
        if session.revision in codes:
            by_code.setdefault(codes[session.revision], []).append(session)
    own = {place.position: _code(place.revisions[0]) for place in places}
    return {position: by_code[code] for position, code in own.items() if code in by_code}


def elsewhere(course: TrackedSeries, order: OrderedRevisions) -> tuple[Bracket, ...]:
    """The brackets, as places of the order, in which other histories of the system changed in this environment."""
    own = whereabouts(course)
    if own is None:
        return ()
    return sibling_changes(own, sibling_series(course.system, [group_of(own)], order))


def _code(revision: SourceRevision) -> str:
    return revision.content or revision.identifier

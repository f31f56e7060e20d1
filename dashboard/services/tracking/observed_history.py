"""The values of one configuration by revision, as a job that chooses its revisions itself sees them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.models import Batch, Configuration, Environment, Measurement, Metric, Run, System
from dashboard.services.identities import configuration_identity
from dashboard.services.metrics import seconds
from dashboard.services.subjects import assignments_of
from runner.environments import run_environment
from runner.interpreters import interpreter
from runner.revisions import Revision
from runner.selections import Configuration as SelectedConfiguration
from runner.state import State
from runner.subjects import Subject

_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Course:
    """What a job looks at: one configuration and workload of a system, on this machine, by one clock."""

    system: System
    subject: Subject
    state: State
    configuration: SelectedConfiguration
    workload: str
    clock: Metric.Clock = Metric.Clock.CPU

    @property
    def identity(self) -> str:
        """The identity of the configuration."""
        return configuration_identity(assignments_of(self.configuration, self.subject))


@dataclass(frozen=True, slots=True)
class Stage:
    """Revisions next to each other that hold the same code, and so share their measurements: `position` from 0."""

    position: int
    revisions: tuple[Revision, ...]

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


def stages(revisions: Sequence[Revision]) -> tuple[Stage, ...]:
    """The revisions, in order, as stages; a revision whose content is not known is a stage of its own."""
    groups: list[list[Revision]] = []
    for revision in revisions:
        if groups and revision.content and revision.content == groups[-1][-1].content:
            groups[-1].append(revision)
        else:
            groups.append([revision])
    return tuple(Stage(position, tuple(group)) for position, group in enumerate(groups))


def observed(course: Course, places: Sequence[Stage]) -> dict[int, list[float]]:
    """The valid values by stage that were measured in this environment, also those of equal code elsewhere in line.

    In the metric's unit. One query for the values and two for what identifies them.
    """
    found = run_environment(course.subject, interpreter(course.state, course.subject.install.python))
    environment = Environment.objects.filter(digest=found.digest).first()
    configuration = Configuration.objects.filter(system=course.system, identity=course.identity).first()
    if environment is None or configuration is None:
        return {}
    rows = Measurement.objects.filter(
        metric=seconds(course.clock),
        run__batch__state=Batch.State.VISIBLE,
        run__configuration=configuration,
        run__environment=environment,
        run__workload__name=course.workload,
        run__kind=Run.Kind.PLAIN,
        run__status=Run.Status.OK,
        run__invalid_reason="",
    ).values_list("run__revision__name", "value")
    values: dict[str, list[float]] = {}
    for name, value in rows.order_by("run_id"):
        values.setdefault(name, []).append(value)
    by_content: dict[str, list[float]] = {}
    for place in places:
        for revision in place.revisions:
            by_content.setdefault(_code(revision), []).extend(values.get(revision.identifier, ()))
    return {
        place.position: by_content[_code(place.revisions[0])]
        for place in places
        if by_content[_code(place.revisions[0])]
    }


def _code(revision: Revision) -> str:
    return revision.content or revision.identifier

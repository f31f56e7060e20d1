"""The values of one configuration by revision, as a job that chooses its revisions itself sees them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from dashboard.access import Principal
from dashboard.models import Batch, Configuration, Environment, Measurement, Metric, Series, System, Workload
from dashboard.selectors.end_to_end import end_to_end_runs
from dashboard.selectors.histories.codes import Bracket
from dashboard.selectors.histories.elsewhere import Whereabouts, changes_elsewhere
from dashboard.selectors.histories.series import ordered_revisions
from dashboard.services.identities import configuration_identity
from dashboard.services.metrics import seconds
from dashboard.services.subjects import assignments_of, order_name
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


def stages(revisions: Sequence[Revision], *, sharing: bool = True) -> tuple[Stage, ...]:
    """The revisions, in order, as stages; a revision whose content is not known is a stage of its own.

    Without `sharing` no content is taken as known.
    """
    groups: list[list[Revision]] = []
    for revision in revisions if sharing else [replace(one, content="") for one in revisions]:
        if groups and revision.content and revision.content == groups[-1][-1].content:
            groups[-1].append(revision)
        else:
            groups.append([revision])
    return tuple(Stage(position, tuple(group)) for position, group in enumerate(groups))


@dataclass(frozen=True, slots=True)
class Session:
    """The values, in the metric's unit, of runs of a revision that were made one right after the other."""

    revision: str
    values: tuple[float, ...]


def observed(
    course: Course, places: Sequence[Stage], *, batch: Batch | None = None
) -> dict[int, list[Session]]:
    """The valid sessions by stage that were measured in this environment, also those of equal code elsewhere in line.

    With a `batch` its runs alone. One query for the values and two for what identifies them.
    """
    environment, configuration = _where(course)
    if environment is None or configuration is None:
        return {}
    measured = Measurement.objects.all() if batch is None else Measurement.objects.filter(run__batch=batch)
    rows = measured.filter(
        metric=seconds(course.clock),
        run__in=end_to_end_runs(course.system),
        run__configuration=configuration,
        run__environment=environment,
        run__workload__name=course.workload,
    ).values_list("run__revision__name", "value")
    by_code: dict[str, list[Session]] = {}
    codes = {revision.identifier: _code(revision) for place in places for revision in place.revisions}
    for name, some in groupby(rows.order_by("run_id"), key=itemgetter(0)):
        if name in codes:
            by_code.setdefault(codes[name], []).append(Session(name, tuple(value for _, value in some)))
    return {
        place.position: by_code[_code(place.revisions[0])]
        for place in places
        if _code(place.revisions[0]) in by_code
    }


def elsewhere(course: Course, places: Sequence[Stage]) -> tuple[Bracket, ...]:
    """The brackets, as stages, in which other histories of the system changed in this environment."""
    environment, _ = _where(course)
    workload = Workload.objects.filter(system=course.system, name=course.workload).first()
    if environment is None or workload is None:
        return ()
    operator, slug = Principal.operator(), course.system.slug
    order = ordered_revisions(principal=operator, slug=slug, order=order_name(course.subject))
    own = Whereabouts(
        kind=Series.SubjectKind.CONFIGURATION,
        subject=course.identity,
        workload_id=workload.pk,
        environment_id=environment.pk,
        metric_id=seconds(course.clock).pk,
    )
    names = {place.position: place.name for place in order.revisions}
    stage_of = {revision.identifier: place.position for place in places for revision in place.revisions}
    line = order.line
    found = changes_elsewhere(principal=operator, slug=slug, own=own, order=order)
    brackets = [tuple(stage_of.get(names[position]) for position in line.between(one)) for one in found]
    return tuple((before, after) for before, after in brackets if before is not None and after is not None)


def _where(course: Course) -> tuple[Environment | None, Configuration | None]:
    """The environment and the configuration as they are stored, if they are."""
    found = run_environment(course.subject, interpreter(course.state, course.subject.install.python))
    return (
        Environment.objects.filter(digest=found.digest).first(),
        Configuration.objects.filter(system=course.system, identity=course.identity).first(),
    )


def _code(revision: Revision) -> str:
    return revision.content or revision.identifier

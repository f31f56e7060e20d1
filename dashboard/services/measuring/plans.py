"""What a measurement would come to: its selection checked, its runs counted and their time estimated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dashboard.access import Permission, Principal, require
from dashboard.models import System
from dashboard.selectors.measuring.times import seconds_per_run, unmeasured
from dashboard.services.measuring.chosen_configurations import spelled_out
from dashboard.services.subjects import registered_subject, stored_revisions
from runner.errors import SelectionInvalid
from runner.plans import PlannedRun, plan
from runner.revisions import SourceRevision, select_revisions
from runner.selections import Configuration
from runner.selections import configurations as select_configurations
from runner.subjects import SubjectDefinition

MOST_RUNS = 100_000

T = TypeVar("T")


class MeasuringError(ValueError):
    """A measurement cannot be started as asked."""


class RequestInvalid(MeasuringError):
    """A part of a request selects nothing that the subject has; `field` is that part's name in the request."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class MeasuringRequest:
    """What is to be measured, in the words of the selections of `runner`.

    `counts`: one more run of each configuration and revision, with counters; None as the subject says.
    """

    configurations: tuple[str, ...] = ("default",)
    revisions: tuple[str, ...] = ("latest",)
    repetitions: int = 5
    workload: str = "regular"
    profile: bool = True
    seed: int = 0
    counts: bool | None = None


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """What a measurement comes to before it is started.

    `runs` are timed, `countings` only count. `new_revisions` have no run yet, so their environments are built first;
    `seconds` is for the runs alone, those that count too, None where no run of the workload tells.
    """

    configurations: int
    revisions: int
    repetitions: int
    runs: int
    new_revisions: int
    seconds: float | None
    countings: int = 0


@dataclass(frozen=True, slots=True)
class Selected:
    """What a request means for a subject: valid configurations and revisions, oldest first."""

    configurations: tuple[Configuration, ...]
    revisions: tuple[SourceRevision, ...]
    repetitions: int

    @property
    def cells(self) -> int:
        """How many configurations at how many revisions, multiplied."""
        return len(self.configurations) * len(self.revisions)

    @property
    def runs(self) -> int:
        """How many timed runs that makes."""
        return self.cells * self.repetitions


def preview_measuring(*, principal: Principal, slug: str, request: MeasuringRequest) -> PlanPreview:
    """What the request comes to. Starts nothing, asks nobody outside. Raises as `start_measuring`."""
    system = require(principal, slug, Permission.VIEW)
    subject = registered_subject(slug=slug)
    request = in_full(system, subject, request)
    selected = select(subject, stored_revisions(slug=slug, subject=subject), request)
    each = seconds_per_run(system=system, workload=request.workload, profile=request.profile)
    countings = selected.cells if is_counted(subject, request) else 0
    names = [revision.identifier for revision in selected.revisions]
    return PlanPreview(
        configurations=len(selected.configurations),
        revisions=len(selected.revisions),
        repetitions=selected.repetitions,
        runs=selected.runs,
        new_revisions=unmeasured(system=system, revisions=names),
        seconds=None if each is None else each.run * selected.runs + each.counting * countings,
        countings=countings,
    )


def is_counted(subject: SubjectDefinition, request: MeasuringRequest) -> bool:
    """Whether each configuration and revision has one more run that counts."""
    return subject.is_countable and (subject.counts if request.counts is None else request.counts)


def in_full(system: System, subject: SubjectDefinition, request: MeasuringRequest) -> MeasuringRequest:
    """The request with what stored analyses and chance choose spelled out. Raises `RequestInvalid`."""
    words = _checked(
        "configurations", lambda: spelled_out(system, subject, request.configurations, request.seed)
    )
    return replace(request, configurations=words)


def select(
    subject: SubjectDefinition, revisions: Sequence[SourceRevision], request: MeasuringRequest
) -> Selected:
    """What the request means, of these revisions. Raises `RequestInvalid`, and `MeasuringError` for too many runs."""
    if request.workload not in subject.workloads:
        known = ", ".join(subject.workloads)
        raise RequestInvalid(
            "workload", f"{subject.name} has no workload {request.workload!r}: known are {known}"
        )
    if request.repetitions < 1:
        raise RequestInvalid(
            "repetitions", f"{request.repetitions} repetitions cannot be run: write 1 or more"
        )
    chosen = _checked("revisions", lambda: select_revisions(revisions, request.revisions))
    if not chosen:
        raise RequestInvalid("revisions", "no revision is selected: write all, latest, a..b or names")
    selected = Selected(
        configurations=_checked(
            "configurations", lambda: select_configurations(subject, request.configurations)
        ),
        revisions=chosen,
        repetitions=request.repetitions,
    )
    if request.counts and not subject.is_countable:
        raise RequestInvalid(
            "counts", f"{subject.name} cannot be counted: only the regions of a callable have counters"
        )
    if selected.runs > MOST_RUNS:
        raise MeasuringError(
            f"{selected.runs} runs are more than {MOST_RUNS}: select fewer configurations or revisions"
        )
    return selected


def planned_runs(
    subject: SubjectDefinition, selected: Selected, request: MeasuringRequest
) -> tuple[PlannedRun, ...]:
    """The runs of what was selected, in the random order of the request's seed."""
    return plan(
        subject,
        selected.configurations,
        [revision.identifier for revision in selected.revisions],
        repetitions=selected.repetitions,
        seed=request.seed,
        workload=request.workload,
    )


def _checked(field: str, choose: Callable[[], T]) -> T:
    try:
        return choose()
    except SelectionInvalid as error:
        raise RequestInvalid(field, str(error)) from error

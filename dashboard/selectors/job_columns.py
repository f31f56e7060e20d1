"""What a job stores as JSON: the request that it was made with, and where it goes on after an interruption."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from django.db.models import Q
from pydantic import BaseModel, ConfigDict

from analytics.repetitions import USUAL_RULE, RepetitionRule
from dashboard.models import Job, System


class JobRequest(BaseModel):
    """What a job was asked for: each kind of job has one subclass, which names the kind and the queue."""

    model_config = ConfigDict(frozen=True)

    kind: ClassVar[str]
    queue: ClassVar[Job.Queue] = Job.Queue.DEFAULT

    @classmethod
    def of(cls, job: Job) -> Self:
        """The request that a job holds; fields that an earlier version did not store have their defaults.

        Raises `pydantic.ValidationError` for a job of another kind.
        """
        return cls.model_validate(job.parameters)

    @property
    def for_environment(self) -> str:
        """The digest of the environment whose machines are to do it; "" for a worker of this installation."""
        return ""

    def as_parameters(self) -> dict[str, Any]:
        """As it is stored."""
        return self.model_dump(mode="json")


class MeasuringRequest(JobRequest):
    """What is to be measured.

    `configurations` and `revisions` are selector expressions; `revision_ids`, where there are any, are the primary keys
    of stored revisions and take the place of `revisions`. `counts`: one more run of each configuration and revision,
    with counters; None as the subject says. `planned` holds what the selected configurations differ in from the
    reference, {option: level}, filled in when the job is queued; empty for very many. `repetitions` are a fixed number, or
    the least and the most where each is run until its interval is no wider than `half_width`, a share of the time. `aa`:
    the runs of the one revision are compared with one another; `repetitions` are those of each side of
    one of the `comparisons` until the job is queued, then all. `metric`: time, or what is counted in one run of each without any timed one. `of_change`: they are
    the revisions around a change, and the fits of their histories follow. `environment` is the digest of that whose machines are to
    measure, "" for this server. `asked_by`: another installation asked for it, as its job of that name; its runs go there, and
    nothing is told from them here.
    """

    kind: ClassVar = "measure"
    queue: ClassVar = Job.Queue.MEASURE

    configurations: tuple[str, ...] = ("default",)
    revisions: tuple[str, ...] = ("latest",)
    repetitions: int | tuple[int, int] = 5
    half_width: float = USUAL_RULE.half_width
    workload: str = "regular"
    profile: bool = True
    seed: int = 0
    counts: bool | None = None
    aa: bool = False
    comparisons: int = 20
    metric: Literal["time", "work", "instructions"] = "time"
    of_change: bool = False
    environment: str = ""
    asked_by: str = ""
    revision_ids: tuple[int, ...] = ()
    planned: tuple[Mapping[str, str], ...] = ()

    @property
    def for_environment(self) -> str:
        """As of any request."""
        return self.environment

    @property
    def is_counted_alone(self) -> bool:
        """Whether runs are only counted, none timed."""
        return self.metric != "time"

    @property
    def most(self) -> int:
        """How often each configuration is run at each revision, at most."""
        return self.repetitions if isinstance(self.repetitions, int) else self.repetitions[1]

    @property
    def rule(self) -> RepetitionRule | None:
        """When a configuration needs no more runs at a revision; None for a fixed number."""
        if isinstance(self.repetitions, int):
            return None
        return RepetitionRule(*self.repetitions, self.half_width)


class _AskedRevisions(BaseModel):
    """The revisions that a job of any kind was asked for: names, or ids as a measurement has them."""

    revision: str = ""
    revisions: tuple[str, ...] = ()
    revision_ids: tuple[int, ...] = ()


def asks_for_revision(job: Job, name: str, ids: Collection[int]) -> bool:
    """Whether a job, of whatever kind, was asked for the revision with this name or one of these ids."""
    asked = _AskedRevisions.model_validate(job.parameters)
    return name in (asked.revision, *asked.revisions) or not set(ids).isdisjoint(asked.revision_ids)


def asked_with(**values: object) -> Q:
    """The condition that a job's request has these values; lookups as in `token__in`."""
    return Q(**{f"parameters__{name}": value for name, value in values.items()})


def reached_with(**values: object) -> Q:
    """The condition that a job's checkpoint has these values."""
    return Q(**{f"checkpoint__{name}": value for name, value in values.items()})


@dataclass(frozen=True, slots=True)
class IntendedRuns:
    """What a tracking job has chosen to measure: the repetitions `first` to `last` of a revision, none where not known.

    `reason`, `gain` and `equal` are those of its `TrackingStep`, `title` is what people call the revision. `is_new` says
    that nothing of its code was measured before.
    """

    revision: str
    reason: str
    gain: float | None
    equal: int
    title: str
    is_new: bool = False
    first: int = 1
    last: int = 0


class SubjectCheckpoint(BaseModel):
    """How far a job has got that measures, tracks, bisects or analyses a subject.

    `batch` holds its runs (id, 0 before the first one), `position` is the last planned run that was made, `traced` counts
    the runs of a white-box analysis. `spent` are the seconds of building and running, `intended` the choice of a tracking
    job that is not measured in full. `lots` are those of a bisection, one for each run: the revision that the coin chose,
    and the other one. `explored` is why a tracking job chooses no further revision, "" while it does; then it confirms the
    changes between pairs of revisions, `confirming`, and its lots are those of the runs after the first `chosen_runs`.
    `scattered` holds the regions whose counts differed between two runs of one revision, of those that were counted twice.
    `upload` (its token) holds the runs that a machine sent under its `claim`, until they are stored as the batch with `digest`.
    """

    model_config = ConfigDict(frozen=True)

    batch: int = 0
    position: int = 0
    traced: int = 0
    spent: float = 0.0
    intended: IntendedRuns | None = None
    lots: tuple[tuple[str, str], ...] = ()
    explored: str = ""
    confirming: tuple[tuple[str, str], ...] = ()
    chosen_runs: int = 0
    scattered: Mapping[str, tuple[str, ...]] = {}
    upload: str = ""
    claim: str = ""
    digest: str = ""

    def as_json(self) -> dict[str, Any]:
        """As it is stored: what was never set is left out."""
        return self.model_dump(mode="json", exclude_unset=True)

    def changed(self, **changes: object) -> dict[str, Any]:
        """As it is stored with these changes."""
        return SubjectCheckpoint.model_validate({**self.as_json(), **changes}).as_json()


def jobs_by_batch(system: System, kinds: Iterable[str]) -> dict[int, tuple[int, str]]:
    """Number and state of the jobs of some kinds, by the batch (id) that the job remembers. One query.

    Numbers of jobs mean nothing in a batch that was measured elsewhere.
    """
    jobs = Job.objects.filter(checkpoint__has_key="batch", system=system, kind__in=kinds)
    rows = jobs.values_list("checkpoint", "pk", "state")
    return {SubjectCheckpoint.model_validate(stored).batch: (pk, state) for stored, pk, state in rows}

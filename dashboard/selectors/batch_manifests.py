"""What a batch says of itself: the one type of the column `Batch.manifest`, and the one module that knows its keys."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet
from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from dashboard.models import Batch, System
from runner.machine_state import MachineState


@dataclass(frozen=True, slots=True)
class TrackingStep:
    """One choice of a tracking job: the revision, why it was chosen, the expected gain and the outcome.

    `gain` is how far the mean error of the history should fall, as a share of the level; None for the first ones and for
    checks. `equal` counts further revisions with the same code. `outcome` is measured, failed, not built, or "same build"
    where the build made what that of a measured revision had made.
    """

    revision: str
    reason: str
    gain: float | None
    equal: int
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What a tracking job says of a change that a history seems to have between two revisions, after it ran both by lot.

    `error_probability` is None where it is not confirmed; the size is relative, None where it is not known. `counts` is by
    which share of what was before the counts moved, `functions` which of them most; None where they were not counted.
    """

    before: str
    after: str
    sentence: str
    error_probability: float | None = None
    relative_size: float | None = None
    relative_low: float | None = None
    relative_high: float | None = None
    counts: float | None = None
    functions: tuple[tuple[str, float], ...] = ()


class BatchManifest(BaseModel):
    """What its source says, under any keys, and what jobs and imports note in it.

    A value of another shape, as a foreign source may have it under one of these keys, counts as none.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    # While an import writes the batch: the process that does, and the ids of the rows made for it, by model.
    writer: str = ""
    created: dict[str, list[int]] = {}
    # Of a job: its title, and what it measured.
    title: str = ""
    workload: str = ""
    repetitions: int | tuple[int, int] = 0
    profile: bool = False
    # Of a job that tracks: its choices, the earliest first, and why it stopped; "" while it has not.
    trail: tuple[TrackingStep, ...] = ()
    stopped: str = ""
    # What it counted before, in words, and what it says of the changes that it seemed to see.
    counted: str = ""
    changes: tuple[Confirmation, ...] = ()
    # Of a job that measures: the states of the machine when it began, or was resumed, and when it had made its runs.
    machine: tuple[MachineState, ...] = ()
    # What it did meanwhile, as `MachinePhases.as_numbers` tells.
    phases: dict[str, float] = {}
    # Of a job that runs a subject: what the runs were made in, of `sandbox_words`; more than one where it changed meanwhile.
    sandbox: tuple[str, ...] = ()
    # Of a job that measured one revision against itself: how many comparisons of so many runs of each side were made, how
    # many differed, and by which version of the test.
    comparisons: int = 0
    differing: int = 0
    runs_of_each: int = 0
    comparison_version: str = ""
    # Of the job from whose profiles and counts they were learned: what one count of each region weighs in work.
    count_weights: dict[str, float] = {}
    # Points whose place an import took: series, revision (ids), n, median, spread.
    replaced: tuple[tuple[int, int, int, float, float | None], ...] = ()
    # The licence of source excerpts, by the package that they belong to.
    licences: dict[str, str] = {}

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_default(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return handler(value)
        except ValidationError:
            return cls.model_fields[str(info.field_name)].get_default(call_default_factory=True)

    def as_json(self) -> dict[str, Any]:
        """As it is stored: what was never set is left out."""
        return self.model_dump(mode="json", exclude_unset=True)


def manifest_of(batch: Batch) -> BatchManifest:
    """The manifest of a batch."""
    return BatchManifest.model_validate(batch.manifest)


def save_manifest(batch: Batch, **changes: Any) -> None:
    """Change fields of a batch's manifest. For services."""
    batch.manifest = BatchManifest.model_validate({**batch.manifest, **changes}).as_json()
    batch.save(update_fields=["manifest", "written_at"])


def batches_being_written() -> QuerySet[Batch]:
    """The batches that imports write, seen by nobody yet. For selectors and services."""
    return Batch.objects.filter(state=Batch.State.WRITING, manifest__has_key="writer")


def unfinished_batches(system: System) -> list[int]:
    """The ids of the batches of a system that are still written: their points are not to be seen. One query."""
    return list(system.batches.filter(state=Batch.State.WRITING).values_list("pk", flat=True))


def measured_with(*, path: str = "", **values: Any) -> Q:
    """The condition that a batch's manifest has these values; `path` leads to the batch, as `batch__`."""
    return Q(**{f"{path}manifest__{name}": value for name, value in values.items()})


def against_itself(system: System) -> Batch | None:
    """The batch in which a revision was last measured against itself. One query. For selectors."""
    batches = system.batches.filter(state=Batch.State.VISIBLE, manifest__has_key="comparisons").order_by(
        "-pk"
    )
    return next((one for one in batches if manifest_of(one).comparisons), None)


def count_weights(system: System) -> dict[str, float]:
    """The weights of regions that were learned first of a system; empty where none were. One query. For selectors and services."""
    batches = system.batches.filter(state=Batch.State.VISIBLE, manifest__has_key="count_weights")
    first = batches.order_by("pk").first()
    return {} if first is None else manifest_of(first).count_weights


def unseen(model: type[Model]) -> frozenset[int]:
    """The ids of the rows of `model` that imports under way have made, of all systems. One query. For selectors."""
    created = (manifest_of(batch).created for batch in batches_being_written())
    return frozenset(pk for ids in created for pk in ids.get(model.__name__, ()))

"""Where a job that measures a subject goes on after an interruption: the one type of its `Job.checkpoint`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class IntendedRuns:
    """What a tracking job is about to measure: the repetitions `first` to `last` of a revision.

    `reason`, `gain` and `equal` are those of its `TrackingStep`, `title` is what people call the revision. `is_new` says
    that nothing of its code was measured before.
    """

    revision: str
    reason: str
    gain: float | None
    equal: int
    title: str
    first: int
    last: int
    is_new: bool = False


class SubjectCheckpoint(BaseModel):
    """How far a job has got that measures, tracks, bisects or analyses a subject.

    `batch` holds its runs (id, 0 before the first one), `position` is the last planned run that was made, `traced` counts
    the runs of a white-box analysis. `spent` are the seconds of building and running, `intended` the choice of a tracking
    job that is not measured in full.
    """

    model_config = ConfigDict(frozen=True)

    batch: int = 0
    position: int = 0
    traced: int = 0
    spent: float = 0.0
    intended: IntendedRuns | None = None


def read_checkpoint(stored: Mapping[str, Any]) -> SubjectCheckpoint:
    """The checkpoint that a job holds. Raises `pydantic.ValidationError` for one of another shape."""
    return SubjectCheckpoint.model_validate(stored)


def changed_checkpoint(stored: Mapping[str, Any], **changes: object) -> dict[str, Any]:
    """What a job is to hold after these changes of what it holds."""
    found = SubjectCheckpoint.model_validate({**stored, **changes})
    return found.model_dump(mode="json", exclude_unset=True)


def with_batch(batches: Iterable[int] | None = None) -> Q:
    """The condition that a job has a batch, or one of these (ids)."""
    return Q(checkpoint__has_key="batch") if batches is None else Q(checkpoint__batch__in=list(batches))

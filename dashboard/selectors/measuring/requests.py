"""What a measuring job was asked for: the one type of its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasuringRequest:
    """What is to be measured.

    `configurations` and `revisions` are selector expressions; `revision_ids`, where there are any, are the primary keys
    of stored revisions and take the place of `revisions`. `counts`: one more run of each configuration and revision,
    with counters; None as the subject says. `planned` holds what the selected configurations differ in from the
    reference, {option: level}, filled in when the job is queued; empty for very many.
    """

    configurations: tuple[str, ...] = ("default",)
    revisions: tuple[str, ...] = ("latest",)
    repetitions: int = 5
    workload: str = "regular"
    profile: bool = True
    seed: int = 0
    counts: bool | None = None
    revision_ids: tuple[int, ...] = ()
    planned: tuple[Mapping[str, str], ...] = ()

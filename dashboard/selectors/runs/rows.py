"""What the selectors of runs hand out: frozen rows, free of Django."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RunRow:
    """One execution. `run_ids` are the rows it is stored as: a profiled one may stand beside the plain one.

    Times are in seconds, None where none was stored; `configuration` is in words, `status` of the plain run.
    """

    run_ids: tuple[int, ...]
    batch_id: int
    revision: str
    configuration: str
    workload: str
    environment: str
    repetition: int
    kinds: tuple[str, ...]
    status: str
    message: str
    output: str
    started_at: datetime | None
    wall_seconds: float | None
    cpu_seconds: float | None
    invalid_reason: str
    invalidated_by: str


@dataclass(frozen=True, slots=True)
class RunList:
    """The rows that were asked for, and how many stored runs there are of that kind in all."""

    rows: tuple[RunRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are asked for; what is empty asks for all. `configuration` is an identity."""

    revision: str = ""
    configuration: str = ""
    batch_id: int | None = None
    run_ids: tuple[int, ...] = ()
    failed: bool = False
    invalid: bool = False

    @property
    def asks(self) -> bool:
        """Whether anything is asked for but everything."""
        return self != RunFilter()


@dataclass(frozen=True, slots=True)
class FailureRow:
    """Failed runs of one revision that say the same; `output` is the end of what one of them printed."""

    revision: str
    status: str
    message: str
    configurations: int
    configuration: str
    identity: str
    runs: int
    output: str

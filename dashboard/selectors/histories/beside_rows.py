"""What is handed out of a configuration's time and counts side by side: frozen rows, free of Django."""

from dataclasses import dataclass

from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import ChangeRow, History


@dataclass(frozen=True, slots=True)
class ChangeBeside:
    """A stretch of revisions, later than `before` and not later than `after`, in which the time or the counts changed.

    `time` and `counts` are by which share each differs between its measured revisions around the stretch, None where
    none are. `told` is the change of the time, None where none is told as a fact. `moved` are the regions whose counts
    differ, the largest first; empty also where counts tell no regions.
    """

    before: RevisionPlace
    after: RevisionPlace
    time: float | None
    counts: float | None
    told: ChangeRow | None
    moved: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class HistoriesBeside:
    """The history of a configuration's time and that of what it counts, and where either changed, the earliest first."""

    time: History
    counted: History
    changes: tuple[ChangeBeside, ...]

    def other(self, history: History) -> History:
        """The one of the two that is not this one."""
        return self.time if history is self.counted else self.counted

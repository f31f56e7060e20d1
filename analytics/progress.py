"""How long work tells how far it is, and how long it still takes; for analytics, services and studies."""

from collections import deque
from typing import Literal, Protocol

# The last runs of a kind tell what the next ones take: configurations differ, and the machine's load does.
LAST = 12
# What a traced run takes before one was made, in counted ones: subjects that were looked at lie between 3 and 60.
TRACED_IN_COUNTED = 13.0
# What so many of the latest traced runs asked for beyond what was planned, the next ones will, too; up to so much for each.
_GROWTH_OF = 4
_MOST_GROWTH = 0.75
Kind = Literal["count", "taint"]


class Progress(Protocol):
    """Hears the share that is done, from 0 to 1, and what is being done; what it raises ends the work.

    `JobContext.progress` of a job is one.
    """

    def __call__(self, share: float, message: str, /) -> None:
        """Take note."""


def no_progress(_share: float, _message: str, /) -> None:
    """Nobody listens."""


class RemainingTime:
    """How long an analysis still takes: learns from runs as they end, and from what is planned after them."""

    def __init__(self) -> None:
        self._planned: dict[Kind, int] = {"count": 0, "taint": 0}
        self._grown: deque[int] = deque(maxlen=_GROWTH_OF)
        self._took: dict[Kind, deque[float]] = {kind: deque(maxlen=LAST) for kind in self._planned}

    def plan(self, kind: Kind, runs: int) -> None:
        """Take note that so many runs are still to come, as far as is known; of traced ones with the one that is not noted yet."""
        if kind == "taint" and self._took[kind]:
            self._grown.append(runs - self._planned[kind])
        self._planned[kind] = runs

    def ended(self, kind: Kind, seconds: float) -> None:
        """Take note of a run and of all that was done with it; one less is planned."""
        self._took[kind].append(seconds)
        self._planned[kind] = max(self._planned[kind] - 1, 0)

    def of_one(self, kind: Kind) -> float | None:
        """What the next run of a kind takes, in seconds; None before the first one of any kind."""
        for other, factor in ((kind, 1.0), ("count", TRACED_IN_COUNTED), ("taint", 1 / TRACED_IN_COUNTED)):
            if took := self._took[other]:
                return factor * sum(took) / len(took)
        return None

    @property
    def seconds(self) -> float | None:
        """What all runs to come take together, and those that they will ask for; None before the first one."""
        count, taint = self.of_one("count"), self.of_one("taint")
        if count is None or taint is None:
            return None
        growth = sum(self._grown) / len(self._grown) if self._grown else 0.0
        traced = self._planned["taint"] / (1 - min(max(growth, 0.0), _MOST_GROWTH))
        return self._planned["count"] * count + traced * taint

"""How long an analysis still takes: from what its runs took, and from how many are still to come."""

import math
from collections import deque
from typing import Literal

from analytics.whitebox.refinement import COUNTED_AT_ONCE, SETTLED_AFTER

Kind = Literal["count", "taint"]
# The last runs of a kind tell what the next ones take: configurations differ, and the machine's load does.
LAST = 12
# What a traced run takes before one was made, in counted ones: subjects that were looked at lie between 3 and 60.
TRACED_IN_COUNTED = 13.0
# How many configurations are traced, before two of them have told of most decisions: a few more than there are options.
TRACED_PER_OPTION = 1.5
# After a run that proves something new a search goes on for so many times the runs that must prove nothing, at most: where
# many in a row prove something, there is soon nothing left to prove.
_MOST_AGAIN = 0.75
# Of the traced runs that are planned so many are needed at least.
_LEAST_OF_PLANNED = 0.4
# A configuration that is traced is counted too, and what it shows asks for another one.
COUNTED_PER_TRACED = 2


class RemainingTime:
    """Learns from runs as they end, and from what is planned after them.

    `options`: how many may be moved. Without `tracing` all runs count. So many were `traced` before an interruption.
    """

    def __init__(self, options: int, *, tracing: bool = True, traced: int = 0) -> None:
        self._traced = traced
        self._to_trace = max(TRACED_PER_OPTION * options - traced, 1.0) if tracing else 0.0
        self._fewest = math.inf
        self._to_count = 0.0
        self._took: dict[Kind, deque[float]] = {"count": deque(maxlen=LAST), "taint": deque(maxlen=LAST)}
        # What each of the latest traced runs had to do, and what all counted ones had: a traced run takes as long as that.
        self._traced_work: deque[int] = deque(maxlen=LAST)
        self._counted_work = list[int]()
        self._proofs, self._news = -1, list[int]()

    def ended(self, kind: Kind, seconds: float, *, work: int) -> None:
        """Take note of a run and of all that was done with it; one less is to come.

        `work` is what its configuration counts in all, 0 where that is not known.
        """
        self._took[kind].append(seconds)
        if kind == "count":
            self._to_count = max(self._to_count - 1, 0.0)
            self._counted_work.append(work)
        else:
            self._traced_work.append(work)

    def plan_counting(self, runs: float) -> None:
        """Take note that so many counted runs are still to come before the next traced one."""
        self._to_count = runs

    def options_count(self, options: int) -> None:
        """Take note that so many options are known to change what is counted: the others ask for no traced run."""
        if not self._traced and self._to_trace:
            self._to_trace = TRACED_PER_OPTION * max(options, 1)

    def plan_tracing(self, runs: int) -> None:
        """Take note that a traced run was taken over, and that so many are to come if none shows another decision.

        The first one, of the reference, tells little of that. Later runs are planned in vain where a region gets so many
        subspaces that it is split, and what was once planned is too few: the truth lies between.
        """
        self._traced += 1
        if self._traced == 1:
            self._to_trace = math.sqrt(runs * max(self._to_trace - 1, 1.0))
        else:
            self._fewest = min(max(self._fewest - 1, 1.0), runs)
            self._to_trace = math.sqrt(runs * max(self._fewest, _LEAST_OF_PLANNED * runs))

    def search_on(self, proofs: int, counted: int, first: int) -> float:
        """How many counted runs are to come, where the search ends after many that prove nothing new.

        It has proved so much by now, with so many runs; the `first` of them moved one option at a time. The more runs there
        were, the fewer of the next ones prove anything: their rate falls as 1 / `counted`, from what it was so far.
        """
        if proofs != self._proofs and counted > first:
            self._news.append(counted)
        self._proofs = proofs
        window = SETTLED_AFTER * first
        # Several are chosen at a time, and only then is looked at what they show.
        quiet = (
            max((self._news[-1] if self._news else first) + window - counted, 1)
            + counted // COUNTED_AT_ONCE // 2
        )
        rate = (len(self._news) + 0.5) / (math.log(max(counted, first) / first) + 1)

        def proves(runs: int) -> float:
            return 1 - math.pow(counted / (counted + runs), rate)

        again = min(window * (1 - proves(window) / 2) / (1 - proves(window)), _MOST_AGAIN * window)
        return (1 - proves(quiet)) * quiet + proves(quiet) * (quiet / 2 + again)

    def of_one(self, kind: Kind) -> float | None:
        """What the next run of a kind takes, in seconds; None before the first one of any kind."""
        if kind == "taint" and self._traced_work:
            usual = sum(self._counted_work) / max(len(self._counted_work), 1)
            # A part of it is the same in all runs, nobody knows how large.
            done = sum(math.sqrt(work / usual) if work and usual else 1.0 for work in self._traced_work)
            return sum(self._took["taint"]) / done
        factor = TRACED_IN_COUNTED if kind == "taint" else 1.0
        if took := self._took["count"]:
            return factor * sum(took) / len(took)
        if took := self._took["taint"]:
            return factor / TRACED_IN_COUNTED * sum(took) / len(took)
        return None

    def seconds(self, at_most: float = math.inf, *, room: float = math.inf) -> float | None:
        """What all runs to come take together; None before the first one.

        It ends after `at_most` seconds, and no run is begun that would be over only after `room`.
        """
        count, taint = self.of_one("count"), self.of_one("taint")
        if count is None or taint is None:
            return None
        counting, each = self._to_count * count, taint + COUNTED_PER_TRACED * count
        # One that was traced before its turn takes no time when its turn comes.
        ahead = not self._traced and len(self._traced_work)
        tracing = max(self._to_trace - ahead, 0.0) * each
        if counting + tracing > room:
            tracing = max(room - counting, 0.0) // each * each
        return max(min(counting + tracing, at_most), 0.0)

"""Which revision brought a change: a search by runs drawn by lot, whose stated error holds under any noise.

Each run is drawn by a fair coin from two revisions, mostly one that is asked about and one end of the search. If the two
are equally fast, what the coin said cannot be told from the time, whatever the machine does meanwhile: a bet on it wins
nothing on average. So the capital of such bets is a test at every moment (Ville's inequality; Ramdas et al., Statistical
Science 2023; for designs by lot Fisher 1935), with no assumption on the noise but that it does not know the lot.

What is bet, and on whom the coin decides, may rest on anything known before the run: on earlier runs, on a model of the
machine, on a prior of where the change lies. A fair coin makes every bet fair, so a bad model or a wrong prior costs runs and
never makes an answer wrong more often than is stated.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from analytics.machine_level import MachineLevel

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]

# So many runs are made in all.
MOST = 300
# Where so many runs at the ends show the change to be smaller than so much, nothing more is measured.
ENOUGH_AT_ENDS, NEGLIGIBLE = 40, 0.01
# From this probability of one step on, its neighbours are run beside each other.
SURE = 0.8


class BisectionError(ValueError):
    """Runs or a question that no bisection can be made of."""


class Bisection:
    """A search for the first revision with the new level: which two the next run is drawn from, and what is known.

    Its hypotheses are "nothing changed" (0) and "position s is the first of the new level" (s = 1, 2, ...), each with
    the logarithm of the capital that was won against it. One whose capital ever reached 1 / `error` is excluded: that
    happens to the true one with a probability of at most `error`, however often it is looked at.

    Where the time changed more than once, none of them is true. So an answer needs one test more, of that revision against
    the one before it and of nothing else; the k-th pair that is tested so has to win k (k + 1) / `error`, and as the sum of
    1 / (k (k + 1)) is one, all such tests together err with a probability of at most `error` too.
    """

    def __init__(
        self,
        codes: Sequence[int],
        unbuildable: Collection[int] = (),
        error: float = 0.05,
        weights: FloatArray | None = None,
        negligible: float = NEGLIGIBLE,
    ) -> None:
        """Begin; `codes` says of each position which code it holds: no step lies between equal ones.

        Positions that are `unbuildable` are never proposed. `weights` (n,), positive, say how likely each position is to
        be the first of the new level before anything is measured, relative to one another; that of the first is not
        used. Changes below `negligible`, a share, are not searched. Raises `BisectionError`.
        """
        if not 0 < error < 1:
            raise BisectionError(f"an error probability of {error} cannot be asked for: between 0 and 1")
        if len(codes) < 2:
            raise BisectionError(f"{len(codes)} revisions hold no step: give at least two")
        self.positions, self.error, self.negligible = len(codes), error, negligible
        self.runs: list[tuple[int, float]] = []
        self._buildable = np.array([at for at in range(self.positions) if at not in unbuildable])
        self._possible = np.ones(self.positions, dtype=bool)
        for code in set(codes):
            holders = [at for at, one in enumerate(codes) if one == code]
            self._possible[holders[0] + 1 : holders[-1] + 1] = False
        self._possible[0] = False
        # Positions that hold the code of an end are run as that end.
        ends = {codes[-1]: self.positions - 1, codes[0]: 0}
        self._run_as = [ends.get(code, at) for at, code in enumerate(codes)]
        self._capital = np.zeros(self.positions)
        self._most_capital = np.zeros(self.positions)
        # How likely each step is, by a model of the noise: it chooses what to measure and what to bet, and proves nothing.
        self._likelihood = np.zeros(self.positions)
        if weights is not None:
            if len(weights) != len(codes) or not (np.isfinite(weights[1:]) & (weights[1:] > 0)).all():
                raise BisectionError(f"weights must be positive, one for each of {len(codes)} revisions")
            self._likelihood[1:] = np.log(weights[1:])
        # The capital of each pair of neighbours that was tested alone, and the most that it ever was.
        self._pairs = {
            (self._run_as[one], self._run_as[two]) for one, two in pairwise(self._buildable.tolist())
        }
        self._beside: dict[tuple[int, int], tuple[float, float]] = {}
        self._level = MachineLevel()

    @property
    def ends_differ(self) -> bool:
        """Whether it is excluded that nothing changed."""
        return bool(self._most_capital[0] >= -log(self.error))

    @property
    def suspects(self) -> tuple[int, ...]:
        """The positions that may be the first of the new level: all others are excluded, given that there is one step.

        None where no single step explains what was measured. A position that is unbuildable stays with its neighbour.
        """
        left = self._possible & (self._most_capital < -log(self.error))
        return tuple(int(at) for at in np.flatnonzero(left))

    @property
    def answer(self) -> tuple[int, ...]:
        """The suspects, if they cannot be told apart, the ends differ and so do the two around them; else empty."""
        suspects = self.suspects
        if not suspects or not self.ends_differ or not self._together(suspects):
            return ()
        return suspects if self._bound_beside(self._neighbours(suspects[0])) <= self.error else ()

    @property
    def is_negligible(self) -> bool:
        """Whether the interval of the change leaves nothing that is searched."""
        _, low, high = self.size()
        return -self.negligible < low and high < self.negligible

    @property
    def error_bound(self) -> float:
        """With at most this probability the answer is wrong, if there is one."""
        best = self.suspects[0] if self.suspects else self._best()
        others = self._possible & ~self._group(best)
        others[0] = True
        bound = np.exp(-self._most_capital[others].min())
        return float(min(1.0, max(bound, self._bound_beside(self._neighbours(best)))))

    def runs_to_go(self) -> int:
        """About how many more runs would exclude what is left, if they tell as much as those before; rounded.

        Where one is left, it has to be told from the one before it; else others have to be excluded as well.
        """
        capital, tests = max(float(self._most_capital[0]), 0.5), 1 if self._together(self.suspects) else 2
        runs = int(-tests * log(self.error) * len(self.runs) / capital) + 1
        return -int(round(-runs, 2 - len(str(runs))))

    def propose(self) -> tuple[int, int] | None:
        """The two positions that the next run is to be drawn from by a fair coin; None where the search has ended.

        First the two ends, until they differ. Then what splits the likely steps most evenly (Horstein 1963) beside the end
        that it does not seem to equal; where one step is more likely than all others, its neighbours beside an end, and
        then beside each other.
        """
        last = self.positions - 1
        if not self.suspects or len(self.runs) >= MOST:
            return None
        if not self.ends_differ:
            return None if self.is_negligible and len(self.runs) >= ENOUGH_AT_ENDS else (0, last)
        if self._together(self.suspects):
            # An answer comes with the size of the change.
            known = self.answer and np.isfinite(self.size()[2])
            return None if known else self._neighbours(self.suspects[0])
        weights = self._weights()
        best = self._best()
        start, stop = self._neighbours(best)
        if (likely := weights[self._group(best)].sum()) >= SURE:
            return start, stop
        if likely >= 0.5:
            earlier, later = self._open(slice(1, start + 1)), self._open(slice(stop + 1, None))
            return (start, last) if earlier is not None and (later is None or earlier <= later) else (stop, 0)
        share = np.cumsum(weights)[self._buildable]
        chosen = int(np.argmin(np.abs(share - 0.5)))
        probe = int(self._buildable[chosen])
        return (probe, last) if share[chosen] < 0.5 else (probe, 0)

    def add(self, run: int, other: int, seconds: float) -> None:
        """Note that the coin chose `run`, not `other`, and how long it took. Raises `BisectionError`."""
        if not (np.isfinite(seconds) and seconds > 0):
            raise BisectionError(f"{seconds} is no time: give positive numbers")
        last = self.positions - 1
        if not {run, other} <= set(range(self.positions)):
            raise BisectionError(f"a position lies outside of 0 to {last}")
        self.runs.append((run, seconds))
        old, new = self._level.densities(log(seconds))
        later = np.cumsum(self._weights())
        if run != other:
            # The bet: that a revision is not as fast as the end beside it.
            bet = [0.0 if at == 0 else 1.0 if at == last else later[at] for at in (run, other)]
            for index, (at, beside) in enumerate(((run, other), (other, run))):
                if 0 < at < last:
                    bet[index] = min(bet[index], 0.5) if beside == last else max(bet[index], 0.5)
            drawn, left = (old + share * (new - old) for share in bet)
            gain = log(2 * drawn / (drawn + left))
            first, second = sorted((run, other))
            same = np.ones(self.positions, dtype=bool)
            # These steps lie between the two: they say nothing of whether the two are equal.
            same[first + 1 : second + 1] = False
            self._capital[same] += gain
            np.maximum(self._most_capital, self._capital, out=self._most_capital)
            if (first, second) in self._pairs:
                capital, most = self._beside.get((first, second), (0.0, 0.0))
                self._beside[first, second] = capital + gain, max(most, capital + gain)
        self._level.update(0.0 if run == 0 else 1.0 if run == last else float(later[run]))
        self._likelihood[1 : run + 1] += log(new)
        self._likelihood[run + 1 :] += log(old)

    def size(self, confidence: float = 0.95) -> tuple[float, float, float]:
        """The change as a share of the old level, with an interval, which is (-1, inf) where too few runs tell nothing.

        Of neighbouring runs, one before the step and one after it, the ratios: their median, and what a sign test leaves.
        They are runs of the two revisions around the suspects where these cannot be told apart, so that a change elsewhere
        is no part of it; else of the two ends.
        """
        found = self.ends_differ and self._together(self.suspects)
        old, new = self._neighbours(self.suspects[0]) if found else (0, self.positions - 1)
        pairs: list[float] = []
        before: tuple[int, float] | None = None
        for at, seconds in self.runs:
            run = (at, log(seconds)) if at in {old, new} else None
            if run and before and run[0] != before[0]:
                pairs.append((run[1] - before[1]) * (1 if at == new else -1))
                run = None
            before = run
        if not pairs:
            return 0.0, -1.0, np.inf
        ratios = np.sort(pairs)
        # The binomial quantile; scipy.stats takes a second to import.
        tails = bdtr(np.arange(len(ratios) + 1), len(ratios), 0.5)
        outside = int(np.searchsorted(tails, (1 - confidence) / 2))
        low, high = (ratios[outside - 1], ratios[-outside]) if outside else (-np.inf, np.inf)
        middle, low, high = np.expm1([np.median(ratios), low, high])
        return float(middle), float(low), float(high)

    def _weights(self) -> FloatArray:
        logs = np.where(self._possible, self._likelihood, -np.inf)
        weights = np.exp(logs - logs.max()) if self._possible.any() else np.zeros(self.positions)
        return np.asarray(weights / max(weights.sum(), 1.0))

    def _best(self) -> int:
        return int(np.argmax(self._weights()))

    def _group(self, position: int) -> NDArray[np.bool_]:
        """Which positions cannot be told from one: the unbuildable ones before a buildable one, and it."""
        every = np.searchsorted(self._buildable, np.arange(self.positions))
        return np.asarray(every == every[position])

    def _together(self, suspects: Sequence[int]) -> bool:
        """Whether no run can tell these positions apart."""
        return len(set(np.searchsorted(self._buildable, suspects))) == 1

    def _neighbours(self, position: int) -> tuple[int, int]:
        """The last position before a group that cannot be told apart, and the one of it that can be run."""
        group = np.flatnonzero(self._group(position))
        return self._run_as[group[0] - 1], self._run_as[group[-1]]

    def _bound_beside(self, pair: tuple[int, int]) -> float:
        """With at most this probability two neighbours are equally fast after all; 1 where they were not compared."""
        if pair not in self._beside:
            return 1.0
        tested = 1 + list(self._beside).index(pair)
        return float(min(1.0, tested * (tested + 1) * np.exp(-self._beside[pair][1])))

    def _open(self, some: slice) -> float | None:
        """The least capital against one of some possible steps that are not excluded; None where none is left."""
        capital = self._capital[some][self._possible[some] & (self._most_capital[some] < -log(self.error))]
        return float(capital.min()) if len(capital) else None

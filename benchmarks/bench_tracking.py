"""How often a change that tracking states is none, on a machine that misbehaves, and how many of the true ones it states.

Made-up histories of 60 revisions with two changes, up and down by the same share; runs of about a second with 2 % of noise.
Revisions are chosen and run three times as `track` does, then each step that the history shows is searched by lot. With counts each revision is
counted once before, at the price of two runs; its counts change where its time does, and at three more revisions where the time does not. Both ways have the
same `SECONDS` of the machine. The machines are those of `bench_bisection`; all data from fixed seeds.

    python -m benchmarks.bench_tracking [HISTORIES] [SIZE ...]
"""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from analytics.bisection import MOST, Bisection, FloatArray
from analytics.histories.active_sampling import SamplingState, StopReason, next_measurement, usual_rule
from analytics.histories.fitted import FittedHistory
from analytics.histories.gaps import steps_to_confirm
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.machine_speed import disturbance, usual_time
from benchmarks.bench_bisection import KINDS, NOISE

REVISIONS, RUNS, ERROR = 60, 3, 0.05
SIZES = (0.0, 0.05, 0.1, 0.3)
# What a tracking has of the machine, what a counted run takes, and at how many revisions counts change alone.
SECONDS, COUNTED_SECONDS, COUNTS_ALONE = 400.0, 2.0, 3
HISTORIES = 200
# First each change gets so many runs, as in `track`.
USUAL_RUNS = 30
# What came of a history: steps seen that are none, changes stated that are none, true ones stated, undecided ones, runs.
Counts = tuple[int, int, int, int, int]
# A time in seconds, and what the reference runs before and after it took.
Timed = tuple[float, float, float]


class MadeUpMachine:
    """Runs revisions of these `levels` and notes every run; a reference run of 30 ms stands before and after each."""

    def __init__(self, levels: FloatArray, kind: int, rng: np.random.Generator) -> None:
        self._levels, self._rng = levels, rng
        self._machine = KINDS[kind](rng)
        self._slowness, self._now = next(self._machine), 0.0
        self.references: list[float] = []
        self.runs = 0

    def run(self, revision: int) -> Timed:
        """Run a revision once."""
        before = self._reference()
        seconds = float(np.exp(self._slowness) * self._levels[revision])
        self._passed(seconds)
        self.runs += 1
        return seconds, before, self._reference()

    @property
    def is_spent(self) -> bool:
        """Whether a tracking has had its time."""
        return self._now >= SECONDS

    def count(self) -> None:
        """Count a revision: the machine does nothing to that."""
        self._passed(COUNTED_SECONDS)

    def _reference(self) -> float:
        # Its own noise, in whatever regime the machine is.
        seconds = 0.03 * float(np.exp(self._slowness + self._rng.normal(0, NOISE)))
        self._passed(seconds)
        self.references.append(seconds)
        return seconds

    def _passed(self, seconds: float) -> None:
        self._now += seconds
        self._slowness = self._machine.send(self._now)

    def at_usual_speed(self, timed: Sequence[Timed]) -> FloatArray:
        """The times of a revision as `track` takes them: relative to the reference runs where these are disturbed."""
        usual = usual_time(np.array(self.references[-400:]))
        found = [usual and disturbance(before, after, usual) for _, before, after in timed]
        calm = [one for one, how in zip(timed, found, strict=True) if not (how and how[1])]
        slower = [how[0] if how else 1.0 for how in found if not (how and how[1])]
        if not calm:
            calm, slower = list(timed), [how[0] if how else 1.0 for how in found]
        return np.array([seconds for seconds, _, _ in calm]) / slower


def explored(machine: MadeUpMachine) -> FittedHistory:
    """The history as it is known when tracking chooses no further revision."""
    versions, timed, sessions = list(range(REVISIONS)), dict[int, list[Timed]](), Counter[int]()
    rule = usual_rule(REVISIONS)
    while True:
        measured = sorted(timed)
        fitted = None
        if measured:
            values = [machine.at_usual_speed(timed[one]) for one in measured]
            spreads = [float(np.std(some, ddof=1)) if len(some) > 1 else np.nan for some in values]
            medians = [float(np.median(some)) for some in values]
            counts = np.array([len(some) for some in values])
            fitted = fit(Measurements.of(measured, medians, counts, spreads=np.array(spreads)))
        state = SamplingState(
            versions,
            sessions,
            [one for one in versions if one not in timed],
            fitted,
            repeatable=dict.fromkeys(measured[:-1], 1),
            per_code=list(sessions.values()),
        )
        found = next_measurement(state, rule)
        if isinstance(found, StopReason):
            if fitted is None:
                raise ValueError(found)
            return fitted
        timed.setdefault(found.position, []).extend(machine.run(found.position) for _ in range(RUNS))
        sessions[found.position] += 1


def track(kind: int, size: float, seed: int, by_counts: bool) -> Counts:  # noqa: FBT001 -- one of four columns that are mapped
    """Track one history."""
    rng = np.random.default_rng([kind, round(size * 1000), seed, 9])
    steps = np.sort(rng.choice(np.arange(1, REVISIONS), 2, replace=False))
    levels = np.ones(REVISIONS)
    levels[steps[0] : steps[1]] += size
    machine = MadeUpMachine(levels, kind, rng)
    pairs: list[tuple[int, int]] = []
    if by_counts:
        for _ in range(REVISIONS + 2):
            machine.count()
        alone = rng.choice(np.setdiff1d(np.arange(1, REVISIONS), steps), COUNTS_ALONE, replace=False)
        moved = [*alone.tolist(), *(steps.tolist() if size else [])]
        pairs = [(at - 1, at) for at in rng.permutation(moved).tolist()]
    by_time = steps_to_confirm(explored(machine), usual_rule(REVISIONS).smallest_step)
    seen = sum(len(set(levels[first : last + 1])) == 1 for first, last in by_time)
    pairs = list(dict.fromkeys((*pairs, *by_time)))
    tests = [
        Bisection(
            range(last - first + 1),
            error=ERROR / (number * (number + 1)),
            negligible=usual_rule(REVISIONS).smallest_step,
        )
        for number, (first, last) in enumerate(pairs, start=1)
    ]
    for most in (USUAL_RUNS, MOST) if by_counts else (MOST,):
        for (first, _), bisection in zip(pairs, tests, strict=True):
            while len(bisection.runs) < most and not machine.is_spent and (proposed := bisection.propose()):
                one, other = proposed if rng.random() < 0.5 else proposed[::-1]
                bisection.add(one, other, machine.run(first + one)[0])
    stated = {first + one.answer[-1] for (first, _), one in zip(pairs, tests, strict=True) if one.answer}
    right = len(stated & set(steps.tolist())) if size else 0
    undecided = sum(not one.answer and not one.is_negligible for one in tests)
    return seen, len(stated) - right, right, undecided, machine.runs


def main(histories: int, sizes: Sequence[float]) -> None:
    """Print the shares by kind of noise and size of the changes."""
    sys.stdout.write(
        f"{histories} histories each of {REVISIONS} revisions with two changes, accepted error {ERROR:.0%}, {SECONDS:.0f} s each\n"
        "noise           change  counts  with a false step seen  with one stated  true ones stated  undecided  runs (median, most)\n"
    )
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        for kind, size, by_counts in product(range(len(KINDS)), sizes, (False, True)):
            asked = [kind] * histories, [size] * histories, range(histories), [by_counts] * histories
            seen, wrong, right, undecided, runs = np.array(list(pool.map(track, *asked, chunksize=5))).T
            sys.stdout.write(
                f"{KINDS[kind].__name__:<15} {size:>6.0%} {'yes' if by_counts else 'no':>7} {np.mean(seen > 0):>18.1%} "
                f"{np.mean(wrong > 0):>18.1%} {right.mean() / 2:>15.1%} {undecided.mean():>12.2f} {np.median(runs):>11.0f} "
                f"{runs.max():>6}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else HISTORIES, [float(one) for one in sys.argv[2:]] or SIZES)

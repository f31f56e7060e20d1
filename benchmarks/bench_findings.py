"""How often a list of findings is wrong: suites of simulated regions with steps, moves between siblings, spikes and drifts.

A suite is one program: modules of regions whose times a profiler tells at each revision, with noise of 2 % of many kinds (`noise_kinds`).
The rules on moves were made with the seeds 5001 to 5004 and the tuned and the other kinds; what they gave for the kinds kept aside was
seen once, and changed nothing. Of 100 regions 3 become slower or faster by 0.5 to 20 % of their time at a revision and stay
so, 6 give 3 to 20 % of their time to another one of their module (or take it), 3 are slower for 5 to 25 revisions, 5 drift by 2 to
10 %. A finding is true where a region that it names stepped within five revisions of where it is said to be. Histories are one year long.

    python -m benchmarks.bench_findings [series [revisions [seed]]]
"""

import sys
import time
from collections.abc import Mapping, Sequence

import numpy as np

from analytics.changepoints import ChangePointSettings
from analytics.findings import Finding, SeriesChange, Verdict, cost_domains, find_moves, list_findings
from analytics.findings.region_changes import region_changes
from benchmarks.noise_kinds import HELD_OUT, KEPT_ASIDE, TUNED, Kind

SERIES, REVISIONS, SEED = 800, 150, 91_733
# Regions of one program, and of one module of it.
PROGRAM, MODULE = 400, 20
# Of 100 regions so many step, take part in a move, are slower for a while, and drift.
STEPPED, MOVED, PASSED, DRIFTED = 3, 6, 3, 5
# A finding is at a step where it lies within so many revisions of it.
NEAR = 5
SIZES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2001)
# Kinds that drift by themselves stand for drifts.
DRIFTING = ("drift", "settling", "bend", "walk", "curve", "rise", "wave")
SETS = {"tuned": TUNED, "other": HELD_OUT, "kept aside": KEPT_ASIDE}
DRIFTS = [name for name in HELD_OUT if name.startswith(("curve", "logistic"))]

# The revision and the relative size of what was done to a region.
Planted = dict[int, tuple[int, float]]


class Suite:
    """One simulated program: times (k, n) of its regions, and what was planted in which."""

    def __init__(
        self, rng: np.random.Generator, regions: int, revisions: int, kinds: Mapping[str, Kind]
    ) -> None:
        steady = [kind for name, kind in kinds.items() if not any(word in name for word in DRIFTING)]
        noise = np.array([steady[at % len(steady)](rng, revisions) for at in range(regions)])
        levels = rng.lognormal(0.0, 0.5, (regions, 1)) * np.ones(revisions)
        self.steps, self.moves, self.passed = Planted(), Planted(), Planted()
        order = rng.permutation(regions).tolist()
        count = regions // 100

        def revision() -> int:
            return int(rng.integers(revisions // 5, 4 * revisions // 5))

        for at in order[: STEPPED * count]:
            size = float(np.exp(rng.uniform(np.log(SIZES[0]), np.log(0.2)))) * float(rng.choice([-1, 1]))
            self.steps[at] = revision(), size
            levels[at, self.steps[at][0] :] *= 1.0 + size
        left = order[STEPPED * count :]
        for at in left[: MOVED * count // 2]:
            others = [
                one
                for one in left[MOVED * count // 2 :]
                if one // MODULE == at // MODULE and one not in self.moves
            ]
            if not others:
                continue
            other, where, share = int(rng.choice(others)), revision(), float(rng.uniform(0.03, 0.2))
            moved = share * min(levels[at, 0], levels[other, 0])
            for one, way in ((at, -1), (other, 1)):
                self.moves[one] = where, way * moved / float(levels[one, 0])
                levels[one, where:] += way * moved
        calm = [one for one in left if one not in self.moves]
        for at in calm[: PASSED * count]:
            self.passed[at] = revision(), float(rng.uniform(0.05, 0.3))
            where, size = self.passed[at]
            levels[at, where : where + int(rng.integers(5, 26))] *= 1.0 + size
        self.drifted = calm[PASSED * count : (PASSED + DRIFTED) * count]
        for at in self.drifted:
            if rng.random() < 0.5:
                noise[at] = HELD_OUT[str(rng.choice(DRIFTS))](rng, revisions)
            else:
                noise[at] += rng.uniform(0.02, 0.1) * np.linspace(0, 1, revisions)
        self.costs = np.asarray(levels * np.exp(noise))

    def changes(self, together: int) -> list[SeriesChange]:
        """The changes of all regions, searched as a suite of so many."""
        return region_changes(
            range(len(self.costs)),
            np.arange(self.costs.shape[1]),
            self.costs,
            ChangePointSettings(suite=together),
            more_is_worse=True,
        )

    def findings(self, changes: Sequence[SeriesChange]) -> tuple[Finding, ...]:
        """The list of findings, with the regions' modules and the whole program as domains."""
        numbers = list(range(len(self.costs)))
        keys = [f"m{at // MODULE}:f{at}" for at in numbers]
        domains = list(cost_domains(keys, numbers, np.arange(self.costs.shape[1]), self.costs))
        return list_findings(changes, find_moves(changes, domains))


def near(planted: Planted, finding: Finding) -> list[int]:
    """The series of the finding for which something was planted there."""
    return [
        one.series
        for one in finding.changes
        if one.series in planted and abs(one.after - planted[one.series][0]) <= NEAR
    ]


class Tally:
    """What was told of all suites, and how much of it is right."""

    def __init__(self) -> None:
        self.told = self.true = self.false = self.of_drifts = self.of_moves = self.of_passed = 0
        self.detected_moves = self.suppressed_moves = self.lost_steps = self.doubted_steps = self.doubted = 0
        self.by_size = np.zeros((2, len(SIZES) - 1), dtype=int)

    def add(self, suite: Suite, changes: Sequence[SeriesChange], findings: Sequence[Finding]) -> None:
        """Count one suite."""
        told = [one for one in findings if one.verdict is Verdict.TOLD]
        seen: set[int] = set()
        for one in told:
            right = near(suite.steps, one)
            seen.update(right)
            self.told += 1
            self.true += bool(right)
            if not right:
                named = {change.series for change in one.changes}
                self.of_drifts += bool(named & set(suite.drifted))
                self.of_moves += bool(near(suite.moves, one))
                self.of_passed += bool(named & suite.passed.keys())
        self.false = self.told - self.true
        facts = {
            one.series
            for one in changes
            if not one.is_candidate
            and one.series in suite.moves
            and abs(one.after - suite.moves[one.series][0]) <= NEAR
        }
        in_told = {series for one in told for series in near(suite.moves, one)}
        self.detected_moves += len(facts)
        self.suppressed_moves += len(facts - in_told)
        shifted, doubted = (
            {series for one in findings if one.verdict is verdict for series in near(suite.steps, one)}
            for verdict in (Verdict.COST_SHIFT, Verdict.POSSIBLE_MOVE)
        )
        self.lost_steps += len(shifted)
        self.doubted_steps += len(doubted)
        self.doubted += sum(one.verdict is Verdict.POSSIBLE_MOVE for one in findings)
        for at, (_, size) in suite.steps.items():
            which = int(np.searchsorted(SIZES, abs(size), side="right")) - 1
            self.by_size[:, which] += (at in seen, 1)

    def report(self, series: int) -> None:
        """Print it."""
        precision = 100 * self.true / max(self.told, 1)
        print(f"  told {self.told}, of them true {self.true}: precision {precision:.1f} %")
        print(
            f"  false findings per 1,000 series: {1000 * self.false / series:.2f} (of drifts {self.of_drifts}, of moves {self.of_moves}, of passing levels {self.of_passed})"
        )
        print(
            f"  series of moves with a fact at the move: {self.detected_moves}, not told: {100 * self.suppressed_moves / max(self.detected_moves, 1):.1f} %; true steps set aside as moves: {self.lost_steps}"
        )
        print(f"  possible moves: {self.doubted}, with true steps in them: {self.doubted_steps}")
        cells = [
            f"{100 * low:g} to {100 * high:.3g} %: {found} of {there}"
            for low, high, found, there in zip(SIZES[:-1], SIZES[1:], *self.by_size.tolist(), strict=True)
        ]
        print("  steps told, by size: " + "; ".join(cells), flush=True)


def main() -> None:
    """Print what a list of findings of so many series is worth, for each set of kinds of noise."""
    given = [int(one) for one in sys.argv[1:]]
    series, revisions, seed = (given + [SERIES, REVISIONS, SEED][len(given) :])[:3]
    programs = max(series // PROGRAM, 1)
    for number, (name, kinds) in enumerate(SETS.items()):
        rng = np.random.default_rng([seed, number])
        tally, plain = Tally(), Tally()
        started_at = time.process_time()
        for _ in range(programs):
            suite = Suite(rng, PROGRAM, revisions, kinds)
            changes = suite.changes(programs * PROGRAM)
            tally.add(suite, changes, suite.findings(changes))
            plain.add(suite, changes, list_findings(changes))
        total = programs * PROGRAM
        taken = time.process_time() - started_at
        print(f"{total} series of {revisions} revisions, seed {seed}, {name} kinds of noise, {taken:.0f} s")
        tally.report(total)
        print(" without domains")
        plain.report(total)


if __name__ == "__main__":
    main()

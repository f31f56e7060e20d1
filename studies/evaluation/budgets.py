"""Every method at every budget on every seed's split, by configurations and by machine time, and who wins.

For each seed a test set is drawn from the random configurations that no design and no cover asks for; all methods of a
seed share it, and learn from the same random order of what is left.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from analytics.configurations.options import IntArray
from analytics.evaluation import OverSeeds, middle
from analytics.influence.accuracy import PredictionQuality, prediction_quality
from analytics.influence.errors import InfluenceError
from analytics.progress import Progress, no_progress
from studies.evaluation.measured import MeasuredProgram, Target
from studies.evaluation.methods import DESIGNED, HYBRIDS, METHODS, Method
from studies.evaluation.splits import Split, draw_splits
from studies.replay.scoring import paired_p_value

TARGETS: tuple[Target, ...] = ("counts", "time")
# The error in percent, None where nothing is predicted, and how many test configurations are not; by target, method, rows
# and seed, for the same rows come up at several budgets of machine time.
Scores = dict[tuple[Target, Method, bytes, int], PredictionQuality]
LEAST = 2  # configurations to learn anything from
_HYBRID = frozenset(method.name for method in HYBRIDS)


@dataclass(frozen=True, slots=True)
class BudgetRow(OverSeeds):
    """One method for one `target`, at equal numbers of configurations or for equal machine time.

    `equal`: "configurations", "minutes" (what the hybrid costs at `budget`, tracing charged) or "minutes without tracing"
    (what it costs with all options). `budget` 0: a design with its own size. `errors` are mean absolute errors in percent,
    one for each seed; none where `reason` says why. `configurations` and `seconds` of machine time are medians.
    `unpredicted` is the share of test configurations that it says nothing of: `errors` leave them out. `used_up`: it could
    have paid for more configurations than were measured. `rank_correlation` and `regret` (percent) are medians over the
    seeds, None where they tell none.
    """

    target: Target
    equal: str
    budget: int
    method: str
    sampling: str
    configurations: int = 0
    seconds: float = 0.0
    errors: tuple[float, ...] = ()
    unpredicted: float = 0.0
    used_up: bool = False
    reason: str = ""
    rank_correlation: float | None = None
    regret: float | None = None


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """A hybrid against another method on the same test sets: `difference` of mean errors, below 0 where the hybrid wins.

    `won` and `lost` count seeds; `p_value` is that of Wilcoxon's signed-rank test, two-sided and exact.
    """

    target: Target
    equal: str
    budget: int
    hybrid: str
    other: str
    difference: float
    won: int
    lost: int
    p_value: float


def split_program(
    measured: MeasuredProgram, budgets: Sequence[int], *, seeds: int, test: int
) -> tuple[Split, ...]:
    """One split for each seed. Raises `InfluenceError` where too little was measured."""
    testable = measured.testable
    if len(testable) < test or len(measured.random) - test < max(budgets):
        raise InfluenceError(
            f"{len(testable)} of {len(measured.random)} random configurations can be tested on: {test} to "
            f"test and {max(budgets)} to learn from are too many; choose smaller numbers"
        )
    return draw_splits(measured.random, testable, size=test, seeds=seeds)


def evaluate_methods(
    measured: MeasuredProgram,
    budgets: Sequence[int],
    *,
    seeds: int,
    test: int,
    report: Progress = no_progress,
) -> tuple[BudgetRow, ...]:
    """All rows, for `budgets` in configurations, with `test` configurations held back for each of `seeds` seeds.

    `report` is told the share done, and may raise to end it. Raises `InfluenceError`.
    """
    splits = split_program(measured, budgets, seeds=seeds, test=test)
    scores: Scores = {}
    tasks = list(_tasks(measured, budgets, splits))
    rows = []
    for number, (row, method, limits) in enumerate(tasks):
        report(number / len(tasks), f"{row.target}, {method.name}, {row.budget}")
        chosen = [
            method.rows(measured, split.order, limit) for split, limit in zip(splits, limits, strict=True)
        ]
        used_up = row.budget > 0 and min(limits) >= len(splits[0].order)
        rows.append(
            _filled(replace(row, used_up=used_up), method, measured, splits, chosen=chosen, scores=scores)
        )
    return tuple(rows)


def paired_comparisons(rows: Sequence[BudgetRow]) -> tuple[PairedComparison, ...]:
    """Every hybrid against every other method that predicts all test configurations."""
    found = []
    for row in rows:
        for other in rows:
            is_rival = (other.target, other.equal) == (row.target, row.equal) and other.budget in (
                row.budget,
                0,
            )
            if row.method not in _HYBRID or other.method in _HYBRID or not is_rival:
                continue
            if not (row.errors and other.errors) or other.unpredicted:
                continue
            differences = np.array(row.errors) - np.array(other.errors)
            found.append(
                PairedComparison(
                    target=row.target,
                    equal=row.equal,
                    budget=row.budget,
                    hybrid=f"{row.method} ({row.sampling})",
                    other=f"{other.method} ({other.sampling})",
                    difference=float(differences.mean()),
                    won=int((differences < 0).sum()),
                    lost=int((differences > 0).sum()),
                    p_value=paired_p_value(differences),
                )
            )
    return tuple(found)


def _tasks(
    measured: MeasuredProgram, budgets: Sequence[int], splits: Sequence[Split]
) -> Iterator[tuple[BudgetRow, Method, Sequence[int]]]:
    """Blank rows with their methods and the budget of each seed."""
    traced, _, untraced = HYBRIDS
    for target in TARGETS if measured.is_timed else TARGETS[:1]:
        for method in DESIGNED:
            row = BudgetRow(target, "configurations", 0, method.name, method.sampling)
            yield row, method, [0] * len(splits)
        for budget in budgets:
            for method in METHODS:
                row = BudgetRow(target, "configurations", budget, method.name, method.sampling)
                yield row, method, [budget] * len(splits)
        for equal, reference in (("minutes", traced), ("minutes without tracing", untraced)):
            for budget in budgets:
                limits = [
                    reference.cost(measured, target, reference.rows(measured, one.order, budget))
                    for one in splits
                ]
                for method in METHODS:
                    row = BudgetRow(target, equal, budget, method.name, method.sampling)
                    affordable = [
                        _affordable(measured, target, one, method, limit)
                        for one, limit in zip(splits, limits, strict=True)
                    ]
                    yield row, method, affordable


def _affordable(measured: MeasuredProgram, target: Target, split: Split, method: Method, limit: float) -> int:
    """How many configurations a method gets for so many machine seconds; at most all that are there."""

    def cost(budget: int) -> float:
        return method.cost(measured, target, method.rows(measured, split.order, budget))

    return max(bisect_right(range(len(split.order) + 1), limit, key=cost) - 1, 0)


def _filled(
    row: BudgetRow,
    method: Method,
    measured: MeasuredProgram,
    splits: Sequence[Split],
    *,
    chosen: Sequence[IntArray],
    scores: Scores,
) -> BudgetRow:
    """The row with its errors on the splits, learned from the rows `chosen` for each; `scores` gets what is new."""
    least = min(len(rows) for rows in chosen)
    if least < LEAST:
        return replace(row, used_up=False, reason=f"pays for {least} configurations")
    found = []
    for rows, split in zip(chosen, splits, strict=True):
        key = (row.target, method, rows.tobytes(), split.seed)
        if key not in scores:
            predicted = method.predict(measured, row.target, rows, split.test, split.seed)
            scores[key] = prediction_quality(predicted, measured.truth(row.target)[split.test])
        found.append(scores[key])
    errors = tuple(one.error for one in found if one.error is not None)
    whole = len(errors) == len(splits)
    return replace(
        row,
        configurations=round(median(len(rows) for rows in chosen)),
        seconds=median(method.cost(measured, row.target, rows) for rows in chosen),
        errors=errors if whole else (),
        unpredicted=1 - sum(one.checked for one in found) / (len(splits) * len(splits[0].test)),
        rank_correlation=middle(one.rank_correlation for one in found),
        regret=middle(one.regret for one in found),
        reason="" if whole else "predicts none of a seed's test configurations",
    )

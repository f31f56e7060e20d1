"""Running an evaluation: every method at every budget on every seed's split, by configurations and by machine time.

For each seed a test set is drawn from the random configurations that no design and no cover asks for; all methods of a
seed share it, and learn from the same random order of what is left.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from analytics.configurations.options import IntArray
from analytics.evaluation.errors import EvaluationImpossibleError
from analytics.evaluation.measured import Measured, Target
from analytics.evaluation.methods import DESIGNED, HYBRIDS, METHODS, Method
from analytics.evaluation.rows import Evaluation, Row
from analytics.influence.accuracy import mape

Report = Callable[[float, str], None]
TARGETS: tuple[Target, ...] = ("counts", "time")
LEAST = 2  # configurations to learn anything from


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """`budgets` are numbers of configurations to learn from; `test` configurations are held back for each of `seeds`."""

    budgets: tuple[int, ...] = (20, 40, 80)
    seeds: int = 5
    test: int = 200


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One seed's test rows, and the random order of the rows that are left to learn from."""

    seed: int
    test: IntArray
    order: IntArray


def splits(measured: Measured, settings: EvaluationSettings) -> tuple[Split, ...]:
    """One split for each seed. Raises `EvaluationImpossibleError` where too little was measured."""
    testable = measured.testable
    left = len(measured.random) - settings.test
    if len(testable) < settings.test or left < max(settings.budgets):
        raise EvaluationImpossibleError(
            f"{len(testable)} of {len(measured.random)} random configurations can be tested on: {settings.test} to "
            f"test and {max(settings.budgets)} to learn from are too many; choose smaller numbers"
        )
    found = []
    for seed in range(settings.seeds):
        test = np.sort(np.random.default_rng([seed, 0]).choice(testable, settings.test, replace=False))
        rest = np.setdiff1d(measured.random, test)
        found.append(Split(seed, test, np.random.default_rng([seed, 1]).permutation(rest)))
    return tuple(found)


def run_evaluation(
    measured: Measured, settings: EvaluationSettings, report: Report = lambda _share, _words: None
) -> Evaluation:
    """All rows. `report` is told the share done, and may raise to end it. Raises `EvaluationImpossibleError`."""
    made = splits(measured, settings)
    rows: list[Row] = []
    scores = _Scores(measured)
    tasks = list(_tasks(measured, settings, made))
    for number, (row, method, budgets) in enumerate(tasks):
        report(number / len(tasks), f"{row.target}, {method.name}, {row.budget}")
        rows.append(scores.row(row, method, made, budgets))
    return Evaluation(
        rows=tuple(rows),
        measured=len(measured.configurations),
        test=settings.test,
        seeds=settings.seeds,
        traced=len(measured.cover),
        tracing_seconds=measured.costs.analysis,
    )


def _tasks(
    measured: Measured, settings: EvaluationSettings, made: Sequence[Split]
) -> Iterator[tuple[Row, Method, Sequence[int]]]:
    """Blank rows with their methods and the budget of each seed."""
    traced, _, untraced = HYBRIDS
    for target in TARGETS if measured.is_timed else TARGETS[:1]:
        for method in DESIGNED:
            yield Row(target, "configurations", 0, method.name, method.sampling), method, [0] * len(made)
        for budget in settings.budgets:
            for method in METHODS:
                row = Row(target, "configurations", budget, method.name, method.sampling)
                yield row, method, [budget] * len(made)
        for equal, reference in (("minutes", traced), ("minutes without tracing", untraced)):
            for budget in settings.budgets:
                limits = [
                    reference.cost(measured, target, reference.rows(measured, one.order, budget))
                    for one in made
                ]
                for method in METHODS:
                    row = Row(target, equal, budget, method.name, method.sampling)
                    yield (
                        row,
                        method,
                        [
                            _affordable(measured, row, one, method, limit)
                            for one, limit in zip(made, limits, strict=True)
                        ],
                    )


def _affordable(measured: Measured, row: Row, split: Split, method: Method, limit: float) -> int:
    """How many configurations a method gets for so many machine seconds; at most all that are there."""
    low, high = 0, len(split.order)
    while low < high:
        middle = (low + high + 1) // 2
        fits = method.cost(measured, row.target, method.rows(measured, split.order, middle)) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """Errors by method, rows and seed: the same rows come up at several budgets of machine time."""

    measured: Measured
    known: dict[tuple[Target, Method, bytes, int], tuple[float | None, int]] = field(default_factory=dict)

    def row(self, row: Row, method: Method, made: Sequence[Split], budgets: Sequence[int]) -> Row:
        """The row with what its seeds gave."""
        chosen = [
            method.rows(self.measured, split.order, budget)
            for split, budget in zip(made, budgets, strict=True)
        ]
        least = min(len(rows) for rows in chosen)
        if least < LEAST:
            return replace(row, reason=f"pays for {least} configurations")
        scores = [
            self._score(row.target, method, rows, split) for rows, split in zip(chosen, made, strict=True)
        ]
        errors = tuple(error for error, _ in scores if error is not None)
        whole = len(errors) == len(made)
        return replace(
            row,
            configurations=round(median(len(rows) for rows in chosen)),
            seconds=median(method.cost(self.measured, row.target, rows) for rows in chosen),
            errors=errors if whole else (),
            unpredicted=sum(silent for _, silent in scores) / (len(made) * len(made[0].test)),
            used_up=row.budget > 0 and min(budgets) >= len(made[0].order),
            reason="" if whole else "predicts none of a seed's test configurations",
        )

    def _score(
        self, target: Target, method: Method, rows: IntArray, split: Split
    ) -> tuple[float | None, int]:
        """The error in percent, None where nothing is predicted, and how many configurations are not."""
        key = (target, method, rows.tobytes(), split.seed)
        if key not in self.known:
            predicted = method.predict(self.measured, target, rows, split.test, split.seed)
            told = ~np.isnan(predicted)
            truth = self.measured.truth(target)[split.test]
            error = mape(predicted[told], truth[told]) if told.any() else None
            self.known[key] = error, int((~told).sum())
        return self.known[key]

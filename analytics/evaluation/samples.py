"""Test and training sets out of what was measured, so that no test configuration was ever trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.samplings import exhaustive, random_size, sampling_called
from analytics.configurations.validity import ValidConfigurations
from analytics.evaluation.splits import Split, draw_splits
from analytics.influence.errors import EvaluationError
from analytics.influence.times import FloatArray

ENOUGH = 0.9  # of what a sampling asks for: with less of it measured, it is not that sampling any more
LEAST_TEST = 5


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSystem:
    """Different configurations (n, n_options) with their `values` (n,), each the median of `executions` (n,).

    `seconds` (n,) is the time of one execution of a configuration; None where no time was measured.
    Raises `EvaluationError` for values that are not above zero: the error in percent divides by them.
    """

    valid: ValidConfigurations
    configurations: IntArray
    values: FloatArray
    executions: IntArray
    seconds: FloatArray | None

    def __post_init__(self) -> None:
        wrong = np.flatnonzero(~(np.isfinite(self.values) & (self.values > 0)))
        if len(wrong):
            raise EvaluationError(
                f"configuration {wrong[0]} has the value {self.values[wrong[0]]}: leave out what is not above 0, "
                "the error in percent divides by it"
            )

    def never_varied(self) -> dict[int, int]:
        """Options that could vary and that all measured configurations have at one level, {position: its index}."""
        found = {}
        for position, size in enumerate(self.valid.space.sizes):
            levels = np.unique(self.configurations[:, position])
            if len(levels) == 1 and any(
                level != levels[0] and self.valid.complete({position: level}) is not None
                for level in range(size)
            ):
                found[position] = int(levels[0])
        return found

    def rows_by_levels(self) -> dict[bytes, int]:
        """The row of each measured configuration, by its level indices as bytes."""
        rows = self.valid.space.checked(self.configurations)
        return {row.tobytes(): number for number, row in enumerate(rows)}


@dataclass(frozen=True, slots=True, eq=False)
class SampledRows:
    """What a sampling comes to with what was measured, rows of `MeasuredSystem`; `reason` says why there is nothing.

    `wanted` configurations were asked for and `missing` of them never measured, so that they are not in `rows`.
    """

    wanted: int
    missing: int
    rows: IntArray
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SampledSystem:
    """Everything measured, split for one comparison.

    `designs` holds by name what the samplings ask for that are the same for every seed; `testable` (n_testable,) are rows
    that they do not ask for: test sets are drawn from these.
    """

    system: MeasuredSystem
    designs: Mapping[str, SampledRows]
    testable: IntArray

    def without(self, configurations: IntArray) -> "SampledSystem":
        """The same without these configurations (n, n_options) among those to test on."""
        known = self.system.rows_by_levels()
        rows = [known[row.tobytes()] for row in configurations.astype(np.int8) if row.tobytes() in known]
        return replace(self, testable=np.setdiff1d(self.testable, rows))

    def splits(self, size: int, seeds: int) -> tuple[Split, ...]:
        """For each seed `size` testable rows to test on, and all others."""
        return draw_splits(np.arange(len(self.system.values)), self.testable, size=size, seeds=seeds)

    def training(self, name: str, split: Split) -> SampledRows:
        """What the sampling called `name` gives beside the test set; the same for every learner of a seed."""
        if name in self.designs:
            return self.designs[name]
        size = random_size(name)
        if size is not None:
            # Drawn from what was measured: asking for any valid configuration would find few of them.
            if size > len(split.order):
                reason = (
                    f"{size} configurations are asked for, {len(split.order)} are left beside the test set"
                )
                return SampledRows(size, 0, split.order[:0], reason)
            return SampledRows(size, 0, split.order[:size])
        count = self.system.valid.count()
        missing = count - len(self.system.values)
        return SampledRows(count, missing, *_if_enough(np.sort(split.order), count, missing))


def sample_system(system: MeasuredSystem, names: Sequence[str], size: int) -> SampledSystem:
    """What the samplings called so ask for, and which rows are left to test on. Raises what samplings raise.

    A sampling that would leave fewer than `size` to test on, beside those before it, gives nothing.
    """
    rows_by_levels = system.rows_by_levels()
    designs = {}
    asked = np.zeros(len(system.values), dtype=bool)
    for name in names:
        sampling = sampling_called(name)
        if random_size(name) is not None or sampling is exhaustive:
            continue
        wanted = sampling(system.valid, np.random.default_rng(0))
        places = [rows_by_levels.get(row.astype(np.int8).tobytes(), -1) for row in wanted]
        measured = np.array([place for place in places if place >= 0], dtype=np.intp)
        missing = len(wanted) - len(measured)
        own = SampledRows(len(wanted), missing, *_if_enough(measured, len(wanted), missing))
        with_it = asked.copy()
        with_it[own.rows] = True
        if (~with_it).sum() < size:
            reason = (
                f"it asks for {len(own.rows):,} of {len(asked):,} measured configurations, "
                f"which leaves {(~with_it).sum():,} for test sets of {size:,}"
            )
            own = SampledRows(own.wanted, own.missing, own.rows[:0], reason)
        else:
            asked = with_it
        designs[name] = own
    return SampledSystem(system, designs, np.flatnonzero(~asked))


def _if_enough(rows: IntArray, wanted: int, missing: int) -> tuple[IntArray, str]:
    """The rows and no reason, or no rows and why."""
    if wanted and (wanted - missing) / wanted >= ENOUGH:
        return rows, ""
    return rows[:0], f"{missing:,} of its {wanted:,} configurations were never measured"

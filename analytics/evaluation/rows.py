"""What comes of an evaluation: rows, and which of two methods wins over the seeds."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics.evaluation.measured import Target
from analytics.evaluation.methods import HYBRIDS
from analytics.influence.accuracy import OverSeeds
from analytics.influence.times import FloatArray


@dataclass(frozen=True, slots=True)
class Row(OverSeeds):
    """One method for one `target`, at equal numbers of configurations or for equal machine time.

    `equal`: "configurations", "minutes" (what the hybrid costs at `budget`, tracing charged) or "minutes without tracing"
    (what it costs with all options). `budget` 0: a design with its own size. `errors` are mean absolute errors in percent,
    one for each seed; none where `reason` says why. `configurations` and `seconds` of machine time are medians.
    `unpredicted` is the share of test configurations that it says nothing of: `errors` leave them out. `used_up`: it could
    have paid for more configurations than were measured.
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


@dataclass(frozen=True, slots=True)
class Duel:
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


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All rows with what they share; `traced` configurations, with the runs that refined, took `tracing_seconds`."""

    rows: tuple[Row, ...]
    measured: int
    test: int
    seeds: int
    traced: int
    tracing_seconds: float

    def duels(self) -> tuple[Duel, ...]:
        """Every hybrid against every other method that predicts all test configurations."""
        return tuple(duel for row in self.rows if row.method in _HYBRID for duel in self._against(row))

    def _against(self, row: Row) -> Iterator[Duel]:
        for other in self.rows:
            alike = (other.target, other.equal) == (row.target, row.equal) and other.budget in (row.budget, 0)
            if not alike or other.method in _HYBRID or not (row.errors and other.errors) or other.unpredicted:
                continue
            differences = np.array(row.errors) - np.array(other.errors)
            yield Duel(
                target=row.target,
                equal=row.equal,
                budget=row.budget,
                hybrid=f"{row.method} ({row.sampling})",
                other=f"{other.method} ({other.sampling})",
                difference=float(differences.mean()),
                won=int((differences < 0).sum()),
                lost=int((differences > 0).sum()),
                p_value=_p_value(differences),
            )


def _p_value(differences: FloatArray) -> float:
    """That of the signed-rank test of Wilcoxon."""
    from scipy.stats import wilcoxon  # noqa: PLC0415 -- a second of imports that few need

    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0


_HYBRID = frozenset(method.name for method in HYBRIDS)

"""Compare acquisitions over series by a paired test."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from analytics.replay.scoring import Score


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A two-sided paired Wilcoxon signed-rank test of two acquisitions over series, on `mape_paper`.

    `difference` is the mean of first minus second, in percentage points; below zero, the first is better.
    `p_value` is 1 where no series differs.
    """

    first: str
    second: str
    share: float
    series: int
    difference: float
    p_value: float


def compare(scores: Mapping[str, Mapping[str, Mapping[float, Score]]]) -> tuple[PairedTest, ...]:
    """Test each acquisition against each, share by share. `scores` is by series, acquisition and share."""
    acquisitions = list(dict.fromkeys(name for played in scores.values() for name in played))
    shares = list(dict.fromkeys(s for played in scores.values() for by in played.values() for s in by))
    found = []
    for first, second in combinations(acquisitions, 2):
        for share in shares:
            pairs = [
                (played[first][share].mape_paper, played[second][share].mape_paper)
                for played in scores.values()
            ]
            differences = np.array([one - other for one, other in pairs])
            found.append(
                PairedTest(first, second, share, len(pairs), float(differences.mean()), _p_value(differences))
            )
    return tuple(found)


def _p_value(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    from scipy.stats import wilcoxon  # noqa: PLC0415 -- a second of imports that few need

    return float(wilcoxon(differences).pvalue) if np.any(differences) else 1.0

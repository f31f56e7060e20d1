"""Replay the fully measured histories of a file, and compare acquisitions over them by a paired test."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories import DEFAULT
from dashboard.importers.measured_histories import read_measured_histories
from studies.replay.playing import ReplaySettings, replay, replay_together
from studies.replay.scoring import Score, mean_score

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

# By acquisition and share.
Scores = dict[str, dict[float, Score]]


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
                PairedTest(
                    first, second, share, len(pairs), float(differences.mean()), paired_p_value(differences)
                )
            )
    return tuple(found)


def paired_p_value(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """The p-value of Wilcoxon's signed-rank test of paired differences (n,), two-sided; 1 where all are 0."""
    from scipy.stats import wilcoxon  # noqa: PLC0415 -- a second of imports that few need

    return float(wilcoxon(differences).pvalue) if np.any(differences) else 1.0


class Learning(StrEnum):
    """Which acquisitions know, in one variant, where changes were located in those before it."""

    DEFAULT = "default"
    """The default acquisition; the others serve to compare, and know one history only."""
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The scores by series, their mean over series, and the paired tests; `learning`: what was not played alone."""

    settings: ReplaySettings
    learning: tuple[str, ...]
    total: Scores
    series: dict[str, Scores]
    tests: tuple[PairedTest, ...]


def replay_file(
    *,
    path: Path,
    acquisitions: Sequence[str],
    settings: ReplaySettings,
    learning: Learning = Learning.DEFAULT,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Replayed:
    """Play every variant of a file with each acquisition: alone, or learning from those before it in the file.

    Raises `InvalidBundle` for a file that cannot be read, `HistoryError` for an unknown acquisition.
    """
    histories = read_measured_histories(path)
    learners = {Learning.DEFAULT: {DEFAULT}, Learning.ALL: set(acquisitions), Learning.NONE: set()}[learning]
    shared = tuple(name for name in acquisitions if name in learners) if len(histories) > 1 else ()
    played: dict[str, Scores] = {variant: {} for variant in histories}
    for done, name in enumerate(acquisitions):
        progress(done, len(acquisitions))
        together = replay_together(histories, name, settings) if name in shared else {}
        for variant, truth in histories.items():
            played[variant][name] = together.get(variant) or replay(truth, name, settings)
    progress(len(acquisitions), len(acquisitions))
    total = {
        name: {share: mean_score([by[name][share] for by in played.values()]) for share in settings.shares}
        for name in acquisitions
    }
    return Replayed(settings, shared, total, played, compare(played))

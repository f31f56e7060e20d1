"""Replay fully measured histories from a file: a computation, nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from analytics.histories import DEFAULT
from analytics.replay import (
    PairedTest,
    ReplaySettings,
    Score,
    compare,
    mean_score,
    replay,
    replay_together,
)
from dashboard.access import Principal
from dashboard.importers.measured_histories import read_measured_histories

# By acquisition and share.
Scores = dict[str, dict[float, Score]]


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
    principal: Principal,  # noqa: ARG001  # every use case says who asks; a file of the caller's own is open to him
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
    shared = _learning(learning, acquisitions) if len(histories) > 1 else ()
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


def _learning(learning: Learning, acquisitions: Sequence[str]) -> tuple[str, ...]:
    if learning is Learning.DEFAULT:
        return tuple(name for name in acquisitions if name == DEFAULT)
    return tuple(acquisitions) if learning is Learning.ALL else ()

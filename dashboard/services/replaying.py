"""Replay fully measured histories from a file: a computation, nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analytics.replay import (
    PairedTest,
    ReplaySettings,
    Score,
    compare,
    mean_score,
    replay,
    replay_with_transfer,
)
from dashboard.access import Principal
from dashboard.importers.measured_histories import read_measured_histories

# By acquisition and share.
Scores = dict[str, dict[float, Score]]


@dataclass(frozen=True, slots=True)
class Replayed:
    """The scores by series, their mean over series, and the paired tests; `transfer`: not played alone."""

    settings: ReplaySettings
    transfer: bool
    total: Scores
    series: dict[str, Scores]
    tests: tuple[PairedTest, ...]


def replay_file(
    *,
    principal: Principal,  # noqa: ARG001  # every use case says who asks; a file of the caller's own is open to him
    path: Path,
    acquisitions: Sequence[str],
    settings: ReplaySettings,
    transfer: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Replayed:
    """Play every variant of a file with each acquisition: alone, or (`transfer`) learning from those before it.

    Raises `InvalidBundle` for a file that cannot be read, `HistoryError` for an unknown acquisition.
    """
    histories = read_measured_histories(path)
    played: dict[str, Scores] = {}
    if transfer:
        together = {name: replay_with_transfer(histories, name, settings) for name in acquisitions}
        played = {variant: {name: together[name][variant] for name in acquisitions} for variant in histories}
    else:
        for done, (variant, truth) in enumerate(histories.items()):
            progress(done, len(histories))
            played[variant] = {name: replay(truth, name, settings) for name in acquisitions}
    progress(len(histories), len(histories))
    total = {
        name: {share: mean_score([by[name][share] for by in played.values()]) for share in settings.shares}
        for name in acquisitions
    }
    return Replayed(settings, transfer, total, played, compare(played))

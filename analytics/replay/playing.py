"""Play one fully measured history: an acquisition chooses, the rest is estimated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints import ChangePointSettings
from analytics.histories import (
    ChangePrior,
    FittedHistory,
    HistoryError,
    HistorySettings,
    Measurements,
    NoisePolicy,
    acquisition_named,
    fit,
    located_jumps,
    point_estimates,
)
from analytics.histories.active_sampling import measure_actively
from analytics.replay.scoring import Score, mean_score, score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from analytics.histories.measurements import IntArray

# The least noise of a single run: clustered single runs would read steps as noise, if it were left open. The best
# values allow for more where the runs themselves show it.
NOISE = 0.001


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """What is played.

    `shares` are shares of `total`, the number of revisions; a series is played with 3 + floor(share * total)
    measurements. Where `total` is None, it is the span of the series' positions. `seeds` is how often an
    acquisition that draws at random is played.
    """

    shares: tuple[float, ...] = (0.01, 0.03, 0.05)
    total: int | None = None
    seeds: int = 10
    change_points: ChangePointSettings = field(default_factory=ChangePointSettings)

    def samples(self, truth: Measurements) -> tuple[int, ...]:
        """The number of measurements for each share; never more than there are revisions."""
        span = int(truth.positions[-1] - truth.positions[0]) + 1
        total = span if self.total is None else self.total
        # A share such as 0.29 of 100 is 28.999... in floats.
        return tuple(min(3 + int(share * total + 1e-9), len(truth)) for share in self.shares)


def replay(truth: Measurements, acquisition: str, settings: ReplaySettings) -> dict[float, Score]:
    """Return the score for each share: the mean over seeds where the acquisition draws at random.

    Each series starts with its first, middle and last measured revision (the n // 2-th of n), as the paper's
    code does. Deterministic. Raises `HistoryError` on an unknown acquisition or fewer than three revisions.
    """
    if len(truth) < 3:
        raise HistoryError(f"a replay needs at least 3 measured revisions, got {len(truth)}")
    counts = settings.samples(truth)
    runs: list[list[Score]] = []
    for seed in range(settings.seeds):
        order, draws = _order(truth, acquisition, seed, settings)
        runs.append([_scored(truth, order[:count], settings) for count in counts])
        if not draws:
            break
    means = [mean_score(column) for column in zip(*runs, strict=True)]
    return dict(zip(settings.shares, means, strict=True))


def replay_together(
    truths: Mapping[str, Measurements], acquisition: str, settings: ReplaySettings
) -> dict[str, dict[float, Score]]:
    """Play series of one system one after the other; each knows where changes were located in those before.

    Half of the prior weight is even, half lies where jumps were bracketed by the measurements that the same share
    allowed. The first series is played alone. Returns the scores by series and share.
    """
    found: dict[str, dict[float, Score]] = {variant: {} for variant in truths}
    for share in settings.shares:
        own = replace(settings, shares=(share,))
        runs: dict[str, list[Score]] = {variant: [] for variant in truths}
        for seed in range(settings.seeds):
            brackets: list[tuple[int, int]] = []
            draws = False
            for variant, truth in truths.items():
                first, last = int(truth.positions[0]), int(truth.positions[-1])
                change_prior = ChangePrior.transferred(first, last, brackets) if brackets else None
                order, draws = _order(truth, acquisition, seed, own, change_prior)
                runs[variant].append(_scored(truth, order, own, change_prior))
                brackets += located_jumps(_fit(truth, order, change_prior))
            if not draws:
                break
        for variant, scores in runs.items():
            found[variant][share] = mean_score(scores)
    return found


def _order(
    truth: Measurements,
    acquisition: str,
    seed: int,
    settings: ReplaySettings,
    change_prior: ChangePrior | None = None,
) -> tuple[IntArray, bool]:
    """Return the positions in the order of measuring, and whether the acquisition draws at random."""
    choose, draws = acquisition_named(acquisition, np.random.default_rng(seed))
    values = dict(zip(truth.positions.tolist(), truth.values.tolist(), strict=True))
    order = measure_actively(
        values.__getitem__,
        truth.positions[[0, len(truth) // 2, -1]],
        truth.positions,
        choose,
        samples=max(settings.samples(truth)),
        settings=_history_settings(truth),
        change_prior=change_prior,
    )
    return order, draws


def _history_settings(truth: Measurements) -> HistorySettings:
    length = int(truth.positions[-1] - truth.positions[0]) + 1
    return HistorySettings(noise=NoisePolicy.KNOWN, known_noise=NOISE, noise_floor=NOISE, length=length)


def _fit(truth: Measurements, chosen: IntArray, change_prior: ChangePrior | None) -> FittedHistory:
    known = np.isin(truth.positions, chosen)
    points = Measurements.of(truth.positions[known], truth.values[known])
    return fit(points, _history_settings(truth), change_prior=change_prior)


def _scored(
    truth: Measurements, chosen: IntArray, settings: ReplaySettings, change_prior: ChangePrior | None = None
) -> Score:
    estimate = point_estimates(_fit(truth, chosen, change_prior), truth.positions)
    # What was measured is known, and counts as it was measured.
    known = np.isin(truth.positions, chosen)
    estimate[known] = truth.values[known]  # no pandas here
    return score(truth, estimate, len(chosen), settings.change_points)

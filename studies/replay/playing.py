"""Play fully measured histories: the product's loop chooses what to measure, the rest is estimated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints import ChangePointSettings
from analytics.histories.active_sampling import (
    SamplingState,
    StopReason,
    StopRule,
    next_measurement,
    usual_rule,
)
from analytics.histories.change_prior import ChangePrior
from analytics.histories.errors import HistoryError
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.robust_levels import SMALLEST, beyond_noise, levels_of, point_estimates
from analytics.histories.settings import HistorySettings, Kernel, NoisePolicy
from studies.measured_histories import read_measured_histories
from studies.replay.acquisitions import DEFAULT, RANDOM, acquisition_named
from studies.replay.scoring import Score, mean_score, score

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from analytics.histories.acquisition import Acquisition
    from analytics.histories.fitted import FittedHistory
    from analytics.histories.measurements import IntArray

# The least noise of a single run: clustered single runs would read steps as noise, if it were left open. The point
# estimates allow for more where the runs themselves show it.
NOISE = 0.001


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """What is played.

    `shares` are shares of `total`, the number of revisions; a series is played with at most 3 + floor(share * total)
    measurements. Where `total` is None, it is the span of the series' positions. `seeds` is how often sampling at
    random is played.
    """

    shares: tuple[float, ...] = (0.01, 0.03, 0.05)
    total: int | None = None
    seeds: int = 10
    change_points: ChangePointSettings = field(default_factory=ChangePointSettings)

    def samples(self, truth: Measurements) -> tuple[int, ...]:
        """Return the number of measurements for each share; never more than there are revisions."""
        span = int(truth.positions[-1] - truth.positions[0]) + 1
        total = span if self.total is None else self.total
        # A share such as 0.29 of 100 is 28.999... in floats.
        return tuple(min(3 + int(share * total + 1e-9), len(truth)) for share in self.shares)


def replay_file(
    *,
    path: Path,
    acquisitions: Sequence[str],
    learning: Collection[str],
    settings: ReplaySettings,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, dict[str, dict[float, Score]]]:
    """Play every variant of a file with each acquisition: alone, or, with those of `learning`, knowing those before it.

    The scores by variant, acquisition and share. Raises `InvalidBundle` for a file that cannot be read, `HistoryError`
    for an unknown acquisition.
    """
    histories = read_measured_histories(path)
    played: dict[str, dict[str, dict[float, Score]]] = {variant: {} for variant in histories}
    for done, name in enumerate(acquisitions):
        progress(done, len(acquisitions))
        is_shared = name in learning and len(histories) > 1
        together = replay_together(histories, name, settings) if is_shared else {}
        for variant, truth in histories.items():
            played[variant][name] = together.get(variant) or replay(truth, name, settings)
    progress(len(acquisitions), len(acquisitions))
    return played


def replay(truth: Measurements, acquisition: str, settings: ReplaySettings) -> dict[float, Score]:
    """Return the score for each share: the mean over seeds where the acquisition draws at random.

    The default acquisition is played with the stop rule of the product and may measure less than a share allows; the
    others measure all of it. Deterministic. Raises `HistoryError` on an unknown acquisition or fewer than three
    revisions.
    """
    if len(truth) < 3:
        raise HistoryError(f"a replay needs at least 3 measured revisions, got {len(truth)}")
    counts = settings.samples(truth)
    runs: list[list[Score]] = []
    for seed in range(settings.seeds if acquisition == RANDOM else 1):
        order = _order(truth, acquisition, seed, max(counts))
        runs.append([_scored(truth, order[:count], settings) for count in counts])
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
        for seed in range(settings.seeds if acquisition == RANDOM else 1):
            brackets: list[tuple[int, int]] = []
            for variant, truth in truths.items():
                first, last = int(truth.positions[0]), int(truth.positions[-1])
                unknown = np.full(max(last - first, 1), np.nan)
                prior = ChangePrior.of_changes(first, unknown, brackets) if brackets else None
                order = _order(truth, acquisition, seed, max(own.samples(truth)), prior)
                runs[variant].append(_scored(truth, order, own, prior))
                brackets += located_jumps(fit_measured(truth, order, prior))
        for variant, scores in runs.items():
            found[variant][share] = mean_score(scores)
    return found


def located_jumps(fitted: FittedHistory) -> list[tuple[int, int]]:
    """Return the neighbouring measured positions whose levels differ beyond the noise and by 2 % or more."""
    levels, noise_sds, _ = levels_of(fitted)
    positions = fitted.measurements.positions.tolist()
    significant = beyond_noise(levels, noise_sds, 1, SMALLEST * fitted.unit)
    return [(positions[gap], positions[gap + 1]) for gap in np.flatnonzero(significant)]


def measure_actively(
    truth: Measurements,
    rule: StopRule,
    acquisition: Acquisition | None = None,
    change_prior: ChangePrior | None = None,
) -> IntArray:
    """Return the positions in the order in which the product's loop measures them, until the rule ends it.

    A recorded history has one value for each revision: nothing fails, and no code can be measured once more.
    """
    versions: list[int] = truth.positions.tolist()
    order: list[int] = []
    while True:
        measured = set(order)
        state = SamplingState(
            versions=versions,
            sessions=dict.fromkeys(order, 1),
            candidates=[one for one in versions if one not in measured],
            fitted=fit_measured(truth, np.array(order), change_prior) if len(order) > 2 else None,
            measured=len(order),
        )
        found = next_measurement(state, rule, acquisition)
        if isinstance(found, StopReason):
            return np.array(order)
        order.append(found.position)


def _order(
    truth: Measurements, acquisition: str, seed: int, most: int, prior: ChangePrior | None = None
) -> IntArray:
    """Return the positions in the order of measuring, at most so many."""
    if acquisition == RANDOM:
        start = measure_actively(truth, StopRule(most=3))
        others = np.setdiff1d(truth.positions, start)
        return np.concatenate([start, np.random.default_rng(seed).permutation(others)])[:most]
    choose = acquisition_named(acquisition)
    rule = usual_rule(len(truth)) if acquisition == DEFAULT else StopRule(smallest_gain=None)
    return measure_actively(truth, replace(rule, most=most), choose, prior)


def fit_measured(
    truth: Measurements,
    chosen: IntArray,
    change_prior: ChangePrior | None = None,
    kernel: Kernel = Kernel.BROWNIAN,
) -> FittedHistory:
    """Fit what was measured at the positions `chosen`, values taken as they are."""
    known = np.isin(truth.positions, chosen)
    length = int(truth.positions[-1] - truth.positions[0]) + 1
    settings = HistorySettings(
        kernel=kernel, noise=NoisePolicy.KNOWN, known_noise=NOISE, noise_floor=NOISE, length=length
    )
    points = Measurements.of(truth.positions[known], truth.values[known])
    return fit(points, settings, change_prior=change_prior)


def _scored(
    truth: Measurements, chosen: IntArray, settings: ReplaySettings, prior: ChangePrior | None = None
) -> Score:
    estimate = point_estimates(fit_measured(truth, chosen, prior), truth.positions)
    # What was measured is known, and counts as it was measured.
    known = np.isin(truth.positions, chosen)
    estimate[known] = truth.values[known]
    return score(truth, estimate, len(chosen), settings.change_points)

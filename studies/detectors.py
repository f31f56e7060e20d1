"""Detectors of change points to compare with: CUSUM as the paper on performance histories sets it, and ruptures' greedy ones.

CUSUM: Muhlbauer et al. 2019, Sec. II; Page 1954.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints import ChangePointError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analytics.changepoints import Detector
    from analytics.histories.measurements import FloatArray

# Half of the smallest change that counts, in ranges of the series (eq. 5).
DRIFT_SHARE = 0.05
# The threshold in mean standard deviations over the sliding window (eq. 6).
DEVIATIONS = 5.0
# The window's size, in shares of the series, from global to local.
WINDOW_SHARES = tuple(round(0.05 * step, 2) for step in range(20, 0, -1))


def cusum_drift(values: FloatArray) -> float:
    """Return the drift v of eq. 5: 5 % of the range of the series."""
    return DRIFT_SHARE * float(np.ptp(values))


def cusum_threshold(values: FloatArray, window: int) -> float:
    """Return the threshold h of eq. 6: five times the mean standard deviation over windows of so many values.

    `values` has shape (n,), 2 <= window <= n. Raises `ChangePointError` on another window.
    """
    if not 2 <= window <= len(values):
        raise ChangePointError(f"the window must hold 2 to {len(values)} values, got {window}")
    windows = np.lib.stride_tricks.sliding_window_view(values, window)
    return DEVIATIONS * float(windows.std(axis=1).mean())


def cusum_alarms(values: FloatArray, drift: float, threshold: float) -> list[int]:
    """Return the indices at which the sum of rises, or of falls, beyond the drift passes the threshold.

    Each sum starts anew after its alarm (eq. 1 to 4). The sums are over differences of successive values.
    """
    rise = fall = 0.0
    alarms = []
    for index, step in enumerate(np.diff(values), start=1):
        rise = max(rise + step - drift, 0.0)
        fall = max(fall - step - drift, 0.0)
        if rise > threshold or fall > threshold:
            alarms.append(index)
            rise = 0.0 if rise > threshold else rise
            fall = 0.0 if fall > threshold else fall
    return alarms


def cusum(values: FloatArray, window_share: float) -> list[int]:
    """Return the alarms with drift and threshold as the paper sets them, for a window of this share."""
    if len(values) < 2:
        return []
    window = min(max(round(window_share * len(values)), 2), len(values))
    return cusum_alarms(values, cusum_drift(values), cusum_threshold(values, window))


def cusum_by_window(
    values: FloatArray, window_shares: Sequence[float] = WINDOW_SHARES
) -> dict[float, list[int]]:
    """Return the alarms for each size of the window, as the paper's Figure 2 counts them."""
    return {share: cusum(values, share) for share in window_shares}


def steadiest_cusum(values: FloatArray, window_shares: Sequence[float] = WINDOW_SHARES) -> list[int]:
    """Return the alarms at which their number is least sensitive to the window: the longest run of equal ones.

    Runs without any alarm do not count while another has some. Of runs equally long, the more global one.
    """
    found = list(cusum_by_window(values, window_shares).values())
    best: list[int] = []
    longest = 0
    run = 0
    for index, alarms in enumerate(found):
        run = run + 1 if index and len(alarms) == len(found[index - 1]) else 1
        if alarms and run > longest:
            longest, best = run, alarms
    return best


def _greedy(name: str) -> Detector:
    """One of ruptures' greedy searches, by its name there, on squares in units of the mean noise variance."""

    def ends(y: FloatArray, variances: FloatArray, penalty: float) -> list[int]:
        if len(y) < 2:
            return [len(y)]
        import ruptures  # noqa: PLC0415 -- a second of imports that few need

        standard = (y - y.mean()) / np.sqrt(variances.mean())
        method = getattr(ruptures, name)
        found = method(model="l2", min_size=1, jump=1).fit(standard.reshape(-1, 1)).predict(pen=penalty)
        return [int(end) for end in found]

    return ends


BINSEG, BOTTOM_UP, CUSUM = "binseg", "bottom-up", "cusum"
DETECTORS: Mapping[str, Detector] = {
    BINSEG: _greedy("Binseg"),
    BOTTOM_UP: _greedy("BottomUp"),
    CUSUM: lambda y, _variances, _penalty: [*steadiest_cusum(y), len(y)],
}

"""Figures 1 and 2 of the paper on histories: change points that CUSUM reports, by the size of its sliding window.

CUSUM: Muhlbauer et al. 2019, Sec. II; Page 1954.
"""

from statistics import fmean

import numpy as np

from analytics.histories.measurements import FloatArray
from studies.papers.histories import PAPER, TOTALS, system_series
from studies.papers.tables import Cell, Quantity, ReproducedTable, Reproduction
from studies.synthetic import LevelStep, make_history

WINDOWS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
# Half of the smallest change that counts, in ranges of the series (eq. 5).
DRIFT_SHARE = 0.05
# The threshold in mean standard deviations over the sliding window (eq. 6).
DEVIATIONS = 5.0
_SYNTHETIC = "a synthetic series that was not published; ours is another one"
_FIGURE_ONLY = "published as a figure, without numbers"
_READING = (
    "The paper shows for its synthetic series 17 change points with a small window and 10 with a large one, and for the "
    "systems that fewer are reported as the window grows. Counts of ours that fall down a column say the same. Equation "
    "6 reads as a double sum; taken literally it would grow with the window, so the mean over windows is meant."
)


def make(work: Reproduction) -> ReproducedTable:
    """Make Figures 1 and 2 as counts of change points. Raises `ReproductionError`."""
    cells = [
        Cell(_row(share), "synthetic", "", Quantity(count), None, _SYNTHETIC)
        for share, count in _counts(_synthetic()).items()
    ]
    for system in TOTALS:
        work.tell(f"{system}, CUSUM")
        series = system_series(work, system)
        counted = [_counts(np.asarray(truth.values)) for truth in series.values()]
        for share in WINDOWS:
            mean = fmean(counts[share] for counts in counted)
            cells.append(Cell(_row(share), system, "", Quantity(mean), None, _FIGURE_ONLY))
    return ReproducedTable(
        title="Change points by the size of CUSUM's window",
        source=f"{PAPER}, Figures 1 and 2",
        settings=(
            ("drift", "5 % of the range of the series (eq. 5)"),
            ("threshold", "five times the mean standard deviation over the sliding window (eq. 6)"),
            ("counts", "mean over the series of a system"),
        ),
        cells=tuple(cells),
        reading=(_READING,),
    )


def _row(share: float) -> str:
    return f"window {share:.0%} of the series".replace("%", " %")


def _counts(values: FloatArray) -> dict[float, int]:
    return {share: len(cusum(values, share)) for share in WINDOWS}


def cusum(values: FloatArray, window_share: float) -> list[int]:
    """The indices at which the sum of rises, or of falls, beyond the drift passes the threshold.

    Each sum is over differences of successive values and starts anew after its alarm (eq. 1 to 4). Drift and threshold
    are as the paper sets them, for a sliding window of this share of the series.
    """
    if len(values) < 2:
        return []
    window = min(max(round(window_share * len(values)), 2), len(values))
    windows = np.lib.stride_tricks.sliding_window_view(values, window)
    threshold = DEVIATIONS * float(windows.std(axis=1).mean())
    drift = DRIFT_SHARE * float(np.ptp(values))
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


def _synthetic() -> FloatArray:
    """A seeded series of 1,000 revisions with twenty steps, from 1 to 30 %, up and down, and noise of 0.5 %."""
    rng = np.random.default_rng(1)
    places = np.sort(rng.choice(np.arange(20, 980), size=20, replace=False))
    sizes = rng.choice([-1, 1], size=20) * np.geomspace(0.01, 0.3, 20)[rng.permutation(20)]
    steps = [LevelStep(int(place), float(size)) for place, size in zip(places, sizes, strict=True)]
    history = make_history(1000, rng, steps=steps)
    noisy: FloatArray = history.levels * np.exp(rng.normal(0.0, 0.005, 1000))
    return noisy

"""How far levels differ before and after a revision, whether of what was measured or of the machine's reference."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from analytics.changepoints.robust import CLIP, MAD_TO_DEVIATION, clipped
from analytics.changepoints.slow_drift import FEWEST as FEWEST_OF_LINE
from analytics.changepoints.slow_drift import line_through
from analytics.findings.rows import MachineStep, SeriesChange
from analytics.histories.measurements import FloatArray, IntArray

# So few measured revisions on each side of a change tell no levels; the most that are looked at of a machine, which changes often.
FEWEST, MACHINE_REACH = 5, 30
# Autocorrelations beyond are taken for this one.
MOST = 0.95
# The machine is to blame where its step is clear beyond chance in this share of changes, and at least this share of the change.
BY_CHANCE, BLAMED = 0.002, 0.5


def machine_steps(
    changes: Sequence[SeriesChange], references: Mapping[int, tuple[IntArray, FloatArray]]
) -> dict[int, MachineStep]:
    """Return what the machine did at each change that it explains, by the change's index.

    `references` are, by series, the measured positions (n,), ascending, and what a reference run took there, (n,) seconds. A
    change in time is the machine's where the reference moved the same way, clearly, and by at least half of the change.
    """
    found = {}
    for index, change in enumerate(changes):
        if change.series not in references or change.relative <= -1.0:
            continue
        positions, times = references[change.series]
        before = np.log(times[positions <= change.earliest][-MACHINE_REACH:])
        after = np.log(times[positions >= change.latest][:MACHINE_REACH])
        if min(len(before), len(after)) < FEWEST:
            continue
        steps, errors = level_steps(np.concatenate([before, after])[None, :], len(before))
        step, error, moved = float(steps[0]), float(errors[0]), float(np.log1p(change.relative))
        is_clear = abs(step) > half_width(1.0 - BY_CHANCE) * error
        if is_clear and step * moved > 0 and abs(step) >= BLAMED * abs(moved):
            found[index] = MachineStep(float(np.expm1(step)), half_width(0.95) * error * float(np.exp(step)))
    return found


def machine_drifts(
    slow: Sequence[SeriesChange], references: Mapping[int, tuple[IntArray, FloatArray]]
) -> dict[int, MachineStep]:
    """Return how the machine drifted along each slow drift that it explains, by its index; `references` as in `machine_steps`."""
    found = {}
    for index, change in enumerate(slow):
        if change.series not in references or change.relative <= -1.0:
            continue
        positions, times = references[change.series]
        within = times[(positions >= change.before) & (positions <= change.after)]
        if len(within) < FEWEST_OF_LINE:
            continue
        line, moved = line_through(clipped(np.log(within), 0.0)), float(np.log1p(change.relative))
        if line.chance < BY_CHANCE and line.rise * moved > 0 and abs(line.rise) >= BLAMED * abs(moved):
            low, high = line.interval()
            error = (high - low) / 2.0 * float(np.exp(line.rise))
            found[index] = MachineStep(float(np.expm1(line.rise)), error)
    return found


def level_steps(values: FloatArray, before: int, gap: int = 1) -> tuple[FloatArray, FloatArray]:
    """Return the difference of both sides' levels of each row (k, n), and its standard error under AR(1) noise, (k,) each.

    Outliers are clipped; generalized least squares: what is autocorrelated tells a step by its jump, what is not by all values. `gap` is
    how far apart the last value `before` and the next one were measured, in values.
    """
    count, n = values.shape
    sides, residuals = [], []
    for side in (values[:, :before], values[:, before:]):
        middle = np.median(side, axis=1, keepdims=True)
        away = side - middle
        limit = CLIP * MAD_TO_DEVIATION * np.median(np.abs(away), axis=1, keepdims=True)
        kept = np.where(limit > 0, np.clip(away, -limit, limit), away)
        sides.append(middle + kept)
        residuals.append(kept - kept.mean(axis=1, keepdims=True))
    squares = sum((one**2).sum(axis=1) for one in residuals)
    lagged = sum((one[:, 1:] * one[:, :-1]).sum(axis=1) for one in residuals)
    phi = lagged / np.maximum(squares, 1e-300)
    # Less the bias of two levels that are estimated (Marriott & Pope 1954).
    phi = np.clip(phi + (1.0 + 4.0 * phi) * 2.0 / n, 0.0, MOST)
    apart = np.where(np.arange(1, n) == before, gap, 1)
    carried = phi[:, None] ** apart
    scale = np.sqrt(1.0 - carried**2)

    def whitened(rows: FloatArray) -> FloatArray:
        return np.hstack([rows[:, :1], (rows[:, 1:] - carried * rows[:, :-1]) / scale])

    level = whitened(np.ones((count, n)))
    step = whitened(np.tile((np.arange(n) >= before).astype(np.float64), (count, 1)))
    value = whitened(np.hstack(sides))
    both, own, shared = (
        (one * other).sum(axis=1) for one, other in ((level, level), (step, step), (level, step))
    )
    on_level, on_step = ((one * value).sum(axis=1) for one in (level, step))
    area = both * own - shared**2
    size, base = (both * on_step - shared * on_level) / area, (own * on_level - shared * on_step) / area
    left = value - base[:, None] * level - size[:, None] * step
    error = np.sqrt((left**2).sum(axis=1) / (n - 2) * both / area)
    return size, error * float(stdtrit(n - 2, 0.995) / ndtri(0.995))


def half_width(share: float) -> float:
    """Half of the interval that holds this share of a standard normal variable."""
    return float(ndtri(0.5 + share / 2.0))

"""How fast the machine was when a run was made: told by reference runs, a fixed piece of work right before and after it."""

import numpy as np

from analytics.bisection import FloatArray

# Fewer reference runs do not tell what is usual.
LEAST_TIMES = 12
# The quick quarter tells what is usual: its end and its lowest fifth, as standard deviations of normal values.
_QUARTER, _TWENTIETH = -0.674, -1.645
# On the logarithmic scale: the smallest scatter that is believed, and when a reference run lies in another regime: so many
# standard deviations beyond the usual time, and by a tenth at least.
_SCATTER, _DEVIATIONS, _APART = 0.01, 5.0, float(np.log(1.1))


def usual_time(times: FloatArray) -> tuple[float, float] | None:
    """Return the usual time of reference runs and its scatter on the logarithmic scale; None for less than `LEAST_TIMES`.

    `times` (n,) are positive. A machine with several speeds is at its best in the fastest one that holds a quarter of the
    runs; what is slower is no scatter. So both come from the quick quarter, by the quantiles of a normal distribution.
    """
    if len(times) < LEAST_TIMES:
        return None
    lowest, quarter = np.quantile(np.log(times), (0.05, 0.25))
    scatter = max(float(quarter - lowest) / (_QUARTER - _TWENTIETH), _SCATTER)
    return float(np.exp(quarter - _QUARTER * scatter)), scatter


def disturbance(before: float, after: float, usual: tuple[float, float]) -> tuple[float, bool] | None:
    """Return how many times slower than usual the machine was at a run, and whether it changed its speed meanwhile.

    None where both reference runs, `before` and `after` it, lie in the usual regime.
    """
    level, scatter = usual
    limit = max(_DEVIATIONS * scatter, _APART)
    slower = np.log([before, after]) - np.log(level)
    if slower.max() <= limit:
        return None
    changed = bool(slower.min() <= limit or np.ptp(slower) > limit)
    return float(np.exp(slower.max() if changed else slower.mean())), changed

"""Whether a change that a search found is there again in runs that were made to look for it."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from analytics.bisection import FloatArray
from analytics.power import differ

# Fewer runs of a side tell nothing.
LEAST = 3


class ConfirmationState(Enum):
    """What the runs of a second measurement say of a change."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ConfirmationResult:
    """What the second measurement of a change says, and the change's `size` in it, a share with its sign.

    It `is_short` where a side has fewer than `LEAST` runs: then the size is NaN.
    """

    state: ConfirmationState
    size: float
    is_short: bool = False


def measured_again(
    before: FloatArray, after: FloatArray, *, found: float, smallest: float
) -> ConfirmationResult:
    """Return what runs before (n,) and after (m,) a change, positive values, say of it.

    `found` is its size at first, a share with its sign; `smallest` the size, without sign, from which it counts. Confirmed:
    both sides differ, in the same direction, and the change is not told to be below `smallest`. Refuted: it is told to be
    below the larger one of `smallest` and half of `found`. Anything else is open, as are fewer than `LEAST` runs of a side.
    Each telling errs with `analytics.power.FALSE_ALARMS`.
    """
    if min(len(before), len(after)) < LEAST:
        return ConfirmationResult(ConfirmationState.OPEN, float("nan"), is_short=True)
    size = float(np.median(after) / np.median(before) - 1)
    way = 1.0 if found > 0 else -1.0

    def is_below(share: float) -> bool:
        """Whether the change is told to be smaller than `share`, in its direction."""
        bound = before * max(1 + way * share, 1e-6)
        return way * float(np.median(bound) - np.median(after)) > 0 and differ(bound, after)

    if size * way > 0 and differ(before, after) and not is_below(smallest):
        return ConfirmationResult(ConfirmationState.CONFIRMED, size)
    if is_below(max(smallest, abs(found) / 2)):
        return ConfirmationResult(ConfirmationState.REFUTED, size)
    return ConfirmationResult(ConfirmationState.OPEN, size)

"""When to stop measuring: no bracket is worth it, the history is known well enough, or the budget is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.errors import HistoryError
from analytics.histories.history import predict

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from analytics.histories.acquisition import Suggestion
    from analytics.histories.fitted import FittedHistory
    from analytics.histories.measurements import FloatArray


class Stop(StrEnum):
    """Why measuring ends."""

    NOTHING_LEFT = "every revision that can be measured is measured"
    GAIN = "no bracket promises a gain worth a measurement"
    VARIANCE = "every revision is known as well as repeated measurements of one are"
    BUDGET = "the budget is spent"


@dataclass(frozen=True, slots=True)
class StopRule:
    """When to stop; a limit that is None never stops.

    `smallest_gain` is the least expected fall of the mean error, relative to the level, that is worth a
    measurement. `largest_sd` is the paper's t_stop (eq. 10) as a relative standard deviation: measuring ends
    where no revision is less sure. `budget` is in seconds. Raises `HistoryError` on a limit that is negative.
    """

    smallest_gain: float | None = None
    largest_sd: float | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        """Check every limit."""
        for name in ("smallest_gain", "largest_sd", "budget"):
            limit = getattr(self, name)
            if limit is not None and not 0 <= limit < math.inf:
                raise HistoryError(f"{name} must be zero or positive, got {limit}")


def threshold_of(repeated: FloatArray) -> float:
    """Return t_stop as a relative standard deviation: that of repeated measurements of one revision.

    The paper (Sec. III-D) estimates it so: nothing more exact can be known. `repeated` are at least two
    positive values. Raises `HistoryError`.
    """
    if len(repeated) < 2 or np.min(repeated) <= 0:
        raise HistoryError(
            f"a threshold needs at least 2 positive repeated measurements, got {repeated.tolist()}"
        )
    return float(np.std(np.log(repeated), ddof=1))


def reason_to_stop(
    rule: StopRule,
    fitted: FittedHistory,
    candidates: Sequence[int] | npt.NDArray[np.integer],
    best: Suggestion | None,
    *,
    spent: float,
    next_cost: float = 0.0,
) -> Stop | None:
    """Return why to stop before measuring `best`, or None to go on.

    `spent` and `next_cost` are seconds: the next measurement must still fit into the budget.
    """
    if best is None:
        return Stop.NOTHING_LEFT
    if rule.budget is not None and spent + next_cost > rule.budget:
        return Stop.BUDGET
    if rule.smallest_gain is not None and best.expected_gain < rule.smallest_gain:
        return Stop.GAIN
    if rule.largest_sd is not None:
        sds = predict(fitted, np.asarray(candidates)).sd / fitted.unit
        if float(sds.max()) <= rule.largest_sd:
            return Stop.VARIANCE
    return None

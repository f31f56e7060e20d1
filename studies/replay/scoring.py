"""How close an estimated history comes to the measured one."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.search import segment_ends
from analytics.histories import Measurements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analytics.changepoints import Detector
    from analytics.histories.measurements import FloatArray

# A change point counts as found where the estimate has one at most so many revisions away, as in the paper.
TOLERANCE = 5


@dataclass(frozen=True, slots=True)
class Score:
    """The errors of an estimate.

    `mape` is the mean absolute error over all measured revisions in percent of the truth, `mape_paper` in
    percent of the prediction, as the paper's code computes it. `samples` counts the measurements used.
    `precision`, `recall` and `f1` compare the change points of the estimate with those of the truth, within 5
    revisions, each matched once. NaN where not defined: precision where the estimate has no change point,
    recall where the truth has none, F1 where neither has one; then both agree.
    """

    mape: float
    mape_paper: float
    samples: float
    precision: float
    recall: float
    f1: float


def score(
    truth: Measurements,
    estimate: FloatArray,
    samples: int,
    settings: ChangePointSettings,
    detector: Detector | None = None,
) -> Score:
    """Compare an estimate, (n,) in the metric's unit, with the n measured revisions of `truth`.

    Change points are searched in both in the same way, with the same penalty and the noise of the truth.
    """
    measured = truth.values
    errors = np.abs(estimate - measured)
    detect = detector or segment_ends
    found = find_change_points(truth, settings, detect)
    same = replace(settings, known_noise=found.noise) if found.enough_data else settings
    of_estimate = find_change_points(Measurements.of(truth.positions, estimate), same, detect)
    true_places = [change.bracket_after for change in found.changes]
    estimated_places = [change.bracket_after for change in of_estimate.changes]
    matched = matches(true_places, estimated_places)
    total = len(true_places) + len(estimated_places)
    return Score(
        mape=float(100 * np.mean(errors / np.abs(measured))),
        mape_paper=published_error(measured, estimate),
        samples=samples,
        precision=matched / len(estimated_places) if estimated_places else np.nan,
        recall=matched / len(true_places) if true_places else np.nan,
        f1=2 * matched / total if total else np.nan,
    )


def published_error(measured: FloatArray, estimate: FloatArray) -> float:
    """Return the mean absolute error in percent of the prediction, as the paper's code divides it; (n,) each."""
    return float(100 * np.mean(np.abs((estimate - measured) / estimate)))


def matches(truth: Sequence[int], of_estimate: Sequence[int], tolerance: int = TOLERANCE) -> int:
    """Return how many change points of two sorted lists can be paired, at most `tolerance` apart."""
    count, left = 0, list(of_estimate)
    for place in truth:
        while left and left[0] < place - tolerance:
            left.pop(0)
        if left and left[0] <= place + tolerance:
            left.pop(0)
            count += 1
    return count


def mean_score(scores: Sequence[Score]) -> Score:
    """Return the mean of each figure over those scores where it is defined; NaN where it never is."""
    columns = {field.name: [getattr(one, field.name) for one in scores] for field in fields(Score)}
    defined = {name: [v for v in values if not np.isnan(v)] for name, values in columns.items()}
    return Score(**{name: float(np.mean(v)) if v else float("nan") for name, v in defined.items()})

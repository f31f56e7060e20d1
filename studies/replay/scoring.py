"""How close an estimated history comes to the measured one, and whether one acquisition comes closer than another."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.search import segment_ends
from analytics.histories.measurements import Measurements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A two-sided paired Wilcoxon signed-rank test of two acquisitions over series, on `mape_paper`.

    `difference` is the mean of first minus second, in percentage points; below zero, the first is better.
    `p_value` is 1 where no series differs.
    """

    first: str
    second: str
    share: float
    series: int
    difference: float
    p_value: float


def compare(scores: Mapping[str, Mapping[str, Mapping[float, Score]]]) -> list[PairedTest]:
    """Test each acquisition against each, share by share. `scores` is by series, acquisition and share."""
    acquisitions = list(dict.fromkeys(name for played in scores.values() for name in played))
    shares = list(dict.fromkeys(s for played in scores.values() for by in played.values() for s in by))
    found = []
    for first, second in combinations(acquisitions, 2):
        for share in shares:
            differences = np.array(
                [own[first][share].mape_paper - own[second][share].mape_paper for own in scores.values()]
            )
            p_value = paired_p_value(differences)
            found.append(PairedTest(first, second, share, len(scores), float(differences.mean()), p_value))
    return found


def paired_p_value(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """The p-value of Wilcoxon's signed-rank test of paired differences (n,), two-sided; 1 where all are 0."""
    from scipy.stats import wilcoxon  # noqa: PLC0415 -- a second of imports that few need

    return float(wilcoxon(differences).pvalue) if np.any(differences) else 1.0

"""How well a model predicts end-to-end measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from analytics.configurations.covers import covered, distinct_subspaces, greedy_cover
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.errors import InfluenceError
from analytics.influence.models import InfluenceModel
from analytics.influence.terms import CONFIDENCE
from analytics.influence.times import FloatArray

# What the names of the corrections begin with that mean and deviation are over.
DRAWN = "random"
THRESHOLDS = (0.1, 0.3, 0.7, 1.0)
FEWEST_JUDGED = 10  # configurations: over fewer even what looks like a good order comes about by chance
_SLACK = 1e-9  # relative: a sum that rounding left just below the threshold still reaches it


@dataclass(frozen=True, slots=True)
class OverheadCorrection:
    """A fit profiled = intercept + slope * unprofiled, for the profiler's overhead."""

    name: str
    intercept: float
    slope: float

    def __post_init__(self) -> None:
        if not np.isfinite([self.intercept, self.slope]).all() or self.slope == 0:
            raise InfluenceError(
                f"correction {self.name}: intercept {self.intercept} and slope {self.slope}; "
                "both must be finite and the slope not 0"
            )

    def unprofiled(self, profiled: FloatArray) -> FloatArray:
        """What `profiled` values are without the profiler: (x - intercept) / slope."""
        corrected: FloatArray = (profiled - self.intercept) / self.slope
        return corrected


@dataclass(frozen=True, slots=True)
class PredictionQuality:
    """How good predictions of `checked` measured configurations are.

    `error` is the mean absolute percentage error. `rank_correlation` is Spearman's, between -1 and 1: whether what is
    predicted to be faster is faster. `regret` is how much worse the configuration that is predicted to be best turned
    out to be than the best measured one, in percent. None where nothing can be told: of nothing, of a single
    configuration, or where all are alike.
    """

    error: float | None = None
    rank_correlation: float | None = None
    regret: float | None = None
    checked: int = 0

    @property
    def rank_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the rank correlation, after Bonett and Wright (2000); None of too few configurations."""
        if self.rank_correlation is None or self.checked < FEWEST_JUDGED:
            return None
        if abs(self.rank_correlation) >= 1:
            return self.rank_correlation, self.rank_correlation
        middle = np.arctanh(self.rank_correlation)
        half = ndtri((1 + CONFIDENCE) / 2) * np.sqrt((1 + self.rank_correlation**2 / 2) / (self.checked - 3))
        return float(np.tanh(middle - half)), float(np.tanh(middle + half))


@dataclass(frozen=True, slots=True)
class ModelAccuracy:
    """How well a model predicts end-to-end measurements, and its size.

    `quality` and the corrected errors, in percent, are over those of the `measured` configurations that
    fall into measured subspaces only. Mean and standard deviation (n - 1) are over
    the corrections whose name starts with "random". A model that is not composed of regions has neither corrections
    nor local terms, and counts no regions and subspaces.
    """

    quality: PredictionQuality
    measured: int
    terms_global_threshold: Mapping[float, int]
    configurations: int
    mape_per_correction: Mapping[str, float] = field(default_factory=dict)
    mape_corrected_mean: float | None = None
    mape_corrected_sd: float | None = None
    terms_local_threshold: Mapping[float, int] = field(default_factory=dict)
    regions: int = 0
    distinct_subspaces: int = 0
    covered_subspaces: int = 0
    uncovered_subspaces: int = 0
    cover_size: int = 0

    @property
    def drawn(self) -> dict[str, float]:
        """The errors with the corrections named random*, over which mean and standard deviation are."""
        return {name: error for name, error in self.mape_per_correction.items() if name.startswith(DRAWN)}


def mape(predicted: FloatArray, truth: FloatArray) -> float:
    """Mean absolute percentage error |predicted - truth| / truth, in percent. Raises `InfluenceError`."""
    if not len(truth) or not (np.isfinite(truth) & (truth != 0)).all():
        raise InfluenceError(
            "the error in percent divides by the truth: give at least one value, none of them 0"
        )
    return float(np.mean(np.abs(predicted - truth) / np.abs(truth)) * 100)


def prediction_quality(
    predicted: FloatArray, truth: FloatArray, *, lower_is_better: bool = True
) -> PredictionQuality:
    """The quality of the values that are `predicted` (n,), of which NaN is none; `truth` (n,) that is 0 or NaN is left out.

    Of configurations that are predicted to be equally good, the regret is the mean.
    """
    known = np.isfinite(predicted) & np.isfinite(truth) & (truth != 0)
    if not known.any():
        return PredictionQuality()
    predicted, truth = predicted[known], truth[known]
    best, promised = (truth.min(), predicted.min()) if lower_is_better else (truth.max(), predicted.max())
    chosen = truth[predicted == promised].mean()
    correlation = None
    if np.ptp(predicted) > 0 and np.ptp(truth) > 0:
        correlation = float(np.corrcoef(_ranks(predicted), _ranks(truth))[0, 1])
    return PredictionQuality(
        error=mape(predicted, truth),
        rank_correlation=correlation,
        regret=float(abs(chosen - best) / abs(best)) * 100 if len(truth) > 1 else None,
        checked=len(truth),
    )


def mean_as_prediction(truth: FloatArray) -> float | None:
    """The error of expecting of each of the values `truth` (n,) the mean of all others; None of too few to judge by.

    Values that are 0 or NaN are left out. A model that is no better has nothing to say of the options.
    """
    truth = truth[np.isfinite(truth) & (truth != 0)]
    if len(truth) < FEWEST_JUDGED:
        return None
    return mape((truth.sum() - truth) / (len(truth) - 1), truth)


def _ranks(values: FloatArray) -> FloatArray:
    """The place of each value in order, from 1; equal ones share the middle of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])


def accuracy(
    model: InfluenceModel,
    configurations: IntArray,
    truth: FloatArray,
    corrections: Sequence[OverheadCorrection] = (),
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    valid: ValidConfigurations | None = None,
    lower_is_better: bool = True,
) -> ModelAccuracy:
    """Compare `model` with the `truth` (n,) of `configurations` (n, n_options). Raises `InfluenceError`.

    With `valid` the cover is one of valid configurations.
    """
    times = model.times
    predicted = model.predict(configurations)
    corrected = {one.name: prediction_quality(one.unprofiled(predicted), truth).error for one in corrections}
    errors = {name: value for name, value in corrected.items() if value is not None}
    drawn = [value for name, value in errors.items() if name.startswith(DRAWN)]
    return ModelAccuracy(
        quality=prediction_quality(predicted, truth, lower_is_better=lower_is_better),
        mape_per_correction=errors,
        mape_corrected_mean=float(np.mean(drawn)) if drawn else None,
        mape_corrected_sd=float(np.std(drawn, ddof=1)) if len(drawn) > 1 else None,
        measured=len(truth),
        terms_local_threshold={limit: int(reach_locally(model, limit).sum()) for limit in thresholds},
        terms_global_threshold={limit: int(reach_globally(model, limit).sum()) for limit in thresholds},
        configurations=len(times.configurations),
        regions=len(times.regions),
        distinct_subspaces=distinct_subspaces(times.partitions),
        covered_subspaces=distinct_subspaces(times.partitions, times.configurations),
        uncovered_subspaces=sum(
            int((~covered(partition, times.configurations)).sum()) for partition in times.partitions
        ),
        cover_size=len(greedy_cover(times.space, times.partitions, valid)),
    )


def reach_globally(model: InfluenceModel, threshold: float) -> BoolArray:
    """Which terms have a summed coefficient of at least `threshold` in size; shape (n_terms,).

    Local influences of opposite sign cancel in this sum, and many small ones add up.
    """
    return np.abs(model.terms.coefficients) >= threshold * (1 - _SLACK)


def reach_locally(model: InfluenceModel, threshold: float) -> BoolArray:
    """Which terms have such a coefficient in at least one region: the union of thresholded local models.

    This is how the term counts of Velez et al., ICSE 2021, Table II, come about.
    """
    reached = np.zeros(len(model.terms), dtype=bool)
    for local in model.local:
        large = np.abs(local.coefficients) >= threshold * (1 - _SLACK)
        reached[local.positions] |= large.any(axis=0)
    return reached

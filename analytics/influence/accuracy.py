"""How well a model predicts end-to-end measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from analytics.configurations.covers import covered, distinct_subspaces, greedy_cover
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.errors import InfluenceError
from analytics.influence.models import InfluenceModel
from analytics.influence.times import FloatArray

# What the names of the corrections begin with that mean and deviation are over.
DRAWN = "random"
THRESHOLDS = (0.1, 0.3, 0.7, 1.0)
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
class ModelAccuracy:
    """Errors of a model against end-to-end measurements, in percent, and its size.

    `mape_original` and the corrected ones are means over the `predicted` of `measured` configurations that
    fall into measured subspaces only; None where there are none. Mean and standard deviation (n - 1) are over
    the corrections whose name starts with "random". A model that is not composed of regions has neither corrections
    nor local terms, and counts no regions and subspaces.
    """

    mape_original: float | None
    measured: int
    predicted: int
    terms_global_threshold: Mapping[float, int]
    configurations: int
    mape_per_correction: Mapping[str, float] = field(default_factory=dict)
    mape_corrected_mean: float | None = None
    mape_corrected_sd: float | None = None
    terms_local_threshold: Mapping[float, int] = field(default_factory=dict)
    regions: int = 0
    distinct_subspaces: int = 0
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


def error_where_predicted(predicted: FloatArray, truth: FloatArray) -> tuple[float | None, int]:
    """The `mape` over the values that are predicted, and how many: NaN is no prediction. None where none is."""
    known = ~np.isnan(predicted)
    return mape(predicted[known], truth[known]) if known.any() else None, int(known.sum())


def accuracy(
    model: InfluenceModel,
    configurations: IntArray,
    truth: FloatArray,
    corrections: Sequence[OverheadCorrection] = (),
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    valid: ValidConfigurations | None = None,
) -> ModelAccuracy:
    """Compare `model` with the `truth` (n,) of `configurations` (n, n_options). Raises `InfluenceError`.

    With `valid` the cover is one of valid configurations.
    """
    times = model.times
    predicted = model.predict(configurations)
    error, checked = error_where_predicted(predicted, truth)
    corrected = {one.name: error_where_predicted(one.unprofiled(predicted), truth)[0] for one in corrections}
    errors = {name: value for name, value in corrected.items() if value is not None}
    drawn = [value for name, value in errors.items() if name.startswith(DRAWN)]
    return ModelAccuracy(
        mape_original=error,
        mape_per_correction=errors,
        mape_corrected_mean=float(np.mean(drawn)) if drawn else None,
        mape_corrected_sd=float(np.std(drawn, ddof=1)) if len(drawn) > 1 else None,
        measured=len(truth),
        predicted=checked,
        terms_local_threshold={limit: int(reach_locally(model, limit).sum()) for limit in thresholds},
        terms_global_threshold={limit: int(reach_globally(model, limit).sum()) for limit in thresholds},
        configurations=len(times.configurations),
        regions=len(times.regions),
        distinct_subspaces=distinct_subspaces(times.partitions),
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

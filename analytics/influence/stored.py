"""Fitted models with the error on configurations held back, and their packed form for storage."""

import io
import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import cast

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.accuracy import PredictionQuality
from analytics.influence.linear import LeastSquares, LinearModel, relative_to_reference
from analytics.influence.located import LocatedModel
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.multiplicative import LearnedWhole, MultiplicativeModel
from analytics.influence.terms import Estimate
from analytics.influence.times import FloatArray

_WHOLE = "whole."


@dataclass(frozen=True, slots=True, eq=False)
class LearnedModel:
    """A model learned from `configurations` measured ones: of the program alone, or with its regions.

    `quality` is that of predicting configurations by models that did not see them. `margin` is half the 95 % interval of
    a prediction: in the metric's unit, or, where effects multiply, of its logarithm; None where too few could be held back.
    """

    model: LocatedModel
    configurations: int
    quality: PredictionQuality
    margin: float | None

    def prediction(self, value: float) -> Estimate:
        """What the model predicts, `value`, with its interval."""
        if self.margin is None or not self.model.is_multiplicative:
            return Estimate(value, self.margin)
        return Estimate(value, ends=(value * math.exp(-self.margin), value * math.exp(self.margin)))

    def difference(self, before: IntArray, after: IntArray) -> Estimate:
        """What configuration `after` is predicted to take more than `before`, (n_options,) each.

        Both predictions are off by what a model leaves unexplained of a configuration, each by itself: the intervals of the terms
        between them, which tell how sure the coefficients are, would hold the truth far too seldom (`docs/explanation/trust.md`).
        """
        first, second = self.model.predict(np.stack([before, after])).tolist()
        if self.margin is None or np.array_equal(before, after):
            return Estimate(second - first, None if self.margin is None else 0.0)
        apart = math.hypot(first, second) if self.model.is_multiplicative else math.sqrt(2.0)
        return Estimate.of(second - first, self.margin * apart)


def pack(learned: LearnedModel) -> bytes:
    """The model as bytes of arrays; `unpack` gives it back. Without regions, what no measurement determines is kept too."""
    whole, regions = learned.model.whole, learned.model.regions
    if regions:
        arrays = {
            "names": np.array(list(regions), dtype=str),
            "configurations": np.array([learned.configurations]),
        }
        parts = {_WHOLE: whole} | {f"{number}.": part for number, part in enumerate(regions.values())}
        for prefix, part in parts.items():
            arrays |= _arrays(prefix, part)
            arrays[f"{prefix}freedom"] = np.array([part.fitted.degrees_of_freedom])
    else:
        fitted = whole.fitted
        arrays = _arrays("", whole) | {
            "free": fitted.free,
            "counts": np.array([fitted.degrees_of_freedom, learned.configurations]),
            "variance": np.array([fitted.residual_variance]),
        }
        if learned.model.is_multiplicative:
            arrays["multiplicative"] = np.array([1])
    # None becomes NaN.
    arrays["quality"] = np.array([*astuple(learned.quality), learned.margin], dtype=float)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type] # the stub takes the arrays for its flag
    return buffer.getvalue()


def unpack(space: OptionSpace, payload: bytes) -> LearnedModel:
    """The model that `pack` wrote, over the options of the same system and those added behind them."""
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        if "counts" in arrays:
            freedom, configurations = arrays["counts"].tolist()
            free, variance = arrays["free"], float(arrays["variance"][0])
            own = _part(space, arrays, "")
            summed = model_of_terms(space, *own, freedom, free=free, variance=variance)
            multiplies = "multiplicative" in arrays
            model = LocatedModel(MultiplicativeModel.of(summed) if multiplies else summed, {})
        else:
            configurations = int(arrays["configurations"][0])
            names = {_WHOLE: _WHOLE} | {f"{at}.": name for at, name in enumerate(arrays["names"].tolist())}
            parts = {
                name: model_of_terms(space, *_part(space, arrays, prefix), int(arrays[f"{prefix}freedom"][0]))
                for prefix, name in names.items()
            }
            model = LocatedModel(parts.pop(_WHOLE), parts)
        told = [None if np.isnan(one) else one for one in arrays["quality"].tolist()]
    error, rank_correlation, regret, checked, margin = told
    quality = PredictionQuality(error, rank_correlation, regret, int(checked or 0))
    return LearnedModel(model, configurations, quality, margin)


def lower_triangle(fitted: LeastSquares) -> FloatArray:
    """The lower triangle of the coefficients' covariance, row by row, shape (n_terms * (n_terms + 1) / 2,)."""
    return fitted.covariance[np.tril_indices(len(fitted.coefficients))]


def model_of_terms(
    space: OptionSpace,
    levels: IntArray,
    coefficients: FloatArray,
    covariance: FloatArray,
    freedom: int,
    *,
    free: FloatArray | None = None,
    variance: float = float("nan"),
) -> LinearModel:
    """The model of stored terms `levels` (n_terms, n_options); `covariance` is what `lower_triangle` gave.

    `free` (n_terms, n_free) as in `LeastSquares`, None where all coefficients are determined.
    """
    square = np.zeros((len(levels), len(levels)))
    square[np.tril_indices(len(levels))] = covariance
    return relative_to_reference(
        space,
        levels,
        LeastSquares(
            coefficients=coefficients,
            covariance=square + np.tril(square, -1).T,
            free=np.zeros((len(levels), 0)) if free is None else free,
            degrees_of_freedom=freedom,
            residual_variance=variance,
        ),
    )


def _arrays(prefix: str, model: LearnedWhole) -> dict[str, FloatArray]:
    return {
        f"{prefix}levels": cast("FloatArray", model.levels.astype(np.int8)),
        f"{prefix}coefficients": model.fitted.coefficients,
        f"{prefix}covariance": lower_triangle(model.fitted),
    }


def _part(
    space: OptionSpace, arrays: Mapping[str, FloatArray], prefix: str
) -> tuple[IntArray, FloatArray, FloatArray]:
    """What `_arrays` gave, with levels for options that were added since: no term names these."""
    levels = arrays[f"{prefix}levels"].astype(np.int8)
    missing = len(space.options) - levels.shape[1]
    padded = np.pad(levels, ((0, 0), (0, missing)), constant_values=UNTOUCHED)
    return padded, arrays[f"{prefix}coefficients"], arrays[f"{prefix}covariance"]

"""A learned model with how far it lies from what it did not see, and its packed form for storage."""

import io
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.accuracy import mape
from analytics.influence.linear import (
    LeastSquares,
    LinearModel,
    learn,
    left_out_predictions,
    padded_to,
    relative_to_reference,
)
from analytics.influence.times import FloatArray

# Part of the key of stored fits: moves when the same measurements and terms would give other numbers.
LEARNER_VERSION = "least-squares-1"


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A model learned from `configurations` measured ones.

    `error` is the mean absolute percentage error of predicting each of `checked` configurations from all others;
    None where none can be predicted so. The terms were chosen with all of them in sight.
    """

    model: LinearModel
    configurations: int
    error: float | None
    checked: int


def learned(
    space: OptionSpace,
    levels: IntArray,
    configurations: IntArray,
    values: FloatArray,
    *,
    sums: FloatArray | None = None,
) -> Learned:
    """The model over the terms `levels` of `values` (n,) of `configurations`, and its error, as `learn` takes them."""
    model = learn(space, levels, configurations, values, sums=sums)
    predicted = left_out_predictions(space, levels, configurations, values, sums=sums)
    # A share of nothing is no error in percent.
    fair = np.isfinite(predicted) & (values != 0)
    return Learned(
        model=model,
        configurations=int(np.isfinite(values).sum()),
        error=mape(predicted[fair], values[fair]) if fair.any() else None,
        checked=int(fair.sum()),
    )


def packed(found: Learned) -> bytes:
    """The model as bytes of arrays; `unpacked` gives it back."""
    fitted = found.model.fitted
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        levels=fitted.levels.astype(np.int8),
        coefficients=fitted.coefficients,
        covariance=fitted.covariance[np.tril_indices(len(fitted.levels))],
        free=fitted.free,
        counts=np.array([fitted.degrees_of_freedom, found.configurations, found.checked]),
        told=np.array(
            [fitted.residual_variance, np.nan if found.error is None else found.error], dtype=float
        ),
    )
    return buffer.getvalue()


def symmetric(lower: FloatArray, size: int) -> FloatArray:
    """The symmetric matrix (size, size) of its lower triangle, row by row."""
    square = np.zeros((size, size))
    square[np.tril_indices(size)] = lower
    return square + np.tril(square, -1).T


def unpacked(space: OptionSpace, payload: bytes) -> Learned:
    """The model that `packed` wrote, over the options of the same system and what came behind them."""
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        levels, covariance = padded_to(arrays["levels"], space), arrays["covariance"]
        freedom, configurations, checked = arrays["counts"].tolist()
        variance, error = arrays["told"].tolist()
        square = symmetric(covariance, len(levels))
        fitted = LeastSquares(
            arrays["coefficients"], square, arrays["free"], freedom, variance, space, levels
        )
    return Learned(relative_to_reference(fitted), configurations, None if np.isnan(error) else error, checked)

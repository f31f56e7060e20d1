"""Linear models by scikit-learn, over options or over options and their pairs.

A column per level off the reference, whatever the level is: the terms then read like those of a composed model,
`option [from -> to]`, and a level without order costs nothing else than one with. What no measured configuration
tells apart, ordinary least squares shares out by the least squared coefficients.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.learners.fitted import LinearFit
from analytics.influence.times import FloatArray

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Linear:
    """Ordinary least squares over all terms of at most `degree` options."""

    degree: int = 1

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, _rng: np.random.Generator
    ) -> LinearFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.linear_model import LinearRegression  # noqa: PLC0415 -- a second of imports that few need

        return _fit(LinearRegression(), configurations, values, space, self.degree)


@dataclass(frozen=True, slots=True)
class Penalized:
    """Least squares with a penalty on coefficients; the intercept goes free.

    `absolute` is the share of the penalty on absolute coefficients: 1.0 is the lasso (Tibshirani 1996), 0.5 is
    scikit-learn's default elastic net (Zou & Hastie 2005). `penalty` is scikit-learn's alpha, in the metric's unit:
    1.0, its default, is what Velez et al. (ICSE 2021) used, on seconds. None chooses it by cross-validation over
    five folds, which suits values of any size; from fewer values than folds nothing can be chosen, and 1.0 is taken.
    """

    degree: int = 1
    absolute: float = 1.0
    penalty: float | None = 1.0

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> LinearFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.linear_model import ElasticNet, ElasticNetCV  # noqa: PLC0415 -- a second of imports that few need
        from sklearn.model_selection import KFold  # noqa: PLC0415 -- likewise

        if self.penalty is None and len(values) >= _FOLDS:
            # Shuffled: the rows may come in an order.
            folds = KFold(_FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
            estimator = ElasticNetCV(l1_ratio=self.absolute, cv=folds)
        else:
            alpha = 1.0 if self.penalty is None else self.penalty
            estimator = ElasticNet(alpha=alpha, l1_ratio=self.absolute)
        return _fit(estimator, configurations, values, space, self.degree)


def _fit(
    estimator: Any, configurations: IntArray, values: FloatArray, space: OptionSpace, degree: int
) -> LinearFit:
    """The fit of a scikit-learn estimator over all terms but the intercept, which it adds itself."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 -- a second of imports that few need

    levels = terms_up_to(space, degree)
    with warnings.catch_warnings():
        # Descent that stops at the iteration limit, at the smallest penalties tried, is near enough to its end.
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(design_matrix(levels[1:], configurations), values)
    return LinearFit.of(space, levels, np.append(estimator.intercept_, estimator.coef_))

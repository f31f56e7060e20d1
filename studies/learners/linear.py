"""Linear models by scikit-learn, over options or over options and their pairs.

A column per level off the reference, whatever the level is: the terms then read like those of a composed model,
`option [from -> to]`, and a level without order costs nothing else than one with. What no measured configuration
tells apart, ordinary least squares shares out by the least squared coefficients.
"""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Linear:
    """Least squares over all terms of at most `degree` options, with a penalty on coefficients; the intercept goes free.

    `penalty` is scikit-learn's alpha, in the metric's unit: 0 is ordinary least squares; 1.0, its default, is what Velez
    et al. (ICSE 2021) used, on seconds. None chooses it by cross-validation over five folds, which suits values of any
    size; from fewer values than folds nothing can be chosen, and 1.0 is taken. `absolute` is the share of the penalty on
    absolute coefficients: 1.0 is the lasso (Tibshirani 1996), 0.5 is scikit-learn's default elastic net (Zou & Hastie
    2005).
    """

    degree: int = 1
    penalty: float | None = 0.0
    absolute: float = 1.0
    interpretable: ClassVar = True

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> TermTable:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 -- a second of imports that few need
        from sklearn.linear_model import ElasticNet, ElasticNetCV, LinearRegression  # noqa: PLC0415 -- likewise
        from sklearn.model_selection import KFold  # noqa: PLC0415 -- likewise

        if self.penalty == 0:
            estimator: Any = LinearRegression()
        elif self.penalty is None and len(values) >= _FOLDS:
            # Shuffled: the rows may come in an order.
            folds = KFold(_FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
            estimator = ElasticNetCV(l1_ratio=self.absolute, cv=folds)
        else:
            penalty = 1.0 if self.penalty is None else self.penalty
            estimator = ElasticNet(alpha=penalty, l1_ratio=self.absolute)
        levels = terms_up_to(space, self.degree)
        with warnings.catch_warnings():
            # Descent that stops at the iteration limit, at the smallest penalties tried, is near enough to its end.
            warnings.simplefilter("ignore", ConvergenceWarning)
            # All terms but the intercept, which scikit-learn adds itself.
            estimator.fit(design_matrix(levels[1:], configurations), values)
        return TermTable.without_errors(space, levels, np.append(estimator.intercept_, estimator.coef_))

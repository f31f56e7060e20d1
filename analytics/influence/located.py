"""A learned model that tells where its terms arise: the sum of local models of regions, and a rest outside of them."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.errors import UnknownTermError
from analytics.influence.learned import symmetric
from analytics.influence.linear import LeastSquares, LinearModel, padded_to, relative_to_reference
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.shares import RegionShare
from analytics.influence.terms import Term, TermTable
from analytics.influence.times import FloatArray

_OF_WHOLE = "whole"


@dataclass(frozen=True, eq=False)
class LocatedModel:
    """The model of the program as a `whole`, relative to its base, and those of `regions` relative to the reference.

    `target` is the configuration that the terms lead to, None where they lead anywhere. What the regions' terms lack of
    the whole arises in none of them.
    """

    whole: LinearModel
    regions: Mapping[str, LinearModel]
    target: IntArray | None = None

    @property
    def base(self) -> IntArray:
        """The configuration that terms are relative to, shape (n_options,)."""
        return self.whole.base

    @property
    def terms(self) -> TermTable:
        """The terms of the whole, the intercept first."""
        return self.whole.terms

    @cached_property
    def local(self) -> Mapping[str, TermTable]:
        """The terms of each region, relative to the same base as those of the whole."""
        if self.target is None:
            return {name: one.relative_to(self.base).terms for name, one in self.regions.items()}
        return {name: one.between(self.base, self.target).terms for name, one in self.regions.items()}

    def relative_to(self, base: IntArray) -> "LocatedModel":
        """The same model with influences relative to configuration `base`, shape (n_options,)."""
        return LocatedModel(self.whole.relative_to(base), self.regions)

    def between(self, before: IntArray, after: IntArray) -> "LocatedModel":
        """The terms that lead from configuration `before`, the base, to `after`: nothing else varies."""
        return LocatedModel(self.whole.between(before, after), self.regions, after)

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration, shape (n,)."""
        return self.whole.predict(configurations)

    def shares(self, term: Term) -> tuple[RegionShare, ...]:
        """The regions of `term`, the largest first, those that add exactly 0 left out. Raises `UnknownTermError`."""
        total = float(self.terms.coefficients[self.terms.index(term)])
        found = []
        for name, table in self.local.items():
            try:
                row = table.index(term)
            except UnknownTermError:
                continue
            if (value := float(table.coefficients[row])) != 0:
                half = float(table.margins[row])
                found.append(
                    RegionShare(
                        region=name,
                        coefficient=value,
                        share=value / total if total else float("nan"),
                        standard_error=float(table.standard_errors[row]),
                        lower=value - half,
                        upper=value + half,
                    )
                )
        return tuple(sorted(found, key=lambda share: (-abs(share.coefficient), share.region)))

    def reached(self) -> IntArray:
        """In how many regions each option has a term, shape (n_options,)."""
        touched = [(one.fitted.levels != UNTOUCHED).any(axis=0) for one in self.regions.values()]
        return np.sum(touched, axis=0, dtype=int) if touched else np.zeros(len(self.base), dtype=int)

    def significant_regions(self) -> IntArray:
        """In how many regions each term of the whole is significant, shape (n_terms,)."""
        places = {row.tobytes(): at for at, row in enumerate(self.terms.levels.astype(np.int8))}
        counts = np.zeros(len(self.terms), dtype=int)
        for table in self.local.values():
            told = np.abs(table.coefficients) > np.nan_to_num(table.margins)
            for row in table.levels[told].astype(np.int8):
                if row.tobytes() in places:
                    counts[places[row.tobytes()]] += 1
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class LearnedInRegions:
    """A located model learned from `configurations` measured ones.

    `error` is the mean absolute percentage error on each of `checked` configurations, held back part by part; None
    where there were too few to hold any back.
    """

    model: LocatedModel
    configurations: int
    error: float | None
    checked: int


def without_zero_terms(model: LinearModel) -> LinearModel:
    """The same local model without the terms that are surely zero."""
    fitted = model.fitted
    kept = (fitted.coefficients != 0) | (np.diag(fitted.covariance) > 0)
    return relative_to_reference(
        LeastSquares(
            coefficients=fitted.coefficients[kept],
            covariance=fitted.covariance[np.ix_(kept, kept)],
            free=fitted.free[kept],
            degrees_of_freedom=fitted.degrees_of_freedom,
            residual_variance=fitted.residual_variance,
            space=fitted.space,
            levels=fitted.levels[kept],
        )
    )


def packed_in_regions(found: LearnedInRegions) -> bytes:
    """The model as bytes of arrays; `unpacked_in_regions` gives it back."""
    arrays = _arrays(_OF_WHOLE, found.model.whole.fitted)
    for number, one in enumerate(found.model.regions.values()):
        arrays |= _arrays(str(number), one.fitted)
    error = np.nan if found.error is None else found.error
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        **arrays,  # type: ignore[arg-type] # the stub takes the arrays for its flag
        names=np.array(list(found.model.regions), dtype=str),
        told=np.array([found.configurations, found.checked, error], dtype=float),
    )
    return buffer.getvalue()


def unpacked_in_regions(space: OptionSpace, payload: bytes) -> LearnedInRegions:
    """The model that `packed_in_regions` wrote, over the options of the same system and what came behind them."""
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        names = arrays["names"].tolist()
        configurations, checked, error = arrays["told"].tolist()
        model = LocatedModel(
            _model(space, arrays, _OF_WHOLE),
            {name: _model(space, arrays, str(number)) for number, name in enumerate(names)},
        )
    return LearnedInRegions(model, int(configurations), None if np.isnan(error) else error, int(checked))


def _arrays(name: str, fitted: LeastSquares) -> dict[str, FloatArray]:
    return {
        f"{name}.levels": fitted.levels.astype(np.int8),
        f"{name}.coefficients": fitted.coefficients,
        f"{name}.covariance": lower_triangle(fitted),
        f"{name}.freedom": np.array([fitted.degrees_of_freedom]),
    }


def lower_triangle(fitted: LeastSquares) -> FloatArray:
    """The lower triangle of the coefficients' covariance, row by row, shape (n_terms * (n_terms + 1) / 2,)."""
    return fitted.covariance[np.tril_indices(len(fitted.levels))]


def stored_model(
    space: OptionSpace, levels: IntArray, coefficients: FloatArray, covariance: FloatArray, freedom: int
) -> LinearModel:
    """The model of stored terms (n_terms, n_options); `covariance` is what `lower_triangle` gave."""
    return relative_to_reference(
        LeastSquares(
            coefficients=coefficients,
            covariance=symmetric(covariance, len(levels)),
            free=np.zeros((len(levels), 0)),
            degrees_of_freedom=freedom,
            residual_variance=float("nan"),
            space=space,
            levels=levels,
        )
    )


def _model(space: OptionSpace, arrays: Mapping[str, FloatArray], name: str) -> LinearModel:
    return stored_model(
        space,
        padded_to(arrays[f"{name}.levels"].astype(np.int8), space),
        arrays[f"{name}.coefficients"],
        arrays[f"{name}.covariance"],
        int(arrays[f"{name}.freedom"][0]),
    )

"""A model as plain numbers, small enough to go along with a report: what a script needs to predict any configuration.

A script adds up what these say, as `InfluenceModel.predict` and `LinearModel.predict` do, and the intervals follow
from the repetitions as in `uncertainty`.
"""

import math
from dataclasses import dataclass

import numpy as np

from analytics.influence.located import LocatedModel, TermModel
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import margins

# Half the widths of intervals are told for this many degrees of freedom: 1 / df at equal distances from 0 to 1.
_STEPS = 200


@dataclass(frozen=True, slots=True)
class FrozenPartition:
    """The summed regions of one partition.

    `options` are positions; `cells` holds the subspace of every combination of their levels, the last option changing
    fastest. Of each subspace: `values`, None where nothing was measured, and whether repetitions tell its noise.
    `assigned` is the subspace of each measured configuration, `residuals` what each of its repetitions moves.
    """

    options: tuple[int, ...]
    cells: tuple[int, ...]
    values: tuple[float | None, ...]
    is_noise_known: tuple[bool, ...]
    assigned: tuple[int, ...]
    residuals: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class FrozenTerm:
    """A term of a learned model: the (option, level) that it needs, by position, and its coefficient.

    A prediction is determined where the `free` of all its terms add up to 0.
    """

    levels: tuple[tuple[int, int], ...]
    coefficient: float
    free: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FrozenModel:
    """A model by `groups`, or a learned one by `terms` with the `margin` of all its predictions.

    Of a multiplicative one the terms add up to the logarithm of a prediction, and `margin` is that of the logarithm. Of one that
    `is_never_negative` no interval reaches below zero.

    `repetitions` counts the runs of each measured configuration. `quantiles` are half the widths of a 95 % interval in
    standard errors (Student's t), for 1 / df at equal distances from 0 to 1.
    """

    groups: tuple[FrozenPartition, ...] = ()
    repetitions: tuple[int, ...] = ()
    quantiles: tuple[float, ...] = ()
    terms: tuple[FrozenTerm, ...] = ()
    margin: float | None = None
    is_multiplicative: bool = False
    is_never_negative: bool = False

    @property
    def size(self) -> int:
        """About how many numbers it is written with."""
        groups = sum(
            len(one.cells) + 2 * len(one.values) + sum(map(len, one.residuals)) for one in self.groups
        )
        return groups + sum(2 * len(one.levels) + 1 + len(one.free) for one in self.terms)


def frozen(model: TermModel, margin: float | None = None) -> FrozenModel:
    """The numbers of a model; `margin` is that of the predictions of a learned one, as it is stored."""
    if isinstance(model, LocatedModel):
        fitted = model.whole.fitted
        terms = tuple(
            FrozenTerm(
                tuple((at, int(row[at])) for at in np.flatnonzero(row != UNTOUCHED).tolist()),
                coefficient,
                tuple(free),
            )
            for row, coefficient, free in zip(
                model.whole.levels, fitted.coefficients.tolist(), fitted.free.tolist(), strict=True
            )
        )
        return FrozenModel(terms=terms, margin=margin, is_multiplicative=model.is_multiplicative)
    freedom = 1 / np.maximum(np.arange(_STEPS + 1) / _STEPS, 1e-9)
    return FrozenModel(
        groups=tuple(
            FrozenPartition(
                options=one.partition.options,
                cells=tuple(one.partition.table.ravel().tolist()),
                values=tuple(
                    None if math.isnan(value) else value for value in one.values.sum(axis=0).tolist()
                ),
                is_noise_known=tuple(np.isfinite(one.variances.sum(axis=0)).tolist()),
                assigned=tuple(one.assigned.tolist()),
                # Eight digits are enough for an interval, and half as long.
                residuals=tuple(
                    tuple(float(f"{moved:.8g}") for moved in row) for row in one.residuals.tolist()
                ),
            )
            for one in (local.subspaces for local in model.local)
        ),
        repetitions=tuple(model.times.ran.sum(axis=1).tolist()),
        quantiles=tuple(margins(np.ones(_STEPS + 1), freedom).tolist()),
    )

"""Predicting configurations by models that were made without them, and the intervals that follow from how far off they are.

What a model leaves of the values that it was made from flatters it: its terms were chosen for them, and its coefficients fit
them. So configurations are put into parts, and for each part terms are chosen and coefficients fitted without it
(cross-validation). The differences between what was measured and what is predicted so hold the noise, what the terms do not
tell, and the luck of the choice. Intervals of predictions and of influences come from them (as in Barber et al., Predictive
inference with the jackknife+, Annals of Statistics 2021).
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from scipy import special

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.linear import solve
from analytics.influence.term_choice import DEGREE, MOST_TERMS, ROWS, SEED, choose_terms
from analytics.influence.terms import CONFIDENCE
from analytics.influence.times import FloatArray
from analytics.progress import Progress, no_progress

# Parts of few and of many configurations: of many, a fifth less hardly makes another model.
PARTS, PARTS_OF_MANY, MANY = 10, 5, 200
# From fewer differences no interval is told.
FEWEST = 5
# From so many on the largest differences tell the interval themselves; of fewer Student's t does.
ENOUGH = 100


def parts_of(configurations: IntArray, count: int) -> IntArray:
    """The part 0 .. `count` - 1 of each of `configurations` (n, n_options), shape (n,): it does not depend on the others.

    Options that are added behind the others at their reference change nothing.
    """
    rows = np.asarray(configurations, dtype=np.int8)
    return np.array([crc32(row.tobytes().rstrip(b"\0")) % count for row in rows], dtype=int)


def terms_without_parts(
    space: OptionSpace,
    configurations: IntArray,
    values: FloatArray,
    *,
    degree: int = DEGREE,
    most: int = MOST_TERMS,
    rows: int = ROWS,
    seed: int = SEED,
    from_all_levels: bool = False,
    tell: Progress = no_progress,
) -> list[IntArray]:
    """The terms that `choose_terms` chooses without each part, shapes (n_terms, n_options); none where nothing else was measured."""
    count = PARTS if len(configurations) < MANY else PARTS_OF_MANY
    parts = parts_of(configurations, count)
    chosen = []
    for part in range(count):
        tell(part / count, f"choosing terms without part {part + 1} of {count}")
        others, others_values = configurations[parts != part], values[parts != part]
        measured = np.isfinite(others_values).any(axis=0)
        if measured.any():
            limits = {"degree": degree, "most": most, "rows": rows, "seed": seed}
            own = others_values[:, measured]
            chosen.append(choose_terms(space, others, own, **limits, from_all_levels=from_all_levels))
        else:
            chosen.append(np.empty((0, len(space.options)), dtype=np.int8))
    return chosen


def predictions_without_parts(
    configurations: IntArray, values: FloatArray, chosen: Sequence[IntArray]
) -> FloatArray:
    """What models of `values` (n,) over the terms `chosen` without each part predict for it; shape (n,).

    NaN where the value is NaN, or where the other parts do not determine the prediction.
    """
    predicted = np.full(len(values), np.nan)
    known = np.isfinite(values)
    parts = parts_of(configurations, len(chosen)) if chosen else np.full(len(values), -1)
    for part, levels in enumerate(chosen):
        own, others = known & (parts == part), known & (parts != part)
        if own.any() and others.any() and len(levels):
            fitted = solve(design_matrix(levels, configurations[others]), values[others])
            design = design_matrix(levels, configurations[own])
            predicted[own] = np.where(fitted.determined(design), design @ fitted.coefficients, np.nan)
    return predicted


def prediction_margin(differences: FloatArray) -> float | None:
    """Half the 95 % interval of a prediction, from how far off predictions of others were; NaN is none. None from too few.

    Student's t with their mean square; of many, the quantile that the next one stays below by chance (split conformal).
    """
    sizes = np.sort(np.abs(differences[np.isfinite(differences)]))
    count = len(sizes)
    if count < FEWEST:
        return None
    if count >= ENOUGH:
        return float(sizes[int(np.ceil(CONFIDENCE * (count + 1))) - 1])
    quantile = float(special.stdtrit(count - 1, (1 + CONFIDENCE) / 2))
    return quantile * float(np.sqrt((sizes**2).mean() * (1 + 1 / count)))

"""Choosing terms: forward selection with interactions, one set of terms for all revisions, then pruning.

Forward, as in Siegmund et al. (ESEC/FSE 2015): an interaction becomes a candidate once a term with one option fewer
is in the model. Each step takes the candidate that raises the likelihood of all revisions together most, each revision
with its own coefficients and its own noise. It stops where the extended Bayesian information criterion (Chen & Chen,
Biometrika 2008, gamma = 1) does not fall any more:

    sum over revisions of (n log RSS + k log n)  +  2 k log m

with k terms, n configurations and m candidates in sight. Then terms that the criterion can do without go, the one that
matters least first. Nothing here is set by hand for one system.
"""

from collections.abc import Sequence

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.errors import LearningError
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import union
from analytics.influence.times import FloatArray

_ALIASED = 1e-9  # relative: what is left of a column that the chosen ones already tell
_TIED = 1e-9  # relative: gains this close are equal but for rounding, and the first of them counts
_EXACT = 1e-20  # relative: a rest this small is rounding


# Limits of a search: options in a term, terms in all, and configurations that are looked at. Of more configurations as
# many are drawn at random, by the seed: which terms matter shows in a few thousand, and the search takes time in
# proportion.
DEGREE, MOST_TERMS, ROWS, SEED = 3, 150, 4_000, 1


class _Side:
    """The revisions that measured the same configurations, during the search.

    `configurations` (n, n_options) with their `values` (n, n_revisions), none NaN; what is left of the values and of the
    candidates' columns.
    """

    def __init__(self, configurations: IntArray, values: FloatArray) -> None:
        self.configurations, self.values = configurations, values
        self.rest = values - values.mean(axis=0)
        self.floor = np.maximum(_EXACT * (values**2).sum(axis=0), np.finfo(float).tiny)
        self.columns, self.sizes = np.empty((len(values), 0)), np.empty(0)
        # An orthonormal basis of the columns of the chosen terms, the intercept first.
        self.chosen = [np.full(len(values), len(values) ** -0.5)]

    def add(self, columns: FloatArray) -> None:
        """Append the columns of new candidates, without what the chosen terms already tell."""
        sizes = (columns**2).sum(axis=0)
        # Twice: once leaves too much of what rounding brings back.
        for _ in range(2):
            for own in self.chosen:
                columns = columns - np.outer(own, own @ columns)
        self.columns = np.hstack([self.columns, columns])
        self.sizes = np.concatenate([self.sizes, sizes])

    def gains(self) -> FloatArray:
        """How much each candidate would raise twice the log likelihood; shape (n_candidates,)."""
        left = (self.columns**2).sum(axis=0)
        free = left > _ALIASED * self.sizes
        taken = (self.columns.T @ self.rest) ** 2
        taken[free] /= left[free, np.newaxis]
        taken[~free] = 0.0
        sums = (self.rest**2).sum(axis=0)
        ratio = np.maximum(sums - taken, self.floor) / np.maximum(sums, self.floor)
        gains: FloatArray = -len(self.rest) * np.log(ratio).sum(axis=1)
        return gains

    def take(self, column: int) -> None:
        """Put a candidate into the model."""
        own = self.columns[:, column]
        size = float(own @ own)
        if size > _ALIASED * self.sizes[column]:
            own = own / np.sqrt(size)
            self.chosen.append(own)
            self.rest = self.rest - np.outer(own, own @ self.rest)
            self.columns = self.columns - np.outer(own, own @ self.columns)
        self.columns = np.delete(self.columns, column, axis=1)
        self.sizes = np.delete(self.sizes, column)


def choose_terms(
    space: OptionSpace,
    configurations: IntArray,
    values: FloatArray,
    *,
    degree: int = DEGREE,
    most: int = MOST_TERMS,
    rows: int = ROWS,
    seed: int = SEED,
) -> IntArray:
    """One set of terms for all revisions, shape (n_terms, n_options): products of indicators [option = level].

    The intercept comes first; a level may be the reference level (`LinearModel` tells influences from any base).
    `values` (n, n_revisions) of `configurations` (n, n_options) are NaN where a revision did not measure one. At most
    `most` terms of at most `degree` options; of the configurations of a group of revisions at most `rows` are looked
    at, drawn by `seed`. Raises `LearningError`.
    """
    sides = _sides(configurations, values, rows, np.random.default_rng(seed))
    single = _single(space)
    chosen = [np.full(len(space.options), UNTOUCHED, dtype=np.int8)]
    candidates: list[IntArray] = []
    offered: set[bytes] = {chosen[0].tobytes()}
    _offer(list(single), candidates, offered, sides)
    while candidates and len(chosen) < most:
        gains = sum((side.gains() for side in sides), np.zeros(len(candidates)))
        best = int(np.argmax(gains >= gains.max() * (1 - _TIED)))
        if gains[best] <= _penalty(sides, len(offered)):
            break
        term = candidates.pop(best)
        for side in sides:
            side.take(best)
        chosen.append(term)
        if int((term != UNTOUCHED).sum()) < degree:
            # The interactions with one option more.
            free = ((single != UNTOUCHED) & (term == UNTOUCHED)).any(axis=1)
            wider = [np.where(term == UNTOUCHED, one, term) for one in single[free]]
            _offer(wider, candidates, offered, sides)
    ordered, _ = union([_pruned(chosen, sides, _penalty(sides, len(offered)))])
    return ordered


def _sides(configurations: IntArray, values: FloatArray, rows: int, rng: np.random.Generator) -> list[_Side]:
    """The revisions grouped by which configurations they measured; at most `rows` of these, each as likely as the others.

    Raises `LearningError` where a revision measured none.
    """
    patterns, group = np.unique(np.isfinite(values), axis=1, return_inverse=True)
    if not patterns.size or not patterns.any(axis=0).all():
        raise LearningError("choosing terms needs at least one measured configuration")
    sides = []
    for number, measured in enumerate(patterns.T):
        kept, own = configurations[measured], values[measured][:, group.ravel() == number]
        if len(kept) > rows:
            drawn = np.sort(rng.choice(len(kept), rows, replace=False))
            kept, own = kept[drawn], own[drawn]
        sides.append(_Side(kept, own))
    return sides


def _single(space: OptionSpace) -> IntArray:
    """A term for every level of every option; for a switch one is enough, since off is what on is not.

    The reference level too: what one level alone takes would else need a term for each of the others.
    """
    rows = np.array(
        [
            (option, level)
            for option, size in enumerate(space.sizes)
            for level in range(1 if size == 2 else 0, size if size > 1 else 0)
        ],
        dtype=int,
    ).reshape(-1, 2)
    terms = np.full((len(rows), len(space.options)), UNTOUCHED, dtype=np.int8)
    terms[np.arange(len(rows)), rows[:, 0]] = rows[:, 1]
    return terms


def _penalty(sides: Sequence[_Side], seen: int) -> float:
    """What a term must raise twice the log likelihood by."""
    own = sum(one.values.shape[1] * np.log(len(one.values)) for one in sides)
    return float(own + 2 * np.log(seen))


def _offer(
    terms: Sequence[IntArray], candidates: list[IntArray], offered: set[bytes], sides: Sequence[_Side]
) -> None:
    """Append those of `terms` that were not offered before."""
    new = [term for term in terms if term.tobytes() not in offered]
    if not new:
        return
    offered.update(term.tobytes() for term in new)
    candidates += new
    for side in sides:
        side.add(design_matrix(np.array(new), side.configurations))


def _pruned(chosen: Sequence[IntArray], sides: Sequence[_Side], penalty: float) -> IntArray:
    """The chosen terms without those whose loss costs less than the penalty; the intercept stays."""
    kept = np.array(chosen)
    parts = [_solved(kept, one) for one in sides]
    while len(kept) > 1:
        losses = np.zeros(len(kept))
        for inverse, coefficients, sums, n in parts:
            weight = np.diag(inverse)[:, np.newaxis]
            # Nothing is lost by a term that these observations do not tell: its coefficient and weight are zero.
            raised = np.divide(
                coefficients**2, weight, out=np.zeros_like(coefficients), where=weight > np.finfo(float).eps
            )
            losses += n * np.log1p(raised / sums).sum(axis=1)
        losses[0] = np.inf
        least = int(np.argmax(losses <= losses.min() * (1 + _TIED)))
        if losses[least] >= penalty:
            break
        kept = np.delete(kept, least, axis=0)
        parts = [_solved(kept, one) for one in sides]
    return kept


def _solved(levels: IntArray, one: _Side) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """The inverse Gram matrix, coefficients and residual sums of squares of one group of revisions."""
    design = design_matrix(levels, one.configurations)
    inverse = np.linalg.pinv(design.T @ design, hermitian=True)
    coefficients = inverse @ (design.T @ one.values)
    sums = ((one.values - design @ coefficients) ** 2).sum(axis=0)
    return inverse, coefficients, np.maximum(sums, one.floor), len(design)

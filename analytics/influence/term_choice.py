"""Choosing terms: forward selection with interactions, one set of terms for all revisions, then pruning.

Forward, as in Siegmund et al. (ESEC/FSE 2015): an interaction becomes a candidate once a term with one option fewer
is in the model. Each step takes the candidate that raises the likelihood of all revisions together most, each revision
with its own coefficients and its own noise. It stops where the extended Bayesian information criterion (Chen & Chen,
Biometrika 2008, gamma = 1) does not fall any more:

    sum over revisions of (n log RSS + k log n)  +  2 k log m

with k terms, n configurations and m candidates in sight. Then terms that the criterion can do without go, the one that
matters least first. Nothing here is set by hand for one system.

Where many options matter a little each, none of them stands out of what the others make, and an interaction that happens to look like
some of them may come first. So the search may begin with all levels at once, where the configurations tell them apart; what
the criterion can do without goes at the end.
"""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.errors import LearningError
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.term_evidence import TIED, StepwiseFit
from analytics.influence.term_pruning import FittedTerms, pruned
from analytics.influence.terms import union
from analytics.influence.times import FloatArray

# Limits of a search: options in a term, terms in all, and configurations that are looked at. Of more configurations as
# many are drawn at random, by the seed: which terms matter shows in a few thousand, and the search takes time in
# proportion.
DEGREE, MOST_TERMS, ROWS, SEED = 3, 150, 4_000, 1
# So many more configurations than levels tell these apart and the noise besides.
_BEYOND_LEVELS = 3


def choose_terms(
    space: OptionSpace,
    configurations: IntArray,
    values: FloatArray,
    *,
    degree: int = DEGREE,
    most: int = MOST_TERMS,
    rows: int = ROWS,
    seed: int = SEED,
    from_all_levels: bool = False,
) -> IntArray:
    """One set of terms for all revisions, shape (n_terms, n_options): products of indicators [option = level].

    The intercept comes first; a level may be the reference level (`LinearModel` tells influences from any base).
    `values` (n, n_revisions) of `configurations` (n, n_options) are NaN where a revision did not measure one. At most
    `most` terms of at most `degree` options; of the configurations of a group of revisions at most `rows` are looked
    at, drawn by `seed`. The search begins without any term, or `from_all_levels` where these can be told apart. Raises
    `LearningError`.
    """
    sides = _sides(configurations, values, rows, np.random.default_rng(seed))
    search = _Search(space, sides, degree, most)
    if from_all_levels and not search.takes_all_levels():
        return choose_terms(space, configurations, values, degree=degree, most=most, rows=rows, seed=seed)
    search.grow()
    ordered, _ = union([search.pruned()])
    return ordered


def tells_all_levels(space: OptionSpace, configurations: IntArray, values: FloatArray) -> bool:
    """Return whether a search from all levels is another one than that from no term. As `choose_terms`."""
    sides = _sides(configurations, values, ROWS, np.random.default_rng(SEED))
    return _Search(space, sides, DEGREE, MOST_TERMS).takes_all_levels()


class _Search:
    """One search: the terms that are chosen, and the candidates in sight."""

    def __init__(self, space: OptionSpace, sides: Sequence[StepwiseFit], degree: int, most: int) -> None:
        self.sides, self.degree, self.most = sides, degree, most
        self.single = _single(space)
        self.chosen = [np.full(len(space.options), UNTOUCHED, dtype=np.int8)]
        self.candidates: list[IntArray] = []
        self.offered: set[bytes] = {self.chosen[0].tobytes()}
        _offer(list(self.single), self.candidates, self.offered, sides)

    def takes_all_levels(self) -> bool:
        """Choose all levels, and offer interactions with those that are needed beside the others; whether they can be told apart.

        Where they cannot, the search is of no use any more.
        """
        if len(self.single) > self.most:
            return False
        while self.candidates:
            best = self._best(gains := self._gains())
            # What others tell already, or no configuration has.
            if gains[best] <= 0.0:
                break
            self._take(best)
        told = all(len(one.values) >= len(one.chosen) + _BEYOND_LEVELS for one in self.sides)
        if told:
            # With nearly as many terms as configurations whatever is added seems to explain all that is left.
            self.most = min(self.most, *(2 * len(one.values) // 3 for one in self.sides))
            solved = [FittedTerms.of(np.array(self.chosen), one) for one in self.sides]
            losses = sum((one.losses() for one in solved), np.zeros(len(self.chosen)))
            needed = losses >= _penalty(self.sides, len(self.offered))
            for term in compress(self.chosen[1:], needed[1:]):
                self._offer_wider(term)
        return told

    def grow(self) -> None:
        """Choose what the criterion asks for."""
        while self.candidates and len(self.chosen) < self.most:
            best = self._best(gains := self._gains())
            if gains[best] <= _penalty(self.sides, len(self.offered)):
                break
            self._offer_wider(self._take(best))

    def pruned(self) -> IntArray:
        """The chosen terms that are needed."""
        return pruned(self.chosen, self.sides, _penalty(self.sides, len(self.offered)))

    def _gains(self) -> FloatArray:
        return np.asarray(sum((side.gains() for side in self.sides), np.zeros(len(self.candidates))))

    @staticmethod
    def _best(gains: FloatArray) -> int:
        return int(np.argmax(gains >= gains.max() * (1 - TIED)))

    def _take(self, place: int) -> IntArray:
        term = self.candidates.pop(place)
        for side in self.sides:
            side.take(place)
        self.chosen.append(term)
        return term

    def _offer_wider(self, term: IntArray) -> None:
        """Offer the interactions with one option more."""
        if int((term != UNTOUCHED).sum()) < self.degree:
            free = ((self.single != UNTOUCHED) & (term == UNTOUCHED)).any(axis=1)
            wider = [np.where(term == UNTOUCHED, one, term) for one in self.single[free]]
            _offer(wider, self.candidates, self.offered, self.sides)


def _sides(
    configurations: IntArray, values: FloatArray, rows: int, rng: np.random.Generator
) -> list[StepwiseFit]:
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
        sides.append(StepwiseFit(kept, own))
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


def _penalty(sides: Sequence[StepwiseFit], seen: int) -> float:
    """What a term must raise twice the log likelihood by."""
    own = sum(one.values.shape[1] * np.log(len(one.values)) for one in sides)
    return float(own + 2 * np.log(seen))


def _offer(
    terms: Sequence[IntArray], candidates: list[IntArray], offered: set[bytes], sides: Sequence[StepwiseFit]
) -> None:
    """Append those of `terms` that were not offered before."""
    new = [term for term in terms if term.tobytes() not in offered]
    if not new:
        return
    offered.update(term.tobytes() for term in new)
    candidates += new
    for side in sides:
        side.add(design_matrix(np.array(new), side.configurations))

"""How terms are chosen, and whether effects add up or multiply: what predicts configurations that it did not see with the smaller error.

Where options multiply, a sum of terms needs interactions without end, and predicts less than nothing where savings meet;
where they add up, a product does as badly the other way. A search that begins without any term misses options that matter a
little each; one that begins with all levels takes too many where few configurations tell them apart. None of it is known
beforehand, so terms are chosen all four ways, and the error in percent of predicting each part of the configurations without it
decides, over all revisions together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.cross_validation import predictions_without_parts, terms_without_parts
from analytics.influence.multiplicative import logarithms
from analytics.influence.term_choice import choose_terms, tells_all_levels
from analytics.influence.times import FloatArray
from analytics.progress import Progress, no_progress

# A search from all levels, which leaves more terms, is taken where its error is smaller by two fifths: else intervals of the best configuration hold too seldom.
_BETTER = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class ChosenTerms:
    """The terms of a model, `levels` (n_terms, n_options), those chosen `without_parts`, and by which way."""

    levels: IntArray
    without_parts: Sequence[IntArray]
    is_multiplicative: bool
    from_all_levels: bool


def choose_terms_and_scale(
    space: OptionSpace, configurations: IntArray, values: FloatArray, *, tell: Progress = no_progress
) -> ChosenTerms:
    """The terms of one model for all revisions, of the values or of their logarithms, by which predicts better.

    `values` (n, n_revisions) as `choose_terms` takes them. Sums where a value is not above 0; sums from no term where nothing
    tells. Raises `LearningError`.
    """
    scales = (False,) if (values <= 0).any() else (False, True)
    beginnings = (False, True) if tells_all_levels(space, configurations, values) else (False,)
    ways = list(product(scales, beginnings))
    found = []
    for at, (is_multiplicative, from_all) in enumerate(ways):

        def tell_way(share: float, said: str, at: int = at) -> None:
            tell((at + share) / len(ways), f"{said}, way {at + 1} of {len(ways)}")

        targets = logarithms(values) if is_multiplicative else values
        levels = choose_terms(space, configurations, targets, from_all_levels=from_all)
        without = terms_without_parts(space, configurations, targets, from_all_levels=from_all, tell=tell_way)
        found.append(ChosenTerms(levels, without, is_multiplicative, from_all))
    errors = _errors(configurations, values, found)
    # Fewer terms are easier to read.
    errors[[one.from_all_levels for one in found]] /= _BETTER
    return found[int(np.argmin(errors))]


def _errors(configurations: IntArray, values: FloatArray, found: Sequence[ChosenTerms]) -> FloatArray:
    """The mean error of each choice, relative, where all of them predict; zeros where nothing tells."""
    each = []
    for value in values.T:
        predicted = np.array([_predicted(configurations, value, one) for one in found])
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.abs((predicted - value) / value)
        known = errors[:, np.isfinite(errors).all(axis=0)]
        if known.size:
            each.append(known.mean(axis=1))
    return np.asarray(np.mean(each, axis=0)) if each else np.zeros(len(found))


def _predicted(configurations: IntArray, value: FloatArray, one: ChosenTerms) -> FloatArray:
    if not one.is_multiplicative:
        return predictions_without_parts(configurations, value, one.without_parts)
    return np.asarray(np.exp(predictions_without_parts(configurations, logarithms(value), one.without_parts)))

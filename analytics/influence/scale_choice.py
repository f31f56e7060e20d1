"""Whether effects add up or multiply: what predicts configurations that it did not see with the smaller error.

Where options multiply, a sum of terms needs interactions without end, and predicts less than nothing where savings meet;
where they add up, a product does as badly the other way. Neither is known beforehand, so terms are chosen both ways, and
the error in percent of predicting each part of the configurations without it decides, over all revisions together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.cross_validation import predictions_without_parts, terms_without_parts
from analytics.influence.multiplicative import logarithms
from analytics.influence.term_choice import choose_terms
from analytics.influence.times import FloatArray
from analytics.progress import Progress, no_progress


@dataclass(frozen=True, slots=True, eq=False)
class ChosenTerms:
    """The terms of a model, `levels` (n_terms, n_options), those chosen `without_parts`, and whether they are of logarithms."""

    levels: IntArray
    without_parts: Sequence[IntArray]
    is_multiplicative: bool


def choose_terms_and_scale(
    space: OptionSpace, configurations: IntArray, values: FloatArray, *, tell: Progress = no_progress
) -> ChosenTerms:
    """The terms of one model for all revisions, of the values or of their logarithms, by which predicts better.

    `values` (n, n_revisions) as `choose_terms` takes them. Sums where nothing tells, or where a value is not above 0.
    Raises `LearningError`.
    """
    sums = _chosen(space, configurations, values, tell=lambda share, said: tell(share / 2, said))
    if (values <= 0).any():
        return ChosenTerms(*sums, is_multiplicative=False)
    targets = logarithms(values)
    products = _chosen(
        space,
        configurations,
        targets,
        tell=lambda share, said: tell((1 + share) / 2, f"{said}, of logarithms"),
    )
    each = []
    for value, target in zip(values.T, targets.T, strict=True):
        added = predictions_without_parts(configurations, value, sums[1])
        multiplied = np.exp(predictions_without_parts(configurations, target, products[1]))
        # Held against each other where both predict.
        errors = np.abs(np.array([added, multiplied]) - value) / value
        known = errors[:, np.isfinite(errors).all(axis=0)]
        if known.size:
            each.append(known.mean(axis=1))
    added_error, multiplied_error = np.mean(each, axis=0) if each else (0.0, 0.0)
    if multiplied_error < added_error:
        return ChosenTerms(*products, is_multiplicative=True)
    return ChosenTerms(*sums, is_multiplicative=False)


def _chosen(
    space: OptionSpace, configurations: IntArray, targets: FloatArray, *, tell: Progress
) -> tuple[IntArray, list[IntArray]]:
    """The terms of all configurations, and those without each part of them."""
    chosen = choose_terms(space, configurations, targets)
    return chosen, terms_without_parts(space, configurations, targets, tell=tell)

"""Stored fits are used as long as their method version is: numbers of a fixed set of fits move with it alone."""

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.design import terms_up_to
from analytics.influence.learned import HYBRID_VERSION, LEARNER_VERSION, learn_hybrid, learn_linear
from tests.analytics.influence.hybrid.programs import PROGRAM, TAINTS, counts_of, runs_of, some
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (False, True)), Option("C", (1, 2, 3))))
# By method version: coefficients and standard errors of the first terms, and the error in percent. Who changes a
# method so that these move gives it another version and writes its numbers here.
NUMBERS = {
    "least-squares-2": (
        9.931275922,
        1.858032657,
        1.278568163,
        0.3858929028,
        0.4897319055,
        0.4897319055,
        3.311576039,
    ),
    "hybrid-8": (
        0.09811669031,
        0.07509206647,
        0.03989707198,
        1.875706455e-4,
        8.368421926e-4,
        2.569864017e-4,
        0.476692161,
    ),
}


def test_numbers_of_learned_models_move_with_their_method_version_alone() -> None:
    rows = every_configuration(SPACE)
    values = 10.0 + rows @ np.array([2.0, 1.0, 0.5]) + np.sin(np.arange(len(rows)))
    found = learn_linear(SPACE, terms_up_to(SPACE, 2), rows, values)
    table = found.model.terms
    numbers = (*table.coefficients[:3], *table.standard_errors[:3], found.quality.error)
    assert numbers == pytest.approx(NUMBERS[LEARNER_VERSION], rel=1e-6)


def test_numbers_of_hybrid_models_move_with_their_method_version_alone() -> None:
    configurations = some(40)
    seconds = 0.05 + counts_of(PROGRAM, configurations) @ np.array([0.002, 0.002, 0.001, 0.004, 0.004])
    found = learn_hybrid(runs_of(configurations, plain=seconds + 0.001 * np.sin(np.arange(40))), TAINTS)
    table, rows = found.model.terms, [0, 1, 3]
    numbers = (*table.coefficients[rows], *table.standard_errors[rows], found.quality.error)
    assert numbers == pytest.approx(NUMBERS[HYBRID_VERSION], rel=1e-4)

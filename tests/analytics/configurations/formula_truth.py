"""Which configurations satisfy a formula, asked one by one."""

import numpy as np

from analytics.configurations.formulas import BoolArray, Formula, Literal, resolve
from analytics.configurations.operations import truth
from analytics.configurations.options import IntArray, OptionSpace


def satisfied(formula: Formula, space: OptionSpace, configurations: IntArray) -> BoolArray:
    """Which of `configurations`, shape (n, n_options), satisfy `formula`; shape (n,).

    Raises `ConfigurationError`.
    """

    def literal(atom: Literal) -> BoolArray:
        position, level = resolve(atom, space)
        column = configurations[:, position]
        held: BoolArray = column != 0 if level is None else column == level
        return held

    return truth(formula, literal, np.ones(len(configurations), dtype=bool))

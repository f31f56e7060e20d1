"""Which configurations satisfy a formula, asked one by one."""

from analytics.configurations.formulas import BoolArray, Formula, Literal, holds, resolve
from analytics.configurations.options import IntArray, OptionSpace


def satisfied(formula: Formula, space: OptionSpace, configurations: IntArray) -> BoolArray:
    """Which of `configurations`, shape (n, n_options), satisfy `formula`; shape (n,).

    Raises `UnknownOptionError` and `UnknownLevelError`.
    """

    def literal(atom: Literal) -> BoolArray:
        position, level = resolve(atom, space)
        column = configurations[:, position]
        held: BoolArray = column != 0 if level is None else column == level
        return held

    return holds(formula, literal, len(configurations))

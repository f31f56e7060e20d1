"""Plackett-Burman designs against the published ones and against what they promise."""

from itertools import combinations, product

import numpy as np
import pytest

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.plackett_burman import hadamard, many_levels, plackett_burman, two_levels
from analytics.configurations.validity import ValidConfigurations

# The generating rows that Plackett and Burman print, as the NIST handbook (Table 3.18 for 12) and pyDOE3 have them.
PUBLISHED = {
    8: "+++-+--",
    12: "++-+++---+-",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
}
# Their sequences for 3, 5 and 7 levels, as SPL Conqueror has them.
SEQUENCES = {
    (9, 3): "01220211",
    (27, 3): "00101211201110020212210222",
    (25, 5): "041121032242014434023313",
    (49, 7): "012622160532335204131143065155610245442503646634",
}


def valid_over(*options: Option) -> ValidConfigurations:
    """Every configuration over these options."""
    return ValidConfigurations.unconstrained(OptionSpace(options))


def balanced(design: IntArray, levels: int) -> bool:
    """Whether every pair of levels of any two columns is in equally many rows."""
    pairs = [design[:, [one, other]] for one, other in combinations(range(design.shape[1]), 2)]
    expected = len(design) / levels**2
    return all(
        (pair == wanted).all(axis=1).sum() == expected
        for pair in pairs
        for wanted in product(range(levels), repeat=2)
    )


@pytest.mark.parametrize(
    "order", [1, 2, *(order for order in range(4, 104, 4) if order not in (52, 92, 100))]
)
def test_hadamard_matrices_have_orthogonal_rows(order: int) -> None:
    matrix = hadamard(order)
    assert matrix is not None
    assert set(np.unique(matrix)) <= {-1, 1}
    assert (matrix @ matrix.T == order * np.eye(order)).all()
    assert (matrix[0] == 1).all()
    assert (matrix[:, 0] == 1).all()


def test_orders_that_need_other_ways_are_passed_over() -> None:
    assert [order for order in range(3, 104) if order % 4 == 0 and hadamard(order) is None] == [52, 92, 100]
    assert hadamard(6) is None
    assert len(two_levels(50)) == 56


@pytest.mark.parametrize("order", [12, 20, 24])
def test_the_design_of_two_levels_is_the_published_one_but_for_the_order_of_rows_and_columns(
    order: int,
) -> None:
    """Both have a run with everything off; each other two runs differ in as many options, each run has as many off."""
    design = two_levels(order - 1)
    row = [sign == "+" for sign in PUBLISHED[order]]
    published = np.array(
        [*(np.roll(row, shift) for shift in range(order - 1)), [False] * (order - 1)], dtype=int
    )
    for one in (design, published):
        assert balanced(one, 2)
        assert sorted(one.sum(axis=1)) == [0, *[order // 2] * (order - 1)]
        distances = (one[:, np.newaxis] != one[np.newaxis]).sum(axis=2)
        assert set(distances[np.triu_indices(order, 1)]) == {order // 2}


@pytest.mark.parametrize(("rows", "levels"), SEQUENCES)
def test_designs_of_many_levels_are_the_published_sequences_shifted(rows: int, levels: int) -> None:
    design = many_levels(4, levels, rows)
    sequence = [int(one) for one in SEQUENCES[rows, levels]]
    for column in range(4):
        assert design[:-1, column].tolist() == [*sequence[column:], *sequence[:column]]
    assert not design[-1].any()


@pytest.mark.parametrize(("rows", "levels", "columns"), [(9, 3, 4), (27, 3, 13), (25, 5, 6), (49, 7, 8)])
def test_a_design_of_many_levels_is_balanced_for_all_columns_it_holds(
    rows: int, levels: int, columns: int
) -> None:
    assert balanced(many_levels(columns, levels, rows), levels)
    with pytest.raises(ConfigurationError, match=rf"{columns + 1} options .* {rows} rows holds {columns}"):
        many_levels(columns + 1, levels, rows)


def test_without_rows_the_smallest_design_with_the_levels_is_taken() -> None:
    sizes = [
        len(many_levels(columns, levels))
        for columns, levels in [(1, 3), (4, 3), (5, 3), (2, 5), (7, 4), (3, 100)]
    ]
    assert sizes == [9, 9, 27, 25, 49, 49]
    # No design of seven levels holds nine options: five levels are nearest.
    assert len(many_levels(9, 7)) == 125
    with pytest.raises(ConfigurationError, match="known are 9, 25, 27, 49, 81, 125"):
        many_levels(2, 3, 10)


def test_two_levels_and_more_are_crossed_and_numbers_taken_in_order_from_end_to_end() -> None:
    valid = valid_over(
        Option("a", (False, True)), Option("b", (True, False)), Option("n", tuple(range(20, 0, -1)))
    )
    rows = plackett_burman(valid)
    # 4 rows over the two switches, each with the 7 levels of the number.
    assert len(rows) == 4 * 7
    assert np.unique(rows[:, 2]).tolist() == [0, 3, 6, 9, 13, 16, 19]
    assert len(plackett_burman(valid, 9)) == 4 * 3
    assert (rows[:, :2].mean(axis=0) == 0.5).all()


def test_options_that_cannot_vary_take_no_column_and_the_nearest_valid_configuration_stands_in() -> None:
    valid = valid_over(*(Option(name, (False, True)) for name in "abcd"))
    assert len(plackett_burman(valid)) == 8
    assert len(plackett_burman(valid.holding({3: 1}))) == 4
    some = valid.without([{0: 1, 1: 1}])
    rows = plackett_burman(some)
    assert some.allows(rows).all()
    assert len(rows) <= 8
    (alone,) = plackett_burman(valid.holding(dict.fromkeys(range(4), 1))).tolist()
    assert alone == [1, 1, 1, 1]

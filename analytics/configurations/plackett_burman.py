"""Plackett-Burman designs (Biometrika 1946): few configurations in which the levels of any two options are balanced.

Options with two levels have a design by a Hadamard matrix. Options with more have one by a cyclic sequence over 3, 5 or 7
levels, as SPL Conqueror has for numeric options (Siegmund et al., ESEC/FSE 2015). Where there are both, each row of one
meets each of the other.
"""

from collections.abc import Mapping, Sequence
from itertools import count, product

import numpy as np
from scipy.linalg import circulant

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, Option
from analytics.configurations.validity import ValidConfigurations

# By number of rows: how many levels, the first elements of the sequence, and what each later one is the sum of, modulo the
# levels: so many times each of those before it, the oldest first. They give the sequences of Plackett and Burman.
_SEQUENCES: Mapping[int, tuple[int, tuple[int, ...], tuple[int, ...]]] = {
    9: (3, (0, 1), (1, 2)),
    27: (3, (0, 0, 1), (2, 1, 0)),
    81: (3, (0, 1, 1, 1), (1, 0, 0, 1)),
    25: (5, (0, 4), (3, 4)),
    125: (5, (0, 2, 2), (2, 0, 1)),
    49: (7, (0, 1), (2, 2)),
}


def plackett_burman(valid: ValidConfigurations, rows: int = 0) -> IntArray:
    """The design over the options that can vary, each configuration once; shape (n, n_options).

    `rows` is the number of rows for options with more than two levels; 0: the smallest design
    with as many levels as they have (7 at most). Where constraints forbid a configuration, the valid one nearest to it stands for it. Raises
    `ConfigurationError` where there is no such design, or not for so many options.
    """
    possible = [
        [level for level in range(size) if valid.complete({position: level}) is not None]
        for position, size in enumerate(valid.space.sizes)
    ]
    two = [position for position, levels in enumerate(possible) if len(levels) == 2]
    more = [position for position, levels in enumerate(possible) if len(levels) > 2]
    switched = two_levels(len(two))
    turned = np.zeros((1, 0), dtype=np.int64)
    if more:
        spread = many_levels(len(more), max(len(possible[one]) for one in more), rows)
        levels = int(spread.max()) + 1
        turned = np.column_stack(
            [
                _spread(valid.space.options[position], possible[position], levels)[spread[:, column]]
                for column, position in enumerate(more)
            ]
        )
    start = valid.complete({})
    if start is None:
        return np.zeros((0, len(possible)), dtype=np.int8)
    wanted = np.repeat(start[np.newaxis], len(switched) * len(turned), axis=0)
    for row, (one, other) in zip(wanted, product(switched, turned), strict=True):
        row[two] = [possible[position][level] for position, level in zip(two, one, strict=True)]
        row[more] = other
    allowed = valid.allows(wanted)
    found = (row if good else valid.nearest(row) for row, good in zip(wanted, allowed, strict=True))
    kept = {row.tobytes(): row for row in found if row is not None}
    return np.array(list(kept.values()), dtype=np.int8)


def two_levels(columns: int) -> IntArray:
    """The design for so many options of two levels, 0 and 1: shape (n, columns), n above `columns`; the first row is 0."""
    matrix = next(
        found for order in count(4, 4) if order > columns and (found := hadamard(order)) is not None
    )
    return (matrix[:, 1 : columns + 1] < 0).astype(np.int64)


def many_levels(columns: int, levels: int, rows: int = 0) -> IntArray:
    """The design for so many options of 3, 5 or 7 levels, counted from 0: shape (n, columns), the last row 0.

    It has `rows`; 0: the fewest with `levels` levels, else with more, else as near to that as so many columns allow. With n rows of
    l levels (n - 1) / (l - 1) columns are orthogonal; SPL Conqueror goes on with multiples of these. Raises
    `ConfigurationError`.
    """
    if rows and rows not in _SEQUENCES:
        known = ", ".join(map(str, sorted(_SEQUENCES)))
        raise ConfigurationError(
            f"no Plackett-Burman design of several levels has {rows} rows: known are {known}"
        )
    room = {one: (one - 1) // (_SEQUENCES[one][0] - 1) for one in ([rows] if rows else _SEQUENCES)}
    fitting = [
        (-min(own, levels), own != levels, one)
        for one, (own, *_) in _SEQUENCES.items()
        if room.get(one, -1) >= columns
    ]
    if not fitting:
        raise ConfigurationError(
            f"{columns} options have more than two levels: a Plackett-Burman design of {rows or 81} rows holds "
            f"{max(room.values())} of them"
        )
    own, start, factors = _SEQUENCES[min(fitting)[2]]
    sequence = list(start)
    while len(sequence) < min(fitting)[2] - 1:
        before = sequence[-len(factors) :]
        sequence.append(sum(times * one for times, one in zip(factors, before, strict=True)) % own)
    turned = [np.roll(sequence, -column) for column in range(columns)]
    return np.vstack([np.column_stack(turned), np.zeros((1, columns), dtype=np.int64)])


def hadamard(order: int) -> IntArray | None:
    """A matrix of 1 and -1 whose rows are orthogonal, the first row and column 1; None where these ways lead to none.

    By doubling (Sylvester 1867) and by the squares modulo a prime (Paley, Journal of Mathematics and Physics 1933): all
    orders of 4, 8, ... 100 but 52, 92 and 100. scipy's `hadamard` knows powers of 2 alone.
    """
    half = hadamard(order // 2) if order % 8 == 0 else None
    if order in (1, 2):
        found = np.array([[1, 1], [1, -1]])[:order, :order]
    elif half is not None:
        found = np.kron([[1, 1], [1, -1]], half)
    elif order % 4 == 0 and _is_prime(order - 1):
        found = _bordered(order - 1, -1) + np.eye(order, dtype=np.int64)
    elif order % 4 == 0 and (order // 2 - 1) % 4 == 1 and _is_prime(order // 2 - 1):
        square = _bordered(order // 2 - 1, 1)
        found = np.kron(square, [[1, 1], [1, -1]]) + np.kron(
            np.eye(order // 2, dtype=np.int64), [[1, -1], [-1, -1]]
        )
    else:
        return None
    found = found * found[:, :1]
    signed: IntArray = found * found[:1]
    return signed


def _bordered(prime: int, sign: int) -> IntArray:
    """Paley's conference matrix of order `prime` + 1: 0 on the diagonal, symmetric with `sign` 1, else skew."""
    squares = {number * number % prime for number in range(1, prime)}
    character = [0, *(1 if number in squares else -1 for number in range(1, prime))]
    found = np.ones((prime + 1, prime + 1), dtype=np.int64)
    found[0, 0], found[1:, 0] = 0, sign
    found[1:, 1:] = circulant(character)
    return found


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _spread(option: Option, possible: Sequence[int], levels: int) -> IntArray:
    """The level of an option that each of so many levels of a design stands for, shape (levels,): evenly, with both ends.

    Numbers in their order; where the option has fewer levels, neighbours share one.
    """
    numbers = [option.levels[level] for level in possible]
    if all(isinstance(one, int | float) for one in numbers):
        possible = [possible[place] for place in np.argsort(np.array(numbers, dtype=float), kind="stable")]
    places = np.arange(levels) * len(possible) // levels
    if len(possible) > levels:
        places = np.rint(np.linspace(0, len(possible) - 1, levels)).astype(int)
    return np.array(possible)[places]

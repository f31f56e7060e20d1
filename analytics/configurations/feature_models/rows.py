"""Rows of features, as measurements list them, to configurations and back."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.errors import FoldingError
from analytics.configurations.feature_models.folding import ABSENT, Folding
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, Option

FloatArray = NDArray[np.float64]
Columns = Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A cell that disagrees with the rest of its row, or leaves an option open."""

    row: int
    feature: str
    problem: str


def fold_rows(folding: Folding, columns: Columns) -> tuple[IntArray, tuple[Mismatch, ...]]:
    """The configurations of rows of features, shape (n_rows, n_options), and what is wrong with some of the rows.

    Each column, shape (n_rows,), belongs to one feature. Configurations of rows with a mismatch mean nothing.
    Binary features are 0 or 1, numeric ones a value, NaN where they are absent. A group of alternatives may also stand
    as one column of numbers under its option's name. Features that are no option may be left out; where they are
    given, they must agree with the others. Raises `UnknownFeatureError` for a column that is neither, `FoldingError`
    where an option has no column.
    """
    length = len(next(iter(columns.values()), ()))
    configurations = np.zeros((length, len(folding.space.options)), dtype=np.int8)
    mismatches: list[Mismatch] = []
    for position, option in enumerate(folding.space.options):
        levels, problems = _levels(folding, option, columns)
        configurations[:, position] = np.maximum(levels, 0)
        rows = np.flatnonzero(levels < 0)
        mismatches += [Mismatch(int(row), option.name, problems[levels[row]]) for row in rows]
    wrong = {mismatch.row for mismatch in mismatches}
    again = unfold(folding, configurations)
    for name, column in columns.items():
        folding.levels_of_feature(name)
        if name in folding.groups and not np.isin(column, (0, 1)).all():
            continue  # the numbers of a group, judged above
        expected = again[name]
        differ = (column != expected) & ~(np.isnan(column) & (np.isnan(expected) | (expected == 0)))
        if name in folding.numeric:
            differ &= ~np.isnan(expected)  # any number may stand for an absent one
        for row in np.flatnonzero(differ):
            if int(row) not in wrong:
                problem = f"is {column[row]:g}, but by the other features it must be {expected[row]:g}"
                mismatches.append(Mismatch(int(row), name, problem))
    return configurations, tuple(sorted(mismatches, key=lambda one: one.row))


_NONE, _SEVERAL, _STRANGE = -1, -2, -3


def _levels(folding: Folding, option: Option, columns: Columns) -> tuple[IntArray, dict[int, str]]:
    """The level of one option in each row; negative numbers name the problem that stands under them."""
    group = folding.groups.get(option.name)
    problems = {
        _NONE: f"none of the levels {option.written_levels} is chosen",
        _SEVERAL: "more than one alternative is chosen",
        _STRANGE: f"has a value that is none of {option.written_levels}",
    }
    if group is None or not any(feature.name in columns for feature in group):
        return _of_numbers(folding, option, columns), problems
    missing = [feature.name for feature in group if feature.name not in columns]
    if missing:
        raise FoldingError(f"option {option.name} needs a column {missing[0]}")
    chosen = np.stack([columns[feature.name] != 0 for feature in group])
    count = chosen.sum(axis=0)
    shift = len(option.levels) - len(group)
    levels = np.where(count == 1, chosen.argmax(axis=0) + shift, np.where(count > 1, _SEVERAL, shift - 1))
    return levels, problems


def _of_numbers(folding: Folding, option: Option, columns: Columns) -> IntArray:
    """The level of an option that stands in one column of values, or of zeros and ones."""
    if option.name not in columns:
        raise FoldingError(f"option {option.name} needs a column")
    column = columns[option.name]
    levels = np.full(len(column), _STRANGE, dtype=np.int64)
    for index, level in enumerate(option.levels):
        if not isinstance(level, str):
            levels[column == float(level)] = index
    if isinstance(option.levels[0], str) and option.levels[0].startswith(ABSENT):
        levels[np.isnan(column)] = 0
    absent = ~_can_be_present(folding, option, columns, len(column))
    levels[absent & (levels < 0)] = 0
    return levels


def _can_be_present(folding: Folding, option: Option, columns: Columns, length: int) -> BoolArray:
    """Whether the column of the feature above `option` says that it is chosen; True where nothing says it."""
    group = folding.groups.get(option.name)
    parent = group[0].parent if group else folding.model.feature(option.name).parent
    if parent is None or parent not in columns or folding.option(option.name).is_switch:
        return np.ones(length, dtype=bool)
    return np.not_equal(columns[parent], 0)


def unfold(folding: Folding, configurations: IntArray) -> dict[str, FloatArray]:
    """The columns of all features: 0 or 1, the value of a numeric feature, NaN where that is absent."""
    columns = {}
    for feature in folding.model.features:
        presence = folding.presences[feature.name]
        if presence.option is None:
            column = np.ones(len(configurations))
        else:
            levels = configurations[:, folding.space.position(presence.option)]
            column = np.isin(levels, presence.levels).astype(np.float64)
            if feature.values is not None:
                values = np.array([*([np.nan] * presence.levels[0]), *feature.values])
                column = values[levels]
        columns[feature.name] = column
    return columns

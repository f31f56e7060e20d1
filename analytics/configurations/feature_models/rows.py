"""Rows of features, as measurements list them, to configurations and back."""

from collections.abc import Mapping
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.folding import ABSENT, Folding
from analytics.configurations.options import IntArray, Option

FloatArray = NDArray[np.float64]
Columns = Mapping[str, FloatArray]


# A cell that disagrees with the rest of its row, or leaves an option open: row, feature, and what is wrong.
Mismatch = tuple[int, str, str]


def fold_rows(folding: Folding, columns: Columns) -> tuple[IntArray, tuple[Mismatch, ...]]:
    """The configurations of rows of features, shape (n_rows, n_options), and what is wrong with some of the rows.

    Each column, shape (n_rows,), belongs to one feature. Configurations of rows with a mismatch mean nothing.
    Binary features are 0 or 1, numeric ones a value, NaN where they are absent. A group of alternatives may also stand
    as one column of numbers under its option's name. Features that are no option may be left out; where they are
    given, they must agree with the others. Raises `FeatureModelError` for a column that is neither, and
    where an option has no column.
    """
    length = len(next(iter(columns.values()), ()))
    configurations = np.zeros((length, len(folding.space.options)), dtype=np.int8)
    mismatches: list[Mismatch] = []
    for position, option in enumerate(folding.space.options):
        levels, problems = _levels(folding, option, columns)
        configurations[:, position] = np.maximum(levels, 0)
        rows = np.flatnonzero(levels < 0)
        mismatches += [(int(row), option.name, problems[levels[row]]) for row in rows]
    wrong = {row for row, _, _ in mismatches}
    again = unfold(folding, configurations)
    for name, column in columns.items():
        folding.model.feature(name)
        if name in folding.groups and not np.isin(column, (0, 1)).all():
            continue  # the numbers of a group, judged above
        expected = again[name]
        differ = (column != expected) & ~(np.isnan(column) & (np.isnan(expected) | (expected == 0)))
        if name in folding.numeric:
            differ &= ~np.isnan(expected)  # any number may stand for an absent one
        for row in np.flatnonzero(differ):
            if int(row) not in wrong:
                problem = f"is {column[row]:g}, but by the other features it must be {expected[row]:g}"
                mismatches.append((int(row), name, problem))
    return configurations, tuple(sorted(mismatches, key=itemgetter(0)))


_NONE, _SEVERAL, _STRANGE = -1, -2, -3


def _levels(folding: Folding, option: Option, columns: Columns) -> tuple[IntArray, dict[int, str]]:
    """The level of one option in each row; negative numbers name the problem that stands under them."""
    group = folding.groups.get(option.name)
    problems = {
        _NONE: f"none of the levels {option.written_levels} is chosen",
        _SEVERAL: "more than one alternative is chosen",
        _STRANGE: f"has a value that is none of {option.written_levels}",
    }
    if group is not None and any(feature.name in columns for feature in group):
        missing = [feature.name for feature in group if feature.name not in columns]
        if missing:
            raise FeatureModelError(f"option {option.name} needs a column {missing[0]}")
        chosen = np.stack([columns[feature.name] != 0 for feature in group])
        count = chosen.sum(axis=0)
        shift = len(option.levels) - len(group)
        one = chosen.argmax(axis=0) + shift
        return np.where(count == 1, one, np.where(count > 1, _SEVERAL, shift - 1)), problems
    if option.name not in columns:
        raise FeatureModelError(f"option {option.name} needs a column")
    column = columns[option.name]
    levels = np.full(len(column), _STRANGE, dtype=np.int64)
    for index, level in enumerate(option.levels):
        if not isinstance(level, str):
            levels[column == float(level)] = index
    if isinstance(option.levels[0], str) and option.levels[0].startswith(ABSENT):
        levels[np.isnan(column)] = 0
    # Absent where the column of the feature above the option says that this one is not chosen.
    parent = group[0].parent if group else folding.model.feature(option.name).parent
    if parent is not None and parent in columns and not option.is_switch:
        levels[(columns[parent] == 0) & (levels < 0)] = 0
    return levels, problems


def unfold(folding: Folding, configurations: IntArray) -> dict[str, FloatArray]:
    """The columns of all features: 0 or 1, the value of a numeric feature, NaN where that is absent."""
    columns = {}
    for feature in folding.model.features:
        option = folding.presences[feature.name].option
        absent = 0.0 if feature.values is None else np.nan
        numbers = [absent if number is None else float(number) for number in folding.numbers(feature)]
        levels: IntArray = np.zeros(len(configurations), dtype=np.int8)
        if option is not None:
            levels = configurations[:, folding.space.position(option)]
        columns[feature.name] = np.array(numbers)[levels]
    return columns

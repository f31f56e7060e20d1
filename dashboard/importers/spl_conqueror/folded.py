"""Measured rows as configurations: the columns of features folded into options with levels."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.errors import FoldingError
from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.rows import fold_rows
from analytics.configurations.options import IntArray
from dashboard.importers.columns import FloatArray
from dashboard.importers.errors import Faults
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.tables import Table


def folding_of(
    model: FeatureModel, columns: Mapping[str, FloatArray], file: str, faults: Faults
) -> Folding | None:
    """`model`, read from `file`, as options; numeric features have the values that were measured.

    None, with a fault noted, where options cannot have such names or numbers of levels.
    """
    try:
        return fold(replace(model, features=tuple(_measured(feature, columns) for feature in model.features)))
    except ConfigurationError as error:
        faults.add(file, str(error), "Rename it, or split its levels")
        return None


def columns_of(model: FeatureModelRecord) -> frozenset[str]:
    """The names of columns that tell features of `model`."""
    return frozenset(feature.name for feature in model.features)


def as_folded(model: FeatureModelRecord, folding: Folding) -> FeatureModelRecord:
    """`model` with the values of numeric features that options have as levels."""
    return replace(model, features=folding.model.features)


def _measured(feature: Feature, columns: Mapping[str, FloatArray]) -> Feature:
    """A range of a million values is measured at a few of them."""
    if feature.values is None or feature.name not in columns:
        return feature
    column = columns[feature.name]
    values = tuple(value for value in feature.values if (column == value).any())
    return replace(feature, values=values or feature.values[:1])


def configurations_of(
    folding: Folding, table: Table, columns: Mapping[str, FloatArray], faults: Faults
) -> IntArray | None:
    """The configuration of each row, shape (n_rows, n_options), as indices of levels; None where one is a fault."""
    before = faults.count
    try:
        found = fold_rows(folding, columns)
    except (FoldingError, ConfigurationError) as error:
        faults.add(table.file, str(error), "Add the column, as the feature model calls it", line=1)
        return None
    for wrong in found.mismatches:
        cell = table[wrong.feature][wrong.row] if wrong.feature in table else ""
        faults.add(
            table.file,
            wrong.problem,
            "Correct the row or the feature model",
            line=table.lines[wrong.row],
            column=wrong.feature,
            value=cell,
        )
    for option in folding.space.options:
        for label in (option.name, *(option.text(index) for index in range(len(option.levels)))):
            if len(label) > LONGEST["level"]:
                faults.add(table.file, "a name is too long", "Shorten it", line=1, value=label)
    return found.configurations if faults.count == before else None


def known_levels(folding: Folding, row: Mapping[str, float]) -> dict[str, int]:
    """The levels that a part of a row of features tells: {option: index of the level}."""
    fitting = {option.name: set(range(len(option.levels))) for option in folding.space.options}
    for name, value in row.items():
        presence = folding.presences.get(name)
        if presence is None or presence.option is None:
            continue
        if name in folding.numeric:
            level = [index for index, one in enumerate(folding.option(name).levels) if one == value]
            fitting[name] &= set(level)
        elif value:
            fitting[presence.option] &= set(presence.levels)
        else:
            fitting[presence.option] -= set(presence.levels)
    return {name: min(levels) for name, levels in fitting.items() if len(levels) == 1}


def reference_row(configurations: IntArray, stated: Mapping[int, int]) -> int:
    """The measured configuration, by its row, that suits best as the reference.

    First it agrees with the most `stated` levels {position of the option: level}, then it has the most first levels,
    then it comes first.
    """
    agrees = np.zeros(len(configurations), dtype=np.int64)
    for position, level in stated.items():
        agrees += configurations[:, position] == level
    firsts = (configurations == 0).sum(axis=1)
    return int(np.lexsort((-firsts, -agrees))[0])

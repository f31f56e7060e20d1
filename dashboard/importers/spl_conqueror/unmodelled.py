"""A feature model made from the columns alone, where none came with the measurements."""

import re
from collections.abc import Mapping

import numpy as np

from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.options import MAX_LEVELS
from dashboard.importers.columns import FloatArray
from dashboard.importers.errors import Faults

_MEMBER = re.compile(r"(.+)_(-?\d+(?:\.\d+)?)")


def model_of_columns(
    columns: Mapping[str, FloatArray], file: str, faults: Faults, remarks: list[str]
) -> FeatureModel:
    """The simplest model that allows these rows of features, each column of shape (n_rows,).

    Columns `NAME_1`, `NAME_2`, ... of which each row has exactly one are alternatives: the levels of NAME. Other
    columns of zeros and ones are switches, other numbers are levels; what is 1 everywhere is no option.
    """
    binary = {name for name, column in columns.items() if np.isin(column, (0, 1)).all()}
    groups = _groups(columns, binary)
    members = {name for group in groups.values() for name in group}
    root = _free("root" if "root" in columns and (columns["root"] == 1).all() else "program", columns)
    features = [Feature(root)]
    for parent, group in groups.items():
        features.append(Feature(parent, root))
        for name in group:
            others = tuple((other,) for other in group if other != name)
            features.append(Feature(name, parent, excluded=others))
        remarks.append(f"{parent}: {len(group)} columns of which each row has one are its levels.")
    known = {feature.name for feature in features}
    for name, column in columns.items():
        if name in known or name in members:
            continue
        values = np.unique(column)
        if name in binary:
            features.append(Feature(name, root, optional=not (column == 1).all()))
        elif len(values) > MAX_LEVELS:
            problem = f"has {len(values)} values; an option has up to {MAX_LEVELS}"
            faults.add(file, problem, "If it is a metric, say so with --metric", line=1, column=name)
        else:
            features.append(Feature(name, root, values=tuple(values.tolist())))
    return FeatureModel(root, tuple(features))


def _free(name: str, columns: Mapping[str, FloatArray]) -> str:
    """`name`, which stands for a column of ones or for none."""
    while name in columns and not (columns[name] == 1).all():
        name += "_"
    return name


def _groups(columns: Mapping[str, FloatArray], binary: set[str]) -> dict[str, list[str]]:
    """Alternatives by the name they share: only where each row has exactly one, and no option has that name."""
    found: dict[str, list[str]] = {}
    for name in columns:
        match = _MEMBER.fullmatch(name)
        if match is not None and name in binary:
            found.setdefault(match.group(1), []).append(name)
    return {
        parent: group
        for parent, group in found.items()
        if len(group) > 1
        and (np.sum([columns[name] for name in group], axis=0) == 1).all()
        and (parent not in columns or (columns[parent] == 1).all())
    }

"""What the names of regions say: the features that a region belongs to."""

import re
from collections.abc import Iterable

from analytics.influence.traces import Features
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST

BASE = "Base"  # VaRA's name for what belongs to no feature
_REGION = re.compile(r"FR\((.*)\)", re.DOTALL)
_NOT_IN_NAMES = re.compile(r'[\s&|!()="]+')  # what formulas over options need for themselves


def features_of(name: str) -> Features:
    """The features that a region's name lists: `foo`, `FR(foo,bar)` and `foo,bar`; none for `Base`.

    Characters that no option's name may have become `_`. A name with parentheses of its own, as a function's
    signature, is one feature.
    """
    listed = _REGION.fullmatch(name.strip())
    inside = listed[1] if listed else name
    parts = inside.split(",") if listed or "(" not in inside else [inside]
    found = {_NOT_IN_NAMES.sub("_", part.strip()).strip("_") for part in parts}
    return frozenset(found - {BASE, ""})


def read_names(names: Iterable[str], file: str, faults: Faults, remarks: list[str]) -> dict[str, Features]:
    """The features of each name; a feature written in two ways is a fault, a changed one a remark."""
    found: dict[str, Features] = {}
    written: dict[str, str] = {}
    for name in names:
        found[name] = features_of(name)
        for feature in found[name]:
            if len(feature) > LONGEST["option"] or not feature.isprintable():
                remedy = f"Use up to {LONGEST['option']} characters that can be printed"
                faults.add(file, "is no name for a feature", remedy, value=feature)
        if len(found[name]) != 1 or name.startswith("FR("):
            continue
        (feature,) = found[name]
        before = written.setdefault(feature, name)
        if before != name:
            problem = f"two regions, {before!r} and {name!r}, would both be the feature {feature}"
            faults.add(file, problem, "Rename one", value=name)
        elif feature != name:
            remarks.append(f"{file}: the region {name!r} is called {feature} here, as options are named.")
    return found

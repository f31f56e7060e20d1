"""What the names of regions say: the features that a region belongs to."""

import re
from collections.abc import Iterable
from hashlib import sha256

from analytics.influence.traces import Features
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST

BASE = "Base"  # VaRA's name for what belongs to no feature
_REGION = re.compile(r"FR\((.*)\)", re.DOTALL)
_MARK = 8  # hexadecimal digits that keep shortened names apart
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


def shortened(name: str, longest: int) -> str:
    """`name`, or its start with a mark of all of it, in at most `longest` characters: different names stay different."""
    if len(name) <= longest:
        return name
    return f"{name[: longest - _MARK - 1]}_{sha256(name.encode()).hexdigest()[:_MARK]}"


def read_names(
    names: Iterable[str], file: str, faults: Faults, remarks: list[str], whole: dict[str, str]
) -> dict[str, Features]:
    """The features of each name; a feature written in two ways is a fault, a changed one a remark.

    A feature whose name is too long for an option gets a shortened one, and `whole` its name by that.
    """
    found: dict[str, Features] = {}
    written: dict[str, str] = {}
    for name in names:
        features = features_of(name)
        for feature in features:
            if len(feature) > LONGEST["region name"] or not feature.isprintable():
                remedy = f"Use up to {LONGEST['region name']} characters that can be printed"
                faults.add(file, "is no name for a feature", remedy, value=feature)
            elif len(feature) > LONGEST["option"]:
                whole[shortened(feature, LONGEST["option"])] = feature
        found[name] = frozenset(shortened(feature, LONGEST["option"]) for feature in features)
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

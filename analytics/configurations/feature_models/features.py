"""A feature model as it was written: features in a tree, and constraints across it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from analytics.configurations.errors import FeatureModelError

ConstraintKind = Literal["boolean", "non-boolean", "mixed"]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Feature:
    """A binary feature, or with `values` a numeric one that has one of them wherever it is present.

    A feature that is not `optional` is present wherever its parent is, unless siblings exclude it that are not
    optional either: then exactly one of them is. Each entry of `implied` asks for at least one of its features, each
    entry of `excluded` forbids all of its features.
    """

    name: str
    parent: str | None = None
    optional: bool = False
    implied: tuple[Names, ...] = ()
    excluded: tuple[Names, ...] = ()
    values: tuple[float, ...] | None = None
    output: str = ""
    prefix: str = ""
    postfix: str = ""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint as its file writes it.

    A boolean one always holds. A non-boolean one, and a mixed one with `requirement` "all", holds wherever all its
    features are present. With `requirement` "none" absent features count as zero. `negated` asks for the contrary.
    """

    text: str
    kind: ConstraintKind = "boolean"
    requirement: Literal["all", "none"] = "none"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class FeatureModel:
    """Features, the first of which is the root, and constraints over them.

    Raises `FeatureModelError` for a name that is there twice, a parent that is no feature, and a circle of parents.
    """

    name: str
    features: tuple[Feature, ...]
    constraints: tuple[Constraint, ...] = ()
    _by_name: Mapping[str, Feature] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {feature.name: feature for feature in self.features}
        if len(by_name) != len(self.features):
            raise FeatureModelError("two features have one name")
        object.__setattr__(self, "_by_name", by_name)
        if not self.features or [one.name for one in self.features if one.parent is None] != [self.root]:
            raise FeatureModelError("the first feature, and no other, must be the root")
        below = {self.root}
        waiting = list(self.features[1:])
        while found := [feature for feature in waiting if feature.parent in below]:
            below.update(feature.name for feature in found)
            waiting = [feature for feature in waiting if feature.name not in below]
        if waiting:
            raise FeatureModelError(f"{waiting[0].name}: its parents do not lead to the root {self.root}")

    @property
    def root(self) -> str:
        """The name of the feature that every configuration has."""
        return self.features[0].name

    def feature(self, name: str) -> Feature:
        """The feature called `name`. Raises `FeatureModelError`."""
        try:
            return self._by_name[name]
        except KeyError:
            raise FeatureModelError(f"no feature is called {name!r}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def children(self) -> dict[str, list[Feature]]:
        """The features below each feature, in the order of the model."""
        found: dict[str, list[Feature]] = {feature.name: [] for feature in self.features}
        for feature in self.features:
            if feature.parent is not None:
                found[feature.parent].append(feature)
        return found


Group = tuple[Feature, ...]


def rivals(model: FeatureModel) -> dict[str, set[str]]:
    """For each binary feature that is not optional, the like siblings that exclude it or that it excludes."""
    apart: dict[str, set[str]] = {feature.name: set() for feature in model.features}
    for feature in model.features:
        for entry in feature.excluded:
            if len(entry) == 1:
                apart[feature.name].add(entry[0])
                apart[entry[0]].add(feature.name)
    parents = {
        feature.name: feature.parent
        for feature in model.features
        if not feature.optional and feature.values is None and feature.parent is not None
    }
    return {
        name: {other for other in apart[name] - {name} if parents.get(other) == parent}
        for name, parent in parents.items()
    }


def alternative_groups(model: FeatureModel) -> tuple[Group, ...]:
    """All groups of siblings that are not optional and exclude each other, every one every other."""
    together = {name: frozenset({name, *others}) for name, others in rivals(model).items()}
    cliques = dict.fromkeys(
        names
        for names in together.values()
        if len(names) > 1 and all(together[name] == names for name in names)
    )
    return tuple(tuple(feature for feature in model.features if feature.name in names) for names in cliques)

"""Folding a feature model into options: one option per alternative group, optional feature and numeric feature."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from analytics.configurations.errors import FeatureModelError, UnknownFeatureError
from analytics.configurations.feature_models.features import (
    Feature,
    FeatureModel,
    Group,
    alternative_groups,
    rivals,
)
from analytics.configurations.options import Level, Option, OptionSpace

ABSENT = "absent"
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d*[1-9])?")


@dataclass(frozen=True, slots=True)
class Presence:
    """Where a feature is present: at these `levels` (indices) of `option`; without an option, everywhere."""

    option: str | None
    levels: tuple[int, ...] = ()


EVERYWHERE = Presence(None)


@dataclass(frozen=True)
class Folding:
    """A feature model as options, and where each of its features went."""

    model: FeatureModel
    space: OptionSpace
    presences: Mapping[str, Presence]
    groups: Mapping[str, Group]
    """The features of an alternative group by the name of its option, in the order of its levels."""

    def levels_of_feature(self, name: str) -> Presence:
        """Where the feature `name` is present. Raises `UnknownFeatureError`."""
        try:
            return self.presences[name]
        except KeyError:
            raise UnknownFeatureError(f"no feature is called {name!r}") from None

    def levels_of_term(self, features: Sequence[str]) -> dict[str, str]:
        """A product of features as {option: its level in words}; features that are always present are left out.

        Raises `UnknownFeatureError`, and `FeatureModelError` where a feature is present at several levels of an option
        or two features of one option are never present together.
        """
        levels: dict[str, tuple[int, ...]] = {}
        for name in features:
            presence = self.levels_of_feature(name)
            if presence.option is not None:
                before = levels.get(presence.option, presence.levels)
                levels[presence.option] = tuple(level for level in before if level in presence.levels)
        for option, left in levels.items():
            if len(left) != 1:
                term = " * ".join(features)
                raise FeatureModelError(f"{term} is no single level of {option}: {len(left)} levels fit")
        return {name: self.option(name).text(left[0]) for name, left in levels.items()}

    def option(self, name: str) -> Option:
        """The option called `name`. Raises `UnknownOptionError`."""
        return self.space.options[self.space.position(name)]

    @cached_property
    def numeric(self) -> frozenset[str]:
        """The numeric features; each is the option of the same name."""
        return frozenset(feature.name for feature in self.model.features if feature.values is not None)


def fold(model: FeatureModel) -> Folding:
    """`model` as options. Raises `OptionError` for names or numbers of levels that options cannot have.

    - A group of alternatives is one option, named after its parent where the parent has no other group; members
      called `parent_value` give the levels `value`, as ascending numbers where all values are numbers.
    - Where such a group can be missing as a whole, the first level is `absent`; an optional parent needs no switch.
    - An optional feature is a switch, a numeric feature an option with its values as levels.
    - What is present wherever its parent is, is no option.
    """
    build = _Builder(model)
    options = [option for feature in model.features if (option := build.option_at(feature)) is not None]
    presences = {feature.name: build.presence(feature.name) for feature in model.features}
    return Folding(model, OptionSpace(tuple(options)), presences, build.members)


class _Builder:
    """Places of features while a model is folded; parents may stand behind their children."""

    def __init__(self, model: FeatureModel) -> None:
        self.model = model
        self.members: dict[str, Group] = {}
        self._group_of: dict[str, str] = {}
        self._lone_group: dict[str, str] = {}
        self._rivals = rivals(model)
        self._presences: dict[str, Presence] = {model.root: EVERYWHERE}
        groups = alternative_groups(model)
        grouped = {feature.name for group in groups for feature in group}
        parents = [group[0].parent or model.root for group in groups]
        for group, parent in zip(groups, parents, strict=True):
            name = parent
            if parents.count(parent) == 1 and self._gives_name(parent, grouped):
                self._lone_group[parent] = name
            else:
                name = self._joined([feature.name for feature in group])
            self.members[name] = self._in_order(group)
            self._group_of.update((feature.name, name) for feature in group)

    def _gives_name(self, parent: str, grouped: set[str]) -> bool:
        """Whether the name of `parent` is free for the group below it, and says more than the members' names."""
        unpaired = bool(self._rivals.get(parent)) and parent not in grouped
        return parent != self.model.root and self.model.feature(parent).values is None and not unpaired

    def _joined(self, names: list[str]) -> str:
        name = "/".join(names) if len(names) <= 3 else f"{names[0]}/.../{names[-1]}"
        while name in self.model or name in self.members:
            name += "/"
        return name

    @staticmethod
    def _in_order(group: Group) -> Group:
        """Members in the order of the model; by number where all their values are numbers."""
        labels = _labels(group)
        if all(_NUMBER.fullmatch(label) for label in labels):
            numbered = sorted(zip(map(float, labels), group, strict=True), key=itemgetter(0))
            return tuple(feature for _, feature in numbered)
        return group

    def option_at(self, feature: Feature) -> Option | None:
        """The option that has its place at `feature`: at the first member of a group, at a switch or number."""
        name = self._group_of.get(feature.name)
        if name is not None:
            group = self.members[name]
            first = next(one for one in self.model.features if self._group_of.get(one.name) == name)
            if feature != first:
                return None
            labels = _labels(group)
            numbers = all(_NUMBER.fullmatch(label) for label in labels)
            levels: list[Level] = [_number(float(label)) if numbers else label for label in labels]
            return Option(name, tuple([_absent(levels), *levels] if self._can_be_absent(name) else levels))
        if feature.values is not None:
            values: list[Level] = [_number(value) for value in feature.values]
            return Option(
                feature.name, tuple([ABSENT, *values] if self._number_can_be_absent(feature) else values)
            )
        return Option(feature.name, (False, True)) if self._is_switch(feature) else None

    def presence(self, name: str) -> Presence:
        """Where a feature is present; walks up, without recursion, to the first feature that decides."""
        passed = []
        at: str = name
        while (found := self._presences.get(at) or self._own_presence(at)) is None:
            passed.append(at)
            at = self.model.feature(at).parent or self.model.root
        for one in (*passed, at):
            self._presences[one] = found
        return found

    def _own_presence(self, name: str) -> Presence | None:
        """Where a feature is present, unless it is wherever its parent is."""
        feature = self.model.feature(name)
        if name in self._group_of:
            option = self._group_of[name]
            shift = self._can_be_absent(option)
            return Presence(option, (self.members[option].index(feature) + shift,))
        if feature.values is not None:
            if self._number_can_be_absent(feature):
                return Presence(name, tuple(range(1, len(feature.values) + 1)))
            return Presence(name, tuple(range(len(feature.values))))
        if self._is_absorbed(feature):
            option = self._lone_group[name]
            return Presence(option, tuple(range(1, len(self.members[option]) + 1)))
        return Presence(name, (1,)) if self._is_switch(feature) else None

    def _is_switch(self, feature: Feature) -> bool:
        own = feature.optional or bool(self._rivals.get(feature.name))
        return (
            own
            and feature.name not in self._group_of
            and not self._is_absorbed(feature)
            and feature.parent is not None
        )

    def _is_absorbed(self, feature: Feature) -> bool:
        """Whether an optional feature is told by the group below it: absent, or one of the alternatives."""
        return feature.optional and feature.values is None and feature.name in self._lone_group

    def _can_be_absent(self, option: str) -> bool:
        parent = self.members[option][0].parent or self.model.root
        above = self.model.feature(parent)
        return self._is_absorbed(above) or self.presence(parent) != EVERYWHERE

    def _number_can_be_absent(self, feature: Feature) -> bool:
        return feature.optional or self.presence(feature.parent or self.model.root) != EVERYWHERE


def _labels(group: Group) -> list[str]:
    """The names of a group's features, without the parent's name where all of them start with it."""
    start = f"{group[0].parent}_"
    names = [feature.name for feature in group]
    if all(name.startswith(start) and len(name) > len(start) for name in names):
        return [name[len(start) :] for name in names]
    return names


def _number(value: float) -> Level:
    return int(value) if float(value).is_integer() else float(value)


def _absent(levels: Sequence[Level]) -> Level:
    """The level that says that none of `levels` is chosen."""
    word = ABSENT
    while word in levels:
        word += "_"
    return word

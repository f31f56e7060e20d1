"""Folding a feature model into options: one option per alternative group, optional feature and numeric feature."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import itemgetter

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

    def numbers(self, feature: Feature) -> tuple[Fraction | None, ...]:
        """What a feature counts as at each level of its option, None where it is absent; without an option, once."""
        presence = self.presences[feature.name]
        if presence.option is None:
            return (Fraction(1),)
        # The shortest decimal notation is what was meant: 0.1 is a tenth.
        values = [Fraction(repr(float(value))) for value in feature.values or ()]
        present = dict(zip(presence.levels, values or [Fraction(1)] * len(presence.levels), strict=True))
        return tuple(present.get(level) for level in range(len(self.option(presence.option).levels)))

    def levels_of_term(self, features: Sequence[str]) -> dict[str, str | tuple[str, ...]] | None:
        """A product of features as {option: its level in words, or the levels of which any does}; {} for the root.

        None where it names what is no feature, or features that are never together.
        """
        fitting: dict[str, tuple[int, ...]] = {}
        for name in features:
            if name not in self.presences:
                return None
            option, levels = self.presences[name].option, self.presences[name].levels
            if option is not None:
                before = fitting.get(option, levels)
                fitting[option] = tuple(level for level in before if level in levels)
        if not all(fitting.values()):
            return None
        texts = {
            name: tuple(self.option(name).text(level) for level in levels) for name, levels in fitting.items()
        }
        return {name: found[0] if len(found) == 1 else found for name, found in texts.items()}

    def option(self, name: str) -> Option:
        """The option called `name`. Raises `ConfigurationError`."""
        return self.space.options[self.space.position(name)]

    @cached_property
    def numeric(self) -> frozenset[str]:
        """The numeric features; each is the option of the same name."""
        return frozenset(feature.name for feature in self.model.features if feature.values is not None)


def fold(model: FeatureModel) -> Folding:
    """`model` as options. Raises `ConfigurationError` for names or numbers of levels that options cannot have.

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
            above = model.feature(parent)
            # Whether the parent's name is free for the group, and says more than the members' names.
            unpaired = bool(self._rivals.get(parent)) and parent not in grouped
            is_free = parent != model.root and above.values is None and not unpaired
            if parents.count(parent) == 1 and is_free:
                name = self._lone_group[parent] = parent
            else:
                names = [feature.name for feature in group]
                name = "/".join(names) if len(names) <= 3 else f"{names[0]}/.../{names[-1]}"
                while name in model or name in self.members:
                    name += "/"
            # Members in the order of the model; by number where all their values are numbers.
            labels = _labels(group)
            if all(_NUMBER.fullmatch(label) for label in labels):
                numbered = sorted(zip(map(float, labels), group, strict=True), key=itemgetter(0))
                self.members[name] = tuple(feature for _, feature in numbered)
            else:
                self.members[name] = group
            self._group_of.update((feature.name, name) for feature in group)

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
            if self._can_be_absent(name):
                absent = ABSENT
                while absent in levels:
                    absent += "_"
                levels.insert(0, absent)
            return Option(name, tuple(levels))
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

"""Options with a small finite domain, and configurations as arrays of level indices."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics.configurations.errors import ConfigurationError

Level = bool | int | float | str
IntArray = NDArray[np.signedinteger[Any]]

MAX_LEVELS = 127  # level indices are stored as int8
_NAME = re.compile(r'[^\s&|!()="]+')  # whatever the grammar of formulas leaves free


def level_text(level: Level) -> str:
    """A level as it is written in formulas, terms and on screen: booleans are `off` and `on`."""
    if isinstance(level, bool):
        return "on" if level else "off"
    return str(level)


@dataclass(frozen=True, slots=True)
class Option:
    """A load-time setting; `levels[0]` is its reference level.

    `labels` name the levels where configurations are stored and in files; left out, they are the levels' texts.
    Raises `ConfigurationError` for names that formulas cannot hold, for repeated levels and for no level.
    """

    name: str
    levels: tuple[Level, ...]
    labels: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name == "True":
            raise ConfigurationError(
                f"option name {self.name!r}: use at least one character, none of them a space, "
                "a quote or one of & | ! ( ) =; the name True is reserved"
            )
        if not 1 <= len(self.levels) <= MAX_LEVELS:
            raise ConfigurationError(
                f"option {self.name}: {len(self.levels)} levels; give between 1 and {MAX_LEVELS}"
            )
        texts = [level_text(level) for level in self.levels]
        for level, text in zip(self.levels, texts, strict=True):
            if texts.count(text) > 1 or self.levels.count(level) > 1:
                raise ConfigurationError(f"option {self.name}: level {text!r} is given more than once")
            if '"' in text or not text or (isinstance(level, float) and not math.isfinite(level)):
                raise ConfigurationError(
                    f"option {self.name}: level {text!r} is empty, holds a quote or is not finite"
                )
        if not self.labels:
            object.__setattr__(self, "labels", tuple(texts))

    @property
    def is_switch(self) -> bool:
        """Whether the option is binary and reads as off or on (false/true or 0/1)."""
        return self.levels in ((False, True), (0, 1))

    def text(self, index: int) -> str:
        """The level at `index` in words."""
        return level_text(self.levels[index])

    def index_of_label(self, label: str) -> int:
        """The index of the level labelled `label`. Raises `ConfigurationError`."""
        return self._index(label, self.labels)

    def index_of_text(self, text: str) -> int:
        """The index of the level written `text`. Raises `ConfigurationError`."""
        return self._index(text, tuple(map(level_text, self.levels)))

    def _index(self, written: str, among: tuple[str, ...]) -> int:
        try:
            return among.index(written)
        except ValueError:
            raise ConfigurationError(
                f"option {self.name} has no level {written!r}; its levels are {', '.join(among)}"
            ) from None

    def equals(self, index: int) -> str:
        """The formula that holds where the option is at the level `index`: `name=level`, quoted where need be."""
        text = self.text(index)
        plain = not any(sign in text for sign in " \t\n&|!()=")
        return f"{self.name}={text}" if plain else f'{self.name}="{text}"'

    @property
    def written_levels(self) -> str:
        """All levels in words, separated by commas."""
        return ", ".join(level_text(level) for level in self.levels)


@dataclass(frozen=True, slots=True)
class OptionSpace:
    """All options of a system, in order; a configuration is an array (n_options,) of level indices.

    Raises `ConfigurationError` when two options have one name.
    """

    options: tuple[Option, ...]
    # Made once: with thousands of options, what goes through all of them asks for these at each.
    _positions: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _sizes: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positions = {option.name: position for position, option in enumerate(self.options)}
        if len(positions) != len(self.options):
            names = [option.name for option in self.options]
            twice = next(name for name in names if names.count(name) > 1)
            raise ConfigurationError(f"option {twice} is given more than once")
        object.__setattr__(self, "_positions", positions)
        object.__setattr__(self, "_names", tuple(positions))
        object.__setattr__(self, "_sizes", tuple(len(option.levels) for option in self.options))

    @property
    def names(self) -> tuple[str, ...]:
        """The options' names, in order."""
        return self._names

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each option."""
        return self._sizes

    @property
    def reference(self) -> IntArray:
        """The configuration of reference levels: zeros, shape (n_options,)."""
        return np.zeros(len(self.options), dtype=np.int8)

    def position(self, name: str) -> int:
        """The position of the option called `name`. Raises `ConfigurationError`."""
        try:
            return self._positions[name]
        except KeyError:
            raise ConfigurationError(f"no option is called {name!r}") from None

    def encode(self, assignments: Iterable[Mapping[str, str]]) -> IntArray:
        """Configurations given as {option: label of its level} each, as level indices; shape (n, n_options).

        An option that an assignment leaves out is at its reference level. Raises `ConfigurationError`.
        """
        given = [self.indices(labels) for labels in assignments]
        rows = np.zeros((len(given), len(self.options)), dtype=np.int8)
        for row, indices in zip(rows, given, strict=True):
            row[list(indices)] = list(indices.values())
        return rows

    def indices(self, labels: Mapping[str, str]) -> dict[int, int]:
        """Some levels by their labels as {position of the option: index of the level}; raises as `encode`."""
        positions = {name: self.position(name) for name in labels}
        return {
            position: self.options[position].index_of_label(labels[name])
            for name, position in positions.items()
        }

    def decode(self, configuration: ArrayLike) -> dict[str, str]:
        """The label of every option's level in `configuration`, shape (n_options,); see `encode`."""
        indices = self.checked(np.asarray(configuration)[np.newaxis])[0]
        return {
            option.name: option.labels[index] for option, index in zip(self.options, indices, strict=True)
        }

    def differing(self, assignment: Mapping[str, str]) -> dict[str, str]:
        """The part of an assignment that is not at its reference level; options that the space lacks are left out."""
        return {
            name: label
            for name, label in assignment.items()
            if name in self._positions and label in self.options[self._positions[name]].labels[1:]
        }

    def checked(self, configurations: ArrayLike) -> IntArray:
        """`configurations` as int8 of shape (n_configurations, n_options). Raises `ConfigurationError`."""
        given = np.asarray(configurations)
        if given.ndim != 2 or given.shape[1] != len(self.options):
            raise ConfigurationError(
                f"configurations of shape {given.shape}: expected (n, {len(self.options)}), "
                "one column per option"
            )
        if given.size and not np.issubdtype(given.dtype, np.integer):
            raise ConfigurationError(f"configurations hold {given.dtype}: expected indices of levels")
        wrong = np.argwhere((given < 0) | (given >= np.asarray(self.sizes)))
        if len(wrong):
            row, column = wrong[0]
            option = self.options[column]
            raise ConfigurationError(
                f"configuration {row}: option {option.name} has no level number {given[row, column]}; "
                f"it has {len(option.levels)} levels"
            )
        return given.astype(np.int8)


def packed(rows: IntArray) -> NDArray[np.void]:
    """Rows (n, m) as one value each, (n,), equal for equal rows: compared many times as fast as column by column."""
    if not rows.shape[1]:
        return np.zeros(len(rows), dtype="V1")
    width = np.dtype((np.void, rows.shape[1] * rows.itemsize))
    return np.ascontiguousarray(rows).view(width).reshape(-1)

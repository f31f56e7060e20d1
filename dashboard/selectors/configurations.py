"""Configurations and terms as addresses write them: `codehilite*mode=fast`.

A configuration is written as what differs from the default, a term as what it changes from its base. Parts are
joined by `*`. An option with two levels stands alone, since only one level is left to change to; with more
levels the part names the level. `default` is the configuration of reference levels, `all` the one with every
option that varied in the measurements at its last level.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from dashboard.access import NotFound
from dashboard.selectors.model_rows import ChosenConfiguration, LevelChange, OptionLevels

DEFAULT = "default"
ALL = "all"
_JOIN = "*"
# All printable signs but those that have a meaning here.
_SAFE = " !\"#$&'()+,-./:;<>?@[\\]^_`{|}~"


def key_of(space: OptionSpace, start: IntArray, end: IntArray) -> str:
    """How an address writes the change from configuration `start` to `end`, shape (n_options,) each."""
    return _JOIN.join(
        _part(option.name, option.text(int(end[position])), len(option.levels))
        for position, option in enumerate(space.options)
        if start[position] != end[position]
    )


def key_with(options: Sequence[OptionLevels], levels: Mapping[str, str]) -> str:
    """How an address writes the configuration with these levels by option; others are at their reference."""
    return _JOIN.join(
        _part(option.name, levels[option.name], len(option.levels))
        for option in options
        if levels.get(option.name, option.levels[0]) != option.levels[0]
    )


def _part(name: str, level: str, n_levels: int) -> str:
    return quote(name, safe=_SAFE) + (f"={quote(level, safe=_SAFE)}" if n_levels > 2 else "")


def levels_of(space: OptionSpace, start: IntArray, key: str) -> IntArray:
    """The configuration that `key` makes out of `start`, shape (n_options,). Raises `NotFound`."""
    end = start.copy()
    for part in filter(None, key.split(_JOIN)):
        name, _, level = part.partition("=")
        try:
            position = space.position(unquote(name))
            option = space.options[position]
            if level:
                end[position] = option.index_of_text(unquote(level))
            elif len(option.levels) == 2:
                end[position] = 1 - start[position]
            else:
                raise NotFound(f"{key!r}: say which level of {option.name}: {option.written_levels}")
        except ConfigurationError as error:
            raise NotFound(f"{key!r}: {error}") from None
    return end


def configuration(
    space: OptionSpace, text: str, varied: BoolArray, names: Sequence[str], measured: IntArray
) -> IntArray:
    """The configuration that an address means, shape (n_options,): a word, a measured one's name, or differences.

    `varied` (n_options,) tells which options differ in the measurements; `names` belong to the rows of `measured`
    (n, n_options). Raises `NotFound`, also where an option is not at the only level that was measured.
    """
    if text in ("", DEFAULT):
        return space.reference
    if text == ALL:
        return last_levels(space, varied)
    if text in names:
        row: IntArray = measured[names.index(text)]
        return row
    levels = levels_of(space, space.reference, text)
    for position in np.flatnonzero((levels != 0) & ~varied):
        option = space.options[position]
        raise NotFound(
            f"{text!r}: {option.name} is {option.text(0)} in all of these measurements; "
            f"nothing is known of {option.text(int(levels[position]))}"
        )
    return levels


def last_levels(space: OptionSpace, varied: BoolArray) -> IntArray:
    """The configuration with every option that varied at its last level, shape (n_options,)."""
    return np.where(varied, np.array(space.sizes) - 1, 0).astype(np.int8)


def chosen(space: OptionSpace, levels: IntArray, varied: BoolArray) -> ChosenConfiguration:
    """A configuration as a row."""
    if not levels.any():
        return ChosenConfiguration(DEFAULT, "default", ())
    everything = bool((levels == last_levels(space, varied)).all())
    return ChosenConfiguration(
        key=ALL if everything else key_of(space, space.reference, levels),
        name="all options changed" if everything else "",
        differences=tuple(
            (space.options[position].name, space.options[position].text(int(levels[position])))
            for position in np.flatnonzero(levels)
        ),
    )


def changes(space: OptionSpace, start: IntArray, end: IntArray) -> tuple[LevelChange, ...]:
    """The options that differ between two configurations, each with its two levels in words."""
    return tuple(
        LevelChange(
            space.options[position].name,
            space.options[position].text(int(start[position])),
            space.options[position].text(int(end[position])),
        )
        for position in np.flatnonzero(start != end)
    )

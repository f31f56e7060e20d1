"""Configurations as addresses name them: by a word, by the name of a measured one, or by the key of what differs.

`default` is the configuration of reference levels, `all` the one with every option that varied in the measurements at
its last level. Keys: `analytics.configurations.identities`.
"""

from collections.abc import Sequence

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.formulas import BoolArray
from analytics.configurations.identities import changed_levels, key_of
from analytics.configurations.options import IntArray, OptionSpace
from dashboard.access import NotFound
from dashboard.selectors.model_rows import ChosenConfiguration, LevelChange

DEFAULT = "default"
ALL = "all"


def levels_of(space: OptionSpace, start: IntArray, key: str) -> IntArray:
    """The configuration that `key` makes out of `start`, shape (n_options,). Raises `NotFound`."""
    try:
        return changed_levels(space, start, key)
    except ConfigurationError as error:
        raise NotFound(f"{key!r}: {error}") from None


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

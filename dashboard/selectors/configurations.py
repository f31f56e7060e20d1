"""Configurations of a system: the space that they lie in, what people call them, and how addresses name them.

An address names one by a word, by the name of a measured one, or by the key of what differs.

`default` is the configuration of reference levels, `all` the one with every option that varied in the measurements at
its last level. Keys: `analytics.configurations.identities`.
"""

from collections.abc import Collection, Sequence

import numpy as np
from django.db.models import Count

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.formulas import BoolArray
from analytics.configurations.identities import changed_levels, key_of
from analytics.configurations.options import IntArray, Option, OptionSpace
from dashboard.access import Access, NotFound
from dashboard.models import Configuration, Level, System
from dashboard.selectors.model_rows import ChosenConfiguration, LevelChange

DEFAULT = "default"
ALL = "all"


def options_of(system: System) -> OptionSpace:
    """The options of a system, in order, with their levels and labels; one query."""
    rows = Level.objects.filter(option__system=system).order_by("option__position", "position")
    levels: dict[str, list[tuple[str, bool | int | float | str]]] = {}
    for name, label, value in rows.values_list("option__name", "label", "value"):
        levels.setdefault(name, []).append((label, value))
    return OptionSpace(
        tuple(
            Option(name, tuple(value for _, value in own), tuple(label for label, _ in own))
            for name, own in levels.items()
        )
    )


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


def key_of_written(space: OptionSpace, written: str) -> str:
    """The key of a configuration written `a=on,b=off`, by labels or as the screens say levels. Raises `NotFound`.

    What is written otherwise is taken for a key, or for the name of a configuration.
    """
    if "=" not in written or "*" in written:
        return written
    row = space.reference
    try:
        for part in written.split(","):
            name, _, level = (piece.strip() for piece in part.partition("="))
            option = space.options[space.position(name)]
            known = option.labels.index(level) if level in option.labels else option.index_of_text(level)
            row[space.position(name)] = known
    except ConfigurationError as error:
        raise NotFound(f"{written!r}: {error}") from None
    return key_of(space, space.reference, row) or DEFAULT


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


def configuration_names(system: System, identities: Collection[str] | None = None) -> dict[str, str]:
    """What people call the configurations of a system, by identity: of those alone where `identities` are given.

    Two queries at most.
    """
    rows = Configuration.objects.filter(system=system)
    if identities is not None:
        rows = rows.filter(identity__in=identities)
    found = list(rows.values_list("identity", "name", "assignments"))
    in_words = any(assignments and not name for _, name, assignments in found)
    several = options_of_several_levels(system) if in_words else frozenset[str]()
    return {identity: name or words(assignments, several) for identity, name, assignments in found}


def options_of_several_levels(system: System) -> frozenset[str]:
    """The options that are no switches: of more than two levels. One query."""
    counted = system.options.annotate(n=Count("levels"))
    return frozenset(counted.filter(n__gt=2).values_list("name", flat=True))


def words(assignments: dict[str, str], several: Collection[str]) -> str:
    """A configuration in words: what differs from the reference configuration.

    Options in `several` have more than two levels: their level 1 is none that is switched on.
    """
    if set(assignments) == {"default"}:
        # An option of that name is not the default configuration.
        return f"default = {assignments['default']}"
    # By name: not every database keeps the order in which they were stored.
    switched = [
        name if label in {"on", "1", "true"} and name not in several else f"{name} = {label}"
        for name, label in sorted(assignments.items())
    ]
    return " + ".join(switched) or "default"


def find_configuration(*, access: Access, written: str) -> str:
    """The identity of a configuration written as `a=on,b=off`, `default`, or its name. Raises `NotFound`."""
    references = dict(
        Level.objects.filter(option__system=access.system, position=0).values_list("option__name", "label")
    )
    wanted: dict[str, str] = {}
    for part in written.split(",") if written != "default" else ():
        name, _, label = (piece.strip() for piece in part.partition("="))
        if references.get(name) != label:
            wanted[name] = label
    for identity, name, assignments in Configuration.objects.filter(system=access.system).values_list(
        "identity", "name", "assignments"
    ):
        if written in (name, identity) or (
            ("=" in written or written == "default") and assignments == wanted
        ):
            return identity
    raise NotFound(f"{access.slug!r} has no configuration {written!r}: write default, a=on,b=off or its name")

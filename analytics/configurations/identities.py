"""How configurations and changes of them are written: stored identities, words of selections, keys of addresses.

A key names what changes, joined by `*`: `codehilite*mode=fast`. An option with two levels stands alone, since only one
level is left to change to; with more levels the part names the level. Of a configuration it names what differs from the
reference, of a term what it changes from its base.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, OptionSpace

_JOIN = "*"
# All printable signs but those that have a meaning in keys.
_SAFE = " !\"#$&'()+,-./:;<>?@[\\]^_`{|}~"


def configuration_identity(assignment: Mapping[str, str]) -> str:
    """The identity of a configuration, from what differs from the reference configuration.

    `assignment` maps option names to level labels, reference levels left out. A new option therefore leaves the
    identity of old configurations intact.
    """
    return digest_of(dict(sorted(assignment.items())))


def selector_of(labels: Mapping[str, str]) -> str:
    """A configuration as a word of a selection, "a=on,b=off", in the order of `labels`."""
    return ",".join(f"{name}={label}" for name, label in labels.items())


def digest_of(value: object) -> str:
    """SHA-256 of `value` as compact JSON."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def key_of(space: OptionSpace, start: IntArray, end: IntArray) -> str:
    """The key of the change from configuration `start` to `end`, shape (n_options,) each."""
    return _JOIN.join(
        _key_part(option.name, option.text(int(end[position])), len(option.levels))
        for position, option in enumerate(space.options)
        if start[position] != end[position]
    )


def key_with(options: Mapping[str, Sequence[str]], levels: Mapping[str, str]) -> str:
    """The key of the configuration with these levels by option; others are at their reference.

    `options` holds the levels of each option in words, the reference first.
    """
    return _JOIN.join(
        _key_part(name, levels[name], len(own))
        for name, own in options.items()
        if levels.get(name, own[0]) != own[0]
    )


def key_options(key: str) -> tuple[str, ...]:
    """The options that a key names, in its order."""
    return tuple(unquote(part.partition("=")[0]) for part in filter(None, key.split(_JOIN)))


def _key_part(name: str, level: str, n_levels: int) -> str:
    return quote(name, safe=_SAFE) + (f"={quote(level, safe=_SAFE)}" if n_levels > 2 else "")


def changed_levels(space: OptionSpace, start: IntArray, key: str) -> IntArray:
    """The configuration that `key` makes out of `start`, shape (n_options,). Raises `ConfigurationError`."""
    end = start.copy()
    for part in filter(None, key.split(_JOIN)):
        name, _, level = part.partition("=")
        position = space.position(unquote(name))
        option = space.options[position]
        if level:
            end[position] = option.index_of_text(unquote(level))
        elif len(option.levels) == 2:
            end[position] = 1 - start[position]
        else:
            raise ConfigurationError(f"say which level of {option.name}: {option.written_levels}")
    return end

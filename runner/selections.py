"""Configurations of a subject: which are valid, and which a person's selection means."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analytics.configurations.options import level_text

from .errors import SelectionInvalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .subjects import Level, SubjectDefinition

# More configurations than anyone measures; a selection beyond is a slip.
MOST_CONFIGURATIONS = 100_000
# An option that is only valid together with others brings at most so many of them.
MOST_COMPANIONS = 3


@dataclass(frozen=True, slots=True)
class SelectedConfiguration:
    """One level for every option of a subject, in the order of its file."""

    levels: tuple[tuple[str, Level], ...]

    @property
    def texts(self) -> dict[str, str]:
        """The levels as people write them, by option."""
        return {name: level_text(level) for name, level in self.levels}


def reference(subject: SubjectDefinition) -> SelectedConfiguration:
    """Return the configuration with every option at its reference level; constraints are not asked."""
    return _configuration(subject, {})


def is_valid(subject: SubjectDefinition, levels: Mapping[str, Level]) -> bool:
    """Whether no forbidden combination lies within `levels`, which may leave options out."""
    return not any(
        all(name in levels and levels[name] == level for name, level in combination.items())
        for combination in subject.forbidden
    )


def configurations(subject: SubjectDefinition, selection: Sequence[str]) -> tuple[SelectedConfiguration, ...]:
    """Return the valid configurations that any word of `selection` means, each once, in order.

    Words: "all"; "default" (every option at its reference); "feature-wise" (the default and one option
    moved); "pair-wise" (and two moved); "only=a,b" (all over these options); "a=on,b=off" (this one; other
    options at their reference). Raises `SelectionInvalid` for anything else.
    """
    found: dict[SelectedConfiguration, None] = {}
    for word in selection:
        for configuration in _meant(subject, word.strip()):
            found[configuration] = None
            if len(found) > MOST_CONFIGURATIONS:
                message = (
                    f"'{word}' means more than {MOST_CONFIGURATIONS} configurations: select fewer options"
                )
                raise SelectionInvalid(message)
    if not found:
        raise SelectionInvalid("no valid configuration is selected: write 'default', 'all' or 'option=level'")
    return tuple(found)


def _meant(subject: SubjectDefinition, word: str) -> Iterator[SelectedConfiguration]:
    if word == "all":
        yield from _exhaustive(subject, tuple(subject.options))
    elif word == "default":
        yield from _moved(subject, 0)
    elif word == "feature-wise":
        yield from _moved(subject, 0)
        yield from _moved(subject, 1)
    elif word == "pair-wise":
        for count in range(3):
            yield from _moved(subject, count)
    elif word.startswith("only="):
        yield from _exhaustive(subject, tuple(name.strip() for name in word[5:].split(",")))
    elif "=" in word:
        yield _explicit(subject, word)
    else:
        message = (
            f"'{word}' is no selection: write all, default, feature-wise, pair-wise, only=a,b or a=on,b=off"
        )
        raise SelectionInvalid(message)


def _exhaustive(subject: SubjectDefinition, names: tuple[str, ...]) -> Iterator[SelectedConfiguration]:
    """Yield all valid configurations over the options `names`; the others stay at their reference."""
    for name in names:
        _known(subject, name)
    fixed = {name: option.reference_level for name, option in subject.options.items() if name not in names}

    def extend(levels: dict[str, Level], rest: tuple[str, ...]) -> Iterator[SelectedConfiguration]:
        if not is_valid(subject, levels):
            return
        if not rest:
            yield _configuration(subject, levels)
            return
        for level in subject.options[rest[0]].levels:
            yield from extend({**levels, rest[0]: level}, rest[1:])

    yield from extend(fixed, names)


def _moved(subject: SubjectDefinition, count: int) -> Iterator[SelectedConfiguration]:
    """Yield, for every `count` options and levels off their reference, the nearest valid configuration."""
    for names in itertools.combinations(subject.options, count):
        for levels in _others(subject, names):
            nearest = _nearest(subject, levels)
            if nearest is not None:
                yield nearest


def _nearest(subject: SubjectDefinition, levels: Mapping[str, Level]) -> SelectedConfiguration | None:
    """Return the valid configuration with `levels` and the fewest other options off their reference."""
    rest = [name for name in subject.options if name not in levels]
    for count in range(min(MOST_COMPANIONS, len(rest)) + 1):
        for names in itertools.combinations(rest, count):
            for companions in _others(subject, names):
                configuration = _configuration(subject, {**levels, **companions})
                if is_valid(subject, dict(configuration.levels)):
                    return configuration
    return None


def _others(subject: SubjectDefinition, names: Sequence[str]) -> Iterator[dict[str, Level]]:
    """Yield every assignment to `names` that leaves each of them off its reference."""
    off = [
        [level for level in subject.options[name].levels if level != subject.options[name].reference_level]
        for name in names
    ]
    for levels in itertools.product(*off):
        yield dict(zip(names, levels, strict=True))


def _explicit(subject: SubjectDefinition, word: str) -> SelectedConfiguration:
    levels: dict[str, Level] = {}
    for assignment in word.split(","):
        name, _, text = (part.strip() for part in assignment.partition("="))
        _known(subject, name)
        by_text = {level_text(level): level for level in subject.options[name].levels}
        if text not in by_text:
            raise SelectionInvalid(f"option {name} has no level '{text}': write one of {', '.join(by_text)}")
        levels[name] = by_text[text]
    configuration = _configuration(subject, levels)
    if not is_valid(subject, dict(configuration.levels)):
        raise SelectionInvalid(f"'{word}' breaks a constraint of {subject.name}: see its [[constraints]]")
    return configuration


def _known(subject: SubjectDefinition, name: str) -> None:
    if name not in subject.options:
        known = ", ".join(subject.options) or "none"
        raise SelectionInvalid(f"{subject.name} has no option '{name}': known are {known}")


def _configuration(subject: SubjectDefinition, levels: Mapping[str, Level]) -> SelectedConfiguration:
    return SelectedConfiguration(
        tuple((name, levels.get(name, option.reference_level)) for name, option in subject.options.items())
    )

"""Command templates: words with placeholders, filled for one run."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from analytics.configurations.options import level_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .subjects import OptionDeclaration, SubjectDefinition

# What a command may always refer to: folders, the environment's interpreter, the revision and the workload's name.
PLACES = ("source", "subject", "python", "revision", "workload")
BUILD_PLACES = ("source", "python", "revision")
ALL_OPTIONS = "{options}"


class TemplateInvalid(ValueError):
    """A word of a template has a brace without its partner."""


def placeholders(word: str) -> tuple[str, ...]:
    """Return the names in braces in `word`, in order; "{{" and "}}" stand for braces themselves."""
    try:
        return tuple(name for _, name, _, _ in string.Formatter().parse(word) if name is not None)
    except ValueError as error:
        raise TemplateInvalid(str(error)) from error


def fill(word: str, values: Mapping[str, str]) -> str:
    """Return `word` with every placeholder replaced by its value; raises KeyError for one without a value."""
    filled = []
    for text, name, _, _ in string.Formatter().parse(word):
        filled.append(text)
        if name is not None:
            filled.append(values[name])
    return "".join(filled)


def known_placeholders(options: Sequence[str], workloads: Sequence[Mapping[str, object]]) -> frozenset[str]:
    """Return every placeholder that a command may use: places, options, parameters that all workloads have."""
    common = set.intersection(*(set(parameters) for parameters in workloads)) if workloads else set()
    return frozenset({*PLACES, *options, *(f"workload.{parameter}" for parameter in common)})


def option_arguments(option: OptionDeclaration, level: str) -> tuple[str, ...]:
    """Return the words that give `option` the level of the text `level`."""
    if isinstance(option.arguments, dict):
        return option.arguments.get(level, ())
    return tuple(fill(word, {"level": level}) for word in option.arguments)


def command_line(
    subject: SubjectDefinition, *, levels: Mapping[str, str], workload: str, places: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the command of one run: `levels` by option as text, `places` as named in `PLACES`."""
    values = {**places, **levels, "workload": workload}
    for parameter, value in subject.workloads[workload].items():
        values[f"workload.{parameter}"] = level_text(value) if isinstance(value, bool) else str(value)
    words: list[str] = []
    for word in subject.entry.command:
        if word == ALL_OPTIONS:
            for name, option in subject.options.items():
                words.extend(option_arguments(option, levels[name]))
        else:
            words.append(fill(word, values))
    return tuple(words)

"""Command templates: words with placeholders, filled for one run."""

import string
from collections.abc import Mapping, Sequence

from analytics.configurations.options import level_text

from .subjects import SubjectDefinition

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
                given, level = option.arguments, levels[name]
                if isinstance(given, dict):
                    words.extend(given.get(level, ()))
                else:
                    words.extend(fill(part, {"level": level}) for part in given)
        else:
            words.append(fill(word, values))
    return tuple(words)

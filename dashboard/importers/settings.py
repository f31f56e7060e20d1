"""Settings that a person gives an importer beside the file, such as the unit of times or what a column holds.

Settings travel as text, the same from a command and from a page. The format that declares them parses them into
a frozen type of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType

from dashboard.importers.errors import InvalidSetting
from dashboard.importers.limits import LONGEST
from dashboard.importers.source import ImportSource

ImportSettings = Mapping[str, tuple[str, ...]]
NO_SETTINGS: ImportSettings = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ImportSetting:
    """A setting of a format: `--NAME METAVAR` of the command, several times where `repeatable`."""

    name: str
    metavar: str
    help: str
    repeatable: bool = False


def check(given: ImportSettings, known: Iterable[ImportSetting], title: str) -> None:
    """Raise `InvalidSetting` for a setting that the format called `title` does not have, or has only once."""
    allowed = {setting.name: setting for setting in known}
    for name, values in given.items():
        if name not in allowed:
            remedy = (
                f"It takes --{', --'.join(allowed)}" if allowed else "It takes no settings: leave it away"
            )
            raise InvalidSetting(name, f"is no setting of the format {title}", remedy)
        if len(values) > 1 and not allowed[name].repeatable:
            raise InvalidSetting(name, "is given more than once", "Give it once", values[-1])


def single(given: ImportSettings, name: str) -> str | None:
    """The value of a setting that may be given once; None where it is not."""
    return given[name][-1] if given.get(name) else None


def context_names(given: ImportSettings, otherwise: str) -> dict[str, str]:
    """The revision, workload and environment that settings name, `otherwise` where they do not.

    Raises `InvalidSetting` for names that no table holds.
    """
    names = {name: single(given, name) or otherwise for name in ("revision", "workload", "environment")}
    for name, text in names.items():
        if len(text) > LONGEST[name] or not text.isprintable():
            raise InvalidSetting(name, "cannot be stored", f"Use up to {LONGEST[name]} plain characters")
    return names


def pairs(
    name: str, texts: Iterable[str], *, form: str = "KEY=VALUE", remedy: str = "Write both sides of the ="
) -> dict[str, str]:
    """The values of the setting `name`, each text of which is written `KEY=VALUE` and split at the first `=`.

    Raises `InvalidSetting`, which says the `form` of the setting and the `remedy`.
    """
    values: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise InvalidSetting(name, f"is not written as {form}", remedy, text)
        if key in values:
            raise InvalidSetting(name, f"says {key!r} twice", "Keep one of the two", text)
        values[key] = value
    return values


def identity(source: ImportSource, files: Iterable[str] | None, given: ImportSettings) -> str:
    """The digest of content and settings together: the same content with other settings is another import."""
    digest = source.digest(source.names if files is None else files)
    if not any(given.values()):
        return digest
    settings = sorted((name, value) for name, values in given.items() for value in values)
    return sha256(f"{digest}{settings}".encode()).hexdigest()

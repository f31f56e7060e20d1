"""The one list of formats that can be imported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.importers import bundle, comprex
from dashboard.importers.records import Imported
from dashboard.importers.source import Source


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name in commands, what it is, the files that make up its content, and what reads it."""

    name: str
    title: str
    files: frozenset[str]
    read: Callable[[Source], Imported]


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        known.name: known
        for known in (
            Format(
                "bundle",
                "Perfatlas bundle: everything known of one system (version 2)",
                bundle.files.FILES,
                bundle.read,
            ),
            Format(
                "comprex",
                "Comprex bundle: region measurements with partitions (version 1)",
                comprex.manifest.FILES,
                comprex.read,
            ),
        )
    }
)

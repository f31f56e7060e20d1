"""The one list of formats that can be imported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.importers import asv, bundle, comprex, feature_model, mapped_csv, spl_conqueror, tef
from dashboard.importers.records import Imported
from dashboard.importers.settings import ImportSetting, ImportSettings
from dashboard.importers.source import ImportSource

Read = Callable[[ImportSource, ImportSettings], Imported]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name in commands, its title, the files that make up its content, and its reader.

    `files` is None where files may have any name: then everything in the folder or zip counts, and a single file
    that is no zip is accepted. `settings` are those that `read` takes; it is passed the ones that were given.
    """

    name: str
    title: str
    files: frozenset[str] | None
    read: Read
    settings: tuple[ImportSetting, ...] = ()


_LISTED = (
    Format("asv", "airspeed velocity: a folder of results (formats 1 and 2)", None, asv.read, asv.SETTINGS),
    Format(
        "bundle",
        "Perfatlas bundle: everything known of one system (version 2)",
        bundle.files.FILES,
        lambda source, _: bundle.read(source),
    ),
    Format(
        "comprex",
        "Comprex bundle: region measurements with partitions (version 1)",
        comprex.FILES,
        lambda source, _: comprex.read(source),
    ),
    Format(
        "feature-model",
        "Feature model: options, constraints and locations as SPL Conqueror and VaRA write them",
        None,
        lambda source, _: feature_model.read(source),
    ),
    Format(
        "spl-conqueror",
        "Options x releases: measured configurations as SPL Conqueror writes them",
        None,
        spl_conqueror.read,
        spl_conqueror.SETTINGS,
    ),
    Format(
        "csv", "CSV of any shape: you say what each column holds", None, mapped_csv.read, mapped_csv.SETTINGS
    ),
    Format(
        "tef",
        "Trace Event Format: feature regions as VaRA traces them, one trace or several",
        None,
        tef.read,
        tef.SETTINGS,
    ),
)
FORMATS: Mapping[str, Format] = MappingProxyType({one.name: one for one in _LISTED})

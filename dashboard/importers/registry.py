"""The one list of formats that can be imported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.importers import (
    asv,
    benchmarks,
    bundle,
    comprex,
    feature_model,
    mapped_csv,
    profiles,
    spl_conqueror,
    tef,
)
from dashboard.importers.contents import Told, has_manifest, holds_files, is_table, starts_with
from dashboard.importers.records import Imported
from dashboard.importers.settings import ImportSetting, ImportSettings
from dashboard.importers.source import ImportSource
from dashboard.importers.unmerged import BASE, with_base

Read = Callable[[ImportSource, ImportSettings], Imported]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name in commands, its title, the files that make up its content, and its reader.

    `files` is None where files may have any name: then everything in the folder or zip counts, and a single file
    that is no zip is accepted. `told` says whether the content is of this format. `settings` are those that `read`
    takes; it is passed the ones that were given.
    """

    name: str
    title: str
    files: frozenset[str] | None
    told: Told
    read: Read
    settings: tuple[ImportSetting, ...] = ()


_LISTED = (
    Format(
        "asv",
        "airspeed velocity: a folder of results (formats 1 and 2)",
        None,
        holds_files("benchmarks.json", "machine.json"),
        with_base(asv.read),
        (*asv.SETTINGS, BASE),
    ),
    Format(
        "benchmarks",
        "Results of a benchmark tool: which one is told by the content",
        None,
        benchmarks.is_told,
        with_base(benchmarks.read),
        (*benchmarks.SETTINGS, BASE),
    ),
    Format(
        "bundle",
        "Perfatlas bundle: everything known of one system (version 2)",
        bundle.files.FILES,
        has_manifest("perfatlas-bundle"),
        lambda source, _: bundle.read(source),
    ),
    Format(
        "comprex",
        "Comprex bundle: region measurements with partitions (version 1)",
        comprex.FILES,
        has_manifest("comprex-bundle"),
        lambda source, _: comprex.read(source),
    ),
    Format(
        "feature-model",
        "Feature model: options, constraints and locations as SPL Conqueror and VaRA write them",
        None,
        starts_with(r"^[^<]*(?:<[?!][^>]*>\s*)*<vm[\s>]", alone=True),
        lambda source, _: feature_model.read(source),
    ),
    Format(
        "profile",
        "Profile: collapsed stacks, pprof, speedscope, callgrind, Firefox, cpuprofile, JFR as JSON",
        None,
        profiles.is_told,
        with_base(profiles.read),
        (*profiles.SETTINGS, BASE),
    ),
    Format(
        "spl-conqueror",
        "Options x releases: measured configurations as SPL Conqueror writes them",
        None,
        lambda source: len(source.names) > 1 and starts_with(r"^[^<]*(?:<[?!][^>]*>\s*)*<vm[\s>]")(source),
        spl_conqueror.read,
        spl_conqueror.SETTINGS,
    ),
    Format(
        "csv",
        "CSV of any shape: you say what each column holds",
        None,
        is_table,
        with_base(mapped_csv.read),
        (*mapped_csv.SETTINGS, BASE),
    ),
    Format(
        "tef",
        "Trace Event Format: feature regions as VaRA traces them, one trace or several",
        None,
        starts_with(r'^\s*(?:\{.*"traceEvents"\s*:\s*\[|\[\s*\{[^\]]*"ph"\s*:)'),
        with_base(tef.read),
        (*tef.SETTINGS, BASE),
    ),
)
# A table may be anything that nothing else is.
_LAST = "csv"
FORMATS: Mapping[str, Format] = MappingProxyType({one.name: one for one in _LISTED})


def formats_told(source: ImportSource) -> list[str]:
    """The formats that the content of a source may be of: one where it tells which."""
    found = [name for name, one in FORMATS.items() if name != _LAST and one.told(source)]
    return found or [_LAST] * FORMATS[_LAST].told(source)

"""Which file of a folder is what, and reading its tables."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table

_PACKED = ("", ".gz")
_MEASUREMENTS = re.compile(r"measurements?\.(csv|xml)(\.gz)?", re.IGNORECASE)
_TABLE = re.compile(r".*\.(csv|xml)(\.gz)?", re.IGNORECASE)
_MODEL = re.compile(r"feature[_-]?model\.xml(\.gz)?", re.IGNORECASE)
_ARCHIVE = re.compile(r".*\.(tar|tgz|txz|zip|7z|rar|bz2|xz|tar\.gz)", re.IGNORECASE)
_README = re.compile(r"readme(\.(md|txt|rst))?", re.IGNORECASE)
_OTHERS = ("deviations.csv", "models.csv", "defaultConfigurations.csv")


@dataclass(frozen=True, slots=True)
class Files:
    """The names of the files, blank where there is none."""

    measurements: str
    deviations: str = ""
    models: str = ""
    relevant_terms: str = ""
    defaults: str = ""
    feature_model: str = ""
    readme: str = ""


_FLAGS = {"true": "1", "false": "0", "1": "1", "0": "0"}
_START = 4096
_ROOT = re.compile(rb"<(vm|results)\b")


def find_files(source: ImportSource, faults: Faults) -> Files | None:
    """What is what; None, with a fault noted, where no file or several may hold the measurements."""
    names = sorted(name for name in source.names if "/" not in name)
    others = {known: _named(names, known) for known in (*_OTHERS, "relevantTerms.txt")}
    models = [name for name in names if _is_feature_model(source, name, faults)]
    if len(models) > 1:
        faults.add(
            "FeatureModel.xml", f"several files are one: {', '.join(models[:5])}", "Leave one in the folder"
        )
    for name in names:
        if _MODEL.fullmatch(name) and name not in models:
            problem = "is no feature model: its outermost element is not vm"
            faults.add(name, problem, "Give the whole file in UTF-8, or remove it")
    measured = [name for name in names if _MEASUREMENTS.fullmatch(name)] or [
        name
        for name in names
        if _TABLE.fullmatch(name) and name not in (*others.values(), *models) and not _MODEL.fullmatch(name)
    ]
    if len(measured) != 1:
        found = (
            f"several files may hold them: {', '.join(measured[:5])}" if measured else "no file holds them"
        )
        remedy = "Call the file measurements.csv or measurements.xml, or import it alone"
        archive = next((name for name in names if _ARCHIVE.fullmatch(name)), "")
        if archive and not measured:
            remedy = f"Unpack {archive} into the folder"
        faults.add("measurements", found, remedy)
        return None
    return Files(
        measurements=measured[0],
        deviations=others["deviations.csv"],
        models=others["models.csv"],
        relevant_terms=others["relevantTerms.txt"],
        defaults=others["defaultConfigurations.csv"],
        feature_model=models[0] if models else "",
        readme=next((name for name in names if _README.fullmatch(name)), ""),
    )


def _is_feature_model(source: ImportSource, name: str, faults: Faults) -> bool:
    """Whether the outermost element of an XML file is that of a feature model."""
    if not name.lower().endswith((".xml", ".xml.gz")):
        return False
    try:
        with source.stream(name) as stream:
            root = _ROOT.search(stream.read(_START))
    except SourceError as error:
        faults.add_fault(error.fault)
        return False
    return root is not None and root.group(1) == b"vm"


def _named(names: Iterable[str], wanted: str) -> str:
    """The file called so, packed or not, in any case of letters."""
    accepted = {f"{wanted}{packed}".lower() for packed in _PACKED}
    return next((name for name in names if name.lower() in accepted), "")


def read_separated(source: ImportSource, file: str, required: Iterable[str], faults: Faults) -> Table | None:
    """A table separated by `;` or, where the header has none, by tabs or commas; None where it cannot be read.

    A column of true and false is one of 1 and 0.
    """
    header = source.read(file).split(b"\n", 1)[0]
    delimiter = next((sign for sign in ";\t" if sign.encode() in header), ",")
    table = read_table(source, file, required, faults, delimiter=delimiter)
    if table is None:
        return None
    return replace(table, columns={name: _as_flags(cells) for name, cells in table.columns.items()})


def _as_flags(cells: Sequence[str]) -> Sequence[str]:
    words = {cell: _FLAGS.get(cell.lower(), "") for cell in set(cells)}
    return [words[cell] for cell in cells] if words and all(words.values()) else cells

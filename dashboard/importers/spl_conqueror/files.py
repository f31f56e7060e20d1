"""The files of a folder by what they hold, and its tables."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.numbers import pointed_number
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table
from dashboard.importers.text_files import read_text

_SAMPLE = "sample.csv"
_OTHERS = ("deviations.csv", "models.csv", "defaultConfigurations.csv", _SAMPLE)
_MEASUREMENTS = re.compile(r"measurements?\.(csv|xml)(\.gz)?", re.IGNORECASE)
_TABLE = re.compile(r".*\.(csv|xml)(\.gz)?", re.IGNORECASE)
_MODEL = re.compile(r"feature[_-]?model\.xml(\.gz)?", re.IGNORECASE)
_ARCHIVE = re.compile(r".*\.(tar|tgz|txz|zip|7z|rar|bz2|xz|tar\.gz)", re.IGNORECASE)
_README = re.compile(r"readme(\.(md|txt|rst))?", re.IGNORECASE)
_FLAGS = {"true": "1", "false": "0", "1": "1", "0": "0"}
_START = 4096
_ROOT = re.compile(rb"<(vm|results)\b")


@dataclass(frozen=True, slots=True, eq=False)
class SplFolder:
    """A folder while it is read: the names of its files, blank where there is none.

    `others` are by the name that the format has for them, as `models.csv` and `README`.
    """

    source: ImportSource
    faults: Faults
    measurements: str
    feature_model: str
    others: Mapping[str, str]

    def table(self, file: str, required: Iterable[str] = ()) -> Table | None:
        """The table in `file`; None where there is no such file, or it cannot be read.

        It is separated by `;` or, where the header has none, by tabs or commas. A column of true and false is one of 1 and 0.
        """
        if not file:
            return None
        header = self.source.read(file).split(b"\n", 1)[0]
        delimiter = next((sign for sign in ";\t" if sign.encode() in header), ",")
        table = read_table(self.source, file, required, self.faults, delimiter=delimiter)
        if table is None:
            return None
        columns = dict(table.columns)
        for name, cells in columns.items():
            flags = {cell: _FLAGS.get(cell.lower(), "") for cell in set(cells)}
            if flags and all(flags.values()):
                columns[name] = [flags[cell] for cell in cells]
        return replace(table, columns=columns)

    def measured(self) -> tuple[Table | None, Collection[str]]:
        """The table of measurements, and the columns that are features for sure; None where it cannot be read.

        Beside a table `sample.csv` each row has the features of the configuration that it names there, by the one column
        that both tables have: they are sure. What the other way round would be a feature is left out of the measurements.
        """
        table, file = self.table(self.measurements), self.others[_SAMPLE]
        sample = self.table(file)
        if table is None or not file:
            return table, ()
        if sample is None:
            return None, ()
        shared = [name for name in sample.columns if name in table]
        if len(shared) != 1:
            which = f"share {', '.join(shared)}" if shared else "share no column"
            remedy = "Give one column with the configuration's number to both, and no other"
            self.faults.add(file, f"{self.measurements} and this table {which}", remedy, line=1)
            return None, ()
        (key,) = shared
        sample.check_unique(key)
        problem, remedy = f"{file} has no such configuration", "Add its row there, or leave this one out"
        rows = table.references(key, sample.places(key), problem, remedy).tolist()
        features = {name: cells for name, cells in sample.columns.items() if name != key}
        joined = (
            {name: [cells[row] for row in rows] for name, cells in features.items()} if len(sample) else {}
        )
        own = {name: cells for name, cells in table.columns.items() if name != key}
        return replace(table, columns={**joined, **own}), features

    def text(self, file: str) -> str:
        """The text of `file`; blank where there is no such file, or it cannot be read."""
        return (read_text(self.source, file, self.faults) or "") if file else ""


def find_folder(source: ImportSource, faults: Faults) -> SplFolder:
    """The files by what they hold. Raises `InvalidBundle` where no file or several may hold the measurements."""
    names = sorted(name for name in source.names if "/" not in name)
    others = {
        known: next((name for name in names if name.lower().removesuffix(".gz") == known.lower()), "")
        for known in _OTHERS
    }
    others["README"] = next((name for name in names if _README.fullmatch(name)), "")
    models = [name for name in names if _is_feature_model(source, name, faults)]
    if len(models) > 1:
        problem = f"several files are one: {', '.join(models[:5])}"
        faults.add("FeatureModel.xml", problem, "Leave one in the folder")
    for name in names:
        if _MODEL.fullmatch(name) and name not in models:
            problem = "is no feature model: its outermost element is not vm"
            faults.add(name, problem, "Give the whole file in UTF-8, or remove it")
    tables = [name for name in names if _TABLE.fullmatch(name) and not _MODEL.fullmatch(name)]
    measured = [name for name in names if _MEASUREMENTS.fullmatch(name)] or [
        name for name in tables if name not in (*others.values(), *models)
    ]
    if len(measured) != 1:
        archive = next((name for name in names if _ARCHIVE.fullmatch(name)), "")
        remedy = "Call the file measurements.csv or measurements.xml, or import it alone"
        if archive and not measured:
            remedy = f"Unpack {archive} into the folder"
        problem = (
            f"several files may hold them: {', '.join(measured[:5])}" if measured else "no file holds them"
        )
        faults.add("measurements", problem, remedy)
    faults.stop_if_any()
    return SplFolder(source, faults, measured[0], models[0] if models else "", others)


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


def lists_options(source: ImportSource, file: str) -> bool:
    """Whether the first line of a table ends with a number, which no header does, behind names."""
    try:
        with source.stream(file) as stream:
            first = stream.readline(1 << 16).decode("utf-8-sig", errors="replace")
    except SourceError:
        return False
    *names, value = (pointed_number(cell.strip()) for cell in first.split(";"))
    return bool(names) and value is not None and all(name is None for name in names)

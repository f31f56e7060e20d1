"""Measurements in XML: `results` with a `row` for each configuration, and a `data` for each of its columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from dashboard.importers.errors import FileFaults, SourceError
from dashboard.importers.numbers import with_point
from dashboard.importers.spl_conqueror.files import MOST_CELLS, MOST_ROWS, SplFolder
from dashboard.importers.tables import Table
from dashboard.importers.xml_elements import Element, read_xml

_BINARY = frozenset({"Configuration", "BinaryOptions"})
_NUMERIC = frozenset({"Variable Features", "NumericOptions"})
# The tool that writes these files spells it in either way.
_COLUMN = ("column", "columname")
_MOST_BYTES = 1 << 28


@dataclass(slots=True)
class _XmlRows:
    """The rows that were read so far, by column; dictionaries keep the order in which names appeared."""

    faults: FileFaults
    columns: dict[str, list[str]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    binary: dict[str, None] = field(default_factory=dict)
    numeric: dict[str, None] = field(default_factory=dict)
    metrics: dict[str, None] = field(default_factory=dict)
    present: dict[str, str] = field(default_factory=dict)
    delimiter: str = ","
    separator: str = ","
    several: int = 0

    def open(self, root: Element) -> None:
        """Take the root element."""
        if root.tag != "results":
            problem = f"the outermost element is {root.tag}"
            self.faults.add(problem, "Give measurements: they start with results", line=root.line)
        self.delimiter = root.attributes.get("decimalDelimiter", "") or ","
        self.separator = root.attributes.get("separator", "") or ","

    def keep(self, section: str, data: Element) -> None:
        """Take one `data` element of the present row."""
        if section != "row" or data.tag != "data":
            problem = f"knows no element {data.tag[:40]} in {section[:40]}"
            self.faults.add(problem, "Write data inside of row", line=data.line)
            return
        column = next((data.attributes[name] for name in _COLUMN if name in data.attributes), "")
        if column in _BINARY:
            for name in filter(None, map(str.strip, data.text.split(","))):
                self._keep(self.binary, name, "1", data)
        elif column in _NUMERIC:
            for pair in filter(None, map(str.strip, data.text.split(","))):
                # Older files have a blank where newer ones have a semicolon.
                name, _, value = (part.strip() for part in pair.partition(";" if ";" in pair else " "))
                if name and value:
                    self._keep(self.numeric, name, value, data)
                else:
                    remedy = "Write NAME;VALUE, with commas in between"
                    self.faults.add("is no numeric option with its value", remedy, line=data.line, value=pair)
        elif column:
            self._keep(self.metrics, column, data.text, data)
        else:
            self.faults.add("does not say of which column it is", "Write column=", line=data.line)

    def end(self, row: Element) -> None:
        """Complete the present row."""
        rows = len(self.lines)
        if rows == MOST_ROWS:
            self.faults.add(f"has more than {MOST_ROWS} rows", "Split it", line=row.line)
        for name in self.present.keys() - self.columns.keys():
            if (len(self.columns) + 1) * max(rows, 1) <= MOST_CELLS:
                self.columns[name] = ["0" if name in self.binary else ""] * rows
                continue
            problem = f"has more than {MOST_CELLS} cells"
            self.faults.add(problem, "Give fewer rows or options", line=row.line, column=name)
        if rows < MOST_ROWS and len(self.columns) * rows <= MOST_CELLS:
            several = row.attributes.get("multipleMeasurements", "").lower() == "true"
            for name, cells in self.columns.items():
                cell = self.present.get(name, "0" if name in self.binary else "")
                if name in self.metrics:
                    cell = self._mean(cell) if several and self.separator in cell else self._pointed(cell)
                cells.append(cell)
            self.lines.append(row.line)
        self.present = {}

    def _mean(self, cell: str) -> str:
        """The mean of a cell's measurements; the cell itself where one is no number."""
        try:
            mean = fmean(float(self._pointed(part.strip())) for part in cell.split(self.separator))
        except ValueError:
            return cell
        self.several += 1
        return repr(mean)

    def _pointed(self, text: str) -> str:
        return with_point(text.replace(self.delimiter, ".", 1))

    def _keep(self, names: dict[str, None], name: str, value: str, data: Element) -> None:
        kinds = (self.binary, self.numeric, self.metrics)
        if name in self.present or any(name in kind for kind in kinds if kind is not names):
            problem = "is said twice of one row, or stands for two things"
            self.faults.add(problem, "Keep one of them", line=data.line, column=name)
            return
        names[name] = None
        self.present[name] = value


def read_xml_results(folder: SplFolder) -> tuple[Table, Sequence[str]]:
    """The rows of an XML file of measurements, and which of its columns are metrics. Raises `InvalidBundle`.

    A binary feature that a row does not name is 0 there, a numeric one blank. A cell of several measurements is
    their mean.
    """
    file, faults = folder.measurements, FileFaults(folder.measurements, folder.faults)
    rows = _XmlRows(faults)
    try:
        with folder.source.stream(file) as stream:
            for depth, section, element in read_xml(stream, file, most_bytes=_MOST_BYTES):
                if depth == 0:
                    rows.open(element)
                elif depth == 1:
                    rows.end(element)
                else:
                    rows.keep(section, element)
    except SourceError as error:
        faults.all.add_fault(error.fault)
    faults.all.stop_if_any()
    if rows.several:
        faults.all.remarks.append(
            f"{file}: {rows.several} cells hold several measurements: their mean is taken."
        )
    columns = {name: rows.columns[name] for name in (*rows.binary, *rows.numeric, *rows.metrics)}
    return Table(file, columns, rows.lines, folder.faults), tuple(rows.metrics)

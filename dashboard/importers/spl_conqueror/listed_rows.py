"""Measurements whose rows list their options: lines of a table without a header, or `row` elements of XML `results`."""

from contextlib import suppress
from statistics import fmean

from dashboard.importers.errors import FileFaults, SourceError
from dashboard.importers.numbers import pointed_number, with_point
from dashboard.importers.spl_conqueror.files import SplFolder
from dashboard.importers.tables import Table
from dashboard.importers.xml_elements import Element, read_xml

MOST_ROWS = 200_000
MOST_CELLS = 20_000_000
LISTED_METRIC = "performance"
# What a column of XML holds, by its name; any other holds a metric.
_KINDS = dict.fromkeys(("Configuration", "BinaryOptions"), "binary") | dict.fromkeys(
    ("Variable Features", "NumericOptions"), "numeric"
)
_BLANKS = {"binary": "0", "numeric": "", "metric": ""}
# The tool that writes these files spells it in either way.
_COLUMN = ("column", "columname")
_MOST_BYTES = 1 << 28


class ListedRows:
    """The rows that were read so far, by column; a binary feature that a row does not list is 0, anything else blank."""

    def __init__(self, folder: SplFolder) -> None:
        self.faults = FileFaults(folder.measurements, folder.faults)
        self.present: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self._columns: dict[str, list[str]] = {}
        self._lines: list[int] = []

    def keep(self, kind: str, name: str, value: str, line: int) -> None:
        """Take a cell of the present row."""
        if name in self.present or self.kinds.setdefault(name, kind) != kind:
            problem = "is said twice of one row, or stands for two things"
            self.faults.add(problem, "Keep one of them", line=line, column=name)
        else:
            self.present[name] = value

    def point_metrics(self, decimal: str, separator: str) -> int:
        """Write the metrics of the present row with a decimal point, and where a `separator` parts several, their mean.

        Returns how many means there are; a cell of which one part is no number stays as it is.
        """
        means = 0
        for name in [name for name in self.present if self.kinds[name] == "metric"]:
            parts = self.present[name].split(separator) if separator else [self.present[name]]
            pointed = [with_point(part.strip().replace(decimal, ".", 1)) for part in parts]
            if len(pointed) == 1:
                self.present[name] = pointed[0]
                continue
            with suppress(ValueError):
                self.present[name] = repr(fmean(map(float, pointed)))
                means += 1
        return means

    def end(self, line: int) -> None:
        """Complete the present row. Raises `InvalidBundle` where there are too many."""
        rows = len(self._lines)
        new = self.present.keys() - self._columns.keys()
        if rows == MOST_ROWS or (len(self._columns) + len(new)) * (rows + 1) > MOST_CELLS:
            problem = f"has more than {MOST_ROWS} rows or {MOST_CELLS} cells"
            self.faults.add(problem, "Give fewer rows or options", line=line)
            self.faults.all.stop()
        self._columns.update((name, [_BLANKS[self.kinds[name]]] * rows) for name in new)
        for name, cells in self._columns.items():
            cells.append(self.present.get(name, _BLANKS[self.kinds[name]]))
        self._lines.append(line)
        self.present = {}

    def table(self) -> tuple[Table, list[str]]:
        """The rows, and which of their columns are metrics. Raises `InvalidBundle` where there are faults."""
        self.faults.all.stop_if_any()
        names = sorted(self.kinds, key=lambda name: list(_BLANKS).index(self.kinds[name]))
        columns = {name: self._columns[name] for name in names}
        metrics = [name for name in names if self.kinds[name] == "metric"]
        return Table(self.faults.file, columns, self._lines, self.faults.all), metrics


def read_listing(folder: SplFolder) -> tuple[Table, list[str]]:
    """The rows of a table without a header, of which each names its chosen options and ends with the measured value.

    Options become columns of zeros and ones. Raises `InvalidBundle` where a row is wrong.
    """
    rows = ListedRows(folder)
    for line, written in enumerate(folder.text(folder.measurements).splitlines(), start=1):
        if not written.strip():
            continue
        *names, value = (cell.strip() for cell in written.split(";"))
        number = pointed_number(value)
        if number is None:
            problem = "does not end with a measured value"
            rows.faults.add(problem, "Write OPTION;OPTION;VALUE", line=line, value=value)
            continue
        for name in dict.fromkeys(filter(None, names)):
            rows.keep("binary", name, "1", line)
        rows.keep("metric", LISTED_METRIC, number, line)
        rows.end(line)
    folder.faults.remarks.append(
        f"{folder.measurements}: without a header, each line lists its options; the last value is {LISTED_METRIC}."
    )
    return rows.table()


def read_xml_results(folder: SplFolder) -> tuple[Table, list[str]]:
    """The rows of an XML file of measurements, and which of its columns are metrics. Raises `InvalidBundle`.

    A binary feature that a row does not name is 0 there, a numeric one blank. A cell of several measurements is
    their mean.
    """
    file, rows = folder.measurements, ListedRows(folder)
    decimal = separator = ","
    means = 0
    try:
        with folder.source.stream(file) as stream:
            for depth, section, element in read_xml(stream, file, most_bytes=_MOST_BYTES):
                if depth == 2:
                    _take(rows, section, element)
                elif depth == 1:
                    is_several = element.attributes.get("multipleMeasurements", "").lower() == "true"
                    means += rows.point_metrics(decimal, separator if is_several else "")
                    rows.end(element.line)
                else:
                    decimal = element.attributes.get("decimalDelimiter", "") or ","
                    separator = element.attributes.get("separator", "") or ","
                    if element.tag != "results":
                        problem = f"the outermost element is {element.tag}"
                        remedy = "Give measurements: they start with results"
                        rows.faults.add(problem, remedy, line=element.line)
    except SourceError as error:
        folder.faults.add_fault(error.fault)
    if means:
        folder.faults.remarks.append(f"{file}: {means} cells hold several measurements: their mean is taken.")
    return rows.table()


def _take(rows: ListedRows, section: str, data: Element) -> None:
    """Keep the cells of one `data` element."""
    column = next((data.attributes[name] for name in _COLUMN if name in data.attributes), "")
    kind = _KINDS.get(column, "metric")
    listed = [part.strip() for part in data.text.split(",") if part.strip()]
    if section != "row" or data.tag != "data":
        problem = f"knows no element {data.tag[:40]} in {section[:40]}"
        rows.faults.add(problem, "Write data inside of row", line=data.line)
    elif not column:
        rows.faults.add("does not say of which column it is", "Write column=", line=data.line)
    elif kind == "metric":
        rows.keep(kind, column, data.text, data.line)
    elif kind == "binary":
        for name in listed:
            rows.keep(kind, name, "1", data.line)
    else:
        for pair in listed:
            # Older files have a blank where newer ones have a semicolon.
            name, _, value = (part.strip() for part in pair.partition(";" if ";" in pair else " "))
            if name and value:
                rows.keep(kind, name, value, data.line)
            else:
                remedy = "Write NAME;VALUE, with commas in between"
                rows.faults.add("is no numeric option with its value", remedy, line=data.line, value=pair)

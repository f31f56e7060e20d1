"""Gathering the points of all result files, one file at a time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from dashboard.importers.asv.benchmarks import Benchmark, unlisted
from dashboard.importers.asv.documents import Document, is_storable, read_document, text_of
from dashboard.importers.asv.results import REMEDY, Row, rows_of
from dashboard.importers.asv.subjects import subjects_of
from dashboard.importers.asv.values import Values
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import (
    BatchRecord,
    EnvironmentRecord,
    MetricRecord,
    RevisionRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.source import ImportSource
from dashboard.importers.spool import PointSpool

FORMAT = "asv"
ORDER = "dates"
WORKLOAD = "benchmark"
# As many characters of a commit as tell it from all others of a large project.
_NAME = 10
_MILLISECONDS = 1000
# What of a machine tells whether it is still the same one.
_HARDWARE = ("arch", "cpu")

_Key = tuple[int, str, str]


class Gathering:
    """Collects series and points; `records` gives them out."""

    def __init__(self, benchmarks: Mapping[str, Benchmark], spool: PointSpool, faults: Faults) -> None:
        self._benchmarks = benchmarks
        self._faults = faults
        self._revisions: dict[str, tuple[int, RevisionRecord]] = {}
        self._environments: dict[str, tuple[int, EnvironmentRecord]] = {}
        self._metrics: dict[MetricRecord, int] = {}
        self._series: dict[tuple[str, str, int, int], tuple[int, SeriesRecord]] = {}
        # The series of each row by its benchmark: nearly always with the same parameters as last time.
        self._known: dict[_Key, list[tuple[list[object], list[int]]]] = {}
        self._files: dict[tuple[int, int], str] = {}
        self._spool = spool
        self._missing: Counter[str] = Counter()

    def take(self, source: ImportSource, file: str, machine: Document) -> None:
        """Read one result file; its faults are noted. Raises `SourceError`."""
        document = read_document(source, file, self._faults)
        if document is None:
            return
        revision = self._revision(document, file)
        environment = self._environment(document, file, machine)
        if revision is None or environment is None:
            return
        other = self._files.setdefault((environment, revision), file)
        if other != file:
            problem = f"holds the same revision in the same environment as {other}"
            self._faults.add(file, problem, "Keep one of the two files")
            return
        values = Values(file)
        for row in rows_of(document, file, self._faults):
            if row.values is None:
                self._missing["failed"] += 1
                continue
            series = self._series_of(row, environment, file)
            if series is not None:
                values.add(row, series)
        self._spool.add(*values.points(revision, self._faults, self._missing))

    def records(self, digest: str, title: str) -> SystemRecords:
        """Everything that was taken."""
        return SystemRecords(
            batches=(BatchRecord(FORMAT, digest, title[: LONGEST["batch source"]]),),
            revisions=tuple(one for _, one in self._revisions.values()),
            date_order=ORDER,
            workloads=(WorkloadRecord(WORKLOAD, "What each benchmark does by itself."),),
            environments=tuple(one for _, one in self._environments.values()),
            metrics=tuple(self._metrics),
            series=tuple(one for _, one in self._series.values()),
            points=self._spool.table(),
        )

    def remarks(self) -> tuple[str, ...]:
        """What was left out without being a fault."""
        words = {
            "failed": "results failed and have no value",
            "skipped": "results were skipped by the suite",
        }
        return tuple(f"{count} {words[kind]}" for kind, count in sorted(self._missing.items()) if count)

    def _revision(self, document: Document, file: str) -> int | None:
        commit = text_of(document, "commit_hash", file, self._faults)
        date = document.get("date")
        try:
            at = datetime.fromtimestamp(float(date) / _MILLISECONDS, UTC)  # type: ignore[arg-type] # tried
        except (TypeError, ValueError, OverflowError, OSError):
            problem = "is no date in milliseconds since 1970"
            self._faults.add(file, problem, REMEDY, column="date", value=repr(date)[:100])
            return None
        if len(commit) > LONGEST["commit"]:
            problem = f"is longer than {LONGEST['commit']} characters"
            self._faults.add(file, problem, REMEDY, column="commit_hash", value=commit)
            return None
        if not commit:
            return None
        name = commit[:_NAME]
        place, known = self._revisions.setdefault(
            name, (len(self._revisions), RevisionRecord(name, commit, "", at))
        )
        if known.commit != commit:
            problem = f"begins with the same {_NAME} characters as {known.commit}"
            self._faults.add(file, problem, REMEDY, column="commit_hash", value=commit)
            return None
        return place

    def _environment(self, document: Document, file: str, machine: Document) -> int | None:
        name = (
            text_of(document, "env_name", file, self._faults)
            if "env_name" in document
            else _old_name(document)
        )
        params = document.get("params")
        if not isinstance(params, dict):
            self._faults.add(file, "is no description of the machine", REMEDY, column="params")
            return None
        if params.get("machine") != machine["machine"]:
            problem = f"names another machine than the folder's {machine['machine']!r}"
            remedy = "Move the file into the folder of its machine"
            self._faults.add(
                file, problem, remedy, column="params/machine", value=repr(params.get("machine"))
            )
            return None
        if not name:
            return None
        parts = [FORMAT, machine["machine"], *(str(params.get(part, "")) for part in _HARDWARE), name]
        digest = sha256("\0".join(parts).encode(errors="replace")).hexdigest()
        if digest not in self._environments:
            title = f"{machine['machine']}, {name}"
            details = {
                key: str(value)
                for key, value in params.items()
                if is_storable(key) and is_storable(str(value))
            }
            record = EnvironmentRecord(digest, title[: LONGEST["environment"]], details)
            self._environments[digest] = (len(self._environments), record)
        return self._environments[digest][0]

    def _series_of(self, row: Row, environment: int, file: str) -> list[int] | None:
        """The series of each value of a row; None, with a fault noted, where parameters and values do not match."""
        version = "" if row.version is None else str(row.version)
        known = self._known.setdefault((environment, row.benchmark, version), [])
        series = next((series for params, series in known if params == row.params), None)
        if series is None:
            series = self._new_series(row, version, environment, file)
            if series is None:
                return None
            known.append((row.params, series))
        if len(series) != len(row.values or ()):
            problem = f"has {len(row.values or ())} results for {len(series)} combinations of its parameters"
            self._faults.add(file, problem, REMEDY, column=f"results/{row.benchmark}")
            return None
        return series

    def _new_series(self, row: Row, version: str, environment: int, file: str) -> list[int] | None:
        problem = _fault_of(row, version)
        if problem:
            self._faults.add(file, problem, REMEDY, column=f"results/{row.benchmark[:200]}")
            return None
        benchmark = self._benchmarks.get(row.benchmark) or unlisted(row.benchmark)
        metric = self._metrics.setdefault(benchmark.metric, len(self._metrics))
        found = []
        for subject, label in subjects_of(row.benchmark, row.params, benchmark.names):
            record = SeriesRecord(WORKLOAD, environment, metric, subject, None, version, label)
            key = (subject, version, environment, metric)
            found.append(self._series.setdefault(key, (len(self._series), record))[0])
        return found


def _fault_of(row: Row, version: str) -> str:
    """What is wrong with the words of a row; blank where nothing is."""
    texts: Sequence[object] = [value for values in row.params for value in values]
    if not all(isinstance(text, str) for text in texts):
        return "has parameters that are no texts"
    if not row.benchmark or not all(map(is_storable, [row.benchmark, version, *map(str, texts)])):
        return "has a name, version or parameter with characters that no database stores"
    if len(version) > LONGEST["benchmark version"]:
        return f"has a version of more than {LONGEST['benchmark version']} characters"
    combinations = 1
    for values in row.params:
        combinations *= len(values)
    if combinations != len(row.values or ()):
        return f"has {len(row.values or ())} results for {combinations} combinations of its parameters"
    return ""


def _old_name(document: Document) -> str:
    """The name of the environment where asv wrote none yet: its Python and what it requires."""
    required = document.get("requirements")
    parts = [f"py{document.get('python', '')}"]
    if isinstance(required, dict):
        parts += [f"{name}{version or ''}" for name, version in sorted(required.items())]
    name = "-".join(parts)
    return name if is_storable(name) else ""

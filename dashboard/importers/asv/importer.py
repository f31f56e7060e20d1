"""Series and points out of all result files of a folder, of which one at a time is held."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from math import prod

from dashboard.importers.asv.folder import (
    REMEDY,
    AsvBenchmark,
    Document,
    is_storable,
    read_document,
    read_folder,
    text_of,
    unlisted_benchmark,
)
from dashboard.importers.asv.results import AsvRow, points_of, rows_of
from dashboard.importers.asv.subjects import subjects_of
from dashboard.importers.common_records import batch_record
from dashboard.importers.errors import Faults, FileFaults, InvalidSetting
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import (
    EnvironmentRecord,
    Imported,
    MetricRecord,
    RevisionRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.settings import NO_SETTINGS, ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource
from dashboard.importers.spool import PointSpool

FORMAT = "asv"
WORKLOAD = WorkloadRecord("benchmark", "What each benchmark does by itself.")
REPLACE = "replace"
SETTINGS = (
    ImportSetting(
        "reruns",
        REPLACE.upper(),
        f"write {REPLACE} to take results that were measured anew in place of earlier ones",
    ),
)
# More faults than anybody reads: the rest of a folder that is no folder of results is not looked at.
_ENOUGH = 1_000
# As many characters of a commit as tell it from all others of a large project.
_NAME = 10
_MILLISECONDS = 1000
# What of a machine tells whether it is still the same one.
_HARDWARE = ("arch", "cpu")


def read(source: ImportSource, given: ImportSettings = NO_SETTINGS) -> Imported:
    """The records of a folder of results, one point per value. Raises `InvalidBundle` and `InvalidSetting`.

    Machines, environments, benchmark versions and units are kept apart. Points go to a temporary file.
    """
    reruns = single(given, "reruns")
    if reruns not in {None, REPLACE}:
        remedy = f"Write {REPLACE}, or leave it away"
        raise InvalidSetting("reruns", "is nothing that can be done", remedy, reruns)
    faults = Faults()
    benchmarks, results = read_folder(source, faults)
    if not results and not faults.count:
        remedy = "Give the folder that asv.conf.json names as results_dir"
        faults.add(source.title, "holds no result of any revision", remedy)
    with PointSpool() as spool:
        series = _AsvSeries(benchmarks, spool)
        for file, machine in results:
            series.take(source, machine, FileFaults(file, faults))
            if faults.count > _ENOUGH:
                break
        faults.stop_if_any()
        digest = identity(source, None, given)
        records = series.records(digest, source.title)
    words = {"failed": "results failed and have no value", "skipped": "results were skipped by the suite"}
    faults.remarks += [f"{count} {words[kind]}" for kind, count in sorted(series.missing.items()) if count]
    return Imported(records, digest, tuple(faults.remarks), replaces=reruns == REPLACE)


class _AsvSeries:
    """Collects series and points; `missing` counts results without a value, `records` gives out the rest."""

    def __init__(self, benchmarks: Mapping[str, AsvBenchmark], spool: PointSpool) -> None:
        self.missing: Counter[str] = Counter()
        self._benchmarks = benchmarks
        self._spool = spool
        self._revisions: dict[str, tuple[int, RevisionRecord]] = {}
        self._environments: dict[str, tuple[int, EnvironmentRecord]] = {}
        self._metrics: dict[MetricRecord, int] = {}
        self._series: dict[tuple[str, str, int, int], tuple[int, SeriesRecord]] = {}
        # The series of each row by its environment, benchmark and version: nearly always with the same parameters as last time.
        self._known: dict[tuple[int, str, str], list[tuple[list[object], list[int]]]] = {}
        self._files: dict[tuple[int, int], str] = {}

    def take(self, source: ImportSource, machine: Document, faults: FileFaults) -> None:
        """Read one result file; its faults are noted."""
        document = read_document(source, faults)
        if document is None:
            return
        revision = self._revision(document, faults)
        environment = self._environment(document, machine, faults)
        if revision is None or environment is None:
            return
        other = self._files.setdefault((environment, revision), faults.file)
        if other != faults.file:
            problem = f"holds the same revision in the same environment as {other}"
            faults.add(problem, "Keep one of the two files")
            return
        rows: list[AsvRow] = []
        series: list[int] = []
        for row in rows_of(document, faults):
            if row.values is None:
                self.missing["failed"] += 1
                continue
            own = self._series_of(row, environment, faults)
            if own is not None:
                rows.append(row)
                series += own
        points = points_of(rows, series, revision, faults, self.missing)
        if points is not None:
            self._spool.add(*points)

    def records(self, digest: str, title: str) -> SystemRecords:
        """Everything that was taken."""
        return SystemRecords(
            batches=(batch_record(FORMAT, digest, title),),
            revisions=tuple(one for _, one in self._revisions.values()),
            date_order="dates",
            workloads=(WORKLOAD,),
            environments=tuple(one for _, one in self._environments.values()),
            metrics=tuple(self._metrics),
            series=tuple(one for _, one in self._series.values()),
            points=self._spool.table(),
        )

    def _revision(self, document: Document, faults: FileFaults) -> int | None:
        commit = text_of(document, "commit_hash", faults)
        date = document.get("date")
        try:
            at = datetime.fromtimestamp(float(date) / _MILLISECONDS, UTC)  # type: ignore[arg-type] # tried
        except (TypeError, ValueError, OverflowError, OSError):
            problem = "is no date in milliseconds since 1970"
            faults.add(problem, REMEDY, column="date", value=repr(date)[:100])
            return None
        if len(commit) > LONGEST["commit"]:
            problem = f"is longer than {LONGEST['commit']} characters"
            faults.add(problem, REMEDY, column="commit_hash", value=commit)
            return None
        if not commit:
            return None
        name = commit[:_NAME]
        record = RevisionRecord(name, commit, "", at)
        place, known = self._revisions.setdefault(name, (len(self._revisions), record))
        if known.commit != commit:
            problem = f"begins with the same {_NAME} characters as {known.commit}"
            faults.add(problem, REMEDY, column="commit_hash", value=commit)
            return None
        return place

    def _environment(self, document: Document, machine: Document, faults: FileFaults) -> int | None:
        if "env_name" in document:
            name = text_of(document, "env_name", faults)
        else:
            # Where asv wrote no name yet an environment is called by its Python and what it requires.
            required = document.get("requirements")
            versions = sorted(required.items()) if isinstance(required, dict) else ()
            parts = [f"{package}{version or ''}" for package, version in versions]
            name = "-".join([f"py{document.get('python', '')}", *parts])
            name = name if is_storable(name) else ""
        params = document.get("params")
        if not isinstance(params, dict):
            faults.add("is no description of the machine", REMEDY, column="params")
            return None
        if params.get("machine") != machine["machine"]:
            problem = f"names another machine than the folder's {machine['machine']!r}"
            remedy = "Move the file into the folder of its machine"
            faults.add(problem, remedy, column="params/machine", value=repr(params.get("machine")))
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

    def _series_of(self, row: AsvRow, environment: int, faults: FileFaults) -> list[int] | None:
        """The series of each value of a row; None, with a fault noted, where parameters and values do not match."""
        version = "" if row.version is None else str(row.version)
        known = self._known.setdefault((environment, row.benchmark, version), [])
        series = next((series for params, series in known if params == row.params), None)
        size = len(row.values or ())
        if series is not None and len(series) == size:
            return series
        if series is not None:
            problem = f"has {size} results for {len(series)} combinations of its parameters"
            faults.add(problem, REMEDY, column=f"results/{row.benchmark}")
            return None
        problem = _fault_of(row, version)
        if problem:
            faults.add(problem, REMEDY, column=f"results/{row.benchmark[:200]}")
            return None
        benchmark = self._benchmarks.get(row.benchmark) or unlisted_benchmark(row.benchmark)
        metric = self._metrics.setdefault(benchmark.metric, len(self._metrics))
        series = []
        for subject, label in subjects_of(row.benchmark, row.params, benchmark.names):
            record = SeriesRecord(WORKLOAD.name, environment, metric, subject, None, version, label)
            key = (subject, version, environment, metric)
            series.append(self._series.setdefault(key, (len(self._series), record))[0])
        known.append((row.params, series))
        return series


def _fault_of(row: AsvRow, version: str) -> str:
    """What is wrong with the words of a row; blank where nothing is."""
    texts: list[object] = [value for values in row.params for value in values]
    if not all(isinstance(text, str) for text in texts):
        return "has parameters that are no texts"
    if not row.benchmark or not all(map(is_storable, [row.benchmark, version, *map(str, texts)])):
        return "has a name, version or parameter with characters that no database stores"
    if len(version) > LONGEST["benchmark version"]:
        return f"has a version of more than {LONGEST['benchmark version']} characters"
    combinations = prod(map(len, row.params))
    if combinations != len(row.values or ()):
        return f"has {len(row.values or ())} results for {combinations} combinations of its parameters"
    return ""

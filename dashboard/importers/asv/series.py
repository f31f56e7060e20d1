"""The series of a folder of asv results: told apart, named, and collected with their points file by file."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from dashboard.importers.asv.folder import (
    NAME_LENGTH,
    REMEDY,
    Benchmark,
    Document,
    environment_of,
    is_storable,
    read_document,
    revision_of,
    unlisted_benchmark,
)
from dashboard.importers.asv.results import AsvRow, points_of, rows_of
from dashboard.importers.common_records import BENCHMARK_WORKLOAD, batch_record
from dashboard.importers.errors import FileFaults
from dashboard.importers.limits import LONGEST, shortened
from dashboard.importers.point_buffer import PointBuffer
from dashboard.importers.records import (
    EnvironmentRecord,
    MetricRecord,
    RevisionRecord,
    SeriesRecord,
    SystemRecords,
)
from dashboard.importers.source import ImportSource

FORMAT = "asv"
# What Python writes around the name of a class or a function.
_WRAPPED = re.compile(
    r"<(?:class|type|enum) '([^']*)'>|<(?:function|built-in function|ufunc|module) '?([^ '>]+)'?[^<>]*>"
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LONGEST_VALUE = 60


# What `AsvSeries.state` gives out, to be joined to what another process read.
State = tuple[
    Counter[str],
    list[RevisionRecord],
    list[EnvironmentRecord],
    list[MetricRecord],
    list[tuple[tuple[str, str, int, int], SeriesRecord]],
    dict[tuple[int, int], str],
]


class AsvSeries:
    """Collects series and points; `missing` counts results without a value, `records` gives out the rest."""

    def __init__(self, benchmarks: Mapping[str, Benchmark], buffer: PointBuffer) -> None:
        self.missing: Counter[str] = Counter()
        self._benchmarks = benchmarks
        self._buffer = buffer
        # Each with its place: revisions by name, environments by digest.
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
        commit, machine_record = revision_of(document, faults), environment_of(document, machine, faults)
        if commit is not None:
            revision, known = self._revisions.setdefault(commit.name, (len(self._revisions), commit))
            if known.commit != commit.commit:
                problem = f"begins with the same {NAME_LENGTH} characters as {known.commit}"
                faults.add(problem, REMEDY, column="commit_hash", value=commit.commit)
                return
        if commit is None or machine_record is None:
            return
        environment, _ = self._environments.setdefault(
            machine_record.digest, (len(self._environments), machine_record)
        )
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
            self._buffer.add(*points)

    def state(self) -> State:
        """Everything that was taken but for the points, which lie in the buffer."""
        revisions = [one for _, one in self._revisions.values()]
        environments = [one for _, one in self._environments.values()]
        series = [(key, record) for key, (_, record) in self._series.items()]
        return self.missing, revisions, environments, list(self._metrics), series, self._files

    def join(self, later: State, points: PointBuffer) -> bool:
        """Take what was read of the files behind these, as if they had been taken here one by one.

        False, with some of it taken, where the two contradict each other: a fault that only the files themselves tell.
        """
        missing, revisions, environments, metrics, series, files = later
        self.missing += missing
        commits = [self._revisions.setdefault(one.name, (len(self._revisions), one)) for one in revisions]
        if any(known.commit != one.commit for (_, known), one in zip(commits, revisions, strict=True)):
            return False
        at = [
            self._environments.setdefault(one.digest, (len(self._environments), one))[0]
            for one in environments
        ]
        of = [self._metrics.setdefault(one, len(self._metrics)) for one in metrics]
        for (environment, revision), file in files.items():
            if self._files.setdefault((at[environment], commits[revision][0]), file) != file:
                return False
        places = []
        for (subject, version, environment, metric), record in series:
            key = (subject, version, at[environment], of[metric])
            moved = replace(record, environment=at[environment], metric=of[metric])
            places.append(self._series.setdefault(key, (len(self._series), moved))[0])
        self._buffer.add_all(points, np.array(places), np.array([place for place, _ in commits]))
        return True

    def records(self, digest: str, title: str) -> SystemRecords:
        """Everything that was taken."""
        return SystemRecords(
            batches=(batch_record(FORMAT, digest, title),),
            revisions=tuple(one for _, one in self._revisions.values()),
            date_order="dates",
            workloads=(BENCHMARK_WORKLOAD,),
            environments=tuple(one for _, one in self._environments.values()),
            metrics=tuple(self._metrics),
            series=tuple(one for _, one in self._series.values()),
            points=self._buffer.table(),
        )

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
        measured, names = self._benchmarks.get(row.benchmark) or unlisted_benchmark(row.benchmark)
        metric = self._metrics.setdefault(measured, len(self._metrics))
        series = []
        for subject, label in subjects_of(row.benchmark, row.params, names):
            record = SeriesRecord(BENCHMARK_WORKLOAD.name, environment, metric, subject, None, version, label)
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


def subjects_of(
    benchmark: str, params: Sequence[Sequence[str]], names: Sequence[str]
) -> list[tuple[str, str]]:
    """What identifies each combination of values and how people read it, the last parameter varying fastest.

    asv keeps the `repr` of each value. What identifies a series is made of the values alone: names of parameters stand in
    the present list of benchmarks only, and change or vanish without the measurements changing. Both are written as
    `bench_core.CountNonzero.time_it(2, 10000, int)`.
    """
    if not params:
        return [(_fitting(benchmark, ()), _fitting(benchmark, ()))]
    columns = [_readable(values) for values in params]
    named = names if len(names) == len(params) else ()
    subjects = []
    for values in itertools.product(*columns):
        words = [f"{name}={value}" for name, value in zip(named, values, strict=True)] if named else values
        subjects.append((_fitting(benchmark, values), _fitting(benchmark, words)))
    return subjects


def _readable(values: Sequence[str]) -> list[str]:
    """The values without Python's wrapping, unless two of them would read alike."""
    unwrapped = []
    for value in values:
        short = _ADDRESS.sub("", _WRAPPED.sub(lambda match: match[1] or match[2], value))
        unwrapped.append(short if len(short) <= _LONGEST_VALUE else f"{short[:_LONGEST_VALUE]}…")
    for shown in (unwrapped, list(values)):
        if len(set(shown)) == len(shown):
            return shown
    seen: Counter[str] = Counter()
    numbered = []
    for value in values:
        seen[value] += 1
        numbered.append(f"{value} ({seen[value]})" if seen[value] > 1 else value)
    return numbered


def _fitting(benchmark: str, values: Sequence[str]) -> str:
    whole = f"{benchmark}({', '.join(values)})" if values else benchmark
    return shortened(whole, LONGEST["subject"], ellipsis="… ")

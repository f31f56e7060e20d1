"""Results of all files, told apart by benchmark, options, metric, revision and machine, and given out as records."""

import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from hashlib import sha256

import numpy as np

from dashboard.importers.benchmarks.results import BenchmarkReport, BenchmarkResult
from dashboard.importers.common_records import BENCHMARK_WORKLOAD, PROGRAM, named_environment
from dashboard.importers.errors import Faults
from dashboard.importers.levels import label_of, option_of
from dashboard.importers.limits import LONGEST, shortened
from dashboard.importers.record_tables import MeasurementTable, PointTable
from dashboard.importers.records import (
    ConfigurationRecord,
    EnvironmentRecord,
    MetricRecord,
    OptionRecord,
    RevisionRecord,
    RunRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
    space_of,
)

# So many repetitions are kept one by one; more become their median with their number and spread.
MOST_REPETITIONS = 100
_UNKNOWN_MACHINE = "as measured"
_NOT_IN_NAMES = re.compile(r'[\s&|!()="]+')  # what formulas over options need for themselves

# Place of the revision, place of the environment, benchmark, options, place of the metric.
_Key = tuple[int, int, str, tuple[tuple[str, str], ...], int]


class BenchmarkCollection:
    """Takes reports and gives out their records; results of one kind are repetitions of each other."""

    def __init__(self, faults: Faults, environment: str | None) -> None:
        self._faults = faults
        self._environment = environment
        self._revisions: dict[str, tuple[int, RevisionRecord]] = {}
        self._environments: dict[str, tuple[int, EnvironmentRecord]] = {}
        self._metrics: dict[MetricRecord, int] = {}
        self._results: dict[_Key, tuple[str, BenchmarkResult]] = {}

    def take(self, file: str, report: BenchmarkReport, revision: RevisionRecord) -> None:
        """Take what a file says of a revision; what contradicts other results is a fault."""
        at, _ = self._revisions.setdefault(revision.name, (len(self._revisions), revision))
        record = self._environment_of(report)
        environment, _ = self._environments.setdefault(record.digest, (len(self._environments), record))
        if report.facts.get("dirty") == "True":
            self._faults.remarks.append(
                f"{file}: the working copy had changes that {revision.name} does not hold."
            )
        for one in report.results:
            name = " ".join(one.benchmark.split())
            if not name.isprintable():
                self._faults.add(file, "the name of a benchmark cannot be stored", "Rename it", value=name)
                continue
            options = tuple(
                sorted((_NOT_IN_NAMES.sub("_", key), text.strip()) for key, text in one.options.items())
            )
            metric = self._metrics.setdefault(one.metric, len(self._metrics))
            key = (at, environment, name, options, metric)
            before = self._results.get(key)
            if before is None:
                self._results[key] = (file, one)
            elif before[1].n == one.n == 1:
                values = [*before[1].values, *one.values]
                self._results[key] = (file, BenchmarkResult(name, one.metric, values, one.options))
            else:
                problem = f"tells the {one.metric} of a benchmark a second time (first in {before[0]})"
                self._faults.add(file, problem, "Keep one of the two", value=name)

    def records(self) -> SystemRecords:
        """Everything that was taken, without its batch: points of benchmarks, runs of those with options. Raises `InvalidBundle`."""
        options = self._options()
        self._faults.stop_if_any()
        runs = {key: one for key, (_, one) in self._results.items() if key[3]}
        configurations, places = _configurations(options, [key[3] for key in runs])
        points = {key: one for key, (_, one) in self._results.items() if not key[3]}
        series = {}
        for key in points:
            subject = shortened(key[2], LONGEST["subject"], ellipsis="… ")
            series[key[1:]] = SeriesRecord(BENCHMARK_WORKLOAD.name, key[1], key[4], subject)
        at = {key: place for place, key in enumerate(series)}
        numbers = np.array([_numbers(one) for one in points.values()], dtype=np.float64).reshape(-1, 3)
        workloads = {}
        for name in dict.fromkeys(key[2] for key in runs):
            short = shortened(name, LONGEST["workload"], ellipsis="… ")
            workloads[name] = WorkloadRecord(short, name if name != short else "")
        run_records, measurements = self._runs(
            runs, places, {name: one.name for name, one in workloads.items()}
        )
        compared = Counter((key[0], key[1], key[2]) for key in {key[:4] for key in runs})
        return SystemRecords(
            revisions=tuple(one for _, one in self._revisions.values()),
            options=tuple(options),
            configurations=configurations,
            workloads=(*([BENCHMARK_WORKLOAD] if points else []), *workloads.values()),
            environments=tuple(one for _, one in self._environments.values()),
            metrics=tuple(self._metrics),
            # Where configurations are compared, what was measured is the time of the benchmark as a whole.
            regions=(PROGRAM,) if any(count > 1 for count in compared.values()) else (),
            runs=run_records,
            measurements=measurements,
            series=tuple(series.values()),
            points=PointTable(
                np.array([at[key[1:]] for key in points], dtype=np.int64),
                np.array([key[0] for key in points], dtype=np.int64),
                np.zeros(len(points), dtype=np.int64),
                numbers[:, 0].astype(np.int64),
                *numbers[:, 1:].T,
            ),
        )

    def _runs(
        self, results: Mapping[_Key, BenchmarkResult], places: Sequence[int], workloads: Mapping[str, str]
    ) -> tuple[tuple[RunRecord, ...], MeasurementTable]:
        """Runs of configurations, and what was measured in each: the nth value of each metric belongs to the nth run."""
        names = list(self._revisions)
        runs: dict[tuple[int, int, str, int, int], int] = {}
        rows: list[tuple[int, int, float, float, int]] = []
        for (key, one), place in zip(results.items(), places, strict=True):
            revision, environment, name, _, metric = key
            n, median, spread = _numbers(one)
            is_whole = one.n == 1 and n <= MOST_REPETITIONS
            cells = [(value, math.nan, 1) for value in one.values] if is_whole else [(median, spread, n)]
            for repetition, cell in enumerate(cells):
                run = runs.setdefault((revision, environment, name, place, repetition), len(runs))
                rows.append((run, metric, *cell))
        records = tuple(
            RunRecord(0, names[revision], place, workloads[name], environment, "plain", repetition)
            for revision, environment, name, place, repetition in runs
        )
        whole, real = np.int64, np.float64
        table = MeasurementTable(
            np.array([run for run, *_ in rows], dtype=whole),
            np.array([metric for _, metric, *_ in rows], dtype=whole),
            np.array([value for _, _, value, *_ in rows], dtype=real),
            np.array([deviation for *_, deviation, _ in rows], dtype=real),
            np.array([n for *_, n in rows], dtype=whole),
        )
        return records, table

    def _options(self) -> list[OptionRecord]:
        """The options with all levels that occur; what cannot be one is a fault."""
        levels: dict[str, dict[str, str]] = {}
        for key, (file, _) in self._results.items():
            for option, text in key[3]:
                levels.setdefault(option, {}).setdefault(text, file)
        found = []
        for name, texts in levels.items():
            file = next(iter(texts.values()))
            if "" in texts:
                self._faults.add(file, "a parameter has no value", "Give it one", value=name)
            found.append(option_of(name, texts, file, self._faults))
        return [one for one in found if one is not None]

    def _environment_of(self, report: BenchmarkReport) -> EnvironmentRecord:
        """The machine: the one that is given, else what tells it in the file; the name of the host, which changes, does not."""
        told = {key: text for key, text in report.machine.items() if text}
        if self._environment is not None or not told:
            return named_environment("benchmarks", self._environment or _UNKNOWN_MACHINE)
        digest = sha256(json.dumps(["benchmarks", told], sort_keys=True).encode()).hexdigest()
        details = {key: text for key, text in report.facts.items() if text}
        return EnvironmentRecord(
            digest, ", ".join(told.values())[: LONGEST["environment"]], {**told, **details}
        )


def _configurations(
    options: Sequence[OptionRecord], assigned: Sequence[tuple[tuple[str, str], ...]]
) -> tuple[tuple[ConfigurationRecord, ...], list[int]]:
    """The configurations, each once, and the place of the one that each assignment means."""
    labels = {option.name: cache(partial(label_of, option)) for option in options}
    space = space_of(options)
    reference = {option.name: option.levels[0].label for option in options}
    distinct: dict[tuple[tuple[str, str], ...], int] = {}
    places = []
    for one in assigned:
        # An option that a benchmark does not have stays at its reference there.
        levels = reference | {name: labels[name](text) for name, text in one}
        places.append(distinct.setdefault(tuple(sorted(space.differing(levels).items())), len(distinct)))
    return tuple(ConfigurationRecord("", dict(one)) for one in distinct), places


def _numbers(one: BenchmarkResult) -> tuple[int, float, float]:
    """How many measurements a result stands for, their median, and their sample standard deviation (NaN where unknown)."""
    values = one.values
    if one.n > 1 or len(values) == 1:
        return one.n, values[0], one.deviation
    return len(values), statistics.median(values), statistics.stdev(values)

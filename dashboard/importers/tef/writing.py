"""Writing profiled runs as traces, which viewers such as Perfetto open and `import tef` reads.

We store how much time each region took by itself, not when. So a trace lays the regions of a run end to end: its
lengths are measured, its order is not. Each region stands inside of a slice of the options that it depends on.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from analytics.configurations.options import Option, OptionSpace, level_text
from analytics.configurations.partitions import Partition
from dashboard.importers.records import PerformanceModelRecord, RunRecord, SystemRecords
from dashboard.importers.tef.configurations import TABLE
from dashboard.importers.tef.events import FEATURE
from dashboard.importers.tef.names import BASE

_MICROSECONDS = 1e6  # the unit of the format's definition
_NOTE = "Self time of each region, laid end to end: lengths are measured, the order is not."


class NoTraces(Exception):
    """The system has nothing that a trace could tell; the message says why."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A run with the analysis that tells what its regions depend on."""

    run: int
    record: RunRecord
    metric: int
    options: Mapping[int, tuple[str, ...]]


def traces(records: SystemRecords) -> Iterator[tuple[str, str]]:
    """File names and texts: one trace for each profiled run, and the table of their configurations.

    Raises `NoTraces`.
    """
    bad = [one.name for one in records.options if "," in one.name]
    if bad:
        raise NoTraces(f"option {bad[0]!r} has a comma in its name, which separates features in traces")
    chosen = _chosen(records)
    if not chosen:
        raise NoTraces("no run was profiled in seconds, so there is no region that a trace could show")
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["trace", "revision", "workload", *(one.name for one in records.options)])
    values = _values(records)
    for number, one in enumerate(chosen):
        name = f"run-{number:05}.json"
        writer.writerow([name, one.record.revision, one.record.workload, *_levels(records, one.record)])
        yield name, _trace(records, one, values.get((one.run, one.metric), {}))
    yield TABLE, table.getvalue()


def _chosen(records: SystemRecords) -> list[_Chosen]:
    """The sound profiled runs, each with the first analysis that it belongs to."""
    space = OptionSpace(
        tuple(Option(one.name, tuple(level.value for level in one.levels)) for one in records.options)
    )
    found: dict[int, _Chosen] = {}
    for analysis in records.analyses:
        metric = records.metrics[analysis.region_metric]
        if (metric.quantity, metric.unit) != ("time", "s"):
            continue
        options = _options(analysis, space, len(records.regions))
        for place, run in enumerate(records.runs):
            if _belongs(run, analysis):
                found.setdefault(place, _Chosen(place, run, analysis.region_metric, options))
    return [found[place] for place in sorted(found)]


def _belongs(run: RunRecord, analysis: PerformanceModelRecord) -> bool:
    same = (run.revision, run.workload, run.environment) == (
        analysis.revision,
        analysis.workload,
        analysis.environment,
    )
    sound = run.kind == "profiled" and run.status == "ok" and not run.invalid_reason
    return same and sound and (analysis.kind != "partitioned" or run.batch == analysis.batch)


def _options(
    analysis: PerformanceModelRecord, space: OptionSpace, n_regions: int
) -> dict[int, tuple[str, ...]]:
    """The options that each region depends on."""
    if analysis.kind != "partitioned":
        return dict.fromkeys(range(n_regions), analysis.options)
    partitions = {part.region: Partition.from_formulas(space, part.formulas) for part in analysis.partitions}
    return {
        region: tuple(space.names[place] for place in partition.options)
        for region, partition in partitions.items()
    }


def _values(records: SystemRecords) -> dict[tuple[int, int], dict[int, float]]:
    """Seconds by region, of each run and metric."""
    table = records.region_measurements
    found: dict[tuple[int, int], dict[int, float]] = {}
    rows = zip(
        table.run.tolist(), table.metric.tolist(), table.region.tolist(), table.value.tolist(), strict=True
    )
    for run, metric, region, value in rows:
        found.setdefault((run, metric), {})[region] = value
    return found


def _levels(records: SystemRecords, run: RunRecord) -> list[str]:
    assignments = records.configurations[run.configuration].assignments
    values = []
    for option in records.options:
        label = assignments.get(option.name, option.levels[0].label)
        values.append(next(level_text(level.value) for level in option.levels if level.label == label))
    return values


def _trace(records: SystemRecords, one: _Chosen, values: Mapping[int, float]) -> str:
    thread = {"pid": 1, "tid": 1}
    named: Sequence[tuple[str, str]] = (
        ("process_name", f"{one.record.revision}, {one.record.workload}"),
        ("thread_name", _NOTE),
    )
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": name, "ts": 0, **thread, "args": {"name": text}} for name, text in named
    ]
    numbers = count(1)
    at = 0.0
    for region, seconds in values.items():
        if region not in one.options or seconds <= 0:
            continue
        record = records.regions[region]
        features = "" if record.is_program else ",".join(one.options[region])
        outer = f"FR({features})" if features else BASE
        length = seconds * _MICROSECONDS
        for name, category in ((outer, FEATURE), (record.key, "region")):
            slice_ = {"name": name, "cat": category, "ph": "X", "ts": at, "dur": length, **thread}
            events.append({**slice_, "args": {"ID": next(numbers), "region": record.key}})
        at += length
    content = {
        "traceEvents": events,
        "timestampUnit": "us",
        "displayTimeUnit": "ms",
        "otherData": {"note": _NOTE},
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))

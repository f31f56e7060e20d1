"""Writing profiled runs as traces, which viewers such as Perfetto open and `import tef` reads.

We store how much time each region took by itself, not when. So a trace lays the regions of a run end to end: its
lengths are measured, its order is not. Each region stands inside of a slice of the options that it depends on.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from analytics.configurations.partitions import Partition
from dashboard.importers.records import RunRecord, SystemRecords
from dashboard.importers.tef.configurations import BASE, TABLE
from dashboard.importers.tef.events import FEATURE

_MICROSECONDS = 1e6  # the unit of the format's definition
_NOTE = "Self time of each region, laid end to end: lengths are measured, the order is not."


class NoTraces(Exception):
    """The system has nothing that a trace could tell; the message says why."""


def traces(records: SystemRecords) -> Iterator[tuple[str, str]]:
    """File names and texts: one trace for each profiled run, and the table of their configurations.

    Raises `NoTraces`.
    """
    bad = [one.name for one in records.options if "," in one.name]
    if bad:
        raise NoTraces(f"option {bad[0]!r} has a comma in its name, which separates features in traces")
    seconds = _seconds_by_region(records)
    if not seconds:
        raise NoTraces("no run was profiled in seconds, so there is no region that a trace could show")
    options = records.option_space().options
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["trace", "revision", "workload", *(one.name for one in records.options)])
    for number, (place, times) in enumerate(sorted(seconds.items())):
        name = f"run-{number:05}.json"
        run = records.runs[place]
        assignments = records.configurations[run.configuration].assignments
        levels = [one.text(one.index_of_label(assignments.get(one.name, one.labels[0]))) for one in options]
        writer.writerow([name, run.revision, run.workload, *levels])
        yield name, _trace(records, run, times)
    yield TABLE, table.getvalue()


def _seconds_by_region(records: SystemRecords) -> dict[int, list[tuple[int, tuple[str, ...], float]]]:
    """Region, options that it depends on, and seconds, by sound profiled run: as the first model has it that the run belongs to."""
    table = records.region_measurements
    values: dict[tuple[int, int], dict[int, float]] = {}
    for run, metric, region, value in zip(
        table.run.tolist(), table.metric.tolist(), table.region.tolist(), table.value.tolist(), strict=True
    ):
        values.setdefault((run, metric), {})[region] = value
    sound = {
        place: run
        for place, run in enumerate(records.runs)
        if run.kind == "profiled" and run.status == "ok" and not run.invalid_reason
    }
    space = records.option_space()
    slices: dict[int, list[tuple[int, tuple[str, ...], float]]] = {}
    for model in records.performance_models:
        metric = records.metrics[model.region_metric]
        if (metric.quantity, metric.unit) != ("time", "s"):
            continue
        context = (model.revision, model.workload, model.environment)
        options = dict.fromkeys(range(len(records.regions)), model.options)
        if model.kind == "partitioned":
            parts = {one.region: Partition.from_formulas(space, one.formulas) for one in model.partitions}
            options = {
                region: tuple(space.names[place] for place in part.options) for region, part in parts.items()
            }
        for place, run in sound.items():
            belongs = model.kind != "partitioned" or run.batch == model.batch
            if belongs and place not in slices and (run.revision, run.workload, run.environment) == context:
                times = values.get((place, model.region_metric), {})
                slices[place] = [(one, options[one], value) for one, value in times.items() if one in options]
    return slices


def _trace(
    records: SystemRecords, run: RunRecord, times: Sequence[tuple[int, tuple[str, ...], float]]
) -> str:
    thread = {"pid": 1, "tid": 1}
    named = (("process_name", f"{run.revision}, {run.workload}"), ("thread_name", _NOTE))
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": name, "ts": 0, **thread, "args": {"name": text}} for name, text in named
    ]
    numbers = count(1)
    at = 0.0
    for region, options, seconds in times:
        if seconds <= 0:
            continue
        record = records.regions[region]
        features = "" if record.is_program else ",".join(options)
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

"""Putting a mapped table together as records: runs of configurations, or points of benchmarks."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from packaging.version import InvalidVersion, Version

from analytics.influence.regions import PROGRAM_REGION, PROGRAM_REGION_NAME
from dashboard.importers.errors import Faults
from dashboard.importers.levels import label_of, option_of
from dashboard.importers.limits import LONGEST
from dashboard.importers.mapped_csv.gathering import Gathered, Key, Layout
from dashboard.importers.record_tables import MeasurementTable, PointTable
from dashboard.importers.records import (
    BatchRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    OptionRecord,
    OrderRecord,
    PerformanceModelRecord,
    RegionRecord,
    RevisionRecord,
    RunRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
)

MAX_COMBINATIONS = 4096  # of levels, beyond which nobody measures enough of them for an exhaustive model
_PROGRAM = RegionRecord(PROGRAM_REGION, PROGRAM_REGION_NAME, is_program=True)


def assemble(
    *, title: str, digest: str, layout: Layout, found: Gathered, manifest: Mapping[str, Any], faults: Faults
) -> SystemRecords:
    """The records of a table. What rows say twice is a repetition; a repetition that is told twice is a fault."""
    names = {kind: tuple(known) for kind, known in found.names.items()}
    options = _options(layout, found, faults)
    batch = BatchRecord("csv", digest, title[: LONGEST["batch source"]], manifest)
    common = SystemRecords(
        batches=(batch,),
        revisions=tuple(map(RevisionRecord, names["revision"])),
        orders=_orders(names["revision"]),
        workloads=tuple(map(WorkloadRecord, names["workload"])),
        environments=tuple(map(_environment, names["environment"])),
        metrics=tuple(found.metrics),
    )
    if layout.of("benchmark"):
        return _with_points(common, found, names)
    configurations = _merge_configurations(layout, found, options)
    run_of, runs = _runs(layout, found, names, faults)
    exhaustive = _analyses(options, found, names)
    return replace(
        common,
        options=tuple(options.values()),
        configurations=configurations,
        regions=(_PROGRAM,) if exhaustive else (),
        runs=runs,
        measurements=MeasurementTable(
            run_of, np.array(found.metric, dtype=np.int64), np.array(found.value, dtype=np.float64)
        ),
        analyses=exhaustive,
    )


def _options(layout: Layout, found: Gathered, faults: Faults) -> dict[str, OptionRecord]:
    options = {}
    for place, column in enumerate(layout.of("option")):
        texts = dict.fromkeys(levels[place] for levels in found.configurations)
        option = option_of(layout.header[column], texts, layout.file, faults)
        if option is not None:
            options[option.name] = option
    faults.stop_if_any()
    return options


def _merge_configurations(
    layout: Layout, found: Gathered, options: Mapping[str, OptionRecord]
) -> tuple[ConfigurationRecord, ...]:
    """The distinct configurations by the labels of their levels; the keys of `found` refer to them afterwards.

    Texts of one level, as `0` and `-0`, are one configuration, whose rows are repetitions.
    """
    columns = [options[layout.header[place]] for place in layout.of("option")]
    distinct: dict[tuple[str, ...], int] = {}
    merged = [
        distinct.setdefault(
            tuple(label_of(option, text) for option, text in zip(columns, texts, strict=True)), len(distinct)
        )
        for texts in found.configurations
    ]
    keys: dict[Key, int] = {}
    moved = [keys.setdefault((*key[:4], merged[key[4]]), len(keys)) for key in found.keys]
    found.key = array("q", (moved[key] for key in found.key))
    found.keys, found.configurations = keys, distinct
    # Nobody named them: a configuration is called by what it differs in.
    return tuple(
        ConfigurationRecord(
            "",
            {
                option.name: label
                for option, label in zip(columns, labels, strict=True)
                if label != option.levels[0].label
            },
        )
        for labels in distinct
    )


def _orders(revisions: Sequence[str]) -> tuple[OrderRecord, ...]:
    """Versions in their order, other revisions as the file lists them."""
    if len(revisions) < 2:
        return ()
    try:
        ordered = sorted(revisions, key=Version)
    except InvalidVersion:
        return (OrderRecord("as listed", {name: place for place, name in enumerate(revisions)}),)
    return (OrderRecord("releases", {name: place for place, name in enumerate(ordered)}),)


def _environment(name: str) -> EnvironmentRecord:
    """A machine that the file says nothing of but a name."""
    return EnvironmentRecord(sha256(f"table\0{name}".encode()).hexdigest(), name, {"told_by": "the import"})


def _runs(
    layout: Layout, found: Gathered, names: Mapping[str, Sequence[str]], faults: Faults
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], tuple[RunRecord, ...]]:
    """The run of each value, shape (n_values,), and the runs."""
    keys = list(found.keys)
    run_of = np.empty(len(found.key), dtype=np.int64)
    place: dict[tuple[int, int], int] = {}
    values: set[tuple[int, int]] = set()
    told = bool(layout.of("repetition"))
    is_long = bool(layout.of("value"))
    counts: Counter[tuple[int, int]] = Counter()
    last: dict[int, tuple[int, int]] = {}
    for index, (key, repetition, row, metric) in enumerate(
        zip(found.key, found.repetition, found.row, found.metric, strict=True)
    ):
        if told:
            number = repetition
        elif is_long:
            # The nth value of a metric belongs to the nth run.
            number = counts[key, metric]
            counts[key, metric] += 1
        else:
            # All values of one row belong to one run.
            before, number = last.get(key, (-1, -1))
            number += before != row
            last[key] = (row, number)
        run = run_of[index] = place.setdefault((key, number), len(place))
        if (run, metric) in values:
            column = layout.header[layout.of("repetition")[0]]
            faults.add(
                layout.file,
                f"row {row} repeats repetition {number} of the same configuration and metric",
                "Number repetitions anew, or map the column as ignore: rows are counted then",
                column=column,
                value=str(number),
            )
        elif told:
            values.add((run, metric))
    return run_of, tuple(_run(keys[key], names, number) for key, number in place)


def _run(key: tuple[int, ...], names: Mapping[str, Sequence[str]], repetition: int) -> RunRecord:
    revision, workload, environment, _, configuration = key
    return RunRecord(
        0,
        names["revision"][revision],
        configuration,
        names["workload"][workload],
        environment,
        repetition,
        "plain",
    )


def _analyses(
    options: Mapping[str, OptionRecord], found: Gathered, names: Mapping[str, Sequence[str]]
) -> tuple[PerformanceModelRecord, ...]:
    """An analysis of each metric at each place where configurations differ; each combination is a subspace."""
    columns = list(zip(*found.configurations, strict=True)) if found.configurations else []
    varied = [name for name, texts in zip(options, columns, strict=True) if len(set(texts)) > 1]
    if not varied or prod(len(options[name].levels) for name in varied) > MAX_COMBINATIONS:
        return ()
    measured: dict[tuple[int, int, int, int], set[int]] = {}
    keys = list(found.keys)
    for key, metric in set(zip(found.key, found.metric, strict=True)):
        revision, workload, environment, _, configuration = keys[key]
        measured.setdefault((revision, workload, environment, metric), set()).add(configuration)
    return tuple(
        PerformanceModelRecord(
            batch=0,
            revision=names["revision"][revision],
            workload=names["workload"][workload],
            environment=environment,
            kind="full_factorial",
            region_metric=metric,
            total_metric=metric,
            aggregate_repetitions="median",
            aggregate_configurations="median",
            options=tuple(varied),
        )
        for (revision, workload, environment, metric), configurations in sorted(measured.items())
        if len(configurations) > 1
    )


def _with_points(common: SystemRecords, found: Gathered, names: Mapping[str, Sequence[str]]) -> SystemRecords:
    """Benchmarks have no configurations: their values of one revision are one point."""
    keys = list(found.keys)
    values: dict[tuple[int, int, int, int, int], list[float]] = {}
    for key, metric, value in zip(found.key, found.metric, found.value, strict=True):
        revision, workload, environment, benchmark, _ = keys[key]
        values.setdefault((benchmark, workload, environment, metric, revision), []).append(value)
    series = {one: place for place, one in enumerate(dict.fromkeys(key[:4] for key in values))}
    records = tuple(
        SeriesRecord(names["workload"][workload], environment, metric, names["benchmark"][benchmark])
        for benchmark, workload, environment, metric in series
    )
    points = PointTable(
        series=np.array([series[key[:4]] for key in values], dtype=np.int64),
        revision=np.array([key[4] for key in values], dtype=np.int64),
        batch=np.zeros(len(values), dtype=np.int64),
        n=np.array([len(one) for one in values.values()], dtype=np.int64),
        median=np.array([float(np.median(one)) for one in values.values()]),
        spread=np.array([float(np.std(one, ddof=1)) if len(one) > 1 else np.nan for one in values.values()]),
    )
    return replace(
        common,
        series=records,
        points=points,
    )

"""Traces put together as records: regions are sets of features, their subspaces what the traces tell apart."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from analytics.influence.traces import Features, interaction_times
from dashboard.importers.common_records import WALL_SECONDS, batch_record, named_environment
from dashboard.importers.errors import Faults, FileFaults, InvalidSetting
from dashboard.importers.levels import label_of
from dashboard.importers.model_records import PartitionRecord, PerformanceModelRecord
from dashboard.importers.record_tables import MeasurementTable, RegionMeasurementTable
from dashboard.importers.records import (
    ConfigurationRecord,
    Imported,
    OptionRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
    space_of,
)
from dashboard.importers.settings import (
    ImportSetting,
    ImportSettings,
    context_names,
    identity,
    single,
)
from dashboard.importers.source import ImportSource
from dashboard.importers.tef.configurations import (
    FeatureTrace,
    features_by_name,
    find_traces,
    read_options,
    region_of,
    with_features,
)
from dashboard.importers.tef.events import SECONDS, TraceReading
from dashboard.importers.tef.spans import SpanStore

SETTINGS = (
    ImportSetting("time-unit", "UNIT", "s, ms, us or ns, where the file does not say the unit of its times"),
    ImportSetting("configuration", "OPTION=VALUE,...", "the configuration that the program ran with"),
    ImportSetting("revision", "NAME", "the revision that ran"),
    ImportSetting("workload", "NAME", "what the program was asked to do"),
    ImportSetting("environment", "NAME", "the machine it ran on"),
)
MAX_CELLS = 4096  # combinations of levels of one region: twelve switches


def read(source: ImportSource, given: ImportSettings) -> Imported:
    """The records of one trace or several. Raises `InvalidBundle`, `InvalidSetting` and `SourceError`."""
    faults = Faults()
    unit = single(given, "time-unit")
    if unit is not None and unit not in SECONDS:
        raise InvalidSetting("time-unit", "is no unit of time", "Write s, ms, us or ns", unit)
    context = context_names(given, "as traced")
    listed = find_traces(source, given, context, faults)
    faults.stop_if_any()
    whole: dict[str, str] = {}
    measured = [_measured(source, trace, unit, whole, faults) for trace in listed]
    traces = with_features([trace for trace, _ in measured], source.title, faults)
    options = {one.name: one for one in read_options(traces, faults)}
    faults.stop_if_any()
    digest = identity(source, None, given)
    faults.remarks += [
        f"The feature {long!r} is called {short}: its name is too long." for short, long in whole.items()
    ]
    manifest = {"traces": {trace.file: summary for trace, summary in measured}}
    sets = sorted(
        {features for one in traces for features in one.seconds}, key=lambda one: (len(one), *sorted(one))
    )
    labels = [
        {name: label_of(options[name], text) for name, text in (one.assignments or {}).items()}
        for one in traces
    ]
    regions = tuple(region_of(features, whole, source.title, faults) for features in sets)
    records = replace(
        _records(traces, labels, list(options.values()), sets),
        batches=(batch_record("tef", digest, source.title, manifest),),
        environments=(named_environment("trace", context["environment"]),),
        regions=regions,
        performance_models=tuple(_models(traces, labels, sets, options, FileFaults(source.title, faults))),
    )
    faults.stop_if_any()
    return Imported(records, digest, tuple(faults.remarks))


def _measured(
    source: ImportSource, trace: FeatureTrace, unit: str | None, whole: dict[str, str], faults: Faults
) -> tuple[FeatureTrace, dict[str, Any]]:
    """`trace` with its times, and what else it says; `whole` takes the names of features that are shortened."""
    with closing(SpanStore(source.go_on)) as store:
        reader = TraceReading(trace.file, store, faults)
        reader.read(source)
        faults.remarks += reader.remarks()
        factor = reader.seconds_per_unit(unit)
        features_only = store.has_features()
        names = store.names(features_only=features_only)
        if not names and not faults.count:
            remedy = "Check that the file holds duration events (B and E, or X)"
            faults.add(trace.file, "no region begins and ends in it", remedy)
        meaning = features_by_name(names, trace.file, faults, whole)
        times: Mapping[Features, float] = {}
        if not faults.count:
            times = interaction_times(store.edges(meaning, features_only=features_only))
        seconds = {features: time * factor for features, time in times.items()}
        return replace(trace, seconds=seconds, extent_seconds=store.extent() * factor), reader.as_json()


def _records(
    traces: Sequence[FeatureTrace],
    labels: Sequence[Mapping[str, str]],
    options: Sequence[OptionRecord],
    sets: Sequence[Features],
) -> SystemRecords:
    """One profiled run per trace, of the configuration with its `labels`; region i is of the features `sets[i]`."""
    space = space_of(options)
    distinct: dict[tuple[tuple[str, str], ...], int] = {}
    counts: Counter[tuple[str, str, int]] = Counter()
    runs = []
    for one, levels in zip(traces, labels, strict=True):
        place = distinct.setdefault(tuple(sorted(space.differing(levels).items())), len(distinct))
        key = (one.revision, one.workload, place)
        runs.append(RunRecord(0, one.revision, place, one.workload, 0, "profiled", counts[key]))
        counts[key] += 1
    region_of = {features: place for place, features in enumerate(sets)}
    times = [
        (run, region_of[features], seconds)
        for run, one in enumerate(traces)
        for features, seconds in one.seconds.items()
    ]
    return SystemRecords(
        revisions=tuple(map(RevisionRecord, dict.fromkeys(one.revision for one in traces))),
        options=tuple(options),
        configurations=tuple(
            ConfigurationRecord(f"c{place}", dict(levels)) for levels, place in distinct.items()
        ),
        workloads=tuple(map(WorkloadRecord, dict.fromkeys(one.workload for one in traces))),
        metrics=(WALL_SECONDS,),
        runs=tuple(runs),
        measurements=MeasurementTable(
            np.arange(len(traces)),
            np.zeros(len(traces), dtype=np.int64),
            np.array([one.extent_seconds for one in traces]),
        ),
        region_measurements=RegionMeasurementTable(
            np.array([run for run, _, _ in times], dtype=np.int64),
            np.array([region for _, region, _ in times], dtype=np.int64),
            np.zeros(len(times), dtype=np.int64),
            np.array([seconds for _, _, seconds in times], dtype=np.float64),
        ),
    )


def _models(
    traces: Sequence[FeatureTrace],
    labels: Sequence[Mapping[str, str]],
    sets: Sequence[Features],
    options: Mapping[str, OptionRecord],
    faults: FileFaults,
) -> Iterator[PerformanceModelRecord]:
    """The model of each revision and workload: how its traces partition the regions of the `sets` of features.

    The subspaces of a region are each combination of the levels of its features that occurs, and all others together.
    """

    def literal(name: str, label: str) -> str:
        option = options[name].as_option()
        level = option.index_of_label(label)
        return option.equals(level) if not option.is_switch else name if level else f"!{name}"

    cells = [prod(len(options[name].levels) for name in features) for features in sets]
    for features, size in zip(sets, cells, strict=True):
        if size > MAX_CELLS:
            problem = (
                f"{len(features)} features at once have {size} combinations of levels, more than {MAX_CELLS}"
            )
            remedy = "Trace fewer features inside of each other"
            faults.add(problem, remedy, value="*".join(sorted(features)))
    faults.all.stop_if_any()
    groups: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for one, levels in zip(traces, labels, strict=True):
        groups.setdefault((one.revision, one.workload), []).append(levels)
    for (revision, workload), configurations in groups.items():
        partitions = []
        for place, features in enumerate(sets):
            names = sorted(features)
            seen = sorted({tuple(levels[name] for name in names) for levels in configurations})
            formulas = [" & ".join(map(literal, names, one)) for one in seen]
            if len(seen) < cells[place]:
                formulas.append("!(" + " | ".join(f"({formula})" for formula in formulas) + ")")
            is_split = bool(names) and cells[place] > 1
            partitions.append(PartitionRecord(place, tuple(formulas) if is_split else ("True",)))
        yield PerformanceModelRecord(
            batch=0,
            revision=revision,
            workload=workload,
            environment=0,
            kind="partitioned",
            region_metric=0,
            total_metric=0,
            aggregate_repetitions="median",
            aggregate_configurations="median",
            uncovered_is_zero=True,
            partitions=tuple(partitions),
        )

"""Traces put together as records: regions are sets of features, their subspaces what the traces tell apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from analytics.influence.traces import Features, interaction_times
from dashboard.importers.common_records import WALL_SECONDS, batch_record, named_environment
from dashboard.importers.errors import Faults, FileFaults, InvalidSetting
from dashboard.importers.levels import label_of
from dashboard.importers.limits import LONGEST
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
from dashboard.importers.settings import ImportSetting, ImportSettings, identity, single
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
from dashboard.importers.tef.spans import span_store

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
    for name in ("revision", "workload", "environment"):
        if len(single(given, name) or "") > LONGEST[name]:
            raise InvalidSetting(name, "is too long", f"Use up to {LONGEST[name]} characters")
    listed = find_traces(source, given, faults)
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
        environments=(named_environment("trace", single(given, "environment") or "as traced"),),
        regions=regions,
        performance_models=_models(traces, labels, sets, options, FileFaults(source.title, faults)),
    )
    faults.stop_if_any()
    return Imported(records, digest, tuple(faults.remarks))


def _measured(
    source: ImportSource, trace: FeatureTrace, unit: str | None, whole: dict[str, str], faults: Faults
) -> tuple[FeatureTrace, dict[str, Any]]:
    """`trace` with its times, and what else it says; `whole` takes the names of features that are shortened."""
    with span_store(source.go_on) as store:
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
) -> tuple[PerformanceModelRecord, ...]:
    """The model of each revision and workload: how its traces partition the regions of the `sets` of features."""
    groups: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for one, levels in zip(traces, labels, strict=True):
        groups.setdefault((one.revision, one.workload), []).append(levels)
    return tuple(
        PerformanceModelRecord(
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
            partitions=_partitions(sets, levels, options, faults),
        )
        for (revision, workload), levels in groups.items()
    )


def _partitions(
    sets: Sequence[Features],
    levels: Sequence[Mapping[str, str]],
    options: Mapping[str, OptionRecord],
    faults: FileFaults,
) -> tuple[PartitionRecord, ...]:
    """The partition of each region by traces with configurations at these `levels`.

    Its subspaces are each combination of the levels of its features that occurs, and all others together.
    """

    def literal(name: str, label: str) -> str:
        option = options[name].as_option()
        is_on = option.index_of_label(label)
        if option.is_switch:
            return name if is_on else f"!{name}"
        return option.equals(is_on)

    partitions = []
    for place, features in enumerate(sets):
        cells = prod(len(options[name].levels) for name in features)
        if cells > MAX_CELLS:
            problem = (
                f"{len(features)} features at once have {cells} combinations of levels, more than {MAX_CELLS}"
            )
            remedy, value = "Trace fewer features inside of each other", "*".join(sorted(features))
            faults.add(problem, remedy, value=value)
            continue
        names = sorted(features)
        seen = sorted({tuple(labels[name] for name in names) for labels in levels})
        formulas = [" & ".join(map(literal, names, one)) for one in seen]
        if len(seen) < cells:
            formulas.append("!(" + " | ".join(f"({formula})" for formula in formulas) + ")")
        partitions.append(PartitionRecord(place, tuple(formulas) if names and cells > 1 else ("True",)))
    return tuple(partitions)

"""Putting traces together as records: regions are sets of features, their subspaces what the traces tell apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np

from analytics.influence.regions import PROGRAM_REGION, PROGRAM_REGION_NAME
from analytics.influence.traces import Features
from dashboard.importers.errors import Faults
from dashboard.importers.levels import label_of
from dashboard.importers.limits import LONGEST
from dashboard.importers.record_tables import MeasurementTable, RegionMeasurementTable
from dashboard.importers.records import (
    BatchRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    MetricRecord,
    OptionRecord,
    PartitionRecord,
    PerformanceModelRecord,
    RegionRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.tef.configurations import TraceFile
from dashboard.importers.tef.names import shortened

MAX_CELLS = 4096  # combinations of levels of one region: twelve switches
_SECONDS = MetricRecord("time", "s", "wall")


@dataclass(frozen=True, slots=True)
class TraceTimes:
    """What one trace took, in seconds: in each interaction, and from its first to its last event."""

    trace: TraceFile
    seconds: Mapping[Features, float]
    extent_seconds: float


def assemble(
    *,
    title: str,
    digest: str,
    options: Sequence[OptionRecord],
    traces: Sequence[TraceTimes],
    environment: str,
    manifest: Mapping[str, Any],
    whole: Mapping[str, str],
    faults: Faults,
) -> SystemRecords:
    """The records of traces; one profiled run per trace, one analysis per revision and workload.

    `whole` are the names of features whose own are shortened: regions show them.
    """
    known = {one.name: one for one in options}
    sets = sorted(
        {features for one in traces for features in one.seconds}, key=lambda one: (len(one), *sorted(one))
    )
    regions = tuple(_region(features, whole, faults, title) for features in sets)
    levels = [_labels(one.trace, known) for one in traces]
    configurations, places = _configurations(levels, known)
    groups: dict[tuple[str, str], list[int]] = {}
    for row, one in enumerate(traces):
        groups.setdefault((one.trace.revision, one.trace.workload), []).append(row)
    analyses = tuple(
        _analysis(revision, workload, sets, [levels[row] for row in rows], known, faults=faults, title=title)
        for (revision, workload), rows in groups.items()
    )
    return SystemRecords(
        batches=(BatchRecord("tef", digest, title[: LONGEST["batch source"]], manifest),),
        revisions=tuple(RevisionRecord(name) for name in dict.fromkeys(one.trace.revision for one in traces)),
        options=tuple(options),
        configurations=configurations,
        workloads=tuple(WorkloadRecord(name) for name in dict.fromkeys(one.trace.workload for one in traces)),
        environments=(_environment(environment),),
        metrics=(_SECONDS,),
        regions=regions,
        runs=_runs(traces, places),
        measurements=MeasurementTable(
            np.arange(len(traces)),
            np.zeros(len(traces), dtype=np.int64),
            np.array([one.extent_seconds for one in traces]),
        ),
        region_measurements=_region_measurements(traces, sets),
        analyses=analyses,
    )


def _analysis(
    revision: str,
    workload: str,
    sets: Sequence[Features],
    levels: Sequence[Mapping[str, str]],
    known: Mapping[str, OptionRecord],
    *,
    faults: Faults,
    title: str,
) -> PerformanceModelRecord:
    """The analysis of the traces whose configurations are `levels`, over the regions `sets`."""
    return PerformanceModelRecord(
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
        partitions=tuple(
            PartitionRecord(place, _formulas(features, levels, known, faults, title))
            for place, features in enumerate(sets)
        ),
    )


def _region(features: Features, whole: Mapping[str, str], faults: Faults, title: str) -> RegionRecord:
    if not features:
        return RegionRecord(PROGRAM_REGION, PROGRAM_REGION_NAME, is_program=True)
    key = "*".join(sorted(features))
    if key == PROGRAM_REGION:
        faults.add(title, "the name stands for the rest of the program", "Rename the feature", value=key)
    name = "*".join(whole.get(feature, feature) for feature in sorted(features))
    return RegionRecord(shortened(key, LONGEST["region key"]), shortened(name, LONGEST["region name"]))


def _labels(trace: TraceFile, known: Mapping[str, OptionRecord]) -> dict[str, str]:
    return {name: label_of(known[name], text) for name, text in (trace.assignments or {}).items()}


def _configurations(
    levels: Sequence[Mapping[str, str]], known: Mapping[str, OptionRecord]
) -> tuple[tuple[ConfigurationRecord, ...], list[int]]:
    """The distinct configurations, and the place of each trace's among them."""
    found: dict[tuple[tuple[str, str], ...], int] = {}
    places = []
    for labels in levels:
        differing = {name: text for name, text in labels.items() if text != known[name].levels[0].label}
        places.append(found.setdefault(tuple(sorted(differing.items())), len(found)))
    return tuple(ConfigurationRecord(f"c{place}", dict(key)) for key, place in found.items()), places


def _formulas(
    features: Features,
    levels: Sequence[Mapping[str, str]],
    known: Mapping[str, OptionRecord],
    faults: Faults,
    title: str,
) -> tuple[str, ...]:
    """The subspaces of a region: each combination of its features' levels that occurs, and all others together."""
    names = sorted(features)
    cells = prod(len(known[name].levels) for name in names)
    if cells > MAX_CELLS:
        problem = f"{len(names)} features at once have {cells} combinations of levels, more than {MAX_CELLS}"
        faults.add(title, problem, "Trace fewer features inside of each other", value="*".join(names))
        return ()
    seen = sorted({tuple(labels[name] for name in names) for labels in levels})
    formulas = [
        " & ".join(_literal(known[name], label) for name, label in zip(names, one, strict=True))
        for one in seen
    ]
    if len(seen) < cells:
        formulas.append("!(" + " | ".join(f"({formula})" for formula in formulas) + ")")
    return tuple(formulas) if names and cells > 1 else ("True",)


def _literal(option: OptionRecord, label: str) -> str:
    if option.levels[0].value is False:
        return option.name if label == option.levels[1].label else f"!{option.name}"
    return f'{option.name}="{label}"'


def _environment(name: str) -> EnvironmentRecord:
    """A machine that traces say nothing of: known by the name that a person gave it."""
    return EnvironmentRecord(sha256(f"trace\0{name}".encode()).hexdigest(), name, {"told_by": "the import"})


def _runs(traces: Sequence[TraceTimes], places: Sequence[int]) -> tuple[RunRecord, ...]:
    repetitions: dict[tuple[str, str, int], int] = {}
    runs = []
    for one, place in zip(traces, places, strict=True):
        key = (one.trace.revision, one.trace.workload, place)
        repetition = repetitions.get(key, 0)
        repetitions[key] = repetition + 1
        runs.append(RunRecord(0, one.trace.revision, place, one.trace.workload, 0, repetition, "profiled"))
    return tuple(runs)


def _region_measurements(traces: Sequence[TraceTimes], sets: Sequence[Features]) -> RegionMeasurementTable:
    region = {features: place for place, features in enumerate(sets)}
    rows = [
        (run, region[features], seconds)
        for run, one in enumerate(traces)
        for features, seconds in one.seconds.items()
    ]
    runs, regions, values = zip(*rows, strict=True) if rows else ((), (), ())
    return RegionMeasurementTable(
        np.array(runs, dtype=np.int64),
        np.array(regions, dtype=np.int64),
        np.zeros(len(rows), dtype=np.int64),
        np.array(values, dtype=np.float64),
    )

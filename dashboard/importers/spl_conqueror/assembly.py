"""Putting measured configurations together as records."""

import hashlib
import json

import numpy as np

from analytics.configurations.options import IntArray
from dashboard.importers.record_tables import MeasurementTable
from dashboard.importers.records import (
    BatchRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    LevelRecord,
    MetricRecord,
    OptionRecord,
    OrderRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.spl_conqueror.reading import Measured, Published
from dashboard.importers.spl_conqueror.readme import Readme
from dashboard.importers.spl_conqueror.releases import ORDER
from dashboard.importers.spl_conqueror.told import Told


def assemble(
    measured: Measured,
    *,
    title: str,
    digest: str,
    readme: Readme,
    told: Told,
    published: Published,
) -> SystemRecords:
    """The records of a folder without faults: one environment and batch; one run for each row."""
    manifest = {
        "repetitions": told.repetitions or readme.repetitions,
        "published_errors": dict(published.errors),
        "relevant_terms": {name: list(terms) for name, terms in published.relevant_terms.items()},
    }
    unique, place = np.unique(measured.configurations, axis=0, return_inverse=True)
    runs = tuple(
        RunRecord(0, revision, configuration, workload, 0, 0, "plain")
        for revision, configuration, workload in zip(
            measured.revision, place.ravel().tolist(), measured.workload, strict=True
        )
    )
    return SystemRecords(
        description=readme.text or title,
        batches=(BatchRecord("spl-conqueror", digest, title, manifest),),
        revisions=tuple(
            RevisionRecord(name, (readme.commits or {}).get(name, "")) for name in measured.revisions
        ),
        orders=(OrderRecord(ORDER, {name: place for place, name in enumerate(measured.revisions)}),),
        options=_options(measured),
        configurations=tuple(_configuration(measured, row) for row in unique),
        workloads=tuple(
            WorkloadRecord(name, readme.workload or "The workload of the published measurements.")
            for name in dict.fromkeys(measured.workload)
        ),
        environments=(_environment(title, readme),),
        metrics=tuple(_metric(name, readme, told) for name in measured.values),
        runs=runs,
        measurements=_measurements(measured, told.repetitions or readme.repetitions or 1),
        feature_models=() if measured.feature_model is None else (measured.feature_model,),
        coefficients=published.coefficients,
    )


def _options(measured: Measured) -> tuple[OptionRecord, ...]:
    """The options, each with the level of the reference configuration first."""
    records = []
    for option, first in zip(measured.folding.space.options, measured.reference.tolist(), strict=True):
        order = [first, *(level for level in range(len(option.levels)) if level != first)]
        levels = tuple(LevelRecord(option.levels[level], option.text(level)) for level in order)
        records.append(OptionRecord(option.name, levels))
    return tuple(records)


def _configuration(measured: Measured, row: IntArray) -> ConfigurationRecord:
    options = measured.folding.space.options
    return ConfigurationRecord(
        "",
        {
            options[position].name: options[position].text(int(row[position]))
            for position in np.flatnonzero(row != measured.reference).tolist()
        },
    )


def _environment(title: str, readme: Readme) -> EnvironmentRecord:
    """The authors' machine: one environment for each source, never mixed."""
    details = {"source": title} | ({"cluster": readme.cluster} if readme.cluster else {})
    digest = hashlib.sha256(json.dumps(details, sort_keys=True).encode()).hexdigest()
    return EnvironmentRecord(digest, readme.cluster or "as published", details)


def _metric(name: str, readme: Readme, told: Told) -> MetricRecord:
    unit = told.units.get(name, (readme.units or {}).get(name, ""))
    better = told.better.get(name, "higher" if name in readme.throughput else "lower")
    return MetricRecord(name, unit, "none", better)


def _measurements(measured: Measured, repetitions: int) -> MeasurementTable:
    """One row for each measured value; cells that are empty were not measured."""
    run, metric, value, deviation = [], [], [], []
    for position, (name, values) in enumerate(measured.values.items()):
        rows = np.flatnonzero(~np.isnan(values))
        relative = measured.deviations.get(name, np.full(len(values), np.nan))
        run.append(rows)
        metric.append(np.full(len(rows), position))
        value.append(values[rows])
        deviation.append(relative[rows] * np.abs(values[rows]))
    runs = np.concatenate(run)
    order = np.argsort(runs, kind="stable")
    return MeasurementTable(
        run=runs[order],
        metric=np.concatenate(metric)[order],
        value=np.concatenate(value)[order],
        deviation=np.concatenate(deviation)[order],
        n=np.full(len(runs), repetitions),
    )

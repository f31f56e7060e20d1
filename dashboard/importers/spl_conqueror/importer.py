"""Measured configurations with the published models beside them, put together as records."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dashboard.importers.common_records import PUBLISHED_WORKLOAD, batch_record, published_environment
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.model_records import CoefficientRecord
from dashboard.importers.record_tables import MeasurementTable
from dashboard.importers.records import (
    ConfigurationRecord,
    Imported,
    MetricRecord,
    OrderRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
    space_of,
)
from dashboard.importers.settings import ImportSettings, identity
from dashboard.importers.source import ImportSource
from dashboard.importers.spl_conqueror.columns import REVISION, WORKLOAD
from dashboard.importers.spl_conqueror.files import SplFolder, find_folder
from dashboard.importers.spl_conqueror.metadata import SplMetadata
from dashboard.importers.spl_conqueror.reading import MeasuredRows
from dashboard.importers.tables import Table

# What the tool that learned the models adds to the names of revisions, and a column that is no term.
_SUFFIX = "_opt"
_ERROR = "error"
_FACTORS = re.compile(r"\s*\*\s*")


def read(source: ImportSource, given: ImportSettings) -> Imported:
    """The records of a folder of measured configurations. Raises `InvalidBundle` and `InvalidSetting`.

    Everything is checked, and every fault is reported, before anything is handed out.
    """
    faults = Faults()
    metadata = SplMetadata(given)
    folder = find_folder(source, faults)
    measured = MeasuredRows(folder, metadata)
    readme = folder.text(folder.others["README"])
    coefficients = _read_published(folder, measured)
    faults.stop_if_any()
    metadata.add_readme(readme, list(measured.values))
    repetitions = metadata.repetitions
    digest = identity(source, None, given)
    # One row for each measured value; cells that are empty were not measured.
    values = np.array(list(measured.values.values()))
    unknown = np.full(values.shape[1:], np.nan)
    relative = np.array([measured.deviations.get(name, unknown) for name in measured.values])
    run, metric = np.nonzero(~np.isnan(values.T))
    value = values[metric, run]
    deviation, n = relative[metric, run] * np.abs(value), np.full(len(run), repetitions or 1)
    records = replace(
        _records(measured, metadata, source.title),
        batches=(batch_record("spl-conqueror", digest, source.title, {"repetitions": repetitions}),),
        measurements=MeasurementTable(run, metric, value, deviation, n),
        coefficients=tuple(coefficients),
    )
    without_unit = [metric.quantity for metric in records.metrics if not metric.unit]
    if without_unit:
        faults.remarks.append(f"unknown unit of {', '.join(without_unit)}: set it with `manage.py metric`.")
    if measured.deviations and not repetitions:
        faults.remarks.append("nothing says of how many executions the deviations are: give --repetitions N.")
    return Imported(records, digest, (*faults.remarks, *metadata.doubts))


def _records(measured: MeasuredRows, metadata: SplMetadata, title: str) -> SystemRecords:
    """The records but for what is measured: one environment and batch; one run for each row, of which equal ones are repetitions."""
    unique, place = np.unique(measured.configurations, axis=0, return_inverse=True)
    # Relative to the reference, which the folded options do not know.
    space = space_of(measured.options)
    configurations = map(measured.folding.space.decode, unique)
    keys = zip(measured.revision, place.ravel().tolist(), measured.workload, strict=True)
    details = {"source": title} | ({"cluster": metadata.cluster} if metadata.cluster else {})
    return SystemRecords(
        description=metadata.description or title,
        revisions=tuple(RevisionRecord(name, metadata.commits.get(name, "")) for name in measured.revisions),
        orders=(OrderRecord("releases", {name: place for place, name in enumerate(measured.revisions)}),),
        options=measured.options,
        configurations=tuple(ConfigurationRecord("", space.differing(labels)) for labels in configurations),
        workloads=tuple(
            WorkloadRecord(name, metadata.workload or PUBLISHED_WORKLOAD.description)
            for name in dict.fromkeys(measured.workload)
        ),
        environments=(published_environment(metadata.cluster, details),),
        metrics=tuple(
            MetricRecord(name, metadata.units.get(name, ""), "none", metadata.better.get(name, "lower"))
            for name in measured.values
        ),
        runs=tuple(
            RunRecord(0, *key, 0, "plain", repetition)
            for key, repetition in zip(keys, measured.repetition, strict=True)
        ),
        feature_models=() if measured.feature_model is None else (measured.feature_model,),
    )


def _read_published(folder: SplFolder, rows: MeasuredRows) -> Sequence[CoefficientRecord]:
    """Coefficients of the published models, which are of the metric called performance, or of the first one."""
    known = {f"{name}{_SUFFIX}": name for name in rows.revisions} | {name: name for name in rows.revisions}
    table = folder.table(folder.others["models.csv"], (REVISION,))
    if table is None:
        return ()
    if WORKLOAD in table:
        remark = "models by workload are left out: published coefficients are kept by revision alone."
        table.faults.remarks.append(f"{table.file}: {remark}")
        return ()
    names = [known.get(name, name) for name in table[REVISION]]
    for row, name in enumerate(names):
        if name not in rows.revisions:
            table.note(row, REVISION, "was not measured", "Correct the revision's name")
        elif names.index(name) < row:
            table.note(row, REVISION, "is there twice", "Keep one of the two rows")
    if names != list(table[REVISION]):
        table.faults.remarks.append(f"{table.file}: revisions are told without their ending {_SUFFIX}.")
    return _coefficients(table, names, rows)


def _coefficients(table: Table, names: Sequence[str], rows: MeasuredRows) -> list[CoefficientRecord]:
    records: list[CoefficientRecord] = []
    metrics = list(rows.values)
    metric = metrics.index("performance") if "performance" in metrics else 0
    for position, column in enumerate(table.columns, start=1):
        if column in (REVISION, _ERROR):
            continue
        # A column without a name has a place at least.
        term = column or f"(column {position})"
        if len(term) > LONGEST["term"]:
            table.faults.add(table.file, "a term is too long", "Shorten it", line=1, column=term)
            continue
        levels = rows.folding.levels_of_term(_FACTORS.split(term))
        if levels is None:
            remark = f"options do not tell the term {term!r}; it is kept as it is written."
            table.faults.remarks.append(f"{table.file}: {remark}")
        values = zip(names, table.numbers(column).tolist(), strict=True)
        records += [CoefficientRecord(0, name, metric, term, levels, value) for name, value in values]
    return records

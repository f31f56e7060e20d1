"""What a column needs that is stored anew: a field in the model and one in its record, and nothing for the bundle.

See "A new stored column" in CONTRIBUTING.md.
"""

import hashlib
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np
import pytest
from annotated_types import MaxLen
from django.db import models

from analytics.call_paths import CallPaths
from analytics.configurations.feature_models.features import Feature
from dashboard.access import Principal
from dashboard.importers import bundle
from dashboard.importers.bundle.files import FILE_OF
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.feature_records import FeatureLocationRecord, FeatureModelRecord
from dashboard.importers.model_records import (
    CoefficientRecord,
    CorrectionRecord,
    HybridRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
)
from dashboard.importers.record_fields import RecordField, fields_of
from dashboard.importers.record_tables import MeasurementTable, PointTable, RegionMeasurementTable
from dashboard.importers.records import (
    BatchRecord,
    CallPathsRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    LevelRecord,
    MetricRecord,
    OptionRecord,
    OrderRecord,
    RegionRecord,
    RegionVersionRecord,
    RevisionRecord,
    RunRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.whitebox_records import CountedRunRecord, WhiteBoxRecord
from dashboard.models import (
    Batch,
    Configuration,
    CountedRun,
    Environment,
    FeatureLocation,
    Level,
    Measurement,
    Metric,
    ModelCorrection,
    PerformanceModel,
    Point,
    PublishedCoefficient,
    PublishedPrediction,
    Region,
    RegionMeasurement,
    RegionPartition,
    RegionVersion,
    Revision,
    Run,
    RunCallPaths,
    Series,
    StoredFeatureModel,
    System,
    SystemOption,
    WhiteBoxAnalysis,
    Workload,
)
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.record_columns import column_of, stored_fields
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers.comprex_sample import as_source
from tests.dashboard.imports.test_hybrid_bundles import RECORDS

# The table of each record, and what of the table no bundle holds: keys, owners, and what is computed.
TABLES: dict[type, tuple[type[models.Model], set[str]]] = {
    BatchRecord: (Batch, {"system_id", "state", "created_at", "written_at"}),
    # What may be built is said by the source of the registered subject alone, never by a file.
    RevisionRecord: (Revision, {"system_id", "branch"}),
    WorkloadRecord: (Workload, {"system_id"}),
    EnvironmentRecord: (Environment, set()),
    MetricRecord: (Metric, set()),
    RegionRecord: (Region, {"system_id"}),
    RegionVersionRecord: (RegionVersion, set()),
    ConfigurationRecord: (Configuration, {"system_id", "identity"}),
    OptionRecord: (SystemOption, {"system_id", "position"}),
    LevelRecord: (Level, {"option_id", "position"}),
    RunRecord: (Run, {"invalidated_by_id"}),
    MeasurementTable: (Measurement, set()),
    RegionMeasurementTable: (RegionMeasurement, set()),
    # Only points that runs make are adjusted.
    PointTable: (Point, {"adjustment"}),
    # The kernel is chosen where a history is looked at; those of runs come again without a choice, as these do.
    SeriesRecord: (
        Series,
        {"system_id", "identity", "data_version", "grown_from", "grown_to", "subject_kind", "kernel"},
    ),
    PerformanceModelRecord: (PerformanceModel, {"system_id", "data_version", "settings"}),
    CorrectionRecord: (ModelCorrection, {"model_id"}),
    PartitionRecord: (RegionPartition, {"model_id"}),
    PredictionRecord: (PublishedPrediction, {"model_id"}),
    CoefficientRecord: (PublishedCoefficient, {"system_id"}),
    # The model's features and constraints are its payload, as one document.
    FeatureModelRecord: (StoredFeatureModel, {"system_id", "payload"}),
    FeatureLocationRecord: (FeatureLocation, {"feature_model_id"}),
    # The record calls it `found`, as bundles do.
    WhiteBoxRecord: (WhiteBoxAnalysis, {"system_id", "result", "data_version"}),
    # One type packs them.
    CallPathsRecord: (RunCallPaths, {"paths"}),
    CountedRunRecord: (CountedRun, {"batch_id", "revision_id", "counts"}),
}
TEXT = "def f(): pass"
NAMES = {
    "revisions": "1.0",
    "workloads": "small",
    "options": "A",
    "sources": hashlib.sha256(TEXT.encode()).hexdigest(),
}


@pytest.mark.parametrize(
    ("record_class", "table"), TABLES.items(), ids=lambda one: getattr(one, "__name__", "")
)
def test_every_stored_column_is_a_field_of_its_record(
    record_class: type, table: tuple[type[models.Model], set[str]]
) -> None:
    model, without = table
    columns = {one.attname for one in model._meta.concrete_fields if not one.primary_key}
    assert columns - without == {column_of(field) for field in stored_fields(record_class, model)}


def _other(field: RecordField, default: Any) -> Any:
    """A value that is not the field's default."""
    shape = next((one for one in get_args(field.shape) if one is not type(None)), field.shape)
    shape = get_args(shape)[0] if get_origin(shape) is Annotated else shape
    if field.collection:
        return NAMES.get(field.collection, default)
    if get_origin(field.shape) is Literal:
        return next(word for word in get_args(field.shape) if word != default)
    if field.shape is str:
        longest = field.mark(MaxLen)
        return field.name[: longest.max_length if longest else None]
    values: dict[Any, Any] = {
        bool: not default,
        int: 7,
        float: 2.5,
        datetime: datetime(2026, 1, 31, 12, tzinfo=UTC),
    }
    if isinstance(default, dict):
        return {"key": [1, None, {"deep": "text"}]}
    return values.get(field.shape, values.get(shape, default))


def filled(record: Any) -> Any:
    """A record in which no field has its default value; records in it likewise."""
    changes: dict[str, Any] = {}
    record_class: type = type(record)
    declared = {one.name: one for one in fields_of(record_class)}
    for one in fields(record):
        value = getattr(record, one.name)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        if isinstance(value, tuple) and value and is_dataclass(value[0]):
            changes[one.name] = tuple(map(filled, value))
        elif default is not MISSING and value == default:
            changes[one.name] = _other(declared[one.name], default)
    return replace(record, **changes)


def _system() -> SystemRecords:
    """A system with an entry of each kind, which have what they cannot do without."""
    at: dict[str, Any] = {"revision": "1.0", "workload": "small", "environment": 0}
    model = PerformanceModelRecord(
        batch=0,
        kind="partitioned",
        region_metric=0,
        total_metric=0,
        aggregate_repetitions="median",
        aggregate_configurations="mean",
        options=("A",),
        partitions=(PartitionRecord(0, ("True",)),),
        corrections=(CorrectionRecord("published_correction", 1.0, 2.0),),
        predictions=(PredictionRecord(0, 3.0),),
        **at,
    )
    location = FeatureLocationRecord("A", "a.py", 1, 2, 3, 4)
    features = (Feature("root"), Feature("A", "root", optional=True))
    one = np.zeros(1, dtype=np.int64)
    return replace(
        RECORDS,
        regions=(RegionRecord(key="tiny:f", name="f", is_program=True),),
        region_versions=(RegionVersionRecord(0, "1.0"),),
        sources={NAMES["sources"]: TEXT},
        orders=(OrderRecord("all", {"1.0": 3}),),
        runs=(RunRecord(batch=0, configuration=0, kind="plain", repetition=0, **at),),
        measurements=MeasurementTable(one, one, np.ones(1), np.array([0.25]), one + 9),
        region_measurements=RegionMeasurementTable(one, one, one, np.ones(1), {0: {"12": 0.5}}),
        performance_models=(model,),
        call_paths=(CallPathsRecord(0, CallPaths.folded({("tiny:f", "tiny:g"): 0.1 + 0.2})),),
        coefficients=(CoefficientRecord(0, "1.0", 0, "A", {"A": ("off", "on")}, 4.5),),
        series=(SeriesRecord("small", 0, 0, subject="bench"),),
        points=PointTable(one, one, one, one + 3, np.ones(1), np.array([0.5])),
        feature_models=(FeatureModelRecord(0, "root", features, locations=(location,)),),
        white_box_analyses=(replace(RECORDS.white_box_analyses[0], approach="reads"),),
    )


def _full() -> SystemRecords:
    system = _system()
    content: dict[str, Any] = {
        name: tuple(map(filled, getattr(system, name)))
        for name in FILE_OF
        if isinstance(getattr(system, name), tuple)
        and name not in {"white_box_analyses", "counts", "hybrid_models"}
    }
    return replace(system, description="a system", **content)


def test_every_field_has_another_value_than_its_default() -> None:
    """Without that the tests below would not see a field that is lost."""
    left = {
        (type(record).__name__, one.name)
        for name in FILE_OF
        for record in (getattr(_full(), name) if isinstance(getattr(_full(), name), tuple) else ())
        for one in fields(record)
        if one.default is not MISSING and getattr(record, one.name) == one.default
    }
    # A series is of a benchmark or of a configuration; no constraint is over a single option.
    assert left == {("SeriesRecord", "configuration"), ("FeatureModelRecord", "constraints")}


def test_every_field_survives_a_bundle() -> None:
    full = _full()
    found = bundle.read(as_source(bundle_files(full))).records
    for name in FILE_OF:
        if isinstance(getattr(full, name), tuple):
            assert getattr(found, name) == getattr(full, name), name
    assert bundle_files(found) == bundle_files(full)


@pytest.mark.django_db
def test_every_field_survives_an_import_and_an_export(tmp_path: Path, operator: Principal) -> None:
    full = _full()
    write_bundle(full, tmp_path / "full.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "full.zip", system_name="Full")
    found = load_system_records(System.objects.get(slug="full"))
    for name in FILE_OF:
        if isinstance(getattr(full, name), tuple) and name != "hybrid_models":
            assert getattr(found, name) == getattr(full, name), name
    # What was measured elsewhere makes a hybrid model old.
    (hybrid,) = full.hybrid_models
    assert found.hybrid_models == (replace(hybrid, current=found.hybrid_models[0].current),)
    assert isinstance(hybrid, HybridRecord)
    content, again = (
        bundle_files(replace(full, hybrid_models=())),
        bundle_files(replace(found, hybrid_models=())),
    )
    assert again == content

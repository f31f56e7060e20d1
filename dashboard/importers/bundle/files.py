"""The files of a Perfatlas bundle and the shapes of those in JSON.

docs/reference/perfatlas-bundle.md describes the format.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.hybrid_records import HybridRecord
from dashboard.importers.limits import Digest
from dashboard.importers.records import (
    BatchRecord,
    CoefficientRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    MetricRecord,
    OptionRecord,
    OrderRecord,
    PerformanceModelRecord,
    RevisionRecord,
    SeriesRecord,
    WorkloadRecord,
)
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord

FORMAT = "perfatlas-bundle"
VERSION = 2

MANIFEST = "manifest.json"
REVISIONS = "revisions.json"
ORDERS = "orders.json"
OPTIONS = "options.json"
CONFIGURATIONS = "configurations.json"
WORKLOADS = "workloads.json"
ENVIRONMENTS = "environments.json"
METRICS = "metrics.json"
SOURCES = "sources.json.gz"
ANALYSES = "analyses.json.gz"
COEFFICIENTS = "coefficients.json.gz"
FEATURE_MODELS = "feature_models.json.gz"
TRACINGS = "tracings.json.gz"
COUNTS = "counts.json.gz"
HYBRIDS = "hybrid_models.json.gz"
SERIES = "series.json.gz"
REGIONS = "regions.csv"
REGION_VERSIONS = "region_versions.csv.gz"
RUNS = "runs.csv.gz"
MEASUREMENTS = "measurements.csv.gz"
REGION_MEASUREMENTS = "region_measurements.csv.gz"
POINTS = "points.csv.gz"

# The columns of the tables; `number` counts rows from 0 and is what other files refer to.
COLUMNS = {
    REGIONS: ("number", "key", "package", "name", "is_program"),
    REGION_VERSIONS: (
        "region",
        "revision",
        "file",
        "first_line",
        "last_line",
        "body_digest",
        "source",
    ),
    RUNS: (
        "number",
        "batch",
        "revision",
        "configuration",
        "workload",
        "environment",
        "kind",
        "repetition",
        "status",
        "started_at",
        "message",
        "invalid_reason",
        "output_tail",
    ),
    MEASUREMENTS: ("run", "metric", "value", "deviation", "n"),
    REGION_MEASUREMENTS: ("run", "region", "metric", "value", "lines"),
    POINTS: ("series", "revision", "batch", "n", "median", "spread"),
}
# What earlier bundles of this version do without: a file that is absent is empty, a column that is absent unknown.
OPTIONAL_FILES = frozenset({COEFFICIENTS, FEATURE_MODELS, TRACINGS, COUNTS, HYBRIDS})
OPTIONAL_COLUMNS = {MEASUREMENTS: frozenset({"deviation", "n"})}


_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Manifest(BaseModel):
    """What the bundle is, and where its data came from."""

    model_config = ConfigDict(frozen=True, **_STRICT)

    format: Literal["perfatlas-bundle"]
    version: Literal[2]
    description: str = ""
    batches: tuple[BatchRecord, ...] = ()


_LISTS: dict[str, Any] = {
    REVISIONS: tuple[RevisionRecord, ...],
    ORDERS: tuple[OrderRecord, ...],
    OPTIONS: tuple[OptionRecord, ...],
    CONFIGURATIONS: tuple[ConfigurationRecord, ...],
    WORKLOADS: tuple[WorkloadRecord, ...],
    ENVIRONMENTS: tuple[EnvironmentRecord, ...],
    METRICS: tuple[MetricRecord, ...],
    SOURCES: dict[Digest, str],
    ANALYSES: tuple[PerformanceModelRecord, ...],
    COEFFICIENTS: tuple[CoefficientRecord, ...],
    FEATURE_MODELS: tuple[FeatureModelRecord, ...],
    SERIES: tuple[SeriesRecord, ...],
    TRACINGS: tuple[WhiteBoxRecord, ...],
    COUNTS: tuple[CountsRecord, ...],
    HYBRIDS: tuple[HybridRecord, ...],
}
SHAPES: dict[str, TypeAdapter[Any]] = {
    MANIFEST: TypeAdapter(Manifest),
    **{file: TypeAdapter(shape, config=_STRICT) for file, shape in _LISTS.items()},
}
FILES = frozenset({*SHAPES, *COLUMNS})

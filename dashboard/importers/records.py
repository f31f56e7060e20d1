"""What importers hand out and the export takes in: a system's content as frozen records, free of any ORM.

Records name options, revisions and workloads by their names. Everything else is referred to by its position in
the tuple that holds it, from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Scalar = bool | int | float | str

# The longest texts that the tables hold.
LONGEST = {
    "system": 120,
    "option": 120,
    "level": 120,
    "revision": 120,
    "commit": 64,
    "order": 40,
    "configuration": 120,
    "workload": 120,
    "environment": 200,
    "metric": 40,
    "region key": 400,
    "region package": 200,
    "region name": 300,
    "file": 400,
    "digest": 64,
    "batch format": 40,
    "batch source": 400,
    "message": 400,
    "correction": 80,
    "subject": 400,
    "benchmark version": 80,
}


@dataclass(frozen=True, slots=True)
class LevelRecord:
    """One value of an option, and how it is written."""

    value: Scalar
    label: str


@dataclass(frozen=True, slots=True)
class OptionRecord:
    """An option; `levels[0]` is its reference level. A blank revision leaves that end open."""

    name: str
    levels: tuple[LevelRecord, ...]
    description: str = ""
    first_revision: str = ""
    last_revision: str = ""


@dataclass(frozen=True, slots=True)
class RevisionRecord:
    """A commit or release."""

    name: str
    commit: str = ""
    message: str = ""
    released_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OrderRecord:
    """A named order: (revision, position) pairs with gaps kept, ascending."""

    name: str
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ConfigurationRecord:
    """A configuration: (option, label of its level) where it differs from the reference, sorted by option."""

    name: str
    assignments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorkloadRecord:
    """What the program was asked to do."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnvironmentRecord:
    """Where it ran; `digest` identifies it across systems."""

    digest: str
    name: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """What was measured; `clock` is wall, cpu or none, `better` lower or higher."""

    quantity: str
    unit: str
    clock: str
    better: str = "lower"


@dataclass(frozen=True, slots=True)
class RegionRecord:
    """A region of code."""

    key: str
    name: str
    package: str = ""
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class RegionVersionRecord:
    """A region in one revision; `source` is the digest of its excerpt in `SystemRecords.sources`, or blank."""

    region: int
    revision: str
    file: str = ""
    first_line: int = 0
    last_line: int = 0
    body_digest: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """Rows that came in together, and what their source says about them."""

    format: str
    digest: str
    source: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One execution; `kind` is plain or profiled, `status` ok, failed, timeout or killed."""

    batch: int
    revision: str
    configuration: int
    workload: str
    environment: int
    repetition: int
    kind: str
    status: str = "ok"
    started_at: datetime | None = None
    message: str = ""
    invalid_reason: str = ""
    output_tail: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class MeasurementTable:
    """Whole-run measurements by column, each of shape (n,): `run` and `metric` are positions."""

    run: IntArray
    metric: IntArray
    value: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RegionMeasurementTable:
    """Region measurements by column, each of shape (n,); `lines` maps a row to {line number: value}."""

    run: IntArray
    region: IntArray
    metric: IntArray
    value: FloatArray
    lines: Mapping[int, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CorrectionRecord:
    """A fit: profiled = intercept + slope * unprofiled, in the region metric's unit."""

    name: str
    intercept: float
    slope: float
    r_squared: float | None = None


@dataclass(frozen=True, slots=True)
class AnalysisRecord:
    """What is known of one revision's regions; `partitions` pairs a region with its formulas.

    `kind` is partitioned or exhaustive (over `options`); aggregators are median or mean; `predictions` pairs a
    configuration with what the source's authors predicted for it.
    """

    batch: int
    revision: str
    workload: str
    environment: int
    kind: str
    region_metric: int
    total_metric: int
    aggregate_repetitions: str
    aggregate_configurations: str
    program_region_offset: float = 0.0
    options: tuple[str, ...] = ()
    published_correction: str = ""
    partitions: tuple[tuple[int, tuple[str, ...]], ...] = ()
    corrections: tuple[CorrectionRecord, ...] = ()
    predictions: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """A series that came as aggregates; `configuration` is a position for a configuration's series, else -1."""

    subject_kind: str
    subject: str
    configuration: int
    workload: str
    environment: int
    benchmark_version: str
    metric: int


@dataclass(frozen=True, slots=True, eq=False)
class PointTable:
    """Points of imported series by column, each of shape (n,); `spread` is NaN where it is unknown."""

    series: IntArray
    revision: IntArray
    batch: IntArray
    n: IntArray
    median: FloatArray
    spread: FloatArray


def no_measurements() -> MeasurementTable:
    """A table without rows."""
    none = np.empty(0, dtype=np.int64)
    return MeasurementTable(none, none, np.empty(0))


def no_region_measurements() -> RegionMeasurementTable:
    """A table without rows."""
    none = np.empty(0, dtype=np.int64)
    return RegionMeasurementTable(none, none, none, np.empty(0))


def no_points() -> PointTable:
    """A table without rows."""
    none = np.empty(0, dtype=np.int64)
    return PointTable(none, none, none, none, np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class SystemRecords:
    """Everything a bundle says about one system."""

    description: str = ""
    batches: tuple[BatchRecord, ...] = ()
    revisions: tuple[RevisionRecord, ...] = ()
    orders: tuple[OrderRecord, ...] = ()
    options: tuple[OptionRecord, ...] = ()
    configurations: tuple[ConfigurationRecord, ...] = ()
    workloads: tuple[WorkloadRecord, ...] = ()
    environments: tuple[EnvironmentRecord, ...] = ()
    metrics: tuple[MetricRecord, ...] = ()
    regions: tuple[RegionRecord, ...] = ()
    region_versions: tuple[RegionVersionRecord, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[RunRecord, ...] = ()
    measurements: MeasurementTable = field(default_factory=no_measurements)
    region_measurements: RegionMeasurementTable = field(default_factory=no_region_measurements)
    analyses: tuple[AnalysisRecord, ...] = ()
    series: tuple[SeriesRecord, ...] = ()
    points: PointTable = field(default_factory=no_points)


@dataclass(frozen=True, slots=True)
class Imported:
    """What a format's reader found: the records, the content's digest, and remarks that do not prevent an import."""

    records: SystemRecords
    digest: str
    remarks: tuple[str, ...] = ()

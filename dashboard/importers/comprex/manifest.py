"""The files of a Comprex bundle, and its manifest."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from dashboard.importers.common_records import PUBLISHED_WORKLOAD
from dashboard.importers.limits import LONGEST, Aggregator, Clock, Value
from dashboard.importers.model_records import (
    CorrectionRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
)


class ComprexFile(StrEnum):
    """The files that make up the content of a bundle."""

    MANIFEST = "manifest.json"
    OPTIONS = "options.csv"
    REGIONS = "regions.csv"
    PARTITIONS = "partitions.json"
    CONFIGURATIONS = "configs.csv"
    RUNS = "runs.csv"
    REGION_MEASUREMENTS = "region_measurements.csv.gz"
    GROUND_TRUTH = "groundtruth.csv"
    PREDICTIONS = "published_predictions.csv"
    CORRECTIONS = "published_corrections.csv"
    SUBSPACE_TIMES = "published_subspace_times.csv.gz"
    LOCAL_MODELS = "published_local_models.json"
    GLOBAL_MODEL = "published_global_model.json"
    HOTSPOTS = "hotspots_example.json.gz"


FILES = frozenset(ComprexFile)
ProfileClock = Literal["wall", "cpu"]


class ComprexManifest(BaseModel):
    """What the manifest says; further keys are kept as they are."""

    model_config = ConfigDict(extra="allow", frozen=True)

    format: Literal["comprex-bundle"]
    version: Literal[1]
    system: str
    subject_version: str = Field(min_length=1, max_length=LONGEST["revision"])
    unit: Literal["seconds"]
    clock: ProfileClock
    ground_truth_clock: ProfileClock | None = None
    aggregate_repetitions: Aggregator
    aggregate_configurations: Aggregator
    program_region: str
    program_region_offset_seconds: Value = 0.0
    missing_region_rows: Literal["zero"]
    corrections: str | None = None
    published_predictions_correction: str | None = None
    source: str = ""

    @property
    def clock_of_totals(self) -> ProfileClock:
        """The clock of end-to-end times: the profile's where the manifest names no other."""
        return self.ground_truth_clock or self.clock

    @property
    def clocks(self) -> list[Clock]:
        """The profile's clock, that of end-to-end times, and that of whole profiled runs; they may be one."""
        return list(dict.fromkeys((self.clock, self.clock_of_totals, "wall")))

    def performance_model(
        self,
        partitions: tuple[PartitionRecord, ...],
        corrections: tuple[CorrectionRecord, ...],
        predictions: tuple[PredictionRecord, ...],
    ) -> PerformanceModelRecord:
        """The model of these parts, as the manifest describes it."""
        return PerformanceModelRecord(
            batch=0,
            revision=self.subject_version,
            workload=PUBLISHED_WORKLOAD.name,
            environment=0,
            kind="partitioned",
            region_metric=0,
            total_metric=self.clocks.index(self.clock_of_totals),
            aggregate_repetitions=self.aggregate_repetitions,
            aggregate_configurations=self.aggregate_configurations,
            program_region_offset=self.program_region_offset_seconds,
            published_correction=self.published_predictions_correction or "",
            partitions=partitions,
            corrections=corrections,
            predictions=predictions,
        )


SHAPE: TypeAdapter[ComprexManifest] = TypeAdapter(ComprexManifest)

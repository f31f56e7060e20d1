"""What importers hand out and the export takes in: a system's content as frozen records, free of any ORM.

Records name options, revisions and workloads by their names. Everything else is referred to by its position in
the tuple that holds it, from 0.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

from annotated_types import Ge, Gt, Lt, MaxLen, MinLen

from analytics.call_paths import CallPaths
from analytics.changepoints.changes import FALSE_ALARM_RATE
from analytics.configurations.options import Option, OptionSpace
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.instants import Instant
from dashboard.importers.limits import (
    LONGEST,
    Author,
    Better,
    Clock,
    Digest,
    Kind,
    LevelLabel,
    OptionName,
    Position,
    RegionKey,
    RevisionName,
    Scalar,
    Status,
    WorkloadName,
)
from dashboard.importers.model_records import CoefficientRecord, HybridRecord, PerformanceModelRecord
from dashboard.importers.record_fields import (
    LATER,
    MAY_BE_UNKNOWN,
    BatchReference,
    ConfigurationReference,
    EnvironmentReference,
    MetricReference,
    OptionReference,
    RefersTo,
    RegionReference,
    RevisionReference,
    WorkloadReference,
)
from dashboard.importers.record_tables import MeasurementTable, PointTable, RegionMeasurementTable
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord
from runner.host_links import HostLink

BesideRun = Annotated[float | None, Ge(0), MAY_BE_UNKNOWN, LATER]


@dataclass(frozen=True, slots=True)
class LevelRecord:
    """One value of an option, and how it is written."""

    value: Scalar
    label: LevelLabel


@dataclass(frozen=True, slots=True)
class OptionRecord:
    """An option; `levels[0]` is its reference level. A blank revision leaves that end open."""

    name: OptionName
    levels: Annotated[tuple[LevelRecord, ...], MinLen(1)]
    description: str = ""
    first_revision: Annotated[str, RefersTo("revisions")] = ""
    last_revision: Annotated[str, RefersTo("revisions")] = ""

    @classmethod
    def of(cls, option: Option, *, reference: int = 0) -> Self:
        """The record of `option`, with the level at the index `reference` first."""
        order = sorted(range(len(option.levels)), key=lambda level: level != reference)
        levels = tuple(LevelRecord(option.levels[level], option.text(level)) for level in order)
        return cls(option.name, levels)

    def as_option(self) -> Option:
        """The option with its levels and labels. Raises `ConfigurationError`."""
        return Option(
            self.name,
            tuple(level.value for level in self.levels),
            tuple(level.label for level in self.levels),
        )


def space_of(options: Iterable[OptionRecord]) -> OptionSpace:
    """The space that configurations of these options are over. Raises `ConfigurationError`."""
    return OptionSpace(tuple(option.as_option() for option in options))


@dataclass(frozen=True, slots=True)
class RevisionRecord:
    """A commit or release; `content` is a digest over the files that matter to its time, "" where unknown.

    `changed_lines` counts those added and removed in these files since the revision before it. `author` is a name.
    `base` is where an unmerged branch left the order. `tags` have blanks between, `released_in` is the first release.
    """

    name: RevisionName
    commit: Annotated[str, MaxLen(LONGEST["commit"])] = ""
    message: str = ""
    released_at: Instant = None
    content: Annotated[str, MaxLen(LONGEST["digest"])] = ""
    changed_lines: Position | None = None
    author: Author = ""
    base: Annotated[str, MaxLen(LONGEST["revision"])] = ""
    tags: str = ""
    released_in: Annotated[str, MaxLen(LONGEST["tag"])] = ""


@dataclass(frozen=True, slots=True)
class OrderRecord:
    """A named order: the position of each revision in it; gaps are kept."""

    name: Annotated[str, MinLen(1), MaxLen(LONGEST["order"])]
    places: Mapping[RevisionReference, Position]


@dataclass(frozen=True, slots=True)
class ConfigurationRecord:
    """A configuration: {option: label of its level} where it differs from the reference."""

    name: Annotated[str, MaxLen(LONGEST["configuration"])]
    assignments: Mapping[OptionReference, LevelLabel]


@dataclass(frozen=True, slots=True)
class WorkloadRecord:
    """What the program was asked to do."""

    name: WorkloadName
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnvironmentRecord:
    """Where it ran; `digest` identifies it across systems."""

    digest: Digest
    name: Annotated[str, MaxLen(LONGEST["environment"])]
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """What was measured, in which unit, by which clock, and which direction is better."""

    quantity: Annotated[str, MinLen(1), MaxLen(LONGEST["metric"])]
    unit: Annotated[str, MaxLen(LONGEST["metric"])]
    clock: Clock
    better: Better = "lower"

    def __str__(self) -> str:
        return f"{self.quantity} in {self.unit}" if self.unit else self.quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionRecord:
    """A region of code."""

    key: RegionKey
    package: Annotated[str, MaxLen(LONGEST["region package"])] = ""
    name: Annotated[str, MaxLen(LONGEST["region name"])]
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class RegionVersionRecord:
    """A region in one revision; `source` is the digest of its excerpt in `SystemRecords.sources`, or blank."""

    region: RegionReference
    revision: RevisionReference
    file: Annotated[str, MaxLen(LONGEST["file"])] = ""
    first_line: Position = 0
    last_line: Position = 0
    body_digest: Annotated[str, MaxLen(LONGEST["digest"])] = ""
    source: Annotated[str, MaxLen(LONGEST["digest"]), RefersTo("sources")] = ""


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """Rows that came in together, and what their source says about them."""

    format: Annotated[str, MinLen(1), MaxLen(LONGEST["batch format"])]
    digest: Digest
    source: Annotated[str, MaxLen(LONGEST["batch source"])] = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One execution; beside it, in seconds, what a reference run took right before and right after, where one was made."""

    batch: BatchReference
    revision: RevisionReference
    configuration: ConfigurationReference
    workload: WorkloadReference
    environment: EnvironmentReference
    kind: Kind
    repetition: Position
    status: Status = "ok"
    started_at: Instant = None
    message: Annotated[str, MaxLen(LONGEST["message"])] = ""
    invalid_reason: Annotated[str, MaxLen(LONGEST["message"])] = ""
    output_tail: str = ""
    reference_program: Annotated[str, MaxLen(LONGEST["metric"]), LATER] = ""
    reference_cpu_before: BesideRun = None
    reference_cpu_after: BesideRun = None
    reference_wall_before: BesideRun = None
    reference_wall_after: BesideRun = None
    machine_load: BesideRun = None
    machine_frequency: BesideRun = None
    machine_others: BesideRun = None
    machine_stolen: BesideRun = None
    machine_throttled: Annotated[int | None, Ge(0), MAY_BE_UNKNOWN, LATER] = None


@dataclass(frozen=True, slots=True)
class CallPathsRecord:
    """The call paths of one profiled run."""

    run: Annotated[Position, RefersTo("runs")]
    paths: CallPaths


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """A series that came as aggregates: of a benchmark (`subject` is its name) or of a configuration (a position).

    `label` is how people read the subject, where that differs; it tells no series from another.
    """

    workload: WorkloadReference
    environment: EnvironmentReference
    metric: MetricReference
    subject: Annotated[str, MaxLen(LONGEST["subject"])] = ""
    configuration: ConfigurationReference | None = None
    benchmark_version: Annotated[str, MaxLen(LONGEST["benchmark version"])] = ""
    label: Annotated[str, MaxLen(LONGEST["subject"])] = ""


# A false-alarm rate, a share per series and year.
SystemRate = Annotated[float, Gt(0.0), Lt(1.0)]


@dataclass(frozen=True, slots=True, eq=False)
class SystemRecords:
    """Everything a bundle says about one system."""

    description: str = ""
    false_alarm_rate: SystemRate = FALSE_ALARM_RATE
    # How its revisions are addressed in the web.
    host_link: HostLink = ""
    batches: tuple[BatchRecord, ...] = ()
    revisions: tuple[RevisionRecord, ...] = ()
    orders: tuple[OrderRecord, ...] = ()
    # The name of an order that follows `released_at`: it is ranked anew whenever revisions come in.
    date_order: Annotated[str, MaxLen(LONGEST["order"])] = ""
    options: tuple[OptionRecord, ...] = ()
    configurations: tuple[ConfigurationRecord, ...] = ()
    workloads: tuple[WorkloadRecord, ...] = ()
    environments: tuple[EnvironmentRecord, ...] = ()
    metrics: tuple[MetricRecord, ...] = ()
    regions: tuple[RegionRecord, ...] = ()
    region_versions: tuple[RegionVersionRecord, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[RunRecord, ...] = ()
    measurements: MeasurementTable = field(default_factory=MeasurementTable)
    region_measurements: RegionMeasurementTable = field(default_factory=RegionMeasurementTable)
    performance_models: tuple[PerformanceModelRecord, ...] = ()
    coefficients: tuple[CoefficientRecord, ...] = ()
    series: tuple[SeriesRecord, ...] = ()
    points: PointTable = field(default_factory=PointTable)
    feature_models: tuple[FeatureModelRecord, ...] = ()
    white_box_analyses: tuple[WhiteBoxRecord, ...] = ()
    counts: tuple[CountsRecord, ...] = ()
    hybrid_models: tuple[HybridRecord, ...] = ()
    call_paths: tuple[CallPathsRecord, ...] = ()

    def option_space(self) -> OptionSpace:
        """The space that the configurations are over. Raises `ConfigurationError`."""
        return space_of(self.options)


@dataclass(frozen=True, slots=True)
class Imported:
    """What a format's reader found: the records, the content's digest, and remarks that do not prevent an import.

    `replaces` says whether its points take the place of others that the system holds of the same results; None where
    the format has no such thing as measuring anew.
    """

    records: SystemRecords
    digest: str
    remarks: tuple[str, ...] = ()
    replaces: bool | None = None

"""What importers and bundles say of models: performance models, published coefficients, hybrid models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import BeforeValidator

from dashboard.importers.limits import LARGEST, LONGEST, Aggregator, LevelLabel, RegionKey, Value
from dashboard.importers.record_fields import (
    BatchReference,
    ConfigurationReference,
    EnvironmentReference,
    MetricReference,
    OptionReference,
    RegionReference,
    RevisionReference,
    WorkloadReference,
)

Count = Annotated[int, Ge(0), Le(LARGEST)]


@dataclass(frozen=True, slots=True)
class CorrectionRecord:
    """A fit: profiled = intercept + slope * unprofiled, in the region metric's unit."""

    name: Annotated[str, MinLen(1), MaxLen(LONGEST["correction"])]
    intercept: Value
    slope: Value
    r_squared: Value | None = None


@dataclass(frozen=True, slots=True)
class PartitionRecord:
    """The formulas of one region's subspaces."""

    region: RegionReference
    formulas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PredictionRecord:
    """What the authors of the source predicted for a configuration, in the total metric's unit."""

    configuration: ConfigurationReference
    value: Value


@dataclass(frozen=True, slots=True)
class PerformanceModelRecord:
    """What is known of one revision's regions; an exhaustive one is over `options`, the others have partitions."""

    batch: BatchReference
    revision: RevisionReference
    workload: WorkloadReference
    environment: EnvironmentReference
    kind: Annotated[
        Literal["partitioned", "full_factorial"],
        # Bundles of earlier versions call it so.
        BeforeValidator(lambda kind: "full_factorial" if kind == "exhaustive" else kind),
    ]
    region_metric: MetricReference
    total_metric: MetricReference
    aggregate_repetitions: Aggregator
    aggregate_configurations: Aggregator
    program_region_offset: Value = 0.0
    uncovered_is_zero: bool = False
    options: tuple[OptionReference, ...] = ()
    published_correction: str = ""
    partitions: tuple[PartitionRecord, ...] = ()
    corrections: tuple[CorrectionRecord, ...] = ()
    predictions: tuple[PredictionRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class CoefficientRecord:
    """A coefficient of a model that the authors of the source published for one revision.

    `levels` is {option: label of the level that the term selects, or several labels, any of which does}: empty for
    the base, None where options do not tell it. `value` is in the metric's unit.
    """

    batch: BatchReference
    revision: RevisionReference
    metric: MetricReference
    term: Annotated[str, MinLen(1), MaxLen(LONGEST["term"])]
    levels: Mapping[OptionReference, LevelLabel | tuple[LevelLabel, ...]] | None
    value: Value


@dataclass(frozen=True, slots=True)
class TermsRecord:
    """A linear model: terms as {option: label of the level that it selects}, {} for the intercept.

    `covariance` of the coefficients is its lower triangle, row by row.
    """

    terms: tuple[Mapping[OptionReference, LevelLabel], ...]
    coefficients: tuple[Value, ...]
    covariance: tuple[Value, ...]
    degrees_of_freedom: Count


@dataclass(frozen=True, slots=True)
class RegionTermsRecord:
    """The terms of one region, by its key."""

    region: RegionKey
    model: TermsRecord


@dataclass(frozen=True, slots=True)
class HybridRecord:
    """A hybrid model, learned from `configurations` over `options` by the rules that `code` names.

    `error` and `regret` in percent and `rank_correlation` are of `checked` held-back configurations, `margin` is half the
    95 % interval of a prediction. `current`: nothing was measured since. `tainted`: an
    analysis told which options may matter where.
    """

    batch: BatchReference
    revision: RevisionReference
    workload: WorkloadReference
    environment: EnvironmentReference
    metric: MetricReference
    code: Annotated[str, MinLen(1), MaxLen(40)]
    seed: Count
    tainted: bool
    current: bool
    options: tuple[OptionReference, ...]
    configurations: Count
    checked: Count
    error: Value | None
    whole: TermsRecord
    regions: tuple[RegionTermsRecord, ...]
    rank_correlation: Value | None = None
    regret: Value | None = None
    margin: Value | None = None

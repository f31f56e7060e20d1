"""What the selectors of workloads hand out: workloads, and terms with their influence in each. Free of Django."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from analytics.influence.terms import Estimate
from dashboard.selectors.model_rows import ChosenConfiguration, LevelChange

# What is told of a term over workloads: costs in one and saves in another; differs otherwise; the same, as far as
# noise tells; and nothing beyond noise in any.
WorkloadVerdict: TypeAlias = Literal["reverses", "differs", "alike", "nothing"]


@dataclass(frozen=True, slots=True)
class WorkloadContext:
    """Where several workloads were measured: revision, environment and metric, with how many workloads.

    `shared` is the number of configurations that were measured in at least two of them.
    """

    revision_id: int
    environment_id: int
    metric_id: int
    revision: str
    environment: str
    quantity: str
    unit: str
    clock: str
    better: str
    workloads: int
    shared: int

    @property
    def lower_is_better(self) -> bool:
        """Whether less of the metric is better."""
        return self.better == "lower"

    @property
    def metric(self) -> str:
        """The metric as addresses name it."""
        return f"{self.quantity}:{self.clock}" if self.clock not in ("", "none") else self.quantity


@dataclass(frozen=True, slots=True)
class WorkloadRow:
    """A workload: its median value over the configurations that it was measured in, and how many runs that took.

    `left_out` says why its influences are not compared, "" where they are. `noise` is the standard deviation of one value as
    a share of it that no term tells, None where the workload is left out.
    """

    name: str
    level: float
    configurations: int
    runs: int
    left_out: str = ""
    noise: float | None = None


@dataclass(frozen=True, slots=True)
class WorkloadTerm:
    """A term: the logarithm of the factor that it makes in each compared workload, in their order, and over all.

    `spread` is the standard deviation of the true ones between workloads, `low` and `high` its 95 % interval.
    """

    key: str
    changes: tuple[LevelChange, ...]
    effects: tuple[Estimate, ...]
    mean: Estimate
    spread: float
    low: float
    high: float
    told: WorkloadVerdict


@dataclass(frozen=True, slots=True)
class BorrowedInfluence:
    """A term in a workload of which little was measured: the logarithm of the factor that it makes.

    `here` is what its own measurements and other workloads tell; `others` the mean of these, with the interval in which a
    further workload would lie. `told` is the share of its variance that own measurements took away: the rest is borrowed.
    """

    key: str
    changes: tuple[LevelChange, ...]
    here: Estimate
    others: Estimate
    told: float


@dataclass(frozen=True, slots=True)
class BorrowedInfluences:
    """The influences in a workload that was measured in so many `configurations` and `runs`, the largest first.

    `known` other workloads tell the rest. `error` is the mean absolute error of predicted own values that were left out,
    as a share of them; None where there are too few.
    """

    workload: str
    influences: tuple[BorrowedInfluence, ...]
    configurations: int
    runs: int
    known: int
    error: float | None


@dataclass(frozen=True, slots=True)
class ComparedWorkloads:
    """The workloads of a context, those that are compared first, and the terms, those that differ most first.

    `configurations` were measured in all compared workloads, `without` others were not. `rate` is the share of terms
    told as differing that is told wrongly, at most and on average.
    """

    context: WorkloadContext
    workloads: tuple[WorkloadRow, ...]
    terms: tuple[WorkloadTerm, ...]
    configurations: int
    without: int
    rate: float

    @property
    def compared(self) -> tuple[WorkloadRow, ...]:
        """The workloads whose influences are compared."""
        return tuple(one for one in self.workloads if not one.left_out)

    def told(self, *verdicts: WorkloadVerdict) -> tuple[WorkloadTerm, ...]:
        """The terms of which one of these is told."""
        return tuple(one for one in self.terms if one.told in verdicts)


@dataclass(frozen=True, slots=True)
class FactorInWorkload:
    """The logarithm of what a configuration takes by another one in a workload; None where nothing is known of either.

    Its interval is that of what is measured; it has none where both were. `best` is the best measured configuration.
    """

    name: str
    factor: Estimate | None
    best: ChosenConfiguration


@dataclass(frozen=True, slots=True)
class FactorsInWorkloads:
    """A configuration by its base in each workload, the largest factor first, and the best of `configurations` over all workloads.

    They were measured in all of them. `typical` and `most` are the logarithms of what the best one takes by the best one of each
    workload, in the median over workloads and at most, which is in `worst`.
    """

    context: WorkloadContext
    rows: tuple[FactorInWorkload, ...]
    configurations: int
    best: ChosenConfiguration
    typical: float
    most: float
    worst: str

    @property
    def is_base(self) -> bool:
        """Whether the configuration is its base: then nothing differs anywhere."""
        return all(row.factor == Estimate(0.0) for row in self.rows)

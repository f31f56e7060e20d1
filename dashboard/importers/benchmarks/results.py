"""What a benchmark tool measured, whichever it was: results with their metric, and what its file says beside them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from analytics import units
from dashboard.importers.benchmarks.output import Number, OutputError, Place
from dashboard.importers.records import MetricRecord

CPU_SECONDS = MetricRecord("time", "s", "cpu")
PEAK_MEMORY = MetricRecord("peak memory", "bytes", "none")
ALLOCATED = MetricRecord("allocated memory", "bytes", "none")
THROUGHPUT = MetricRecord("throughput", "bytes/s", "none", "higher")
OPERATIONS = MetricRecord("operations", "1/s", "none", "higher")
REQUESTS = MetricRecord("requests", "1/s", "none", "higher")
FAILED_SHARE = MetricRecord("failed share", "", "none")
# Powers of 1024, as tools write them.
BINARY = {"": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4}


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """What a tool told of one benchmark in one metric, in the metric's unit.

    `values` are repetitions; of an aggregate it is one value, the median where the tool tells it, else the mean, which
    stands for `n` measurements with this sample standard deviation (NaN where it is unknown).
    """

    benchmark: str
    metric: MetricRecord
    values: Sequence[float]
    options: Mapping[str, str] = field(default_factory=dict)
    n: int = 1
    deviation: float = math.nan


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """What the output of a tool says: results; the commit, where it ran and when, as far as it tells these.

    `machine` holds what tells whether it is still the same machine and runtime, `facts` what is told beside it.
    """

    results: Sequence[BenchmarkResult]
    commit: str = ""
    committed_at: datetime | None = None
    measured_at: datetime | None = None
    machine: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    # Benchmarks that failed, and metrics of which nothing tells which direction is better.
    failed: int = 0
    left_out: Sequence[str] = ()


def seconds_per(unit: str, place: Place) -> float:
    """How many seconds a unit of time is. Raises `OutputError` for what is none."""
    if unit not in units.SECONDS:
        raise OutputError("is no unit of time", place, unit)
    return units.SECONDS[unit]


def one_value(
    benchmark: str,
    metric: MetricRecord,
    number: Number,
    factor: float = 1.0,
    *,
    options: Mapping[str, str] | None = None,
) -> BenchmarkResult:
    """The result that is a single number, times this factor."""
    return BenchmarkResult(benchmark, metric, (number.value * factor,), options or {})


def aggregate(
    benchmark: str,
    metric: MetricRecord,
    number: Number,
    *,
    n: Number | None = None,
    deviation: Number | None = None,
    factor: float = 1.0,
    options: Mapping[str, str] | None = None,
) -> BenchmarkResult:
    """The result that stands for `n` measurements, times this factor."""
    count = 1 if n is None else n.count()
    spread = math.nan if deviation is None or count < 2 else deviation.value * factor
    return BenchmarkResult(benchmark, metric, (number.value * factor,), options or {}, count, spread)

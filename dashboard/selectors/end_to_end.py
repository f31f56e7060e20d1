"""What was measured end to end, configuration by configuration, and in which context. For selectors and services."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import median
from typing import Self

import numpy as np
from django.db.models import QuerySet

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from dashboard.models import Batch, Measurement, Metric, Run, System
from dashboard.selectors.systems import visible_runs


@dataclass(frozen=True, slots=True, order=True)
class MeasurementContext:
    """The ids of a revision, a workload and an environment: runs are comparable within one context only."""

    revision_id: int
    workload_id: int
    environment_id: int

    @classmethod
    def of_runs(cls, runs: QuerySet[Run]) -> frozenset[Self]:
        """The contexts in which these runs were made. One query."""
        rows = runs.order_by().values_list("revision_id", "workload_id", "environment_id").distinct()
        return frozenset(cls(*row) for row in rows)

    def as_filter(self) -> dict[str, int]:
        """Keywords that filter a table by this context, or make a row in it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MeasuredContext:
    """A measurement context in which so many configurations have values of a metric, with the names of both.

    `batch_id` is the newest batch that they came with.
    """

    context: MeasurementContext
    metric_id: int
    revision: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    configurations: int
    batch_id: int

    @property
    def ids(self) -> tuple[int, int, int, int]:
        """What tells it from others: the ids of revision, workload, environment and metric."""
        where = self.context
        return where.revision_id, where.workload_id, where.environment_id, self.metric_id

    @property
    def metric(self) -> str:
        """The metric as commands take it: its quantity, and its clock where it has one."""
        return self.quantity if self.clock == Metric.Clock.NONE else f"{self.quantity}:{self.clock}"

    @property
    def title(self) -> str:
        """The context in words."""
        return f"{self.revision}, {self.workload}, {self.environment}"


@dataclass(frozen=True, eq=False)
class EndToEnd:
    """Configurations, level indices (n, n_options), by what they assign; `values` (n,) are their medians.

    `executions` (n,) counts those behind each value; `names` are what people call the configurations.
    """

    configurations: IntArray
    values: FloatArray
    executions: IntArray
    names: tuple[str, ...]

    @cached_property
    def by_levels(self) -> Mapping[bytes, float]:
        """The values by a configuration's level indices as bytes."""
        return {
            row.tobytes(): value for row, value in zip(self.configurations, self.values.tolist(), strict=True)
        }


def end_to_end_runs(system: System) -> QuerySet[Run]:
    """The end-to-end runs of a system that count."""
    return visible_runs(system).filter(kind=Run.Kind.PLAIN, status=Run.Status.OK, invalid_reason="")


def end_to_end_measurements(system: System) -> QuerySet[Measurement]:
    """What those runs measured, each run joined once.

    With `run__in` and a query of runs PostgreSQL would join them twice, and nests both joins where it still takes the tables
    for empty: with 720 runs that had not ended after a quarter of an hour.
    """
    return Measurement.objects.filter(
        run__batch__system=system,
        run__batch__state=Batch.State.VISIBLE,
        run__kind=Run.Kind.PLAIN,
        run__status=Run.Status.OK,
        run__invalid_reason="",
    )


def end_to_end(
    runs: QuerySet[Run],
    metric_id: int,
    space: OptionSpace,
    keep: Callable[[Mapping[str, str]], bool] | None = None,
) -> EndToEnd:
    """The median over `runs` of each configuration; with `keep`, only of those whose assignments it accepts."""
    rows = runs.filter(measurements__metric_id=metric_id).values_list(
        "configuration_id",
        "configuration__name",
        "configuration__assignments",
        "measurements__value",
        "measurements__n",
    )
    known: dict[int, tuple[str, dict[str, str]]] = {}
    values: dict[int, list[float]] = {}
    executions: dict[int, int] = {}
    for configuration, name, assigned, value, n in rows:
        if keep is not None and not keep(assigned):
            continue
        known[configuration] = (name, assigned)
        values.setdefault(configuration, []).append(value)
        executions[configuration] = executions.get(configuration, 0) + n
    # By content, not by id: a system and its imported copy give the same sums to the last digit.
    kept = sorted(known, key=lambda configuration: sorted(known[configuration][1].items()))
    return EndToEnd(
        configurations=space.encode(known[configuration][1] for configuration in kept),
        values=np.array([median(values[configuration]) for configuration in kept], dtype=float),
        executions=np.array([executions[configuration] for configuration in kept], dtype=int),
        names=tuple(known[configuration][0] for configuration in kept),
    )

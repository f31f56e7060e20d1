"""The metrics that a system was measured by."""

from dataclasses import dataclass
from typing import Any

from django.db import models

from dashboard.models import Measurement, Metric, PerformanceModel, Series, System

# What people ask about first, where a system has several metrics.
PRIMARY = ("performance", "time", "throughput")


@dataclass(frozen=True, slots=True)
class SystemMetric:
    """A metric of one system; a blank `unit` is unknown. `is_told` where the clock tells unit and direction."""

    metric_id: int
    quantity: str
    unit: str
    clock: str
    better: str

    @property
    def is_told(self) -> bool:
        """Whether its unit is beyond doubt: a clock measured it."""
        return self.clock != Metric.Clock.NONE


def system_metrics(system: System) -> tuple[SystemMetric, ...]:
    """The metrics of a system, what people ask about first in front. Constant number of queries."""
    rows = Metric.objects.filter(pk__in=metric_ids(system)).order_by("quantity", "clock", "unit")
    return tuple(
        SystemMetric(one.pk, one.quantity, one.unit, one.clock, one.better)
        for one in sorted(rows, key=lambda one: one.quantity not in PRIMARY)
    )


def metric_ids(system: System) -> set[int]:
    """The ids of the metrics of a system. For selectors and services.

    Its histories know them all at once; only a system without histories has its measurements looked through.
    """
    of_series = _distinct(Series.objects.filter(system=system))
    of_analyses = _distinct(PerformanceModel.objects.filter(system=system), "total_metric_id")
    if of_series:
        return of_series | of_analyses
    return of_analyses | _distinct(Measurement.objects.filter(run__batch__system=system))


def _distinct(rows: models.QuerySet[Any], column: str = "metric_id") -> set[int]:
    return set(rows.order_by().values_list(column, flat=True).distinct())

"""Where something was measured: one revision, on one workload, in one environment."""

from dataclasses import asdict, dataclass
from typing import Protocol, Self

from django.db.models import QuerySet

from dashboard.models import Run


class _Contextual(Protocol):
    """A row of any table that names its context."""

    revision_id: int
    workload_id: int
    environment_id: int


@dataclass(frozen=True, slots=True, order=True)
class MeasurementContext:
    """The ids of a revision, a workload and an environment: runs are comparable within one context only."""

    revision_id: int
    workload_id: int
    environment_id: int

    @classmethod
    def of(cls, row: _Contextual) -> Self:
        """The context that a row names."""
        return cls(row.revision_id, row.workload_id, row.environment_id)

    @classmethod
    def of_runs(cls, runs: QuerySet[Run]) -> frozenset[Self]:
        """The contexts in which these runs were made. One query."""
        rows = runs.order_by().values_list("revision_id", "workload_id", "environment_id").distinct()
        return frozenset(cls(*row) for row in rows)

    def as_filter(self) -> dict[str, int]:
        """Keywords that filter a table by this context, or make a row in it."""
        return asdict(self)

"""The identity of a series: a hash over what tells its curve from any other, and rows that have it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from analytics.configurations.identities import digest_of
from dashboard.models import Series

# The columns that tell a curve from any other.
_COLUMNS = (
    "system_id",
    "subject_kind",
    "subject",
    "workload_id",
    "environment_id",
    "benchmark_version",
    "metric_id",
)


def identity_of(series: Series) -> str:
    """The identity of a series row: everything that tells its curve from any other."""
    return identity_of_columns({name: getattr(series, name) for name in _COLUMNS})


def identity_of_columns(columns: Mapping[str, Any]) -> str:
    """The identity of the series with these columns, by name: a row would take longer to make than to look up."""
    return digest_of([columns[name] for name in _COLUMNS])


@dataclass(frozen=True, slots=True)
class CurveContext:
    """The ids of a workload, an environment and a metric: over all revisions they have one set of terms."""

    workload_id: int
    environment_id: int
    metric_id: int

    def as_filter(self) -> dict[str, int]:
        """Keywords that filter series by this context, or make one in it."""
        return {field.name: getattr(self, field.name) for field in fields(CurveContext)}


def identified(row: Series) -> Series:
    """A new row of a series, with its identity."""
    row.identity = identity_of(row)
    return row

"""The identity of a series: a hash over what tells its curve from any other, and rows that have it."""

from dataclasses import dataclass, fields

from analytics.configurations.identities import digest_of
from dashboard.models import Series


def identity_of(series: Series) -> str:
    """The identity of a series row: everything that tells its curve from any other."""
    return digest_of(
        [
            series.system_id,
            series.subject_kind,
            series.subject,
            series.workload_id,
            series.environment_id,
            series.benchmark_version,
            series.metric_id,
        ]
    )


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

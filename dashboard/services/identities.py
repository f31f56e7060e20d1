"""The identity of a series: a hash over what tells its curve from any other."""

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

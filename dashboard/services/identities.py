"""The identity of a series: a hash over what tells its curve from any other."""

from analytics.configurations.identities import digest_of


def series_identity(
    *,
    system_id: int,
    subject_kind: str,
    subject: str,
    workload_id: int,
    environment_id: int,
    benchmark_version: str,
    metric_id: int,
) -> str:
    """The identity of a series: everything that tells its curve from any other."""
    return digest_of(
        [system_id, subject_kind, subject, workload_id, environment_id, benchmark_version, metric_id]
    )

"""Identities: hashes over the words that tell one configuration or one series from another."""

import hashlib
import json
from collections.abc import Mapping


def configuration_identity(assignments: Mapping[str, str]) -> str:
    """The identity of a configuration, from what differs from the reference configuration.

    `assignments` maps option names to level labels, reference levels left out. A new option therefore leaves the
    identity of old configurations intact.
    """
    return _digest(dict(sorted(assignments.items())))


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
    return _digest(
        [system_id, subject_kind, subject, workload_id, environment_id, benchmark_version, metric_id]
    )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()

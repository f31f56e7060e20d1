"""Records that several formats write alike: a batch, an environment of which little is known, the program region."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from analytics.influence.times import PROGRAM_REGION, PROGRAM_REGION_NAME
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import (
    BatchRecord,
    EnvironmentRecord,
    MetricRecord,
    RegionRecord,
    WorkloadRecord,
)

PROGRAM = RegionRecord(key=PROGRAM_REGION, name=PROGRAM_REGION_NAME, is_program=True)
WALL_SECONDS = MetricRecord("time", "s", "wall")
BENCHMARK_WORKLOAD = WorkloadRecord("benchmark", "What each benchmark does by itself.")
AS_PUBLISHED = "as published"
PUBLISHED_WORKLOAD = WorkloadRecord(AS_PUBLISHED, "The workload of the published measurements.")


def batch_record(
    format_name: str, digest: str, title: str, manifest: Mapping[str, Any] | None = None
) -> BatchRecord:
    """The one batch of a file or folder called `title`, which is cut where no table holds it."""
    return BatchRecord(format_name, digest, title[: LONGEST["batch source"]], manifest or {})


def published_environment(name: str, details: Mapping[str, str]) -> EnvironmentRecord:
    """The machine of authors who do not describe it: one for each origin of measurements, never mixed."""
    digest = sha256(json.dumps(details, sort_keys=True).encode()).hexdigest()
    return EnvironmentRecord(digest, name or AS_PUBLISHED, details)


def named_environment(kind: str, name: str) -> EnvironmentRecord:
    """A machine of which files of this kind say nothing, known by the name that a person gave it."""
    return EnvironmentRecord(sha256(f"{kind}\0{name}".encode()).hexdigest(), name, {"told_by": "the import"})

"""What a bundle says of analyses and counts: what traced runs found, and how often each place was passed."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from analytics.whitebox.evidence import CountKind, OlderApproach
from analytics.whitebox.result import WhiteBoxResult
from dashboard.importers.limits import FARTHEST, Position, RegionKey
from dashboard.importers.record_fields import (
    BatchReference,
    ConfigurationReference,
    EnvironmentReference,
    RevisionReference,
    WorkloadReference,
)

Site = tuple[RegionKey, Position, Position, CountKind]


@dataclass(frozen=True, slots=True)
class WhiteBoxRecord:
    """The analysis of one revision on one workload, by taints and counts, or by an older `approach`."""

    batch: BatchReference
    revision: RevisionReference
    workload: WorkloadReference
    found: WhiteBoxResult
    approach: OlderApproach | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class CountedRunRecord:
    """What one call counted: (position of the site, count), ascending, those at 0 left out; how long it took, if known."""

    configuration: ConfigurationReference
    workload: WorkloadReference
    environment: EnvironmentReference
    counts: tuple[tuple[Position, Annotated[int, Ge(1), Le(2**63 - 1)]], ...]
    cpu_seconds: Annotated[float, Gt(0), Le(FARTHEST)] | None = None


@dataclass(frozen=True, slots=True)
class CountsRecord:
    """What a batch counted in one revision; `sites` are (region, line, column, kind), ascending."""

    batch: BatchReference
    revision: RevisionReference
    sites: tuple[Site, ...]
    runs: tuple[CountedRunRecord, ...]

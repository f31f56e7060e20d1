"""What a bundle says of analyses and counts: what traced runs found, and how often each place was passed."""

from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic import ConfigDict, with_config

# Pydantic needs this one before Python 3.12.
from typing_extensions import TypedDict

from dashboard.importers.limits import FARTHEST, LONGEST, OptionName, Position, RevisionName, WorkloadName

RegionKey = Annotated[str, MinLen(1), MaxLen(LONGEST["region key"])]
CountKind = Literal["call", "if", "else", "turn", "case", "except"]
Site = tuple[RegionKey, Position, Position, CountKind]
Levels = dict[OptionName, str]
# What analyses of a later time say besides is kept as it is.
_OPEN = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


@with_config(_OPEN)
class FoundRun(TypedDict):
    """A run of an analysis."""

    levels: Levels
    status: str
    message: str
    place: str
    seconds: float | None


@with_config(_OPEN)
class FoundSite(TypedDict):
    """A place that options were seen at."""

    region: str
    file: str
    line: int
    column: int
    kind: str
    text: str
    writes: str
    reads: list[str]
    data: list[str]
    control: list[str]


@with_config(_OPEN)
class FoundDifference(TypedDict):
    """Two runs of one subspace whose counts differ."""

    region: str
    line: int
    column: int
    kind: CountKind
    options: list[str]
    known: list[str]
    counts: tuple[int, int]
    levels: tuple[Levels, Levels]


@with_config(_OPEN)
class Found(TypedDict):
    """Everything that an analysis stores; see docs/reference/perfatlas-bundle.md."""

    runs: list[FoundRun]
    decisions: list[tuple[str, str, list[str], Levels]]
    entries: NotRequired[list[tuple[str, Levels]]]
    sites: list[FoundSite]
    arguments: list[tuple[str, str, list[str]]]
    unfollowed: dict[str, int]
    cut: bool
    partitions: dict[str, list[list[str]]]
    options: list[OptionName]
    counted: NotRequired[list[FoundRun]]
    unsteady: NotRequired[list[Site]]
    excluded: NotRequired[dict[str, str]]
    missed: NotRequired[list[FoundDifference]]
    statements: NotRequired[list[tuple[str, str, list[str]]]]
    unexplained: NotRequired[list[FoundDifference]]


@dataclass(frozen=True, slots=True)
class WhiteBoxRecord:
    """The analysis of one revision on one workload."""

    batch: Position
    revision: RevisionName
    workload: WorkloadName
    found: Found


@dataclass(frozen=True, slots=True)
class CountedRunRecord:
    """What one call counted: (position of the site, count), ascending, those at 0 left out; how long it took, if known."""

    configuration: Position
    workload: WorkloadName
    environment: Position
    counts: tuple[tuple[Position, Annotated[int, Ge(1), Le(2**63 - 1)]], ...]
    cpu_seconds: Annotated[float, Gt(0), Le(FARTHEST)] | None = None


@dataclass(frozen=True, slots=True)
class CountsRecord:
    """What a batch counted in one revision; `sites` are (region, line, column, kind), ascending."""

    batch: Position
    revision: RevisionName
    sites: tuple[Site, ...]
    runs: tuple[CountedRunRecord, ...]

"""What the selectors of benchmark suites hand out: frozen rows, free of Django. Values are in the metric's own unit."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SuiteChange:
    """A step of one history between two measured revisions; `relative` is its share of the level before."""

    before: str
    after: str
    at: datetime | None
    relative: float
    is_worse: bool


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """One history of a benchmark in one environment. All figures are None, and `is_fitted` False, before its fit.

    `gap` is the widest 95 % band at any revision, half of it, relative to the estimate. `shape` are the estimates at the
    measured revisions as (position, level).
    """

    series_id: int
    label: str
    environment: str
    version: str
    quantity: str
    unit: str
    is_fitted: bool
    measured: int
    latest: float | None
    latest_revision: str
    changes: int
    enough_data: bool
    largest: SuiteChange | None
    last: SuiteChange | None
    gap: float | None
    shape: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class BenchmarkPage:
    """A page of the list: its rows, how many there are in all, and how many more only words would find."""

    rows: tuple[BenchmarkRow, ...]
    total: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SuiteEnvironment:
    """An environment with the number of its histories and of the revisions measured at most in one of them."""

    environment_id: int
    name: str
    histories: int
    revisions: int


@dataclass(frozen=True, slots=True)
class ChangedRevision:
    """A revision at which the last change of some histories was first measured: for the worse and for the better."""

    name: str
    at: datetime | None
    worse: int
    better: int


@dataclass(frozen=True, slots=True)
class Suite:
    """A system whose histories all come from benchmarks.

    `benchmarks` counts them by name, `histories` their series by parameters, environment and version. `changed` are the
    newest revisions with a change, `newest` and `largest` the histories whose last change was for the worse.
    """

    name: str
    benchmarks: int
    histories: int
    fitted: int
    revisions: int
    environments: tuple[SuiteEnvironment, ...]
    unchanged: int
    worse: int
    changed: tuple[ChangedRevision, ...]
    newest: tuple[BenchmarkRow, ...]
    largest: tuple[BenchmarkRow, ...]

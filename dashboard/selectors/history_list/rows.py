"""What the list of histories is made of: frozen rows, free of Django. Values are in the metric's own unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from analytics.findings import CostShift, MachineStep, PossibleMove
from analytics.work import CountMove
from dashboard.selectors.triage import UNTOUCHED, Triage

Sorting = Literal["largest", "last", "newest", "latest", "gap", "name"]
# As many points as a line of a word's height can show.
_SHAPE = 60


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """What to list: every word of `text` stands in the name; `environment_id` 0 for all of them; `only_worse` leaves out candidates.

    `state` is that of findings to show, "all" for each; "" leaves out what is done with. `revision`, a name or the beginning
    of a commit, leaves findings that may have come with it. `sort` is by the size of the largest or of the last change, the date of the last one, the latest value, the
    certainty gap, or name. Of one finding so many histories are `shown`, and so many findings of those that are not told.
    """

    text: str = ""
    environment_id: int = 0
    only_worse: bool = False
    sort: Sorting = "largest"
    page: int = 1
    size: int = 25
    findings_page: int = 1
    state: str = ""
    revision: str = ""
    shown: int = 20


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A step of one history between two measured revisions; `relative` is its share of the level before.

    `certainty` is the probability that there is a step at all, None where its fit did not say; a candidate may have
    happened. `error` is half of the 95 % interval of `relative`, None where it is not told. One that `is_slow` is no step but a
    drift over all of that, which began on `slow_from`. One `of_share` is of a region's share of the whole.
    """

    before: str
    after: str
    at: datetime | None
    relative: float
    is_worse: bool
    certainty: float | None
    is_candidate: bool
    error: float | None = None
    is_slow: bool = False
    slow_from: datetime | None = None
    of_share: bool = False


@dataclass(frozen=True, slots=True)
class ListedHistory:
    """One history in the list. Before its fit there are no figures, and `latest` is None.

    `gap` is the widest 95 % band at any revision, half of it, relative to the estimate. `shape` are the estimates at the
    measured revisions as (position, level). `region` is the key of a region, whose history has no series. `identity` is that
    of the series, "" where it does not matter.
    """

    series_id: int
    label: str
    environment: str
    version: str
    quantity: str
    unit: str
    measured: int = 0
    latest: float | None = None
    changes: int = 0
    enough_data: bool = False
    largest: ListedChange | None = None
    last: ListedChange | None = None
    gap: float | None = None
    shape: tuple[tuple[float, float], ...] = ()
    region: str = ""
    identity: str = ""


@dataclass(frozen=True, slots=True)
class ListedEnvironment:
    """An environment with the number of its histories and of the revisions measured at most in one of them."""

    environment_id: int
    name: str
    histories: int
    revisions: int


@dataclass(frozen=True, slots=True)
class CountsBeside:
    """What was counted of a configuration where a finding lies: by how much that moved, None where it was never counted there.

    `is_alone`: no time is among the histories that changed.
    """

    quantity: str
    move: CountMove | None
    is_alone: bool


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """One change at one revision: between which, in how many histories, the first of them with `last` as this change.

    `verdict` is "told" or why it is not. `move` says what moved where in a cost shift, `moved_from` and `moved_to` by name;
    `machine` what reference runs did, `possible` within what it may have moved, and `may_have_moved` from or to where. `triage` is what people said of it, `key` is its first change as pages name it, and
    `beside` counts the findings at this revision that are listed, itself among them. `counts` is None where the system counts
    nothing, or what changed is no configuration. `released_in` are the first releases of the revisions that it may have come with,
    as of a `ChangeRow`.
    """

    verdict: str
    before: str
    after: str
    at: datetime | None
    histories: int
    shown: tuple[ListedHistory, ...]
    move: CostShift | None = None
    machine: MachineStep | None = None
    moved_from: tuple[str, ...] = ()
    moved_to: tuple[str, ...] = ()
    possible: PossibleMove | None = None
    may_have_moved: tuple[str, ...] = ()
    triage: Triage = UNTOUCHED
    key: str = ""
    beside: int = 1
    counts: CountsBeside | None = None
    released_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundChanges:
    """Findings of a system: a page of those that are told and shown, and how many of these there are in all.

    `states` counts all that are told by what people said of them. `by_hand` are those that people set and no search found, counted
    nowhere else. `filtered` are the others by their verdict: how many, and the first of them. `unfitted` histories were not searched yet.
    So many `regions` were searched, one counted in each configuration; in `unsearched` configurations (by workload and environment) regions were not, or not with all runs.
    """

    told: tuple[ListedFinding, ...]
    total: int
    filtered: tuple[tuple[str, int, tuple[ListedFinding, ...]], ...]
    unfitted: int
    regions: int = 0
    unsearched: int = 0
    states: tuple[tuple[str, int], ...] = ()
    by_hand: tuple[ListedFinding, ...] = ()

    @property
    def hidden(self) -> int:
        """How many are told and not shown, for what people said of them."""
        return max(sum(many for _, many in self.states) - self.total, 0)


@dataclass(frozen=True, slots=True)
class BenchmarkSuite:
    """A system whose histories all come from benchmarks.

    `benchmarks` counts them by name, `histories` their series by parameters, environment and version.
    """

    benchmarks: int
    histories: int
    fitted: int
    revisions: int
    environments: tuple[ListedEnvironment, ...]
    unchanged: int
    worse: int
    findings: FoundChanges


def thinned(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Every n-th of the points of a shape, so that they can be told apart."""
    return tuple(points[:: max(1, -(-len(points) // _SHAPE))])

"""What the selectors of histories hand out: frozen rows, free of Django.

Values are in the metric's own unit. Positions are places in the order that is shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from analytics.changepoints import Undecided
from analytics.histories.fitted import Hyperparameters
from analytics.histories.settings import Kernel
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from runner.machine_state import MachineStrain


@dataclass(frozen=True, slots=True)
class SeriesContext:
    """What a series is of, as ids: the kind and identity of its subject, workload, environment and metric."""

    kind: str
    subject: str
    workload_id: int
    environment_id: int
    metric_id: int


@dataclass(frozen=True, slots=True)
class KernelChoice:
    """The kernels that are added in a history's fit, by name, with the parameters that a comparison has found.

    None for Brownian motion, whose parameters are averaged over anew in every fit.
    """

    kernels: tuple[str, ...] = (Kernel.BROWNIAN.value,)
    parameters: Hyperparameters | None = None

    @property
    def name(self) -> str:
        """What tells it from other sums."""
        return "+".join(self.kernels)


BROWNIAN = KernelChoice()

# A bracket that is less likely than this is not told as the place of a step.
_SURE_PLACE = 0.8


@dataclass(frozen=True, slots=True)
class SeriesRow(SeriesContext):
    """One curve over revisions: whose it is, what was measured and where, in words and by id."""

    series_id: int
    label: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    better: str
    points: int
    data_version: int
    kernel: KernelChoice = BROWNIAN

    @property
    def measure(self) -> str:
        """What was measured, as people read it: the time of one clock, or the quantity."""
        return {"cpu": "CPU time", "wall": "wall time"}.get(self.clock, self.quantity)


class MeasuredPoint(NamedTuple):
    """The median of `n` measurements at a position; `spread` is their standard deviation, None where unknown.

    `same_as` names the revision that was measured in place of this one, since it holds the same code; "" where the
    revision itself was measured. A plain tuple: there are millions.
    """

    position: int
    revision: str
    n: int
    median: float
    spread: float | None
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class UnmergedPoint:
    """The median of `n` measurements on a branch that is not merged; `spread` is their standard deviation, None where unknown.

    It is no part of the history: its place has the position of the revision that the branch left.
    """

    place: RevisionPlace
    n: int
    median: float
    spread: float | None


@dataclass(frozen=True, slots=True)
class BandRow:
    """The history at one position, measured or not: the best single value, 50 % and 95 % band."""

    position: int
    estimate: float
    lower_50: float
    upper_50: float
    lower_95: float
    upper_95: float


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A step of the level, later than revision `before` and not later than revision `after`.

    With 95 % it came after `earliest` and not after `latest`. `size` is in the metric's unit, `relative` its share of `reference` with its 95 % interval `low` to `high`.
    `certainty` is the probability that there is a step at all, `chance` is the
    share of series without any change that show one as clear; a candidate has not what is needed to tell it as a fact;
    `probability` is that it lies here. `is_slower` says that the step is for the worse; `unmeasured` counts the revisions
    in between. `released_in` are the first releases of all revisions that it may have come with by its `place`, as `first_releases` tells.
    """

    before: RevisionPlace
    after: RevisionPlace
    earliest: RevisionPlace
    latest: RevisionPlace
    size: float
    relative: float
    low: float
    high: float
    reference: str
    certainty: float
    chance: float
    is_candidate: bool
    probability: float
    unmeasured: int
    is_slower: bool
    released_in: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[RevisionPlace, RevisionPlace]:
        """The revisions between which it is, if that is sure enough; else between which it is with 95 %."""
        sure = self.probability >= _SURE_PLACE
        return (self.before, self.after) if sure else (self.earliest, self.latest)

    @property
    def is_exact(self) -> bool:
        """Whether its size has no interval: the values have no noise."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class DriftRow:
    """A slow drift of the last level from one measured revision to the last one, as a `ChangeRow` tells a step."""

    first: RevisionPlace
    last: RevisionPlace
    size: float
    relative: float
    low: float
    high: float
    certainty: float
    is_candidate: bool
    is_slower: bool


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """What somebody noted from one revision to a last one, or at one alone; `is_own` where it is of one history only."""

    annotation_id: int
    kind: str
    text: str
    link: str
    author: str
    created_at: datetime
    first: RevisionPlace
    last: RevisionPlace
    is_own: bool


@dataclass(frozen=True, slots=True)
class NextRevision:
    """A revision worth measuring next, with the reason in words.

    `gain` is how far the mean error of the history should fall, as a share of its level.
    """

    place: RevisionPlace
    reason: str
    gain: float


@dataclass(frozen=True, slots=True)
class History:
    """A series with its band over all revisions of the order, and its changes.

    `enough_data` is False where the points are too few, or too few repetitions, to claim or deny any change. `gap` is
    half of the widest 95 % band, relative to the history, for a term to the default configuration's level. `adjusted` is by
    how much the machine's speed was taken out of a point, a share of what was measured, by revision; `references` are the
    seconds of the reference runs there, `disturbed` is what runs there say of the machine: what disturbed it, "" for nothing, and what else it did. `seen_from` is the smallest step that would mostly be seen, relative as `gap`, None
    where there is a change or nothing can be told. `annotations` are what people noted at its revisions, `drift` is the slow
    drift of the last level, None also where it was not asked for. `unmerged` are the newest of `all_unmerged` points of branches, `unmeasured`
    the newest commits of branches that can be measured here and were not.
    """

    series: SeriesRow
    order: OrderedRevisions
    points: tuple[MeasuredPoint, ...]
    band: tuple[BandRow, ...]
    changes: tuple[ChangeRow, ...]
    undecided: tuple[Undecided, ...]
    enough_data: bool
    gap: float | None
    adjusted: Mapping[str, float] = field(default_factory=dict)
    references: Mapping[str, float] = field(default_factory=dict)
    disturbed: Mapping[str, tuple[tuple[str, MachineStrain], ...]] = field(default_factory=dict)
    seen_from: float | None = None
    drift: DriftRow | None = None
    annotations: tuple[AnnotationRow, ...] = ()
    unmerged: tuple[UnmergedPoint, ...] = ()
    all_unmerged: int = 0
    unmeasured: tuple[RevisionPlace, ...] = ()

    @property
    def measured(self) -> tuple[MeasuredPoint, ...]:
        """The points of revisions that were measured themselves, without those that only hold the same code."""
        return tuple(point for point in self.points if not point.same_as)


def largest_change(changes: Sequence[ChangeRow]) -> ChangeRow | None:
    """The change of the largest relative size, a candidate only where none is certain; None where there is none."""
    return max(changes, key=lambda change: (not change.is_candidate, abs(change.relative)), default=None)


def last_change(changes: Sequence[ChangeRow]) -> ChangeRow:
    """The last of at least one change in their order, a candidate only where none is certain."""
    return next((change for change in reversed(changes) if not change.is_candidate), changes[-1])

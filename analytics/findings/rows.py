"""What findings are made of: changes of single series on one axis of revisions, and the findings themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from analytics.changepoints import ChangePoint
from analytics.histories.measurements import FloatArray, IntArray


class Verdict(StrEnum):
    """Whether a finding is told, or why not."""

    TOLD = "told"
    CANDIDATE = "candidate"
    WENT_AWAY = "went away"
    COST_SHIFT = "cost shift"
    POSSIBLE_MOVE = "possible move"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class SeriesChange:
    """A change of one series; positions are places on the axis of revisions that all series share.

    The step came after `before` and not after `after`, and with 95 % after `earliest` and not after `latest`. `size` is
    in the metric's unit, `relative` its share of the level before, with its 95 % interval from `low` to `high`.
    `certainty` is the probability that there is a step; a candidate does not stand at the false-alarm rate. Where `until`
    is given, the level was back after that position. A change that `is_slow` is no step: a drift from `before` to `after`. One
    `of_share` was seen in the series' share of the whole alone: `relative` is that of the share, `size` what it makes of the cost before.
    """

    series: int
    before: int
    after: int
    earliest: int
    latest: int
    size: float
    relative: float
    low: float
    high: float
    certainty: float
    is_candidate: bool
    is_worse: bool
    until: int | None = None
    is_slow: bool = False
    of_share: bool = False

    @classmethod
    def of(cls, series: int, found: ChangePoint, *, more_is_worse: bool) -> "SeriesChange":
        """The change of a series as the search found it."""
        return cls(
            series,
            found.bracket_before,
            found.bracket_after,
            found.earliest,
            found.latest,
            found.absolute_size,
            found.relative_size,
            found.relative_low,
            found.relative_high,
            found.certainty,
            found.is_candidate,
            is_worse=(found.absolute_size > 0) == more_is_worse,
        )

    @property
    def error(self) -> float:
        """Half of the 95 % interval of `size`, in the metric's unit."""
        return abs(self.size / self.relative) * (self.high - self.low) / 2.0 if self.relative else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class CostDomain:
    """Series whose costs add up to that of a common parent: the regions of a class, of a module or of the whole program.

    `costs` (k, n) are those of the `series` (k) at the measured `positions` (n,), ascending, in one unit and 0 where a series has
    none; `whole` (n,) is the cost of everything that was measured, None where the domain is all of it.
    """

    name: str
    series: tuple[int, ...]
    positions: IntArray
    costs: FloatArray
    whole: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class CostShift:
    """Cost that moved within the domain of that name, from the series `sources` to `targets`, the largest part first.

    `share` of the domain's cost moved; together they changed by `left`, a share of theirs, with half of the 95 % interval `error`.
    """

    domain: str
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    share: float
    left: float
    error: float


@dataclass(frozen=True, slots=True)
class PossibleMove:
    """What the other series of the domain of that name are too noisy to tell: whether the cost came from there, or went there.

    `probability` is that of such a move; `partners` are the series that may have taken part, the likeliest first.
    """

    domain: str
    probability: float
    partners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Moves:
    """What is known of moves within domains: the `shifts` that explain changes, and the changes that are `possible` moves."""

    shifts: Mapping[SeriesChange, CostShift] = field(default_factory=dict)
    possible: Mapping[SeriesChange, PossibleMove] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MachineStep:
    """By what share reference runs took longer from a revision on, and half of the 95 % interval of that."""

    relative: float
    error: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One change at one revision, with all series that show it: the certain ones first, then the largest.

    One revision after `before` and not after `after` explains them all; where none does that was
    measured, these are the closest positions. `certainty` is that of the surest change. `move` says of a cost shift what
    moved where, `possible` of one that is not told where it may have moved, `machine` what reference runs did at a change that is the machine's.
    """

    verdict: Verdict
    changes: tuple[SeriesChange, ...]
    before: int
    after: int
    move: CostShift | None = None
    machine: MachineStep | None = None
    possible: PossibleMove | None = None

    @property
    def first(self) -> SeriesChange:
        """The change that stands for all."""
        return self.changes[0]

    @property
    def certainty(self) -> float:
        """The certainty of the surest change."""
        return max(one.certainty for one in self.changes)

    @property
    def is_worse(self) -> bool:
        """Whether it is for the worse: all changes of a finding go one way, but for those of a cost shift."""
        return self.first.is_worse

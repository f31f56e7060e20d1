"""What the selectors of tracings hand out: frozen rows, free of Django."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision statement of a region, and the options that have a say in it.

    `options` were seen in the value that is tested, `under` in what led there. `text` is what is tested.
    """

    line: int
    kind: str
    options: tuple[str, ...]
    under: tuple[str, ...]
    text: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class StepRow:
    """A place of a region that traced runs saw options at, and those options."""

    line: int
    kind: str
    text: str
    file: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubspaceText:
    """A subspace as a formula, and as a person says it."""

    formula: str
    words: str


@dataclass(frozen=True, slots=True)
class TracedIn:
    """Which analysis tells something: the revision, the workload and how many configurations were traced to their end."""

    revision: str
    workload: str
    configurations: int


@dataclass(frozen=True, slots=True)
class TracedRegion:
    """What an analysis saw of a region.

    `partitions` is empty where no option was seen in any of its decisions, and holds several where the region was
    split pair by pair. `unreached` are the options that were seen in none of its decisions in any traced run, and that
    no count speaks for; `counted` those that counts alone have added. `left_out` is why it has no partition though it
    decides on options: it only parses them; "" of all others.
    """

    key: str
    traced: TracedIn
    options: tuple[str, ...]
    counted: tuple[str, ...]
    unreached: tuple[str, ...]
    decisions: tuple[DecisionRow, ...]
    partitions: tuple[tuple[SubspaceText, ...], ...]
    steps: tuple[StepRow, ...]
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class RegionOptions:
    """A region that depends on options: those, its partitions as formulas, and how many of its statements decide.

    `counted` are those of the options that only counts show.
    """

    key: str
    options: tuple[str, ...]
    counted: tuple[str, ...]
    decisions: int
    partitions: tuple[tuple[str, ...], ...]
    file: str

    @property
    def subspaces(self) -> int:
        """How many subspaces it has, of all its partitions."""
        return sum(len(formulas) for formulas in self.partitions)


@dataclass(frozen=True, slots=True)
class LeftOutRegion:
    """A region that an analysis leaves out as one that only parses options: those that it looks at, and why."""

    key: str
    options: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class FailedTrace:
    """A configuration that did not come to its end, traced or counted: what it said, and where."""

    configuration: tuple[tuple[str, str], ...]
    status: str
    message: str
    place: str


@dataclass(frozen=True, slots=True)
class TracingDetail:
    """An analysis of one revision on one workload, as far as it got.

    `runs` counts the configurations that were traced, `traced` those of them that ran to their end, `seconds` is what
    all of them took; `counted` those that were run with counters alone. In `compared` of them both kinds of runs
    printed and returned something; in `changed`, as they differ from the default, not the same. `subspaces` counts those of equal partitions once; `seen` of them were in a traced
    configuration. `left_out` are the regions that only parse options; at a place of `unsteady` ones, counts differed
    from run to run; `idle` are the packages in which nothing ran, known once the analysis has ended. `unread` options were seen nowhere, `undecided` ones in no decision. `unfollowed` are (name, how often):
    code that options went into and that is not followed. `cut` tells that steps were left out for want of space.
    `ended` is how its job ended, as `TracingLoop.run` says, "" where that is not known. `revisions` are all that were
    analyzed.
    """

    revision: str
    workload: str
    at: datetime
    options: tuple[str, ...]
    runs: int
    traced: int
    failed: tuple[FailedTrace, ...]
    seconds: float
    counted: int
    compared: int
    changed: tuple[tuple[tuple[str, str], ...], ...]
    regions: tuple[RegionOptions, ...]
    left_out: tuple[LeftOutRegion, ...]
    unsteady: tuple[str, ...]
    idle: tuple[str, ...]
    subspaces: int
    seen: int
    unread: tuple[str, ...]
    undecided: tuple[str, ...]
    unfollowed: tuple[tuple[str, int], ...]
    cut: bool
    ended: str
    revisions: tuple[str, ...]

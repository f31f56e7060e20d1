"""What explanations of steps hand out: frozen rows, free of Django."""

from collections.abc import Mapping
from dataclasses import dataclass

from analytics.step_parts import StepPart, StepParts
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import SeriesRow

# How the body of a region differs between two revisions; "" where that is not known.
CHANGED, SAME, ADDED, REMOVED = "changed", "same", "added", "removed"


@dataclass(frozen=True, slots=True)
class StepRegion:
    """What one region took more at the second of two revisions, and whether its body is another one.

    `body` is one of "changed", "same", "added", "removed" and "". `term` is the term, in words, in which the region moved
    most, "" where runs do not tell it.
    """

    part: StepPart
    name: str
    file: str
    body: str
    term: str
    is_program: bool

    @property
    def key(self) -> str:
        """The key of the region."""
        return self.part.key

    def is_at(self, path: str, name: str) -> bool:
        """Whether a function of a repository's file is the region; with "" as its name, whether the region is in the file."""
        is_in = bool(self.file) and (path == self.file or path.endswith(f"/{self.file}"))
        return is_in and name in ("", self.name)


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """The step of a series between two measured revisions, split into terms and into regions, as far as runs tell.

    `stretch` begins at the last revision with the code of `before` and ends at the first with that of `after`. `terms` and `of_regions` each sum to the step, None where nothing tells them; `labels` are the terms in words, by key.
    `regions` are all of `of_regions`, its parts first; the program region is what lies in no measured one.
    `revisions` counts those that tell the levels before and after. `untold` are the terms of the configuration that were not measured, in words. `missing` says what is not known and
    which runs would tell it: those of `needed`, configurations as selections write them.
    """

    series: SeriesRow
    before: RevisionPlace
    after: RevisionPlace
    stretch: tuple[RevisionPlace, ...]
    step: StepPart
    revisions: tuple[int, int]
    terms: StepParts | None
    labels: Mapping[str, str]
    untold: tuple[str, ...]
    of_regions: StepParts | None
    regions: tuple[StepRegion, ...]
    missing: tuple[str, ...]
    needed: tuple[str, ...]

    @property
    def between(self) -> tuple[RevisionPlace, ...]:
        """The revisions that the step may have come with."""
        return self.stretch[1:]

    @property
    def nearest(self) -> tuple[RevisionPlace, RevisionPlace]:
        """The closest revisions around the step, which hold the code of the measured two."""
        return (self.stretch[0], self.stretch[-1]) if self.between else (self.before, self.after)

    @property
    def moved(self) -> tuple[StepRegion, ...]:
        """The regions that surely moved, the largest first, without the program region."""
        shown = len(self.of_regions.parts) if self.of_regions else 0
        return tuple(one for one in self.regions[:shown] if not one.is_program)


@dataclass(frozen=True, slots=True)
class TouchedCommit:
    """A revision that the step may have come with, and what it touched.

    `moved` are the keys of the regions that surely moved whose body, or file where functions are not told apart, it
    touched; `amount` is the sum of their sizes, in the metric's unit. `functions` counts all that it touched, None where
    the history of the program is not on this machine.
    """

    place: RevisionPlace
    moved: tuple[str, ...]
    amount: float
    functions: int | None

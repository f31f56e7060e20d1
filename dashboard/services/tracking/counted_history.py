"""What counts tell of a history that is tracked: each version counted once, before any is timed, and where that changed."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from analytics.histories.active_sampling import SMALLEST_STEP
from analytics.work import CountMove, most_telling
from dashboard.figures.numbers import listing, percent, plural
from dashboard.services.tracking.counted_versions import MOST_SCATTERED, CountedVersions
from dashboard.services.tracking.tracked_series import CodeVersion, TrackedSeries

# Counting takes at most this share of the budget: the time stays the judge.
BUDGET_SHARE = 0.25
# A change of counts by so much is run side by side: less of the work is rarely more of the time.
TIMED = SMALLEST_STEP / 2


class CountedHistory:
    """The counts of the `versions` of a series, in order; what changed is told of them as they are when it is first asked."""

    def __init__(self, series: TrackedSeries, versions: Sequence[CodeVersion], quantity: str) -> None:
        self._series, self._versions = series, versions
        self.counts = CountedVersions(series, quantity)
        self.counts.load([version.first for version in versions])

    def explore(self, budget: float, most: int | None) -> None:
        """Count versions until all are counted, a share of the `budget` in seconds is spent, or `most` are counted.

        Both ends are counted twice, to tell what scatters; where that is most of it, no further one is counted.
        """
        job, ends = self._series.job, (self._versions[0], self._versions[-1])
        longest, known = 0.0, self._known()
        while job.checkpoint.spent + longest <= BUDGET_SHARE * budget:
            spent = job.checkpoint.spent
            once = [end for end in ends if self.counts.may_be_counted_again(end)]
            left = [at for at, one in enumerate(self._versions) if self.counts.may_be_counted(one.first)]
            position = most_telling(known, left)
            if once:
                self.counts.count_twice(once[0])
            elif position is None or not self.is_telling or (most is not None and len(known) >= most):
                return
            else:
                done = f"{len(known)} of {len(self._versions)} versions are counted"
                job.context.progress(
                    BUDGET_SHARE * len(known) / len(self._versions),
                    f"{self._versions[position].title}: {done}",
                )
                self.counts.count(self._versions[position])
            longest, known = max(longest, job.checkpoint.spent - spent), self._known()

    @property
    def is_telling(self) -> bool:
        """Whether anything is told by counts: not where most of them differ from run to run."""
        ends = (self._versions[0], self._versions[-1])
        return all(self.counts.scattered_share(end) <= MOST_SCATTERED for end in ends)

    @cached_property
    def changes(self) -> tuple[tuple[CodeVersion, CodeVersion, CountMove], ...]:
        """Neighbouring counted versions with what moved between them, those with the largest share first."""
        if not self.is_telling:
            return ()
        counted = [self._versions[at] for at in self._known()]
        moves = (
            (before, after, self.between(before.first, after.first)) for before, after in pairwise(counted)
        )
        found = [(before, after, move) for before, after, move in moves if move is not None and move.regions]
        return tuple(sorted(found, key=lambda one: -one[2].share))

    @property
    def timed(self) -> tuple[tuple[CodeVersion, CodeVersion, CountMove], ...]:
        """The changes that are worth runs side by side."""
        return tuple(one for one in self.changes if one[2].share >= TIMED)

    def between(self, before: str, after: str) -> CountMove | None:
        """What moved between two revisions; None where one was not counted, or nothing is told by counts."""
        amounts = [self.counts.amounts(one) for one in (before, after)]
        if amounts[0] is None or amounts[1] is None or not self.is_telling:
            return None
        return CountMove.between(amounts[0], amounts[1])

    def in_words(self) -> str:
        """What came of it, in one sentence."""
        quantity, versions = self.counts.quantity, len(self._versions)
        scattered = listing(sorted(self.counts.scattered))
        if not self.is_telling:
            return f"{quantity} differ from run to run in most of what is counted ({scattered}): nothing is told by counts"
        counted = len(self._known())
        said = [f"{quantity} counted at {counted} of {plural(versions, 'version')} of the code"]
        if equal := counted - 1 - len(self.changes):
            said.append(f"equal in every function at {equal} of {plural(counted - 1, 'step')} between them")
        if self.timed:
            said.append(f"moved by {percent(100 * TIMED, 0)} or more at {len(self.timed)}")
        if small := self.changes[len(self.timed) :]:
            _, after, move = small[0]
            said.append(
                f"by less at {len(small)}, which are not run side by side (at most {percent(100 * move.share)}, {after.title})"
            )
        if scattered:
            said.append(f"left out, for they differ from run to run: {scattered}")
        return "; ".join(said)

    def _known(self) -> dict[int, Mapping[str, float]]:
        """What is counted by now, by position in the versions."""
        amounts = {at: self.counts.amounts(one.first) for at, one in enumerate(self._versions)}
        return {at: known for at, known in amounts.items() if known is not None}

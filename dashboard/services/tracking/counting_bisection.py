"""Finding the revision that changed what is counted: single counted runs, by halves, each end twice."""

from collections.abc import Sequence
from typing import Any

from analytics.work import moved_regions, next_to_count
from dashboard.figures.numbers import count, listing, percent, plural, signed
from dashboard.services.tracking.counted_versions import MOST_SCATTERED, CountedVersions
from dashboard.services.tracking.tracked_series import CodeVersion, TrackedSeries, versions_of

# So many functions are named in the answer.
_NAMED = 5


def count_to_bisect(series: TrackedSeries, quantity: str, budget: float) -> dict[str, Any]:
    """Search with a counted run of each revision that halves what is left, for `budget` seconds: the result of the job.

    Functions whose counts differ between two runs of an end are left out.
    """
    versions, counts = versions_of(series.revisions), CountedVersions(series, quantity, alone=True)
    first, last = versions[0], versions[-1]
    for end in (first, last):
        if why := _end_refused(counts, end):
            return {"suspects": [], "sentence": f"undecided: {why}"}
    scattered = listing(sorted(counts.scattered), _NAMED)
    left_out = f"; left out, for they differ from run to run: {scattered}" if scattered else ""
    before, after = counts.total(first.first), counts.total(last.first)
    if before == after:
        moved = _moved(counts, first, last)
        told = "in sum, though not in each function" if moved else "in every function"
        return {
            "suspects": [],
            "sentence": f"no change of {quantity} lies between {first.title} and {last.title}: they are equal {told}{moved}"
            f"{left_out}; a change of the time is one of memory, cache, I/O or the machine",
        }
    low, high = _halved(series, counts, versions, budget)
    before, after = (counts.total(versions[end].first) or 0.0 for end in (low, high))
    relative = after / before - 1 if before else 0.0
    size = f"{percent(100 * relative, 3, signed=True)} ({signed(after - before)})"
    left = versions[low + 1 : high + 1]
    answer = {"suspects": [version.first for version in left], "relative_size": relative}
    if more := sum(counts.may_be_counted(version.first) for version in left[:-1]):
        sentence = (
            f"undecided: the {quantity} changed by {size} with one of {plural(len(left), 'revision')} from {left[0].title} to "
            f"{left[-1].title}, and the budget is spent: about {plural(more.bit_length(), 'counted run')} more would decide: "
            "give a larger --budget"
        )
        return {**answer, "sentence": f"{sentence}{left_out}"}
    others = f", or one of the {len(left) - 1} before it that cannot be counted," if len(left) > 1 else ""
    sentence = (
        f"{left[-1].title}{others} changed the {quantity} by {size}{_moved(counts, versions[low], left[-1])}; counted in "
        f"{plural(series.batch.runs.count(), 'run')} without noise"
    )
    return {**answer, "error_probability": 0.0, "sentence": f"{sentence}{left_out}"}


def _end_refused(counts: CountedVersions, end: CodeVersion) -> str:
    """Count an end twice; why nothing can be told with it, "" where something can."""
    differing = counts.count_twice(end)
    known = counts.total(end.first)
    if known is None:
        lost = f"{end.title} cannot be counted, and without both ends nothing is told"
        return f"{lost}: choose another one with --from or --to"
    if counts.scattered_share(end) <= MOST_SCATTERED:
        return ""
    named = ", ".join(f"{region} by {signed(abs(by))}" for region, by in [*differing.items()][:_NAMED])
    return (
        f"counts of this program differ from run to run: two runs of {end.title} do in functions that hold "
        f"{percent(100 * counts.scattered_share(end))} of {count(round(known + counts.left_out(end)))} {counts.quantity}"
        f"{f' ({named})' if named else ''}; threads, random numbers or the time of day are in play: search by time, or "
        "make the workload the same each time"
    )


def _halved(
    series: TrackedSeries, counts: CountedVersions, versions: Sequence[CodeVersion], budget: float
) -> tuple[int, int]:
    """The positions that the change lies between after halving until none is left to count, or the budget is spent."""
    last = len(versions) - 1
    values = {at: counts.total(versions[at].first) for at in (0, last)}
    while True:
        (low, high), position = next_to_count(values, last)
        if position is None or series.job.checkpoint.spent >= budget:
            return low, high
        share = len(values) / (len(values) + (high - low).bit_length())
        left = high - low
        far = f"{left} revision{' is' if left == 1 else 's are'} left"
        series.job.context.progress(share, f"{versions[position].title}: {far}")
        counts.count(versions[position])
        values[position] = counts.total(versions[position].first)


def _moved(counts: CountedVersions, before: CodeVersion, after: CodeVersion) -> str:
    """The functions whose counts differ between two revisions, in words; "" where none does."""
    moved = moved_regions(counts.amounts(before.first) or {}, counts.amounts(after.first) or {})
    named = ", ".join(f"{region} {signed(amount)}" for region, amount in moved[:_NAMED])
    more = f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    return f": {named}{more}" if moved else ""

"""What long histories lose by being searched stretch by stretch: against a search of the whole, anew at every revision.

Noise of 2 % of every kind (`noise_kinds`), one value a revision, default settings. Nothing of the rule by stretches was chosen
with these kinds or seeds. The same series are searched both ways:

- as they stand: how many without a step have a change, and how many steps of 5 % are found within two points; the step lies
  anywhere in the middle half;
- while they grow: how many have one at any of the last revisions, each of which is appended (the whole: at every 25th), and
  after how many revisions a step is told as a fact.

    python -m benchmarks.bench_growing_accuracy [series [points [series that grow]]]
"""

import sys
from collections.abc import Iterator

import numpy as np

from analytics.changepoints import ChangePoints, ChangePointSettings
from analytics.changepoints.growing import search_growing
from analytics.changepoints.noise_search import modelled
from analytics.changepoints.points import points_of
from analytics.histories.measurements import Measurements
from benchmarks.noise_kinds import HELD_OUT, TUNED, Kind, Series

SERIES, POINTS, GROWING = 12, 5_000, 2
STEP, NEAR = np.log(1.05), 2
SEED = 51_237
# So many last revisions are appended one by one; the whole is searched anew at every so-manieth where nothing steps.
APPENDED, WHOLE_EVERY = 200, 25
# So many revisions after a step both are asked at most whether they tell it.
WAITED = 60
PLAIN = ChangePointSettings()


def whole(points: Measurements) -> ChangePoints:
    """All points searched at once."""
    known, _ = points_of(points, PLAIN)
    return modelled(known, PLAIN).change_points(PLAIN, enough_data=True)


def by_stretches(points: Measurements) -> ChangePoints:
    """The same points as the product searches them."""
    return search_growing(points, PLAIN).change_points()


def measured(values: Series) -> Measurements:
    """One value at every revision."""
    return Measurements.of(np.arange(len(values)), np.exp(values))


def facts(found: ChangePoints, at: int | None = None) -> int:
    """How many changes are told as facts, near a place where one is given."""
    near = [one for one in found.changes if at is None or abs(one.bracket_after - at) <= NEAR]
    return sum(not one.is_candidate for one in near)


def standing(kind: Kind, points: int, series: int) -> Iterator[str]:
    """Yield `alarms / steps found` of so many series each, for both searches; candidates stand in brackets."""
    counts = np.zeros((2, 2, 2), dtype=np.int64)
    rng = np.random.default_rng([SEED, points])
    for stepped in (0, 1):
        for _ in range(series):
            values = kind(rng, points)
            at = int(rng.integers(points // 4, 3 * points // 4 + 1))
            values[at:] += STEP * stepped
            for number, find in enumerate((whole, by_stretches)):
                found, place = find(measured(values)), at if stepped else None
                any_ = any(place is None or abs(one.bracket_after - place) <= NEAR for one in found.changes)
                counts[number, stepped] += [facts(found, place) > 0, any_]
    for (alarms, all_alarms), (steps, all_steps) in counts.tolist():
        yield f"{alarms} ({all_alarms}) / {steps} ({all_steps})"


def growing(kind: Kind, points: int, series: int) -> Iterator[str]:
    """Yield, for both searches, how many series alarm while they grow, and the median wait for a step of 5 %."""
    rng = np.random.default_rng([SEED, points, 1])
    alarms, waits = np.zeros(2, dtype=np.int64), ([], [])  # type: tuple[np.ndarray, tuple[list[int], list[int]]]
    first = points - APPENDED
    for _ in range(series):
        values = kind(rng, points)
        given = measured(values)
        before = {one.bracket_after for one in by_stretches(given.part(0, first)).changes}
        search, told = search_growing(given.part(0, first), PLAIN), False
        for end in range(first + 1, points + 1):
            search = search.appended(given.part(end - 1, end))
            late = [one for one in search.found.changes if one.bracket_after >= first - APPENDED]
            told = told or any(not one.is_candidate and one.bracket_after not in before for one in late)
        alarms[1] += told
        looks = [whole(given.part(0, end)) for end in range(first + WHOLE_EVERY, points + 1, WHOLE_EVERY)]
        alarms[0] += any(
            not one.is_candidate and one.bracket_after >= first - APPENDED
            for found in looks
            for one in found.changes
        )
        values[first:] += STEP
        given = measured(values)
        search = search_growing(given.part(0, first), PLAIN)
        open_ = [True, True]
        for end in range(first + 1, first + WAITED + 1):
            search = search.appended(given.part(end - 1, end))
            for number in (0, 1):
                if open_[number] and end - first >= 5:
                    found = search.change_points() if number else whole(given.part(0, end))
                    if any(
                        not one.is_candidate and abs(one.bracket_after - first) <= 5 for one in found.changes
                    ):
                        waits[number].append(end - first)
                        open_[number] = False
        for number in (0, 1):
            if open_[number]:
                waits[number].append(WAITED + 1)
    for number in (0, 1):
        median = float(np.median(waits[number]))
        shown = f"{median:.0f}" if median <= WAITED else f"over {WAITED}"
        yield f"{alarms[number]} / {shown} ({sum(wait <= WAITED for wait in waits[number])})"


def main() -> None:
    """Print one line for each kind of noise."""
    series, points, grows = (*map(int, sys.argv[1:]), *(SERIES, POINTS, GROWING)[len(sys.argv) - 1 :])
    print(
        f"{points} points; {series} series a cell: with alarms / with the step found, as facts (with candidates); {grows} series "
        f"that grow: alarms in {APPENDED} revisions / median wait for a step (how many within {WAITED})"
    )
    names = ("whole", "by stretches", "whole, growing", "by stretches, growing")
    print(f"{'':22}" + "".join(f"{name:>24}" for name in names))
    for name, kind in (TUNED | HELD_OUT).items():
        cells = [*standing(kind, points, series), *growing(kind, points, grows)]
        print(f"{name:22}" + "".join(f"{cell:>24}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()

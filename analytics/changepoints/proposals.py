"""The search that proposes changes: nearly the least cost, of many series at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analytics.changepoints.search import weighted_pelt
from analytics.histories.measurements import FloatArray, IntArray

# From so many points on a search that proposes changes tries some places only: those where the levels of some window beside them
# differ by this share of the penalty at least. The windows are so wide, doubled again and again, or so many times as wide on one side.
SOME_PLACES_FROM, SHARE_OF_PENALTY, WIDER = 500, 0.25, 4
# So many series are looked at together for such places: what is known of them stays in the processor's cache.
ROWS = 16
# Fewer series are divided one by one.
FEW = 4


def proposed_together(
    many: Sequence[FloatArray], penalties: Sequence[float], shortest: int
) -> list[list[int]]:
    """Return the exclusive ends of segments of at least `shortest` points and nearly the least cost, as `segment_ends`, of several series.

    Each has shape (n,), mean zero and a penalty in units of its squares. A long series is cut at the best of all places that may
    be worth it: the time goes with n log n, and not with its square where nothing changes. Many together take a fraction of the
    time that they take one by one.
    """
    found: list[list[int]] = [[]] * len(many)
    long = []
    for at, (y, penalty) in enumerate(zip(many, penalties, strict=True)):
        if len(y) >= SOME_PLACES_FROM:
            long.append(at)
            continue
        from ruptures import KernelCPD  # noqa: PLC0415 -- a second of imports that few need

        search = KernelCPD(kernel="linear", min_size=shortest).fit(y.reshape(-1, 1))
        found[at] = [int(end) for end in search.predict(pen=penalty)]
    bounds, segments = [], []
    for start in range(0, len(long), ROWS):
        some = long[start : start + ROWS]
        sizes = np.array([len(many[at]) for at in some])
        sums = np.zeros((len(some), sizes.max() + 1))
        for row, at in zip(sums, some, strict=True):
            np.cumsum(many[at], out=row[1 : len(many[at]) + 1])
            row[len(many[at]) + 1 :] = row[len(many[at])]
        least = SHARE_OF_PENALTY * np.array([penalties[at] for at in some])
        for may, row, size in zip(_may_be_ends(sums, sizes, least, shortest), sums, sizes, strict=True):
            bounds.append(np.flatnonzero(may[: size + 1]))
            segments.append(np.diff(row[bounds[-1]]))
    ends = _cheapest(bounds, segments, [penalties[at] for at in long], shortest)
    for at, own, chosen in zip(long, bounds, ends, strict=True):
        found[at] = own[chosen].tolist()
    return found


def _may_be_ends(sums: FloatArray, sizes: IntArray, least: FloatArray, shortest: int) -> NDArray[np.bool_]:
    """Whether each of 0, ..., n may be the end of a segment, (k, n + 1), from the sums of the values before it.

    The series have so many points each, `sizes` (k,): sums behind the last one are that of all. Both ends may, and the best places of
    each width where a split lowers the squares in a window around it by `least` (k,) at least.
    """
    n = sums.shape[1] - 1
    differ = None if (sizes == n).all() else np.arange(n + 1)
    found = np.zeros(sums.shape, dtype=bool)
    found[:, 0] = found[np.arange(len(sizes)), sizes] = True
    # The means of all stretches so long, by their starts.
    means: dict[int, FloatArray] = {}
    width = shortest
    while 2 * width <= n:
        gains = np.zeros(sums.shape)
        for before, after in ((width, width), (WIDER * width, width), (width, WIDER * width)):
            if before + after > n:
                continue
            for one in (before, after):
                if one not in means:
                    means[one] = (sums[:, one:] - sums[:, :-one]) / one
            apart = means[after][:, before:] - means[before][:, : n - after - before + 1]
            apart *= apart
            apart *= before * after / (before + after)
            if differ is not None:
                apart[differ[before : n - after + 1] > sizes[:, None] - after] = 0.0
            known = gains[:, before : n - after + 1]
            np.maximum(known, apart, out=known)
        may = (gains >= least[:, None]) & (gains == _largest_near(gains, width // 2))
        if differ is not None:
            may &= 2 * width <= sizes[:, None]
        found |= may
        width *= 2
    return found


def _largest_near(values: FloatArray, reach: int) -> FloatArray:
    """The largest of the values so far to each side, (k, n), none of which is negative."""
    size = 2 * reach + 1
    largest = np.zeros((len(values), values.shape[1] + 2 * reach))
    largest[:, reach : reach + values.shape[1]] = values
    together = 1
    while together < size:
        further = min(together, size - together)
        largest = np.maximum(largest[:, :-further], largest[:, further:])
        together += further
    return largest


def _cheapest(
    bounds: Sequence[IntArray], segments: Sequence[FloatArray], penalties: Sequence[float], shortest: int
) -> list[list[int]]:
    """The ends of the segments of least cost of each series, as places among its bounds, without the first.

    `segments` are the sums of the values between its bounds. As `weighted_pelt`, bit by bit, of all series at once.
    """
    if len(bounds) < FEW:
        found = []
        for own, sums, penalty in zip(bounds, segments, penalties, strict=True):
            sizes = np.diff(own).astype(np.float64)
            found.append(weighted_pelt(sums / sizes, sizes, penalty, float(shortest)))
        return found
    counts = [len(own) - 1 for own in bounds]
    most = max(counts)
    # What lies behind the last bound of a series is never asked for; it is heavy, so that nothing is divided by zero.
    weight, first = np.empty((len(bounds), most + 1)), np.zeros((len(bounds), most + 1))
    for own, sums, count, heavy, totals in zip(bounds, segments, counts, weight, first, strict=True):
        heavy[: count + 1] = own
        heavy[count + 1 :] = own[-1] + np.arange(1, most - count + 1)
        sizes = np.diff(own)
        np.cumsum(sizes * (sums / sizes), out=totals[1 : count + 1])
    added, rows = np.array(penalties), np.arange(len(bounds))
    bases, previous = np.empty(first.shape), np.zeros(first.shape, dtype=np.int64)
    bases[:, 0] = -added
    for end in range(1, most + 1):
        costs = first[:, end, None] - first[:, :end]
        costs *= costs
        masses = weight[:, end, None] - weight[:, :end]
        costs /= masses
        np.subtract(bases[:, :end], costs, out=costs)
        # Bounds are at least one point apart.
        near = slice(max(end - shortest + 1, 0), end)
        costs[:, near][masses[:, near] < shortest] = np.inf
        cheapest = costs.argmin(axis=1)
        bases[:, end] = costs[rows, cheapest] + added
        previous[:, end] = cheapest
    found = []
    for count, before in zip(counts, previous.tolist(), strict=True):
        ends = [count]
        while before[ends[-1]] > 0:
            ends.append(before[ends[-1]])
        found.append(ends[::-1])
    return found

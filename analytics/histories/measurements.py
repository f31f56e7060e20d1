"""What was measured of one series: a value per position, with repetitions and their spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from analytics.histories.errors import HistoryError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# What is smaller than this beside the largest value, or at all, is zero.
RESOLUTION = 1e-12
SMALLEST = 1e-100


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """The measured points of one series, sorted by position; each position appears once.

    All arrays have shape (n,) and are read-only. `positions` are integer places in a named order of
    revisions. `values` are in the metric's own unit. `repetitions` counts the runs behind a value. `spreads`
    is the sample standard deviation of those runs, in the metric's unit; NaN where unknown. `errors` are
    standard errors of values that are no plain medians of runs, such as a term's influence; NaN elsewhere.
    Build it with `Measurements.of`.
    """

    positions: IntArray
    values: FloatArray
    repetitions: IntArray
    spreads: FloatArray
    errors: FloatArray

    def __len__(self) -> int:
        """Return the number of measured positions."""
        return len(self.positions)

    @classmethod
    def of(
        cls,
        positions: Sequence[int] | npt.NDArray[np.integer],
        values: Sequence[float] | npt.NDArray[np.floating],
        repetitions: Sequence[int] | npt.NDArray[np.integer] | None = None,
        spreads: Sequence[float] | npt.NDArray[np.floating] | None = None,
        errors: Sequence[float] | npt.NDArray[np.floating] | None = None,
    ) -> Self:
        """Sort the points and merge those that share a position.

        Without `repetitions` every point counts as one run; `spreads` and `errors` left out are unknown.
        Raises `HistoryError` on no point, unequal lengths, a value that is not finite, a position that is not
        whole, a repetition < 1 or a negative spread. A value a million million times smaller than the largest one
        counts as zero: nothing measured spans that much, and its logarithm or square would rule the fit.
        """
        places = _whole_numbers(positions, "position")
        levels = np.asarray(values, dtype=np.float64)
        n = len(places)
        counts = (
            np.ones(n, dtype=np.int64) if repetitions is None else _whole_numbers(repetitions, "repetition")
        )
        sds = _or_unknown(spreads, n)
        own = _or_unknown(errors, n)
        _check(places, levels, counts, sds, own)
        smallest = max(RESOLUTION * float(np.abs(levels).max()), SMALLEST)
        levels = np.where(np.abs(levels) < smallest, 0.0, levels)
        merged = _merge(places, levels, counts, np.where(counts > 1, sds, np.nan), own)
        for array in merged:
            array.setflags(write=False)
        return cls(*merged)

    def part(self, start: int, end: int) -> Self:
        """Return the points start..end-1, without a copy; there may be none."""
        return type(self)(
            self.positions[start:end],
            self.values[start:end],
            self.repetitions[start:end],
            self.spreads[start:end],
            self.errors[start:end],
        )

    def begins_with(self, earlier: Self) -> bool:
        """Return whether these are the points of `earlier`, and maybe later ones."""
        mine = self.part(0, len(earlier))
        return len(self) >= len(earlier) and all(
            np.array_equal(
                getattr(mine, name), getattr(earlier, name), equal_nan=name in {"spreads", "errors"}
            )
            for name in self.__slots__
        )

    def followed_by(self, later: Self) -> Self:
        """Return these points and later ones. Raises `HistoryError` where one of those is not later."""
        if len(self) and len(later) and later.positions[0] <= self.positions[-1]:
            raise HistoryError(
                f"position {later.positions[0]} does not lie behind the last measured one, {self.positions[-1]}"
            )
        joined = type(self)(
            np.concatenate((self.positions, later.positions)),
            np.concatenate((self.values, later.values)),
            np.concatenate((self.repetitions, later.repetitions)),
            np.concatenate((self.spreads, later.spreads)),
            np.concatenate((self.errors, later.errors)),
        )
        for name in self.__slots__:
            getattr(joined, name).setflags(write=False)
        return joined

    def moved(self, positions: Sequence[int]) -> Self:
        """Return the same points at other positions; those that share one are merged."""
        return self.of(positions, self.values, self.repetitions, self.spreads, self.errors)


def _or_unknown(numbers: Sequence[float] | npt.NDArray[np.floating] | None, n: int) -> FloatArray:
    return np.full(n, np.nan) if numbers is None else np.asarray(numbers, dtype=np.float64)


def _whole_numbers(numbers: Sequence[int] | npt.NDArray[np.integer], what: str) -> IntArray:
    array = np.asarray(numbers)
    if array.dtype == np.int64:
        return array
    whole = (
        array.astype(np.int64) if array.size and np.all(np.isfinite(array)) else np.zeros(0, dtype=np.int64)
    )
    if whole.shape != array.shape or np.any(whole != array):
        raise HistoryError(f"every {what} must be a whole number, got {array[:5].tolist()}")
    return whole


def _check(
    positions: IntArray, values: FloatArray, repetitions: IntArray, spreads: FloatArray, errors: FloatArray
) -> None:
    shapes = [array.shape for array in (positions, values, repetitions, spreads, errors)]
    if len(set(shapes)) > 1 or positions.ndim != 1 or not len(positions):
        raise HistoryError(
            "positions, values, repetitions, spreads and errors must be flat, equally long and not empty, "
            f"got shapes {shapes}"
        )
    bad = ~np.isfinite(values)
    if bad.any():
        place = int(positions[bad][0])
        raise HistoryError(f"the value at position {place} is not finite: leave unmeasured revisions out")
    if repetitions.min() < 1:
        place = int(positions[np.argmin(repetitions)])
        raise HistoryError(f"position {place} has {repetitions.min()} repetitions: at least 1 is needed")
    for name, sizes in (("spread", spreads), ("error", errors)):
        wrong = (sizes < 0) | np.isinf(sizes)
        if wrong.any():
            place = int(positions[wrong][0])
            raise HistoryError(f"the {name} at position {place} must be zero, positive or NaN (unknown)")


def _merge(
    positions: IntArray, values: FloatArray, repetitions: IntArray, spreads: FloatArray, errors: FloatArray
) -> tuple[IntArray, FloatArray, IntArray, FloatArray, FloatArray]:
    """Merge points of one position as if all their runs had been one group."""
    if (positions[1:] > positions[:-1]).all():
        return positions.copy(), values, repetitions.copy(), spreads, errors.copy()
    places, group = np.unique(positions, return_inverse=True)
    if len(places) == len(positions):
        order = np.argsort(positions)
        return places, values[order], repetitions[order], spreads[order], errors[order]
    counts = np.bincount(group, weights=repetitions)
    means = np.bincount(group, weights=repetitions * values) / counts
    within = np.bincount(group, weights=(repetitions - 1) * np.nan_to_num(spreads) ** 2)
    between = np.bincount(group, weights=repetitions * (values - means[group]) ** 2)
    # A group of several runs whose own spread nobody noted says nothing about that part of the scatter.
    silent = np.bincount(group, weights=np.isnan(spreads) * (repetitions - 1))
    freedom = counts - 1 - silent
    with np.errstate(invalid="ignore", divide="ignore"):
        sds = np.where(freedom > 0, np.sqrt((within + between) / freedom), np.nan)
    own = np.sqrt(np.bincount(group, weights=(repetitions * errors) ** 2)) / counts
    return places, means, counts.astype(np.int64), sds, own

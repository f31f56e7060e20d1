"""A step from one revision to another, split into parts that sum to it: into terms, or into regions."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import fsum, hypot, isnan, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from analytics.revision_differences import FEWEST_SERIES, MANY, prior_variance

FloatArray = NDArray[np.floating[Any]]
# The options that a configuration, or a term, has away from the base.
Changed = frozenset[str]
# From so many runs on their median is taken; the variance of a median is so much larger than that of a mean.
_FEWEST_OF_MEDIAN, _OF_MEDIAN = 3, pi / 2
_MOST_FREEDOM = 1e6
# A part that is surely no larger than this share of its step is folded; and so many have a row at most.
_SMALL, _MOST = 0.02, 12


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredLevels:
    """What one configuration took at one revision in k things: `levels` (k,) and the standard deviations of its `runs`, `spreads` (k,).

    In the metric's unit; a spread is NaN where nothing tells it, 0 where values have no noise. `borrowed` are the degrees of
    freedom that other configurations and things lend its spreads.
    """

    levels: FloatArray
    spreads: FloatArray
    runs: int
    borrowed: float = 0.0

    @classmethod
    def of(cls, values: FloatArray) -> "MeasuredLevels":
        """The levels of `values` (k, runs): medians, means of fewer than three runs."""
        runs = values.shape[1]
        levels = np.median(values, axis=1)
        spreads = values.std(axis=1, ddof=1) if runs > 1 else np.full(len(values), np.nan)
        return cls(levels, spreads, runs)

    @property
    def variances(self) -> FloatArray:
        """The variances of the levels (k,)."""
        factor = _OF_MEDIAN if self.runs >= _FEWEST_OF_MEDIAN else 1.0
        return factor * self.spreads**2 / max(self.runs, 1)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of its spreads."""
        return max(self.runs - 1, 0) + self.borrowed


# What configurations took at the revision before and at the one after.
Cells = Mapping[Changed, tuple[MeasuredLevels, MeasuredLevels]]


@dataclass(frozen=True, slots=True)
class StepPart:
    """How much of a step one thing is, in the metric's unit, with its 95 % interval; None where nothing tells it."""

    key: str
    amount: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, key: str, amount: float, half: float) -> "StepPart":
        """A part whose interval reaches `half` to both sides; NaN where nothing tells it."""
        known = not isnan(half)
        return cls(key, amount, amount - half if known else None, amount + half if known else None)

    @property
    def half(self) -> float:
        """Half of the width of its interval; NaN where nothing tells it."""
        return float("nan") if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def at_least(self) -> float:
        """The size of it that its interval leaves at least; its size where nothing tells one."""
        return abs(self.amount) if self.low is None else max(abs(self.amount) - self.half, 0.0)

    @property
    def may_be_zero(self) -> bool:
        """Whether its interval holds zero, or nothing tells it."""
        return self.low is None or self.high is None or self.low <= 0.0 <= self.high


@dataclass(frozen=True, slots=True)
class StepParts:
    """A step and its parts: `parts`, `others` and `rest` sum to it.

    Those parts stand first that are largest at least, by their intervals. `folded` are those that may be zero or are
    small; `others` is their sum.
    """

    step: StepPart
    parts: tuple[StepPart, ...]
    folded: tuple[StepPart, ...]
    others: StepPart
    rest: StepPart

    @classmethod
    def of(
        cls,
        step: StepPart,
        parts: Iterable[StepPart],
        half_of: Callable[[Sequence[StepPart]], float],
        kept: str = "",
    ) -> "StepParts":
        """The parts with their rest; `half_of` gives half of the 95 % interval of the sum of several. The part `kept` is shown last.

        Step and sum are taken to be independent, which makes the interval of the rest too wide rather than too narrow.
        """
        ordered = sorted(parts, key=lambda part: (-part.at_least, -abs(part.amount)))
        least = _SMALL * abs(step.amount)
        shown = [part for part in ordered if part.at_least > 0.0 and part.at_least >= least][:_MOST]
        if kept:
            shown = [part for part in shown if part.key != kept] + [one for one in ordered if one.key == kept]
        folded = [part for part in ordered if part not in shown]
        others = fsum(part.amount for part in folded)
        rest = fsum((step.amount, -others, *(-part.amount for part in shown)))
        return cls(
            step,
            tuple(shown),
            tuple(folded),
            StepPart.of("", others, half_of(folded) if folded else 0.0),
            StepPart.of("", rest, hypot(step.half, half_of(ordered)) if ordered else step.half),
        )


def weighted_difference(weights: Mapping[Changed, float], cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Return the sum over configurations of their weight times what each of k things took more after than before, (k,).

    And half of its 95 % interval (k,), by Student's t with the degrees of freedom of a sum of variances (Satterthwaite
    1946); NaN where runs do not tell it.
    """
    sides = [
        (sign * weight, one)
        for changed, weight in weights.items()
        for sign, one in zip((-1.0, 1.0), cells[changed], strict=True)
        if weight
    ]
    amounts: FloatArray = np.sum([weight * one.levels for weight, one in sides], axis=0)
    variances = np.array([weight**2 * one.variances for weight, one in sides])
    freedom = np.array([one.freedom or 1.0 for _, one in sides])[:, None]
    total = variances.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.minimum(total**2 / (variances**2 / freedom).sum(axis=0), _MOST_FREEDOM)
    halves: FloatArray = np.where(total == 0.0, 0.0, stdtrit(np.nan_to_num(degrees, nan=1.0), 0.975))
    return amounts, halves * np.sqrt(total)


def with_common_noise(cells: Cells, power: float) -> dict[Changed, tuple[MeasuredLevels, MeasuredLevels]]:
    """Return the cells with spreads drawn towards what is common to all, as far as they are alike (Smyth 2004).

    Variances go with the level to the `power`: 2 for whole runs, 1 for what a profiler samples. Unchanged where fewer
    than ten spreads are known.
    """
    sides = [one for pair in cells.values() for one in pair]
    if not sides:
        return dict(cells)
    levels, spreads = (np.array([getattr(one, name) for one in sides]) for name in ("levels", "spreads"))
    own = np.broadcast_to(np.array([max(one.runs - 1, 0) for one in sides])[:, None], levels.shape)
    own = np.where(np.isnan(spreads), 0, own)
    scale = np.abs(levels) ** power
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shares = spreads**2 / scale
    # Where nothing was taken nothing scatters, and nothing is told.
    told = (own > 0) & np.isfinite(shares) & (shares > np.finfo(np.float64).tiny)
    if told.sum() < FEWEST_SERIES:
        return dict(cells)
    lent, common = prior_variance(shares[told], own[told].astype(np.float64))
    lent = min(lent, MANY)
    variances = (lent * common * scale + own * np.nan_to_num(spreads) ** 2) / (lent + own)
    moderated = iter(np.sqrt(variances))
    return {
        changed: (
            replace(before, spreads=next(moderated), borrowed=lent),
            replace(after, spreads=next(moderated), borrowed=lent),
        )
        for changed, (before, after) in cells.items()
    }


def measured_step(weights: Mapping[Changed, float], cells: Cells) -> StepPart:
    """Return the step that the weighted configurations made from one revision to the other; cells of one thing."""
    amounts, halves = weighted_difference(weights, cells)
    return StepPart.of("", float(amounts[0]), float(halves[0]))


def term_weights(term: Collection[str]) -> dict[Changed, float]:
    """Return the weights of configurations whose weighted sum is a term's influence (Moebius transform)."""
    names = sorted(term)
    subsets = chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))
    return {frozenset(one): (-1.0) ** (len(names) - len(one)) for one in subsets}


def measured_terms(whole: Changed, measured: Collection[Changed]) -> tuple[Changed, ...]:
    """Return the terms of the configuration `whole` that the measured ones determine, smaller ones first.

    A term is determined where all configurations were measured that have some of its options and no others.
    """
    found: set[Changed] = set()
    for one in sorted(measured, key=lambda one: (len(one), sorted(one))):
        if one <= whole and all(one - {option} in found for option in one):
            found.add(one)
    return tuple(sorted(found, key=lambda one: (len(one), sorted(one))))


def split_terms(step: StepPart, terms: Sequence[Changed], cells: Cells) -> StepParts:
    """Return the step of a configuration as a sum over `terms`; keys are options joined by `*`, "" is the base.

    The rest is noise, and terms that were not measured.
    """
    by_key = {"*".join(sorted(term)): term for term in terms}

    def half_of(parts: Sequence[StepPart]) -> float:
        together: dict[Changed, float] = {}
        for part in parts:
            for changed, weight in term_weights(by_key[part.key]).items():
                together[changed] = together.get(changed, 0.0) + weight
        return measured_step(together, cells).half if any(together.values()) else 0.0

    parts = [replace(measured_step(term_weights(term), cells), key=key) for key, term in by_key.items()]
    return StepParts.of(step, parts, half_of)


def split_regions(
    step: StepPart,
    keys: Sequence[str],
    weights: Mapping[Changed, float],
    cells: Cells,
    together: Cells,
    *,
    kept: str = "",
) -> StepParts:
    """Return a step as a sum over regions: `cells` hold what each region of `keys` took, `together` all of them.

    The rest is noise, and what the profiler adds. Regions that never took anything are left out; `kept` is shown
    however small it is.
    """
    amounts, halves = weighted_difference(weights, cells)
    seen = np.any([one.levels != 0 for changed in weights for one in cells[changed]], axis=0) | (amounts != 0)
    rows = zip(keys, amounts.tolist(), halves.tolist(), seen.tolist(), strict=True)
    parts = [StepPart.of(key, amount, half) for key, amount, half, is_seen in rows if is_seen]
    whole = measured_step(weights, together).half

    def half_of(some: Sequence[StepPart]) -> float:
        # Regions of one run are as good as independent; of all together the runs themselves tell.
        return whole if len(some) == len(parts) else hypot(*(part.half for part in some))

    return StepParts.of(step, parts, half_of, kept)

"""What is stored beside the fit of a long history, to go on from it when the history grows.

Whatever was learned and searched goes on only for the very measurements, settings and prior that it was made of: these are told by a
digest, and anything else is computed as a whole. Results are the same to the byte.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256

import numpy as np
from pydantic import ConfigDict, TypeAdapter

from analytics.changepoints import ChangePointError, ChangePoints, ChangePointSettings
from analytics.changepoints.changes import ChangePoint, Undecided
from analytics.changepoints.growing import (
    LONGEST_WHOLE,
    GrowingSearch,
    search_growing,
    search_together,
    searching,
)
from analytics.changepoints.last_level import LastLevel
from analytics.histories.brownian import Variances
from analytics.histories.change_prior import ChangePrior
from analytics.histories.fitted import FittedHistory
from analytics.histories.hyperposterior import Quantiles
from analytics.histories.learned_fit import LearnedFit
from analytics.histories.measurements import Measurements
from analytics.histories.milestones import LONGEST_EXACT, Learned, MilestoneError
from analytics.histories.noise import NoiseRule
from analytics.histories.scale import ValueScale
from analytics.histories.settings import HistorySettings
from dashboard.selectors.histories.fits import HistoryCurve, fit_curve, prior_of, search


@dataclass(frozen=True, slots=True)
class StoredLearning:
    """What was learned, as `LearnedFit` and its `Learned` have it; `made_of` tells settings and change prior."""

    made_of: str
    count: int
    ends: tuple[int, int]
    sizes: tuple[float, float]
    scale: ValueScale
    noise: NoiseRule
    steps: tuple[float, ...]
    factors: tuple[float, ...]
    weights: tuple[float, ...]
    unit: float
    noise_factor: float
    quantiles: tuple[Quantiles, Quantiles]

    @classmethod
    def of(cls, made_of: str, fit: LearnedFit) -> "StoredLearning":
        """What is kept of it."""
        learned, pairs = fit.learned, fit.learned.variances
        return cls(
            made_of=made_of,
            count=learned.count,
            ends=learned.ends,
            sizes=learned.sizes,
            scale=learned.scale,
            noise=learned.noise,
            steps=tuple(pairs.steps.tolist()),
            factors=tuple(pairs.factors.tolist()),
            weights=tuple(pairs.weights.tolist()),
            unit=fit.unit,
            noise_factor=fit.noise_factor,
            quantiles=(fit.level_quantiles, fit.step_quantiles),
        )

    def learned(self) -> LearnedFit:
        """What it was made of."""
        pairs = Variances(np.array(self.steps), np.array(self.factors), np.array(self.weights))
        learned = Learned(self.count, self.ends, self.sizes, self.scale, self.noise, pairs)
        return LearnedFit(learned, self.unit, self.noise_factor, *self.quantiles)


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A `GrowingSearch` without its points, the last of the measurements; how many these are, and its settings in words."""

    made_of: str
    count: int
    searched: int
    settled: tuple[ChangePoint, ...]
    passed: tuple[Undecided, ...]
    limit: int
    stretch: int
    found: ChangePoints
    last: LastLevel

    @classmethod
    def of(cls, made_of: str, one: GrowingSearch) -> "StoredSearch":
        """What is kept of it."""
        searched, limit, stretch = one.searched, one.limit, len(one.stretch)
        return cls(made_of, one.count, searched, one.settled, one.passed, limit, stretch, one.found, one.last)

    def on(self, measured: Measurements, settings: ChangePointSettings) -> GrowingSearch:
        """The search, of measurements that begin with those it has seen."""
        stretch = measured.part(self.count - self.stretch, self.count)
        kept = self.searched, self.settled, self.passed, self.limit, stretch, self.found, self.last
        return GrowingSearch(settings, self.count, *kept)


@dataclass(frozen=True, slots=True)
class GrowingFit:
    """What is kept of a fit and a search, of so many measurements with this digest; `batch`: no point that came with a later one was seen."""

    batch: int
    count: int
    digest: str
    fit: StoredLearning | None = None
    search: StoredSearch | None = None


# A list of one: pydantic takes a configuration for no dataclass of its own.
_LISTED = TypeAdapter(list[GrowingFit], config=ConfigDict(ser_json_inf_nan="constants"))


def pack_growing(growth: GrowingFit) -> bytes:
    """Its bytes."""
    return _LISTED.dump_json([growth])


def unpack_growing(packed: bytes) -> GrowingFit:
    """The other way round."""
    return _LISTED.validate_json(packed)[0]


def search_curves(many: Mapping[int, tuple[HistoryCurve, Measurements]]) -> dict[int, GrowingSearch]:
    """The searches of those curves that are long, by key, as wholes: together in less time than one by one.

    A curve without one is left to `grown`, which tells what is wrong with it.
    """
    asked = {}
    for key, (curve, measured) in many.items():
        if _is_searched_growing(curve, measured):
            with suppress(ChangePointError):
                settings, _ = _search_settings(curve.change_settings)
                asked[key] = searching(measured, settings), settings
    return dict(zip(asked, search_together(list(asked.values())), strict=True))


def grown(
    curve: HistoryCurve,
    measured: Measurements,
    known: GrowingFit | None,
    searched: GrowingSearch | None = None,
) -> tuple[FittedHistory, ChangePoints, GrowingFit | None]:
    """The fit and the changes of a curve whose points by code version are `measured`, and what is to be kept of both.

    That is nothing of a short history. It is not searched where it was `searched` already. Its batch is that of what was `known`.
    Raises `HistoryError` and `ChangePointError`.
    """
    if len(measured) <= LONGEST_EXACT:
        return fit_curve(curve, measured), search(measured, curve.change_settings, exact=curve.exact), None
    digests = digests_of(measured, *([known.count] if known else []))
    if known is not None and digests[0] != known.digest:
        known = None
    kept_fit, kept_search = (None, None) if known is None else (known.fit, known.search)
    fitted, kept_fit = _fitted(curve, measured, kept_fit)
    found, kept_search = _searched(curve, measured, kept_search, searched)
    return fitted, found, GrowingFit(0, len(measured), digests[-1], kept_fit, kept_search)


def _fitted(
    curve: HistoryCurve, measured: Measurements, known: StoredLearning | None
) -> tuple[FittedHistory, StoredLearning | None]:
    settings, prior = curve.settings(), prior_of(curve)
    if not settings.is_brownian:
        return fit_curve(curve, measured), None
    if known is not None and known.made_of == _made_of(settings, prior, known.ends):
        with suppress(MilestoneError):
            return known.learned().fitted(measured, settings, prior), known
    fit = LearnedFit.of(measured, settings, prior)
    made_of = _made_of(settings, prior, fit.learned.ends)
    return fit.fitted(measured, settings, prior), StoredLearning.of(made_of, fit)


# As `_search_settings`.
@lru_cache(maxsize=64)
def _made_of(settings: HistorySettings, prior: ChangePrior | None, ends: tuple[int, int]) -> str:
    """The settings in words, and what tells where the history was thought to move between these positions."""
    # The length of the order does not matter to a long history.
    words = repr(replace(settings, length=None))
    return words if prior is None else f"{words} {_told(prior, ends[1])}"


# Most histories of a suite have the same siblings.
@lru_cache(maxsize=16)
def _told(prior: ChangePrior, last: int) -> str:
    found = sha256(f"{prior.first} {prior.jumps.sum()!r}".encode())
    for one in (prior.sizes, prior.shares, prior.jumps):
        found.update(one[: max(last - prior.first, 0)].tobytes())
    return found.hexdigest()


def _searched(
    curve: HistoryCurve, measured: Measurements, known: StoredSearch | None, found: GrowingSearch | None
) -> tuple[ChangePoints, StoredSearch | None]:
    if not _is_searched_growing(curve, measured):
        return search(measured, curve.change_settings, exact=curve.exact), None
    settings, made_of = _search_settings(curve.change_settings)
    if found is None and known is not None and known.made_of == made_of:
        found = known.on(measured, settings).appended(measured.part(known.count, len(measured)))
    elif found is None:
        found = search_growing(measured, settings)
    return found.change_points(), StoredSearch.of(made_of, found)


def _is_searched_growing(curve: HistoryCurve, measured: Measurements) -> bool:
    return not curve.exact and not curve.breaks and len(measured) > LONGEST_WHOLE


# Thousands of series have the same few.
@lru_cache(maxsize=64)
def _search_settings(settings: ChangePointSettings) -> tuple[ChangePointSettings, str]:
    """Those of a long history, which tells how its own noise is autocorrelated, and whether it wanders; and these in words."""
    found = replace(settings, autocorrelation=None, wander=None)
    return found, repr(found)


def digests_of(measured: Measurements, *counts: int) -> list[str]:
    """What tells the first so many of these measurements from any others, and then all of them."""
    columns = [getattr(measured, name).view(np.int64) for name in measured.__slots__]
    rows, found, digests, start = np.stack(columns, axis=1), sha256(), [], 0
    for end in (*counts, len(measured)):
        found.update(rows[start:end].tobytes())
        digests.append(found.hexdigest())
        start = end
    return digests

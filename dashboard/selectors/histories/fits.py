"""Fits of histories and searches for their changes: the one way for pages, lists, stored fits, `next` and tracking.

Results are kept by the content of the points: a page that is looked at again does not fit again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics.changepoints import ChangePoints, ChangePointSettings
from analytics.changepoints.breaks import find_between_breaks
from analytics.changepoints.changes import FALSE_ALARM_RATE
from analytics.changepoints.exact import exact_changes
from analytics.histories.change_prior import ChangePrior
from analytics.histories.code_versions import Bracket, CodeVersions
from analytics.histories.fitted import Band, FittedHistory
from analytics.histories.history import MINIMUM_POINTS_UNLESS_BROWNIAN, fit, predict, widest_relative
from analytics.histories.measurements import Measurements
from analytics.histories.milestones import LONGEST_EXACT
from analytics.histories.robust_levels import estimate
from analytics.histories.settings import HistorySettings, Kernel, NoisePolicy
from dashboard.models import Series
from dashboard.selectors.histories.growing import fit_long, search_points
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import BROWNIAN, BandRow, KernelChoice, MeasuredPoint

_KEPT = 1024
YEAR_SECONDS = 365.25 * 86_400
# Of values without noise: the smallest change that is told, and a standard deviation that is as good as none.
_EXACT_EFFECT = 0.005
_NO_NOISE = 1e-6
# The least relative noise of any history.
_LEAST_NOISE = HistorySettings().noise_floor


@dataclass(frozen=True, slots=True)
class HistoryCurve:
    """What is fitted: the points of a series of some kind, and what is known besides.

    `level` is the default configuration's value where the points are a term's, None otherwise. `sibling_changes` are
    the brackets of versions in which sibling series changed, `noise` is the least relative error of a version's value,
    and `autocorrelation` that of the noise of sibling series and `wander` how likely a series like them drifts or wanders, None where
    nothing is known.
    `kernel` is the one that was chosen for the series. `false_alarm_rate` is that of the series over its whole history,
    one of `suite` that are searched together. `exact`: its values have no noise. `breaks` are the versions at which a new
    level begins, since the benchmark was changed.
    """

    points: tuple[MeasuredPoint, ...]
    level: float | None
    versions: CodeVersions
    kind: str
    sibling_changes: tuple[Bracket, ...] = ()
    noise: float = 0.0
    autocorrelation: float | None = None
    wander: float | None = None
    kernel: KernelChoice = BROWNIAN
    false_alarm_rate: float = FALSE_ALARM_RATE
    suite: int = 1
    exact: bool = False
    breaks: tuple[int, ...] = ()

    @property
    def change_settings(self) -> ChangePointSettings:
        """The settings of the search for its changes."""
        return _change_settings(
            self.level,
            autocorrelation=self.autocorrelation,
            wander=self.wander,
            false_alarm_rate=self.false_alarm_rate,
            suite=self.suite,
            breaks=self.breaks,
        )

    def changes(self) -> ChangePoints:
        """Its changes, their brackets as code versions. Raises `ChangePointError`."""
        return find_changes(self.points, self.versions, self.change_settings, exact=self.exact)

    def settings(self) -> HistorySettings:
        """The settings of its fit."""
        settings = history_settings(
            self.kind, level=self.level, length=self.versions.length, noise=self.noise
        )
        if self.exact:
            settings = replace(
                settings, noise=NoisePolicy.KNOWN, known_noise=_NO_NOISE, noise_floor=_NO_NOISE
            )
        kernels = tuple(map(Kernel, self.kernel.kernels))
        return (
            settings
            if settings.kernels == kernels
            else replace(settings, kernel=kernels[0], plus=kernels[1:])
        )


# Thousands of series have the same few: to make them takes longer than to look for them.
@lru_cache(maxsize=64)
def history_settings(kind: str, *, level: float | None, length: int, noise: float = 0.0) -> HistorySettings:
    """The settings of a fit; `level` and `noise` as in `HistoryCurve`, `length` is the number of code versions.

    What a benchmark repeats, it repeats within one process: that says too little of the noise between revisions, which
    is estimated from neighbours then.
    """
    repeats_within = kind == Series.SubjectKind.BENCHMARK
    return HistorySettings(
        noise=NoisePolicy.BEYOND_REPETITIONS if repeats_within else NoisePolicy.REPETITIONS,
        reference_level=level,
        log_scale=level is None,
        length=length,
        noise_floor=max(_LEAST_NOISE, noise),
    )


@lru_cache(maxsize=_KEPT)
def fitted_history(curve: HistoryCurve) -> FittedHistory:
    """The fit, by code version; kept. Raises `HistoryError`."""
    return fit_curve(curve, curve_measurements(curve.points, curve.level, curve.versions))


def fit_curve(curve: HistoryCurve, measured: Measurements) -> FittedHistory:
    """The fit of a curve whose points by code version are `measured`. Raises `HistoryError`."""
    settings = curve.settings()
    # Only Brownian motion knows where changes are likelier; of few points it is the only one.
    if settings.is_brownian or len(measured) < MINIMUM_POINTS_UNLESS_BROWNIAN:
        settings = replace(settings, kernel=Kernel.BROWNIAN, plus=())
        prior = prior_of(curve)
        if len(measured) > LONGEST_EXACT:
            return fit_long(measured, settings, prior)
        return fit(measured, settings, change_prior=prior)
    return fit(measured, settings, parameters=curve.kernel.parameters)


def prior_of(curve: HistoryCurve) -> ChangePrior | None:
    """Where the history of a curve is thought to move; None where nothing tells it."""
    # A break weighs as much as all that siblings tell: the level is free there.
    jumps = [(one - 1, one) for one in curve.breaks] * max(len(curve.sibling_changes), 1)
    return curve.versions.change_prior((*curve.sibling_changes, *jumps))


@lru_cache(maxsize=_KEPT)
def band(curve: HistoryCurve, positions: tuple[int, ...]) -> tuple[BandRow, ...]:
    """The estimate and the band of the fit at some positions of the order."""
    at = np.array([curve.versions.version_at[position] for position in positions], dtype=np.int64)
    fitted = fitted_history(curve)
    if curve.exact:
        # No run is wild.
        found = predict(fitted, at)
        return band_rows(positions, found.median, found)
    return band_rows(positions, *estimate(fitted, at))


def band_rows(positions: Sequence[int], values: NDArray[np.float64], found: Band) -> tuple[BandRow, ...]:
    """A band position by position, around these single values."""
    columns = (values, found.lower_50, found.upper_50, found.lower_95, found.upper_95)
    rows = zip(positions, *(column.tolist() for column in columns), strict=True)
    return tuple(BandRow(*row) for row in rows)


@lru_cache(maxsize=_KEPT)
def find_changes(
    points: tuple[MeasuredPoint, ...],
    versions: CodeVersions,
    settings: ChangePointSettings = ChangePointSettings(),  # noqa: B008 -- frozen
    *,
    exact: bool = False,
) -> ChangePoints:
    """The changes of a history, their brackets as code versions; kept. Raises `ChangePointError`."""
    return search(curve_measurements(points, settings.reference_level, versions), settings, exact=exact)


def search(measured: Measurements, settings: ChangePointSettings, *, exact: bool) -> ChangePoints:
    """The changes of points by code version. Raises `ChangePointError`."""
    if exact:
        exactly = replace(settings, minimum_effect=_EXACT_EFFECT)
        return find_between_breaks(measured, exactly, exact_changes)
    return find_between_breaks(measured, settings, search_points)


def certainty_gap(curve: HistoryCurve, fitted: FittedHistory) -> float | None:
    """Half of the widest 95 % band at any revision, relative to the history there, or to the curve's level."""
    widest = widest_relative(fitted, curve.versions.places(), curve.level)
    return widest if isfinite(widest) else None


def settings_digest(order: OrderedRevisions, rate: float = FALSE_ALARM_RATE, suite: int = 1) -> str:
    """What stored fits of other settings differ in, and of another order or other code of its revisions.

    `rate` is the system's false-alarm rate; whole years of the order stand for how it adds up in each series.

    The order's length is left out: a revision that nobody measured, found later, moves no fit noticeably. So is
    code that one revision alone holds: only where several hold it do they share measurements. How many lines a
    revision changed is in it, so where that is known, a new revision makes all stored fits out of date.
    """
    settings = [repr(history_settings(kind, level=None, length=1)) for kind in Series.SubjectKind.values]
    holders = Counter(place.content for place in order.revisions if place.content)
    code = [
        f"{place.position} {place.content if holders[place.content] > 1 else ''} {place.changed_lines}"
        for place in order.revisions
        if holders[place.content] > 1 or place.changed_lines is not None
    ]
    dates = [place.released_at for place in order.revisions]
    searched = f"{rate!r} {suite} {round(years_between(dates))}"
    return sha256(
        "\n".join([order.name, *settings, repr(_change_settings(None)), searched, *code]).encode()
    ).hexdigest()


def years_between(dates: Iterable[datetime | None]) -> float:
    """The years from the first to the last of these dates; 0 where fewer than two are known."""
    known = [date for date in dates if date is not None]
    return (max(known) - min(known)).total_seconds() / YEAR_SECONDS if known else 0.0


# As those of fits.
@lru_cache(maxsize=64)
def _change_settings(level: float | None, **known: Any) -> ChangePointSettings:
    return ChangePointSettings(reference_level=level, log_scale=level is None, **known)


# A history is fitted, and then searched.
@lru_cache(maxsize=8)
def curve_measurements(
    points: tuple[MeasuredPoint, ...], level: float | None, versions: CodeVersions
) -> Measurements:
    """The points by code version; a term's are estimates, with standard errors instead of spreads of runs."""
    positions, _, repetitions, medians, known, _ = zip(*points, strict=True) if points else ((),) * 6
    # None becomes NaN.
    spreads, n = np.array(known, dtype=np.float64), np.array(repetitions)
    by_position = Measurements.of(
        positions,
        medians,
        n,
        spreads=spreads if level is None else None,
        errors=None if level is None else spreads / np.sqrt(n),
    )
    return versions.by_version(by_position)

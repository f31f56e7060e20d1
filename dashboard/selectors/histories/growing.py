"""Long histories as they were fitted and searched last, kept in the process: what was measured since is appended.

Whatever else has changed - a value, a setting, where the history is thought to move - has the whole computed anew. Results are
the same either way.
"""

from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from analytics.changepoints import ChangePoints, ChangePointSettings, find_change_points
from analytics.changepoints.growing import LONGEST_WHOLE, GrowingSearch, search_growing
from analytics.histories.change_prior import ChangePrior
from analytics.histories.fitted import FittedHistory
from analytics.histories.growing import GrowingHistory, grow
from analytics.histories.measurements import Measurements
from analytics.histories.milestones import MilestoneError
from analytics.histories.settings import HistorySettings

# So many are kept of each kind: those that were asked for last. One of 100,000 measured revisions takes 10 MB.
_KEPT = 32
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, eq=False)
class _Grown:
    """What was measured, and what came of it; `milestone` is the history that was fitted there."""

    measured: Measurements
    growing: GrowingHistory
    milestone: FittedHistory


_fits: dict[Any, _Grown] = {}
_searches: dict[Any, tuple[Measurements, GrowingSearch]] = {}
_lock = Lock()


def fit_long(
    measured: Measurements, settings: HistorySettings, change_prior: ChangePrior | None
) -> FittedHistory:
    """The fit of a history of more than 1,000 points, of the default kernel. Raises `HistoryError`."""
    # The length of the order does not matter to a long history, and grows with each revision.
    key = replace(settings, length=None), change_prior is None, *_beginning(measured)
    known = _fits.get(key)
    grown = known and _appended(known, measured, change_prior)
    if grown is None:
        grown = _Grown(measured, *grow(measured, settings, change_prior))
    _keep(_fits, key, grown)
    return replace(grown.growing.fitted(grown.milestone), settings=settings)


def search_points(measured: Measurements, settings: ChangePointSettings) -> ChangePoints:
    """The changes of a history without breaks; only of more than 1,000 points anything is kept. Raises `ChangePointError`."""
    if len(measured) <= LONGEST_WHOLE:
        return find_change_points(measured, settings)
    # A long history tells how its own noise is autocorrelated, and whether it wanders.
    settings = replace(settings, autocorrelation=None, wander=None)
    key = settings, *_beginning(measured)
    before, search = _searches.get(key, (None, None))
    if before is not None and search is not None and measured.begins_with(before):
        search = search.appended(measured.part(len(before), len(measured)))
    else:
        search = search_growing(measured, settings)
    _keep(_searches, key, (measured, search))
    return search.change_points()


def _appended(known: _Grown, measured: Measurements, change_prior: ChangePrior | None) -> _Grown | None:
    """What is known with what was measured since; None where the whole is to be fitted."""
    if not measured.begins_with(known.measured):
        return None
    later = measured.part(len(known.measured), len(measured))
    try:
        return _Grown(measured, known.growing.appended(later, change_prior), known.milestone)
    except MilestoneError:
        return None


def _beginning(measured: Measurements) -> tuple[int, float, float]:
    """What tells one history from another."""
    return int(measured.positions[0]), float(measured.values[0]), float(measured.values[1])


def _keep(all_: dict[Any, Kept], key: object, one: Kept) -> None:
    with _lock:
        all_.pop(key, None)
        all_[key] = one
        while len(all_) > _KEPT:
            del all_[next(iter(all_))]

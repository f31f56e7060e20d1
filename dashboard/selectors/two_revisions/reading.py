"""What is read of all series to compare two revisions: their points around both, and the settings of their histories."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from operator import itemgetter
from statistics import median

import numpy as np

from analytics.histories.measurements import Measurements
from analytics.histories.sessions import Session, sessions_by_code, value_noise
from analytics.histories.settings import HistorySettings
from analytics.revision_differences import ComparedSeries
from dashboard.models import Point, Series, System
from dashboard.selectors.batch_manifests import unfinished_batches
from dashboard.selectors.histories.curves import is_exact
from dashboard.selectors.histories.fits import history_settings
from dashboard.selectors.histories.rows import MeasuredPoint, OrderedRevisions, RevisionPlace, SeriesRow

# Measured points on either side of each revision that tell the noise of a series.
_AROUND = 8
# So many points are read at most, beyond those of the two revisions and eight places around them.
_READ = 120_000


def points_around(
    system: System, series: int, order: OrderedRevisions, ends: Sequence[RevisionPlace]
) -> dict[int, list[MeasuredPoint]]:
    """The visible points of all series, in order: all of them where they are few, else those around both revisions."""
    places = order.revisions
    rows = Point.objects.filter(series__system=system).exclude(batch_id__in=unfinished_batches(system))
    if series * len(places) > _READ:
        reach = max(_AROUND, _READ // max(series, 1) // 4)
        at = [bisect_left(places, end.position, key=lambda place: place.position) for end in ends]
        near = {place for one in at for place in places[max(one - reach, 0) : one + reach + 1]}
        same = {place for place in places for end in ends if place.content and place.content == end.content}
        rows = rows.filter(revision_id__in=[place.revision_id for place in near | same])
    named = {place.revision_id: (place.position, place.name) for place in places}
    columns = ("series_id", "revision_id", "n", "median", "spread")
    found: dict[int, list[MeasuredPoint]] = {}
    for one, revision, *measured in rows.values_list(*columns):
        if place := named.get(revision):
            found.setdefault(one, []).append(MeasuredPoint(*place, *measured))
    for own in found.values():
        own.sort(key=itemgetter(0))
    return found


def measured_at(
    points: Sequence[MeasuredPoint], order: OrderedRevisions, place: RevisionPlace
) -> MeasuredPoint | None:
    """The point of a revision: its own, else that of the nearest revision which holds the same code."""
    at = bisect_left(points, place.position, key=itemgetter(0))
    if at < len(points) and points[at].position == place.position:
        return points[at]
    if not place.content:
        return None
    same = {one.position for one in order.revisions if one.content == place.content}
    held = [point for point in points if point.position in same]
    return min(held, key=lambda point: abs(point.position - place.position), default=None)


def noise_between_sessions(
    default: Mapping[int, SeriesRow], sessions: Mapping[int, Sequence[Session]], order: OrderedRevisions
) -> dict[tuple[int, int], float]:
    """How far sessions of one code differ in the default configuration, by environment and metric: it stands for all others."""
    codes = order.codes if sessions else {}
    found: dict[tuple[int, int], float] = {}
    for pk, some in sessions.items():
        key = (default[pk].environment_id, default[pk].metric_id)
        found[key] = max(found.get(key, 0.0), value_noise(sessions_by_code(some, codes)) or 0.0)
    return found


def settings_of(
    series: Sequence[SeriesRow],
    points: Mapping[int, Sequence[MeasuredPoint]],
    bases: Mapping[int, int],
    noise: Mapping[tuple[int, int], float],
) -> dict[int, HistorySettings]:
    """The settings of each series' history; a term's is relative to what the default configuration takes, in `bases`."""
    found = {}
    for one in series:
        base = points.get(bases.get(one.series_id, 0), ())
        positive = [point.median for point in base if point.median > 0]
        found[one.series_id] = history_settings(
            one.kind,
            level=median(positive) if positive else None,
            length=1,
            noise=noise.get((one.environment_id, one.metric_id), 0.0),
        )
    return found


def series_around(
    one: SeriesRow,
    points: Sequence[MeasuredPoint],
    ends: tuple[MeasuredPoint, MeasuredPoint],
    settings: HistorySettings,
) -> ComparedSeries:
    """The measured points of a series around both ends."""
    kept: set[int] = set()
    for end in ends:
        at = bisect_left(points, end.position, key=itemgetter(0))
        kept.update(range(max(at - _AROUND, 0), min(at + _AROUND + 1, len(points))))
    window = [points[at] for at in sorted(kept)]
    spreads = np.array([np.nan if point.spread is None else point.spread for point in window])
    runs = np.array([point.n for point in window])
    is_term = one.kind == Series.SubjectKind.TERM
    return ComparedSeries(
        measurements=Measurements.of(
            [point.position for point in window],
            [point.median for point in window],
            runs,
            spreads=None if is_term else spreads,
            errors=spreads / np.sqrt(runs) if is_term else None,
        ),
        before=ends[0].position,
        after=ends[1].position,
        settings=settings,
        group=(one.kind, one.environment_id, one.metric_id),
        exact=is_exact(one.clock, [point.spread for point in window]),
    )

"""What is read of all series to compare two revisions: their points around both, and the settings of their histories."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from analytics.histories.measurements import IntArray, Measurements
from analytics.histories.noise import median
from analytics.histories.sessions import Session, sessions_by_code, value_noise
from analytics.histories.settings import HistorySettings
from analytics.revision_differences import ComparedSeries
from dashboard.models import Point, Series, System
from dashboard.selectors.batch_manifests import unfinished_batches
from dashboard.selectors.histories.columns import PointColumns, by_series, read_columns
from dashboard.selectors.histories.curves import is_exact
from dashboard.selectors.histories.fits import history_settings
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.rows import SeriesRow

# Measured points on either side of each revision that tell the noise of a series.
_AROUND = 8
# So many points are read at most, beyond those of the two revisions and eight places around them.
_READ = 120_000


def points_around(
    system: System, series_ids: Collection[int], order: OrderedRevisions, ends: Sequence[RevisionPlace]
) -> dict[int, PointColumns]:
    """The visible points of all series by id: all of them where they are few, else those around both revisions. Two queries."""
    places = order.revisions
    rows = Point.objects.filter(series__system=system).exclude(batch_id__in=unfinished_batches(system))
    if len(series_ids) * len(places) > _READ:
        reach = max(_AROUND, _READ // max(len(series_ids), 1) // 4)
        at = [bisect_left(places, end.position, key=lambda place: place.position) for end in ends]
        near = {place for one in at for place in places[max(one - reach, 0) : one + reach + 1]}
        same = {place for place in places for end in ends if place.content and place.content == end.content}
        rows = rows.filter(revision_id__in=[place.revision_id for place in near | same])
    return by_series(series_ids, read_columns(rows), order)


def positions_of_code(order: OrderedRevisions, place: RevisionPlace) -> IntArray:
    """The positions of all revisions that hold the code of this one, as far as it is known."""
    return np.array(
        [one.position for one in order.revisions if place.content and one.content == place.content],
        dtype=np.int64,
    )


def measured_at(points: PointColumns, place: RevisionPlace, same_code: IntArray) -> int | None:
    """Which point is that of a revision: its own, else that of the nearest one at the positions of the same code."""
    at = int(np.searchsorted(points.positions, place.position))
    if at < len(points) and points.positions[at] == place.position:
        return at
    held = np.flatnonzero(np.isin(points.positions, same_code)) if len(same_code) else same_code
    return int(held[np.abs(points.positions[held] - place.position).argmin()]) if len(held) else None


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
    points: Mapping[int, PointColumns],
    bases: Mapping[int, int],
    noise: Mapping[tuple[int, int], float],
) -> dict[int, HistorySettings]:
    """The settings of each series' history; a term's is relative to what the default configuration takes, in `bases`."""
    found = {}
    for one in series:
        base = points.get(bases.get(one.series_id, 0))
        positive = np.zeros(0) if base is None else base.medians[base.medians > 0]
        found[one.series_id] = history_settings(
            one.kind,
            level=median(positive) if len(positive) else None,
            length=1,
            noise=noise.get((one.environment_id, one.metric_id), 0.0),
        )
    return found


def series_around(
    one: SeriesRow, points: PointColumns, ends: tuple[int, int], settings: HistorySettings
) -> ComparedSeries:
    """The measured points of a series around two of them."""
    near = {at for end in ends for at in range(end - _AROUND, end + _AROUND + 1)}
    at = sorted(near.intersection(range(len(points))))
    runs, spreads = points.repetitions[at], points.spreads[at]
    is_term = one.kind == Series.SubjectKind.TERM
    before, after = points.positions[list(ends)].tolist()
    return ComparedSeries(
        measurements=Measurements.of(
            points.positions[at],
            points.medians[at],
            runs,
            spreads=None if is_term else spreads,
            errors=spreads / np.sqrt(runs) if is_term else None,
        ),
        before=before,
        after=after,
        settings=settings,
        group=(one.kind, one.environment_id, one.metric_id),
        exact=is_exact(one.clock, spreads.tolist()),
    )

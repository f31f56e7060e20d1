"""What was found in a history, in rows: changes and slow drifts between revisions of an order."""

from bisect import bisect_left, bisect_right
from dataclasses import replace
from operator import attrgetter

from analytics.changepoints import ChangePoints
from analytics.changepoints.slow_drift import find_drift
from analytics.histories.measurements import Measurements
from dashboard.models import Metric
from dashboard.selectors.histories.first_releases import first_releases
from dashboard.selectors.histories.fits import HistoryCurve
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.rows import ChangeRow, DriftRow, SeriesRow


def change_rows(
    curve: HistoryCurve, order: OrderedRevisions, series: SeriesRow, found: ChangePoints
) -> tuple[ChangeRow, ...]:
    """The changes `found` in a curve, each between the closest revisions of the order."""
    position_of = attrgetter("position")

    def at(position: int) -> RevisionPlace:
        return order.revisions[bisect_left(order.revisions, position, key=position_of)]

    rows = []
    for change in found.changes:
        before, after = curve.versions.between((change.bracket_before, change.bracket_after))
        earliest, latest = curve.versions.between((change.earliest, change.latest))
        row = ChangeRow(
            before=at(before),
            after=at(after),
            earliest=at(earliest),
            latest=at(latest),
            size=change.absolute_size,
            relative=change.relative_size,
            low=change.relative_low,
            high=change.relative_high,
            reference=found.relative_to.value,
            certainty=change.certainty,
            chance=change.chance,
            is_candidate=change.is_candidate,
            probability=change.location_probability,
            unmeasured=bisect_left(order.revisions, after, key=position_of)
            - bisect_right(order.revisions, before, key=position_of),
            is_slower=(change.absolute_size > 0) == (series.better == Metric.Better.LOWER),
        )
        rows.append(replace(row, released_in=first_releases(order, *row.place)))
    return tuple(rows)


def drift_row(
    curve: HistoryCurve,
    order: OrderedRevisions,
    series: SeriesRow,
    measured: Measurements,
    changes: ChangePoints,
) -> DriftRow | None:
    """The slow drift of the last level of a curve, whose points by code version are `measured`; None where there is none."""
    found = None if curve.exact else find_drift(measured, changes, curve.change_settings)
    if found is None:
        return None
    places = {place.position: place for place in order.revisions}
    first, last = curve.versions.between((found.first, found.last))
    return DriftRow(
        first=places[first],
        last=places[last],
        size=found.absolute_size,
        relative=found.relative_size,
        low=found.relative_low,
        high=found.relative_high,
        certainty=found.certainty,
        is_candidate=found.is_candidate,
        is_slower=(found.absolute_size > 0) == (series.better == Metric.Better.LOWER),
    )

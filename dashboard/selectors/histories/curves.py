"""Curves of series: their points, the code of the revisions, and what sessions and other histories tell of them."""

from collections.abc import Sequence

from dashboard.access import Principal, require
from dashboard.models import Series
from dashboard.selectors.histories.bases import base_series, level_of
from dashboard.selectors.histories.elsewhere import group_of, sibling_changes, sibling_series
from dashboard.selectors.histories.fits import HistoryCurve
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import OrderedRevisions, list_series, measured_points
from dashboard.selectors.histories.sessions import noises


def curve_of(*, principal: Principal, slug: str, series: SeriesRow, order: OrderedRevisions) -> HistoryCurve:
    """The curve of one series in an order, a term's relative to the default configuration.

    Constant number of queries. Raises `NotFound`.
    """
    siblings = (
        list_series(principal=principal, slug=slug, kinds=[Series.SubjectKind.CONFIGURATION.value])
        if series.kind == Series.SubjectKind.TERM
        else ()
    )
    (curve,) = curves(
        principal=principal, slug=slug, series=[series], order=order, siblings=siblings
    ).values()
    return curve


def curves(
    *,
    principal: Principal,
    slug: str,
    series: Sequence[SeriesRow],
    order: OrderedRevisions,
    siblings: Sequence[SeriesRow] = (),
) -> dict[int, HistoryCurve]:
    """The curve of each series in an order, by id; one without a point in it has an empty curve.

    `siblings` hold the default configuration's series, to which terms are relative. The number of queries does not grow
    with the series. Raises `NotFound`.
    """
    system = require(principal, slug)
    bases = {one.series_id: base_series(one, siblings) for one in series}
    own = [one.series_id for one in series]
    points = measured_points(system, {*own, *(base.series_id for base in bases.values() if base)}, order)
    where = {one.series_id: one.context for one in series}
    told = sibling_series(system, {group_of(one) for one in where.values()}, order)
    noise = noises(system, where, order)
    line = order.line
    found = {}
    for one in series:
        base = bases[one.series_id]
        found[one.series_id] = HistoryCurve(
            points=points[one.series_id],
            level=level_of(points[base.series_id]) if base else None,
            line=line,
            kind=one.kind,
            elsewhere=sibling_changes(where[one.series_id], told),
            noise=noise.get(one.series_id, 0.0),
        )
    return found

"""All histories of a system page by page, the least certain first: where measuring tells most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from django.db.models import F

from analytics.histories import predict
from dashboard.access import Principal, require
from dashboard.models import HistoryFit, Series
from dashboard.selectors.fitting import code_version
from dashboard.selectors.histories.bases import base_series, level_of
from dashboard.selectors.histories.codes import CodeLine
from dashboard.selectors.histories.fits import Curve, fitted_history
from dashboard.selectors.histories.rows import MeasuredPoint, SeriesRow
from dashboard.selectors.histories.series import (
    list_series,
    measured_points,
    ordered_revisions,
    with_same_code,
)

# So many histories without a stored fit are fitted while somebody waits: a second or two.
_FITTED_NOW = 200


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which histories to list: every word of `text` stands in the label, workload or environment.

    `kind` is that of the series, "" for all of them; `sort` is by certainty gap or by label.
    """

    text: str = ""
    kind: str = ""
    sort: Literal["gap", "name"] = "gap"
    page: int = 1
    size: int = 25


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One history: `known` of all `revisions` were measured or hold the code of a measured one.

    `gap` is half the widest 95 % band at any revision, relative to the estimate; for a term relative to the default
    configuration. None where it was not fitted yet, or where nothing was measured in the order.
    """

    series: SeriesRow
    known: int
    revisions: int
    gap: float | None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of the list: its rows, and how many there are in all."""

    rows: tuple[HistoryRow, ...]
    total: int


def list_histories(*, principal: Principal, slug: str, query: HistoryQuery) -> HistoryPage:
    """A page of the system's histories, the largest certainty gap first; those without one come last.

    Stored fits are read, of configurations, benchmarks and regions; the first 200 others are fitted now. Constant number
    of queries. Raises `NotFound`.
    """
    every = list_series(principal=principal, slug=slug)
    chosen = [row for row in every if _suits(row, query)]
    gaps = _stored(principal, slug)
    fresh = [row for row in chosen if row.series_id not in gaps][:_FITTED_NOW]
    placed = ordered_revisions(principal=principal, slug=slug)
    bases = {row.series_id: base_series(row, every) for row in fresh}
    wanted = {row.series_id for row in fresh} | {base.series_id for base in bases.values() if base}
    points = measured_points(principal=principal, slug=slug, series_ids=tuple(wanted), order=placed)
    gaps |= _fitted_now(fresh, bases, points, placed.line)
    if query.sort == "gap":
        chosen.sort(key=lambda row: (gaps.get(row.series_id) is None, -(gaps.get(row.series_id) or 0.0)))
    else:
        chosen.sort(key=lambda row: (row.label, row.workload, row.environment))
    start = (max(query.page, 1) - 1) * query.size
    shown = chosen[start : start + query.size]
    ids = tuple(row.series_id for row in shown)
    points = measured_points(principal=principal, slug=slug, series_ids=ids, order=placed)
    rows = tuple(
        HistoryRow(
            series=row,
            known=len(with_same_code(points[row.series_id], placed)),
            revisions=len(placed.revisions),
            gap=gaps.get(row.series_id),
        )
        for row in shown
    )
    return HistoryPage(rows, len(chosen))


def _suits(row: SeriesRow, query: HistoryQuery) -> bool:
    text = f"{row.label} {row.workload} {row.environment}".lower()
    return (not query.kind or row.kind == query.kind) and all(
        word in text for word in query.text.lower().split()
    )


def _stored(principal: Principal, slug: str) -> dict[int, float | None]:
    """The gaps of the stored fits that are up to date."""
    rows = HistoryFit.objects.filter(
        series__system=require(principal, slug),
        data_version=F("series__data_version"),
        code_version=code_version(),
    )
    return dict(rows.values_list("series_id", "certainty_gap"))


def _fitted_now(
    chosen: Sequence[SeriesRow],
    bases: Mapping[int, SeriesRow | None],
    points: Mapping[int, tuple[MeasuredPoint, ...]],
    line: CodeLine,
) -> dict[int, float | None]:
    found: dict[int, float | None] = {}
    for row in chosen:
        base = bases[row.series_id]
        level = level_of(points[base.series_id]) if base else None
        own = points[row.series_id]
        if own and (level is not None or row.kind != Series.SubjectKind.TERM):
            found[row.series_id] = _gap(Curve(own, level, line, row.kind))
    return found


@lru_cache(maxsize=4096)
def _gap(curve: Curve) -> float | None:
    band = predict(fitted_history(curve), np.array(_places(curve.line)))
    relative_to = np.abs(band.median) if curve.level is None else curve.level
    with np.errstate(divide="ignore", invalid="ignore"):
        widest = float(np.max((band.upper_95 - band.lower_95) / (2 * relative_to)))
    return widest if np.isfinite(widest) else None


def _places(line: CodeLine) -> list[int]:
    return sorted(line.spans)

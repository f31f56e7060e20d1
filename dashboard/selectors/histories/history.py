"""Histories to read: the band over all revisions, measured or not, and its change points."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from operator import or_
from statistics import median

import numpy as np
from django.db.models import Q, QuerySet

from analytics.power import smallest_step
from dashboard.access import NotFound
from dashboard.models import Batch, Metric, Point, Run, Series, System
from dashboard.selectors.histories.annotations import Annotations, load_annotations
from dashboard.selectors.histories.change_rows import change_rows, drift_row
from dashboard.selectors.histories.columns import load_columns
from dashboard.selectors.histories.curves import load_curves, with_same_code
from dashboard.selectors.histories.fits import (
    HistoryCurve,
    band,
    certainty_gap,
    curve_measurements,
    fitted_history,
)
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import History, MeasuredPoint, SeriesRow
from dashboard.selectors.histories.series import get_series, longest_series, pick_series
from dashboard.selectors.histories.unmerged import unmerged_points, unmerged_revisions
from dashboard.selectors.machine_speed import DISTURBED, REFERENCE_COLUMNS, strain_of, strained
from runner.machine_state import MachineStrain

# More than a screen is wide: further revisions between these would not be seen.
_BAND_POSITIONS = 1500


def get_history(*, system: System, series_id: int) -> History:
    """One history: its points, the band over all revisions of the order, and its changes.

    Raises `NotFound` for an unknown series, or one without a point in the order. Constant number of queries.
    """
    return history_of(system=system, series=get_series(system=system, series_id=series_id))


def history_of(*, system: System, series: SeriesRow) -> History:
    """The same of a series whose row was read already: it is not read again."""
    ordered = ordered_revisions(system=system)
    annotations = load_annotations(system, ordered)
    curve = load_curves(system, [series], ordered, annotations)[series.series_id]
    if not curve.points:
        raise NotFound(f"{series.label} has no measured revision in the order {ordered.name!r}")
    moved = Point.objects.filter(series_id=series.series_id).exclude(adjustment=0.0)
    names = [point.revision for point in curve.points]
    branches = unmerged_revisions(system=system, order=ordered)
    unmerged, all_unmerged, unmeasured = unmerged_points(series.series_id, branches)
    return replace(
        _history(series, ordered, curve, annotations, judged=True),
        adjusted=dict(moved.values_list("revision__name", "adjustment")),
        references=reference_levels(series=series, revisions=names),
        disturbed=runs_with_notes(series=series, revisions=names),
        unmerged=unmerged,
        all_unmerged=all_unmerged,
        unmeasured=unmeasured,
    )


def _counted_runs(series: SeriesRow, revisions: Collection[str]) -> QuerySet[Run]:
    """The runs behind the points of a series at these revisions."""
    # A workload is of one system.
    runs = Run.objects.filter(
        batch__state=Batch.State.VISIBLE,
        kind=Run.Kind.PLAIN,
        status=Run.Status.OK,
        invalid_reason="",
        environment_id=series.environment_id,
        workload_id=series.workload_id,
        revision__name__in=revisions,
    )
    if series.kind == Series.SubjectKind.CONFIGURATION:
        runs = runs.filter(configuration__identity=series.subject)
    return runs


def runs_with_notes(
    *, series: SeriesRow, revisions: Collection[str]
) -> dict[str, tuple[tuple[str, MachineStrain], ...]]:
    """What is told of the machine at runs that count, by revision: what disturbed it, "" for nothing, and what else it did.

    No revision without such a run. One query.
    """
    began = reduce(or_, (Q(message__startswith=words) for words in DISTURBED))
    said: dict[str, tuple[tuple[str, MachineStrain], ...]] = {}
    for run in _counted_runs(series, revisions).filter(began | strained()).select_related("revision"):
        message = run.message if run.message.startswith(DISTURBED) else ""
        said[run.revision.name] = (*said.get(run.revision.name, ()), (message, strain_of(run)))
    return said


def reference_levels(*, series: SeriesRow, revisions: Collection[str]) -> dict[str, float]:
    """What a reference run took when these revisions of a series were measured, by name, in seconds of the series' clock.

    The median over the runs that count; a revision is left out where no run has reference runs beside it. Where these
    moved as the series did, the machine is to blame. One query.
    """
    before, after = REFERENCE_COLUMNS.get(series.clock, REFERENCE_COLUMNS[Metric.Clock.CPU.value])
    runs = _counted_runs(series, revisions).filter(**{f"{before}__gt": 0, f"{after}__gt": 0})
    times: dict[str, list[float]] = {}
    for name, first, last in runs.values_list("revision__name", before, after):
        times.setdefault(name, []).append((first * last) ** 0.5)
    return {name: median(some) for name, some in times.items()}


@lru_cache(maxsize=256)
def seen_from(curve: HistoryCurve) -> float | None:
    """The smallest step, a share, that the curve would mostly show; None where it has a change, no noise or too few points."""
    found = curve.changes()
    if found.changes or not found.enough_data or curve.exact:
        return None
    return smallest_step(curve_measurements(curve.points, curve.level, curve.versions), curve.change_settings)


def list_histories(*, system: System, series: Sequence[SeriesRow]) -> tuple[History, ...]:
    """The histories of these series that have two points or more, the ones that changed most first.

    Constant number of queries.
    """
    if not series:
        return ()
    ordered = ordered_revisions(system=system)
    annotations = load_annotations(system, ordered)
    curves = load_curves(system, series, ordered, annotations)
    found = [
        _history(one, ordered, curves[one.series_id], annotations)
        for one in series
        if len(curves[one.series_id].points) > 1
    ]

    def weight(history: History) -> tuple[float, float]:
        largest = max((abs(change.size) for change in history.changes), default=0.0)
        return largest, abs(history.points[-1].median)

    # Changed ones first, by the largest change in the metric's unit; then by the size of the latest value.
    return tuple(sorted(found, key=weight, reverse=True))


def main_history(*, system: System) -> History | None:
    """The history of the default configuration, or of the series with most points, times before counts; None below two revisions.

    A constant number of queries.
    """
    best = _main_series(system)
    if best is None:
        return None
    history = history_of(system=system, series=best)
    return history if len(history.points) > 1 else None


def latest_value(*, system: System) -> tuple[MeasuredPoint, SeriesRow] | None:
    """The last point of the main history, and its series: no fit is read for it. Eight queries at most."""
    best = _main_series(system)
    if best is None:
        return None
    ordered = ordered_revisions(system=system)
    measured = load_columns(system, [best.series_id], ordered)[best.series_id].rows(ordered)
    points = with_same_code(measured, ordered)
    return (points[-1], best) if len(points) > 1 else None


def _main_series(system: System) -> SeriesRow | None:
    if not system.series.filter(subject_kind=Series.SubjectKind.CONFIGURATION).exists():
        # Of a suite with thousands of them only that one is read.
        return longest_series(system)
    series = [row for row in pick_series(system=system)[0] if row.points > 1]
    return max(
        series,
        # Counts come beside times, at more revisions, but people wait for the time.
        key=lambda row: (
            row.label == "default",
            row.kind != "term",
            # As the page Histories begins, and models are made.
            row.clock == Metric.Clock.CPU,
            row.clock != Metric.Clock.COUNT,
            row.points,
        ),
        default=None,
    )


def _history(
    series: SeriesRow,
    order: OrderedRevisions,
    curve: HistoryCurve,
    annotations: Annotations,
    *,
    judged: bool = False,
) -> History:
    points = with_same_code(curve.points, order)
    found = curve.changes()
    measured = curve_measurements(curve.points, curve.level, curve.versions)
    revisions_of = curve.versions.revisions_of
    shown = np.array([place.position for place in order.revisions], dtype=np.int64)
    if len(shown) > _BAND_POSITIONS:
        # Evenly many, and the measured ones with their neighbours.
        even = shown[np.linspace(0, len(shown) - 1, _BAND_POSITIONS).astype(np.int64)]
        around = [point.position + beside for point in points for beside in (-1, 0, 1)]
        shown = np.union1d(even, np.intersect1d(around, shown))
    return History(
        series=series,
        order=order,
        points=points,
        band=band(curve, tuple(shown.tolist())),
        changes=change_rows(curve, order, series, found),
        undecided=tuple(
            replace(one, first=revisions_of[one.first][0], last=revisions_of[one.last][1])
            for one in found.undecided
        ),
        enough_data=found.enough_data,
        gap=certainty_gap(curve, fitted_history(curve)),
        seen_from=seen_from(curve) if judged else None,
        drift=drift_row(curve, order, series, measured, found) if judged else None,
        annotations=annotations.of(series.series_id),
    )

"""Stored fits: every series of a system fitted and searched once, so that lists and overviews only read.

A fit is found by its series, the series' data version, the settings and the version of the method. One per series is
kept: the newest.
"""

import gc
import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import django
import numpy as np
from django.db import connection, connections, transaction
from django.db.models import Count, Exists, OuterRef, Sum
from django.utils import timezone

from analytics.changepoints import ChangePointError
from analytics.changepoints.growing import LONGEST_WHOLE, GrowingSearch
from analytics.garbage import uncollected
from analytics.histories.errors import HistoryError
from analytics.histories.settings import METHOD_VERSION
from dashboard.access import Access, Permission
from dashboard.models import Batch, HistoryFit, Job, Point, Series, System
from dashboard.selectors.alerts import NoticingRequest, has_rules
from dashboard.selectors.histories.change_rows import change_rows, drift_row
from dashboard.selectors.histories.columns import PointColumns, load_columns, measurements_of
from dashboard.selectors.histories.curves import curves_and_columns
from dashboard.selectors.histories.fits import (
    HistoryCurve,
    certainty_gap,
    settings_digest,
)
from dashboard.selectors.histories.growing_fit import (
    GrowingFit,
    grown,
    pack_growing,
    search_curves,
)
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import SeriesRow, largest_change, last_change
from dashboard.selectors.histories.series import searched_together, series_to_fit
from dashboard.selectors.histories.stored_fits import pack, pack_changes, pack_drift, pack_points
from dashboard.selectors.histories.stored_points import StoredPoints, newest_batch
from dashboard.services.bulk_inserts import insert
from dashboard.services.histories.region_searches import contexts_to_search, search_regions
from dashboard.services.jobs.context import Fence
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.triage import close_fixed

# Series that are fitted together: a second or two. Their siblings are read once.
TOGETHER = 200
# Those that go on from what is stored take a tenth, less than what is read once for all of them: more together, of so many points at most.
GROWING_TOGETHER, MOST_POINTS = 500, 1_000_000
# A copy of this process has imported everything already, which takes seconds. It has no other threads; only Linux copies safely.
_START = "fork" if sys.platform == "linux" else "spawn"


def fit_system(
    *, access: Access, processes: int = 1, report: Callable[[str], None] = lambda _text: None
) -> tuple[int, tuple[str, ...]]:
    """Fit every series of a system whose stored fit is missing or out of date, in this process or in several; then search regions.

    `report` gets in words how much is done. Returns how many series were fitted, and why others, or regions, could not be.
    Needs the role editor. Raises `Forbidden`.
    """
    access.check(Permission.EDIT)
    chunks = chunks_to_fit(system=access.system)
    total = sum(map(len, chunks))
    done = 0
    faults: list[str] = []
    for fitted, failed in _outcomes(access.system.pk, chunks, processes):
        done += fitted + len(failed)
        faults += failed
        report(f"{done} of {total} histories fitted")
    count = done - len(faults)
    contexts = contexts_to_search(system=access.system)
    for at, context in enumerate(contexts, start=1):
        _, failed = search_regions(system_id=access.system.pk, context=context)
        faults += failed
        report(f"regions of {at} of {len(contexts)} configurations searched")
    queue_noticing(access=access)
    return count, tuple(faults)


def queue_noticing(*, access: Access) -> None:
    """Queue a job that looks for what is new, if any rule asks and none waits already."""
    system = access.system
    if not has_rules(system):
        return
    waiting = Job.objects.filter(kind=NoticingRequest.kind, system=system, state=Job.State.QUEUED)
    if not waiting.exists():
        enqueue(access, NoticingRequest(), title=f"Look for changes of {system.name} to tell")


def chunks_to_fit(*, system: System) -> list[list[int]]:
    """The ids of the series whose stored fit is missing or out of date, some hundred at a time: of each as many as `together`."""
    current = HistoryFit.objects.filter(
        series=OuterRef("pk"),
        data_version=OuterRef("data_version"),
        settings_digest=_digest(system, ordered_revisions(system=system)),
        method_version=METHOD_VERSION,
    )
    measured = Point.objects.filter(series=OuterRef("pk"), batch__state=Batch.State.VISIBLE)
    fitted = Series.objects.filter(system=system, subject_kind__in=Series.FITTED_KINDS)
    missing = fitted.filter(~Exists(current), Exists(measured))
    # Those with the same siblings together: these are read and searched once for all, and histories that are alike share tables.
    ids = list(
        missing.order_by("subject_kind", "environment_id", "metric_id", "pk").values_list("pk", flat=True)
    )
    chunks, start = [], 0
    while start < len(ids):
        chunks.append(ids[start : start + together(ids[start : start + GROWING_TOGETHER])])
        start += len(chunks[-1])
    return chunks


def together(series_ids: Sequence[int]) -> int:
    """How many of these series, of which there are `GROWING_TOGETHER` at most, are fitted together first. One query at most."""
    if len(series_ids) <= TOGETHER:
        return len(series_ids)
    kept = HistoryFit.objects.filter(series_id__in=series_ids).exclude(packed_growth=b"")
    counts = kept.aggregate(series=Count("pk"), points=Sum("measured", default=0))
    is_growing = counts["series"] == len(series_ids) and counts["points"] <= MOST_POINTS
    return len(series_ids) if is_growing else TOGETHER


@uncollected()
def fit_series(
    *,
    system_id: int,
    series_ids: Sequence[int],
    check: Callable[[], None] = lambda: None,
    fence: Fence = transaction.atomic,
    anew: bool = False,
) -> tuple[int, list[str]]:
    """Fit these series of a system and store the fits, in the transaction that `fence` opens.

    A long history goes on from what is stored of it, if it only grew, unless it is to be fitted `anew`. `check` is called before each and
    may raise. Returns how many were fitted, and why others could not be.
    """
    system = System.objects.get(pk=system_id)
    order = ordered_revisions(system=system)
    digest, batch = _digest(system, order), newest_batch(system)
    # Read before the points: points that come in meanwhile leave the fit out of date, never wrongly up to date.
    series = series_to_fit(system=system, ids=series_ids)
    kept = StoredPoints()
    curves = curves_and_columns(system, series, order, load=load_columns if anew else kept.load)
    searched = _searched(series, curves, kept.growths)
    rows, faults = [], []
    for one in series:
        curve, columns = curves[one.series_id]
        if not len(columns):
            continue
        check()
        try:
            known = kept.growths.get(one.series_id), searched.pop(one.series_id, None), batch
            rows.append(_fit_row(one, curve, columns, order, known))
        except (HistoryError, ChangePointError) as error:
            faults.append(f"series {one.series_id}: {error}")
    # Of every row alike, or where a row has none.
    alike = {
        one.attname: one.get_default()
        for one in HistoryFit._meta.concrete_fields  # noqa: SLF001 -- Django documents it
        if not one.primary_key
    }
    alike |= {"settings_digest": digest, "method_version": METHOD_VERSION}
    found = {row["series_id"]: (row["packed_changes"], row["packed_drift"]) for row in rows}
    with fence():
        # Older fits of the same series go: the newest one is kept.
        HistoryFit.objects.filter(series_id__in=list(found)).delete()
        alike["created_at"] = connection.ops.adapt_datetimefield_value(timezone.now())
        # Numbers and bytes are what the database takes; to make models of them takes as long as to write them.
        insert(HistoryFit, list(alike), [list((alike | row).values()) for row in rows])
        close_fixed(system=system, found=found, order=order)
    return len(rows), faults


def _digest(system: System, order: OrderedRevisions) -> str:
    return settings_digest(order, system.false_alarm_rate, searched_together(system))


def _searched(
    series: Sequence[SeriesRow],
    curves: Mapping[int, tuple[HistoryCurve, PointColumns]],
    growths: Collection[int],
) -> dict[int, GrowingSearch]:
    """The searches of long series by id, but of those that go on from what is stored."""
    measured = {}
    for one in series:
        curve, columns = curves[one.series_id]
        if len(columns) > LONGEST_WHOLE and one.series_id not in growths:
            # What is wrong is told when the series is fitted.
            with suppress(HistoryError):
                measured[one.series_id] = curve, measurements_of(columns, curve.versions)
    return search_curves(measured)


def _fit_row(
    series: SeriesRow,
    curve: HistoryCurve,
    columns: PointColumns,
    order: OrderedRevisions,
    kept: tuple[GrowingFit | None, GrowingSearch | None, int],
) -> dict[str, Any]:
    """Fit a series and search it for changes: of a `HistoryFit` the figures for lists, and packed arrays for what lists draw, by column.

    `kept` is what its stored fit may go on from, what it was searched for already, and the newest batch whose points were seen. Raises `HistoryError` and `ChangePointError`.
    """
    versions = curve.versions
    # Nothing is looked up among what is kept, or kept: each curve comes once.
    measured = measurements_of(columns, versions)
    fitted, found, growth = grown(curve, measured, *kept[:2])
    changes = change_rows(curve, order, series, found)
    # The smooth levels: a list draws them as small as a word, and point estimates would take half as long again.
    levels, at = fitted.scale.backward(fitted.level_means), versions.versions_at(columns.positions)
    # Nearly always each point is its own version; to look thousands up takes a while.
    if not np.array_equal(at, fitted.measurements.positions):
        levels = levels[np.searchsorted(fitted.measurements.positions, at)]
    row = {
        "series_id": series.series_id,
        "data_version": series.data_version,
        "measured": len(columns),
        "enough_data": found.enough_data,
        "latest": float(columns.medians[-1]),
        "latest_revision_id": int(columns.revisions[-1]),
        "certainty_gap": certainty_gap(curve, fitted),
        "changes": len(changes),
        "packed_changes": pack_changes(changes),
        "packed_drift": pack_drift(drift_row(curve, order, series, measured, found)),
        "packed": pack(columns.revisions, levels),
        "packed_points": pack_points(columns) if growth else b"",
        "packed_growth": pack_growing(replace(growth, batch=kept[-1])) if growth else b"",
    }
    if (largest := largest_change(changes)) is not None:
        for name, change in (("largest", largest), ("last", last_change(changes))):
            row |= {
                f"{name}_change": change.relative if math.isfinite(change.relative) else None,
                f"{name}_certainty": change.certainty,
                f"{name}_is_candidate": change.is_candidate,
                f"{name}_is_worse": change.is_slower,
                f"{name}_before_id": change.before.revision_id,
                f"{name}_after_id": change.after.revision_id,
            }
    return row


def _outcomes(system_id: int, chunks: list[list[int]], processes: int) -> Iterator[tuple[int, list[str]]]:
    if processes == 1 or len(chunks) < 2:
        for chunk in chunks:
            yield fit_series(system_id=system_id, series_ids=chunk)
        return
    import ruptures  # noqa: F401, PLC0415 -- what searches need: each process would import it anew

    # Each process opens its own connection; none is taken along.
    connections.close_all()
    gc.freeze()
    with ProcessPoolExecutor(processes, mp_context=get_context(_START), initializer=django.setup) as pool:
        fits = [pool.submit(fit_series, system_id=system_id, series_ids=chunk) for chunk in chunks]
        yield from (fit.result() for fit in fits)

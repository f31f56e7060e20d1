"""Stored fits: every series of a system fitted and searched once, so that lists and overviews only read.

A fit is found by its series, the series' data version, the settings and the version of the code. One per series is
kept: the newest.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import get_context

import django
import numpy as np
from django.db import connections, transaction
from django.db.models import Exists, OuterRef, QuerySet

from analytics.changepoints import ChangePointError
from analytics.histories import HistoryError, Measurements
from dashboard.access import Permission, Principal, require
from dashboard.models import Batch, HistoryFit, Point, Series, System
from dashboard.selectors.histories.elsewhere import group_of, sibling_changes, sibling_series
from dashboard.selectors.histories.fits import HistoryCurve
from dashboard.selectors.histories.fitting import method_version, settings_digest
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.selectors.histories.series import OrderedRevisions, ordered_revisions
from dashboard.selectors.histories.sessions import noises
from dashboard.services.histories.fit_rows import FitKey, fit_row

# Series that are fitted together: a second or two.
TOGETHER = 100
# A term's changes are relative to the default configuration: its history is fitted when it is looked at.
KINDS = (Series.SubjectKind.BENCHMARK, Series.SubjectKind.CONFIGURATION, Series.SubjectKind.REGION)

Tell = Callable[[int, int], None]
Fence = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class FitOutcome:
    """How many series were fitted anew, and which could not be, with the reason."""

    fitted: int
    faults: tuple[str, ...] = ()


def fit_system(
    *, principal: Principal, slug: str, processes: int = 1, tell: Tell = lambda _done, _all: None
) -> FitOutcome:
    """Fit every series of a system whose stored fit is missing or out of date, in this process or in several.

    `tell` hears how many series are done, and of how many. Needs the role editor. Raises `NotFound`, `Forbidden`.
    """
    system = require(principal, slug, Permission.EDIT)
    chunks = chunks_to_fit(system=system)
    total = sum(map(len, chunks))
    done = 0
    faults: list[str] = []
    for outcome in _outcomes(system.pk, chunks, processes):
        done += outcome.fitted + len(outcome.faults)
        faults += outcome.faults
        tell(done, total)
    return FitOutcome(done - len(faults), tuple(faults))


def chunks_to_fit(*, system: System) -> list[list[int]]:
    """The ids of the series whose stored fit is missing or out of date, some hundred at a time."""
    ids = list(_without_fit(system).order_by("pk").values_list("pk", flat=True))
    return [ids[start : start + TOGETHER] for start in range(0, len(ids), TOGETHER)]


def fit_series(
    *,
    system_id: int,
    series_ids: Sequence[int],
    check: Callable[[], None] = lambda: None,
    fence: Fence = transaction.atomic,
) -> FitOutcome:
    """Fit these series of a system and store the fits, in the transaction that `fence` opens.

    `check` is called before each and may raise.
    """
    system = System.objects.get(pk=system_id)
    placed = ordered_revisions(principal=Principal.operator(), slug=system.slug)
    ids = {place.position: place.revision_id for place in placed.revisions}
    digest, version = settings_digest(placed), method_version()
    # Read before the points: points that come in meanwhile leave the fit out of date, never wrongly up to date.
    series = {row.pk: row for row in _series(system, series_ids)}
    curves = _curves(system, list(series.values()), placed)
    rows, faults = [], []
    for pk, measurements in _measurements(system, list(series), placed):
        check()
        key = FitKey(pk, series[pk].data_version, digest, version)
        try:
            rows.append(fit_row(key, measurements, curves[pk], ids, series[pk].metric.better))
        except (HistoryError, ChangePointError) as error:
            faults.append(f"series {pk}: {error}")
    with fence():
        # Older fits of the same series go: the newest one is kept.
        HistoryFit.objects.filter(series_id__in=[row.series_id for row in rows]).delete()
        HistoryFit.objects.bulk_create(rows)
    return FitOutcome(len(rows), tuple(faults))


def _series(system: System, series_ids: Sequence[int]) -> QuerySet[Series]:
    return Series.objects.filter(system=system, pk__in=series_ids).select_related("metric")


def _curves(system: System, series: Sequence[Series], placed: OrderedRevisions) -> dict[int, HistoryCurve]:
    """What is known besides the points of each series: the same as for a page that shows its history.

    Where others changed is as it is now: a change that is found in another history later moves no stored fit.
    """
    where = {
        row.pk: SeriesContext(
            row.subject_kind, row.subject, row.workload_id, row.environment_id, row.metric_id
        )
        for row in series
    }
    told = sibling_series(system, {group_of(one) for one in where.values()}, placed)
    noise = noises(system, where, placed)
    line = placed.line
    return {
        pk: HistoryCurve((), None, line, own.kind, sibling_changes(own, told), noise.get(pk, 0.0))
        for pk, own in where.items()
    }


def _without_fit(system: System) -> QuerySet[Series]:
    placed = ordered_revisions(principal=Principal.operator(), slug=system.slug)
    current = HistoryFit.objects.filter(
        series=OuterRef("pk"),
        data_version=OuterRef("data_version"),
        settings_digest=settings_digest(placed),
        method_version=method_version(),
    )
    measured = Point.objects.filter(series=OuterRef("pk"), batch__state=Batch.State.VISIBLE)
    return Series.objects.filter(~Exists(current), Exists(measured), system=system, subject_kind__in=KINDS)


def _measurements(
    system: System, series_ids: Sequence[int], placed: OrderedRevisions
) -> Iterator[tuple[int, Measurements]]:
    """The visible points of each series that has one in the order."""
    places = {place.revision_id: place.position for place in placed.revisions}
    writing = list(
        Batch.objects.filter(system=system, state=Batch.State.WRITING).values_list("pk", flat=True)
    )
    rows = (
        Point.objects.filter(series_id__in=series_ids)
        .exclude(batch_id__in=writing)
        .order_by("series_id", "revision_id")
        .values_list("series_id", "revision_id", "n", "median", "spread")
    )
    columns = list(zip(*rows, strict=True))
    if not columns:
        return
    series = np.array(columns[0], dtype=np.int64)
    positions = np.array([places.get(revision, -1) for revision in columns[1]], dtype=np.int64)
    n = np.array(columns[2], dtype=np.int64)
    medians, spreads = (np.array(column, dtype=np.float64) for column in columns[3:])
    starts = np.flatnonzero(np.append(True, np.diff(series) != 0))
    for start, end in zip(starts, [*starts[1:], len(series)], strict=True):
        kept = start + np.flatnonzero(positions[start:end] >= 0)
        if len(kept):
            yield (
                int(series[start]),
                Measurements.of(positions[kept], medians[kept], n[kept], spreads=spreads[kept]),
            )


def _outcomes(system_id: int, chunks: list[list[int]], processes: int) -> Iterator[FitOutcome]:
    if processes == 1 or len(chunks) < 2:
        for chunk in chunks:
            yield fit_series(system_id=system_id, series_ids=chunk)
        return
    # Each process opens its own connection; none is taken along.
    connections.close_all()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=django.setup) as pool:
        yield from pool.map(_fit_chunk, [system_id] * len(chunks), chunks)


def _fit_chunk(system_id: int, chunk: list[int]) -> FitOutcome:
    return fit_series(system_id=system_id, series_ids=chunk)

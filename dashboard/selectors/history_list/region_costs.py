"""What profiled runs say of the regions of a system over its revisions: which contexts there are, and the costs in each."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from django.db.models import Count, Max, QuerySet, Sum

from analytics.changepoints import series_rate
from analytics.histories.measurements import FloatArray, IntArray
from analytics.histories.settings import METHOD_VERSION
from dashboard.models import Batch, Metric, Region, RegionMeasurement, Run, System, WhiteBoxAnalysis
from dashboard.selectors.histories.annotations import load_annotations
from dashboard.selectors.histories.fits import years_between
from dashboard.selectors.histories.order_rows import OrderedRevisions

# Regions that were profiled at fewer revisions tell no levels.
_FEWEST = 10
# Of the search of regions and of what is stored of it.
_VERSION = "2"
_CONTEXT = ("configuration_id", "workload_id", "environment_id")


@dataclass(frozen=True, slots=True)
class RegionContext:
    """Where regions were profiled, as ids: their costs add up there."""

    configuration_id: int
    workload_id: int
    environment_id: int


@dataclass(frozen=True, slots=True, eq=False)
class RegionCosts:
    """The mean cost of each of `regions` (ids, k) at the measured `positions` (n,), (k, n) in the metric's unit, 0 where there was none.

    `rate` is the false-alarm rate of a series over all these positions, `breaks` are where a new level begins whatever was measured.
    """

    metric: Metric
    regions: tuple[int, ...]
    keys: tuple[str, ...]
    positions: IntArray
    costs: FloatArray
    rate: float
    breaks: tuple[int, ...]


def region_contexts(system: System, order: OrderedRevisions) -> dict[RegionContext, str]:
    """The contexts in which regions were profiled at ten revisions and more, with what a search of them would be made of.

    Those of most revisions first; nothing is left out. Four queries at most.
    """
    rows = list(
        _profiled(system)
        .order_by()
        .values_list(*_CONTEXT)
        .annotate(
            revisions=Count("revision_id", distinct=True), n=Count("pk"), newest=Max("pk"), total=Sum("pk")
        )
        .filter(revisions__gte=_FEWEST)
        .order_by("-revisions", *_CONTEXT)
    )
    if not rows:
        return {}
    traced = _analyses(system).aggregate(newest=Max("pk"))["newest"]
    breaks = load_annotations(system, order).breaks(0)
    alike = (order.name, breaks, system.false_alarm_rate, traced, METHOD_VERSION, _VERSION)
    return {RegionContext(*row[:3]): sha256(repr((alike, row[3:])).encode()).hexdigest() for row in rows}


def region_costs(system: System, context: RegionContext, order: OrderedRevisions) -> Iterator[RegionCosts]:
    """What all regions of a context cost, by metric. Six queries at most."""
    place = {one.revision_id: one.position for one in order.revisions}
    dates = {one.revision_id: one.released_at for one in order.revisions}
    runs = _profiled(system).filter(**{name: getattr(context, name) for name in _CONTEXT})
    executed = dict(runs.order_by().values_list("revision_id").annotate(n=Count("pk")))
    revisions = sorted((one for one in executed if one in place), key=place.__getitem__)
    column = {revision: at for at, revision in enumerate(revisions)}
    rate = series_rate(system.false_alarm_rate, years=years_between(dates[one] for one in revisions))
    breaks = load_annotations(system, order).breaks(0)
    sums = RegionMeasurement.objects.filter(run__in=runs).order_by()
    by_metric: dict[int, dict[int, FloatArray]] = {}
    for metric, region, revision, total in sums.values_list(
        "metric_id", "region_id", "run__revision_id"
    ).annotate(Sum("value")):
        if revision in column:
            costs = by_metric.setdefault(metric, {}).setdefault(region, np.zeros(len(revisions)))
            # A run that says nothing of a region spent nothing there.
            costs[column[revision]] = total / executed[revision]
    positions = np.array([place[one] for one in revisions], dtype=np.int64)
    ids = {one for some in by_metric.values() for one in some}
    keys = dict(Region.objects.filter(pk__in=ids).values_list("pk", "key"))
    for metric in Metric.objects.filter(pk__in=by_metric):
        regions = tuple(sorted(by_metric[metric.pk], key=keys.__getitem__))
        costs = np.array([by_metric[metric.pk][one] for one in regions])
        names = tuple(map(keys.__getitem__, regions))
        yield RegionCosts(metric, regions, names, positions, costs, rate, breaks)


def called_regions(system: System) -> dict[str, set[str]]:
    """The keys of the regions that each region was seen to call, by its key: in the newest analysis of each workload."""
    found: dict[str, set[str]] = {}
    newest = _analyses(system).order_by().values("workload_id").annotate(newest=Max("pk")).values("newest")
    for analysis in WhiteBoxAnalysis.objects.filter(pk__in=newest):
        for caller, callee in analysis.result.seen_calls:
            found.setdefault(caller, set()).add(callee)
    return found


def _profiled(system: System) -> QuerySet[Run]:
    return Run.objects.filter(
        batch__system=system,
        batch__state=Batch.State.VISIBLE,
        kind=Run.Kind.PROFILED,
        status=Run.Status.OK,
        invalid_reason="",
    )


def _analyses(system: System) -> QuerySet[WhiteBoxAnalysis]:
    return WhiteBoxAnalysis.objects.filter(system=system, batch__state=Batch.State.VISIBLE, approach="")

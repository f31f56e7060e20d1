"""The histories of the regions of a system: which changed, and the domains in which their costs add up.

Regions have no stored series: what profiled runs measured of them is read, and searched for changes, where findings are made.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from django.db.models import Count, QuerySet, Sum

from analytics.changepoints import ChangePointSettings, series_rate
from analytics.changepoints.breaks import find_between_breaks
from analytics.configurations.identities import digest_of
from analytics.findings import CostDomain, SeriesChange, cost_domains
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from dashboard.models import Batch, Environment, Metric, Region, RegionMeasurement, Run, System
from dashboard.selectors.histories.annotations import load_annotations
from dashboard.selectors.histories.fits import years_between
from dashboard.selectors.histories.rows import OrderedRevisions
from dashboard.selectors.history_list.rows import ListedHistory

# Regions that were profiled at fewer revisions tell no levels; the most of contexts and of regions that are searched.
_FEWEST, _CONTEXTS, _REGIONS = 10, 8, 300
_CONTEXT = ("configuration_id", "workload_id", "environment_id")
RegionHistories = tuple[list[SeriesChange], list[CostDomain], dict[int, tuple[int, ListedHistory]]]


def region_histories(system: System, order: OrderedRevisions) -> RegionHistories:
    """The changes of regions, their domains, and each region that changed with its environment, by number.

    Numbers are negative: regions have no series. The regions that cost most of each configuration, workload, environment and
    metric are searched together, as a suite. One query where nothing was profiled over revisions, else four more for each context.
    """
    runs = Run.objects.filter(
        batch__system=system,
        batch__state=Batch.State.VISIBLE,
        kind=Run.Kind.PROFILED,
        status=Run.Status.OK,
        invalid_reason="",
    )
    contexts = (
        runs.order_by()
        .values_list(*_CONTEXT)
        .annotate(revisions=Count("revision_id", distinct=True))
        .filter(revisions__gte=_FEWEST)
        .order_by("-revisions", *_CONTEXT)[:_CONTEXTS]
    )
    changes: list[SeriesChange] = []
    domains: list[CostDomain] = []
    rows: dict[int, tuple[int, ListedHistory]] = {}
    breaks = load_annotations(system, order).breaks(0)
    dates = {one.position: one.released_at for one in order.revisions}
    for *context, _ in contexts:
        own = runs.filter(**dict(zip(_CONTEXT, context, strict=True)))
        environment = Environment.objects.get(pk=context[2])
        for metric, keys, positions, costs in _costs(own, order):
            numbers = list(range(-len(rows) - 1, -len(rows) - 1 - len(keys), -1))
            years = years_between(dates[int(position)] for position in positions)
            rate = series_rate(system.false_alarm_rate, years=years)
            settings = ChangePointSettings(false_alarm_rate=rate, suite=len(numbers), breaks=breaks)
            found = list(_changes(metric, numbers, positions, costs, settings))
            changes += found
            if found:
                domains += cost_domains(keys, numbers, positions, costs)
            for number, key in zip(numbers, keys, strict=True):
                where = f"region, {environment.name}"
                identity = digest_of([system.pk, "region", key, *context, metric.pk])
                row = ListedHistory(
                    number, key, where, "", metric.quantity, metric.unit, region=key, identity=identity
                )
                rows[number] = (environment.pk, row)
    return changes, domains, rows


def _costs(
    runs: QuerySet[Run], order: OrderedRevisions
) -> Iterator[tuple[Metric, list[str], IntArray, FloatArray]]:
    """By metric: the keys of the regions, the measured positions (n,), and the mean cost of each region there, (k, n)."""
    place = {one.revision_id: one.position for one in order.revisions}
    executed = dict(runs.order_by().values_list("revision_id").annotate(n=Count("pk")))
    revisions = sorted((one for one in executed if one in place), key=place.__getitem__)
    column = {revision: at for at, revision in enumerate(revisions)}
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
    keys = dict(
        Region.objects.filter(pk__in={one for some in by_metric.values() for one in some}).values_list(
            "pk", "key"
        )
    )
    for metric in Metric.objects.filter(pk__in=by_metric):
        ranked = sorted(by_metric[metric.pk].items(), key=lambda one: (-float(one[1].sum()), keys[one[0]]))
        kept = ranked[:_REGIONS]
        yield metric, [keys[pk] for pk, _ in kept], positions, np.array([costs for _, costs in kept])


def _changes(
    metric: Metric,
    numbers: Sequence[int],
    positions: IntArray,
    costs: FloatArray,
    settings: ChangePointSettings,
) -> Iterator[SeriesChange]:
    """The changes of regions that are searched together, where they cost anything."""
    for number, values in zip(numbers, costs, strict=True):
        spent = values > 0
        for one in find_between_breaks(Measurements.of(positions[spent], values[spent]), settings).changes:
            yield SeriesChange.of(number, one, more_is_worse=metric.better == Metric.Better.LOWER)

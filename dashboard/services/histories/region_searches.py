"""Searching the regions of a system for changes, and storing what was found: one context at a time."""

from collections.abc import Callable

from django.db import transaction

from analytics.changepoints import ChangePointError, ChangePointSettings
from analytics.findings import SeriesChange, cost_domains, find_moves
from analytics.findings.region_changes import region_changes
from dashboard.models import Metric, RegionChanges, RegionSearch, System
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.stored_fits import pack_series_changes
from dashboard.selectors.history_list.region_costs import (
    RegionContext,
    RegionCosts,
    called_regions,
    region_contexts,
    region_costs,
)
from dashboard.selectors.history_list.region_searches import pack_moves
from dashboard.services.jobs.context import Fence


def contexts_to_search(*, system: System) -> list[RegionContext]:
    """The contexts of profiled regions whose search is missing or out of date. Those that are no more are forgotten."""
    current = region_contexts(system, ordered_revisions(system=system))
    stored = {}
    for row in RegionSearch.objects.filter(system=system):
        context = RegionContext(row.configuration_id, row.workload_id, row.environment_id)
        if context in current:
            stored[context] = row.digest
        else:
            row.delete()
    return [context for context, digest in current.items() if stored.get(context) != digest]


def search_regions(
    *,
    system_id: int,
    context: RegionContext,
    report: Callable[[float, str], None] = lambda _share, _text: None,
    fence: Fence = transaction.atomic,
) -> tuple[int, list[str]]:
    """Search all regions of a context and store what was found, in the transaction that `fence` opens.

    `report` gets the share done and words before each region, and may raise. Returns how many regions were searched, and why
    others could not be.
    """
    system = System.objects.get(pk=system_id)
    order = ordered_revisions(system=system)
    # Read before the costs: runs that come in meanwhile leave the search out of date, never wrongly up to date.
    digest = region_contexts(system, order).get(context)
    if digest is None:
        return 0, []
    called = called_regions(system)
    search = RegionSearch(
        system=system,
        configuration_id=context.configuration_id,
        workload_id=context.workload_id,
        environment_id=context.environment_id,
        digest=digest,
    )
    rows: list[RegionChanges] = []
    faults = []
    for costs in region_costs(system, context, order):
        search.regions += len(costs.regions)
        try:
            rows += _rows(costs, order, called, report)
        except ChangePointError as error:
            faults.append(f"regions of configuration {context.configuration_id}: {error}")
    with fence():
        RegionSearch.objects.filter(
            configuration_id=context.configuration_id,
            workload_id=context.workload_id,
            environment_id=context.environment_id,
        ).delete()
        search.save()
        for row in rows:
            row.search_id = search.pk
        RegionChanges.objects.bulk_create(rows)
    return search.regions, faults


def _rows(
    costs: RegionCosts,
    order: OrderedRevisions,
    called: dict[str, set[str]],
    report: Callable[[float, str], None],
) -> list[RegionChanges]:
    """What was found of each region that changed. Raises `ChangePointError`."""
    count = len(costs.regions)
    found = region_changes(
        costs.regions,
        costs.positions,
        costs.costs,
        ChangePointSettings(false_alarm_rate=costs.rate, suite=count, breaks=costs.breaks),
        more_is_worse=costs.metric.better == Metric.Better.LOWER,
        check=lambda at: report(at / count, f"{at} of {count} regions searched"),
    )
    domains = (
        list(cost_domains(costs.keys, costs.regions, costs.positions, costs.costs, called)) if found else []
    )
    moves = find_moves(found, domains)
    revisions = {place.position: place.revision_id for place in order.revisions}
    own: dict[int, list[SeriesChange]] = {}
    for one in sorted(found, key=lambda one: one.of_share):
        own.setdefault(one.series, []).append(one)
    return [
        RegionChanges(
            region_id=region,
            metric=costs.metric,
            packed_changes=pack_series_changes([one for one in some if not one.of_share], revisions),
            packed_share_changes=pack_series_changes([one for one in some if one.of_share], revisions),
            packed_moves=pack_moves(some, moves),
        )
        for region, some in own.items()
    ]

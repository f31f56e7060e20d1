"""What profiled runs say of regions over the revisions is searched for changes, and cost that moved is no finding."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access import Principal, access_to
from dashboard.models import (
    Batch,
    Environment,
    Metric,
    Order,
    OrderPosition,
    Region,
    RegionMeasurement,
    Revision,
    Run,
    System,
)
from dashboard.pages.history_list.findings import findings_content, reason_text
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.region_costs import region_histories
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.metrics import seconds
from tests.dashboard.pages.test_suite_pages import words

AT = 30
KEYS = ("tool.parse:Parser.read", "tool.parse:Parser.skip", "tool.parse:load", "tool.write:dump")


def profiled(system: System, steps: tuple[float, ...], *, seed: int = 3) -> None:
    """One profiled run at each of 60 revisions; from `AT` on each region takes longer by its step, of ten milliseconds."""
    rng = np.random.default_rng(seed)
    # As measuring does; findings are kept by it.
    system.data_version += seed
    system.save()
    order = Order.objects.create(system=system, name="first-parent")
    start = datetime(2024, 1, 1, tzinfo=UTC)
    revisions = Revision.objects.bulk_create(
        Revision(system=system, name=f"r{at}", released_at=start + timedelta(days=at)) for at in range(60)
    )
    OrderPosition.objects.bulk_create(
        OrderPosition(order=order, revision=revision, position=at) for at, revision in enumerate(revisions)
    )
    batch = Batch.objects.create(system=system, format="t", digest="d", state=Batch.State.VISIBLE)
    runs = Run.objects.bulk_create(
        Run(
            batch=batch,
            revision=revision,
            configuration=system.configurations.get(name="c0"),
            workload=system.workloads.get(),
            environment=Environment.objects.get(),
            repetition=0,
            kind=Run.Kind.PROFILED,
        )
        for revision in revisions
    )
    regions = Region.objects.bulk_create(Region(system=system, key=key, name=key) for key in KEYS)
    metric = seconds(Metric.Clock.CPU)
    RegionMeasurement.objects.bulk_create(
        RegionMeasurement(
            run=run,
            region=region,
            metric=metric,
            value=(0.01 + step * (at >= AT)) * (1 + 0.01 * rng.normal()),
        )
        for at, run in enumerate(runs)
        for region, step in zip(regions, steps, strict=True)
    )


def test_cost_that_moved_between_two_methods_is_told_as_that(system: System, operator: Principal) -> None:
    access = access_to(operator, system.slug)
    profiled(system, (0.002, -0.002, 0.0, 0.0))
    found = found_changes(system, HistoryQuery())
    assert found.told == ()
    ((verdict, count, (shift,)),) = found.filtered
    assert (verdict, count, shift.histories) == ("cost shift", 1, 2)
    assert (shift.before, shift.after) == (f"r{AT - 1}", f"r{AT}")
    text = reason_text(shift).replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith("10.")
    assert (
        "of the class tool.parse:Parser moved from tool.parse:Parser.skip to tool.parse:Parser.read" in text
    )
    assert "Not told: 1 moved within a sum that stayed" in words(findings_content(found, access))


def test_a_region_that_became_slower_is_told_with_its_page(system: System) -> None:
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=4)
    (told,) = found_changes(system, HistoryQuery()).told
    assert [(row.label, row.region) for row in told.shown] == [("tool.parse:load", "tool.parse:load")]
    assert told.shown[0].last is not None
    assert told.shown[0].last.relative == pytest.approx(0.2, abs=0.02)
    assert reason_text(told) == ""


def test_the_number_of_queries_does_not_grow_with_revisions_or_regions(system: System) -> None:
    with CaptureQueriesContext(connection) as nothing:
        region_histories(system, ordered_revisions(system=system))
    profiled(system, (0.0, 0.0, 0.0, 0.0), seed=5)
    order = ordered_revisions(system=system)
    with CaptureQueriesContext(connection) as some:
        changes, domains, rows = region_histories(system, order)
    assert (len(nothing) - len(some), changes, domains) == (-3, [], [])
    assert {row.region for _, row in rows.values()} == set(KEYS)

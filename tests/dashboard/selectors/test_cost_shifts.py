"""What profiled runs say of regions over the revisions is searched for changes, and cost that moved is no finding."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analytics.whitebox.result import WhiteBoxResult
from dashboard.access import Principal, access_to
from dashboard.models import (
    Batch,
    Environment,
    Metric,
    Order,
    OrderPosition,
    Region,
    RegionChanges,
    RegionMeasurement,
    RegionSearch,
    Revision,
    Run,
    System,
    WhiteBoxAnalysis,
)
from dashboard.pages.history_list.findings import filtered_content, findings_content
from dashboard.pages.history_list.words import filtered_texts, reason_text
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.region_searches import found_in_regions
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.histories.fits import fit_system
from dashboard.services.histories.region_searches import contexts_to_search, search_regions
from dashboard.services.metrics import seconds
from tests.dashboard.pages.test_suite_pages import words

AT = 30
KEYS = ("tool.parse:Parser.read", "tool.parse:Parser.skip", "tool.parse:load", "tool.write:dump")


def profiled(
    system: System, steps: tuple[float, ...], *, seed: int = 3, machine: float = 0.0, scatter: float = 0.01
) -> None:
    """One profiled run at each of 60 revisions; from `AT` on each region takes longer by its step, of ten milliseconds.

    The machine's speed scatters by `machine`, the function `load` by `scatter`, all else by one percent.
    """
    rng = np.random.default_rng(seed)
    speeds = np.exp(machine * rng.normal(size=60))
    noises = (0.01, 0.01, scatter, 0.01)
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
            value=(0.01 + step * (at >= AT)) * abs(1 + noise * rng.normal()) * speeds[at],
        )
        for at, run in enumerate(runs)
        for region, step, noise in zip(regions, steps, noises, strict=True)
    )


def searched(system: System) -> tuple[int, tuple[str, ...]]:
    """Search its regions as the job and the command do."""
    return fit_system(access=access_to(Principal.operator(), system.slug))


def content_of(system: System) -> str:
    """The words of all its findings on a page."""
    access = access_to(Principal.operator(), system.slug)
    found = found_changes(access.system, HistoryQuery())
    tables = filtered_content(found, access).values()
    return words([*findings_content(found, access), *filtered_texts(found), *tables])


def test_cost_that_moved_between_two_methods_is_told_as_that(system: System) -> None:
    profiled(system, (0.002, -0.002, 0.0, 0.0))
    assert searched(system) == (0, ())
    found = found_changes(system, HistoryQuery())
    assert found.told == ()
    ((verdict, count, (shift,)),) = found.filtered
    assert (verdict, count, shift.histories) == ("cost shift", 1, 2)
    assert (shift.before, shift.after) == (f"r{AT - 1}", f"r{AT}")
    text = reason_text(shift).replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith(("9.", "10."))
    assert (
        "of the class tool.parse:Parser moved from tool.parse:Parser.skip to tool.parse:Parser.read" in text
    )
    content = content_of(system)
    assert "Not told: 1 moved within a sum that stayed" in content
    assert "4 histories of a region in one configuration searched for changes" in content


def test_a_region_that_became_slower_is_told_with_its_page(system: System) -> None:
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=4)
    searched(system)
    (told,) = found_changes(system, HistoryQuery()).told
    assert [(row.label, row.region) for row in told.shown] == [("tool.parse:load", "tool.parse:load")]
    assert told.shown[0].last is not None
    assert told.shown[0].last.relative == pytest.approx(0.2, abs=0.02)
    assert reason_text(told) == ""


def test_a_share_tells_what_the_speed_of_the_machine_hides(system: System) -> None:
    """Each run is up to half slower or faster in all regions: no time shows the step of a fifth, every share does."""
    profiled(system, (0.0, 0.0, 0.0, 0.002), seed=5, machine=0.3)
    searched(system)
    (told,) = found_changes(system, HistoryQuery()).told
    (row,) = told.shown
    assert (row.label, row.last is not None and row.last.of_share) == ("tool.write:dump", True)
    content = content_of(system)
    assert "more of the whole" in content


def test_before_the_search_is_made_the_list_says_that_regions_wait_for_it(system: System) -> None:
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=6)
    found = found_changes(system, HistoryQuery())
    assert (found.told, found.regions, found.unsearched) == ((), 0, 1)
    content = content_of(system)
    assert "In 1 configuration regions wait to be searched, or searched again." in content


def test_a_search_is_out_of_date_when_runs_come_or_count_no_more(system: System) -> None:
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=7)
    searched(system)
    assert contexts_to_search(system=system) == []
    Run.objects.filter(revision__name="r3").update(invalid_reason="the machine swapped")
    (context,) = contexts_to_search(system=system)
    search_regions(system_id=system.pk, context=context)
    assert contexts_to_search(system=system) == []
    assert RegionSearch.objects.get().regions == len(KEYS)
    Run.objects.filter(batch__system=system).update(invalid_reason="the machine swapped")
    assert contexts_to_search(system=system) == []
    assert not RegionSearch.objects.exists()


def test_another_false_alarm_rate_puts_the_search_out_of_date(system: System) -> None:
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=8)
    searched(system)
    System.objects.filter(pk=system.pk).update(false_alarm_rate=0.002)
    assert len(contexts_to_search(system=System.objects.get(pk=system.pk))) == 1


def test_cost_that_moved_between_what_one_function_calls_is_told_as_that(system: System) -> None:
    """The class is not one of both, nor the module: `load` calls them."""
    profiled(system, (0.002, 0.0, 0.0, -0.002), seed=10)
    batch = Batch.objects.create(system=system, format="a", digest="a", state=Batch.State.VISIBLE)
    nothing = {"runs": (), "decisions": (), "unfollowed": {}, "cut": False}
    step = {"file": "parse.py", "line": 9, "column": 4, "kind": "if", "text": "", "writes": "", "reads": ()}
    came = {"called": "tool.parse:load 3", "place": "", "caller": "", "options": ()}
    sites = tuple({**step, "region": called, "data": (), "earlier": (came,)} for called in (KEYS[0], KEYS[3]))
    WhiteBoxAnalysis.objects.create(
        system=system,
        batch=batch,
        revision=system.revisions.get(name="r0"),
        workload=system.workloads.get(),
        result=WhiteBoxResult.model_validate({**nothing, "partitions": {}, "options": (), "sites": sites}),
    )
    searched(system)
    ((_, _, (shift,)),) = found_changes(system, HistoryQuery()).filtered
    assert shift.move is not None
    assert shift.move.domain == "tool.parse:load with what it calls"


def test_what_may_only_have_moved_is_listed_with_its_reason_and_not_told(system: System) -> None:
    profiled(system, (0.001, 0.0, 0.0, 0.0), seed=11, scatter=0.2)
    searched(system)
    found = found_changes(system, HistoryQuery())
    assert found.told == ()
    (possible,) = next(some for verdict, _, some in found.filtered if verdict == "possible move")
    text = reason_text(possible).replace("\N{NO-BREAK SPACE}", " ")
    assert "it only moved within the module tool.parse: tool.parse:load" in text
    assert "1 that may only have moved, measure again" in content_of(system)


def test_the_number_of_queries_does_not_grow_with_regions(system: System) -> None:
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=12)
    searched(system)
    order = ordered_revisions(system=system)
    with CaptureQueriesContext(connection) as few:
        found_in_regions(system, order)
    row = RegionChanges.objects.get()
    for region in Region.objects.exclude(pk=row.region_id):
        RegionChanges.objects.create(
            search=row.search, region=region, metric=row.metric, packed_changes=row.packed_changes
        )
    with CaptureQueriesContext(connection) as many:
        found = found_in_regions(system, order)
    assert len(few) == len(many) <= 9
    assert {one.region for _, one in found.rows.values()} == set(KEYS)

"""Regions of the sample, and of a small program measured exhaustively with source and lines."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Metric,
    Order,
    OrderPosition,
    PerformanceModel,
    Region,
    RegionMeasurement,
    RegionVersion,
    Revision,
    Run,
    SourceText,
    System,
    Workload,
)
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.regions.measured import region, regions
from dashboard.selectors.regions.rows import OPTION_HOTSPOTS, filtered
from tests.people import Person

FOO = "toy.Main.foo(Z)V"
BAR = "toy.Main.bar(Z)V"


def test_the_times_of_all_regions_sum_to_the_base(toy: str, operator: Principal) -> None:
    for base in ("", "all", "A*B"):
        found = regions(system=access_to(operator, toy).system, selection=Selection(base=base))
        assert sum(row.time for row in found.regions) == pytest.approx(found.base_time.value)
        assert sum(row.share or 0.0 for row in found.regions) == pytest.approx(1.0)


def test_regions_come_with_their_largest_term_and_the_options_that_reach_them(
    toy: str, operator: Principal
) -> None:
    found = {
        row.key: row for row in regions(system=access_to(operator, toy).system, selection=Selection()).regions
    }
    largest = found[FOO].largest
    assert largest is not None
    assert largest.key == "A*B"
    assert largest.influence.value == pytest.approx(2.0)
    assert found[FOO].options == ("A", "B")
    assert found[FOO].subspaces == 3
    assert [row.largest for row in found.values() if row.is_program] == [None]


def test_a_comparison_tells_both_times_of_every_region(toy: str, operator: Principal) -> None:
    found = regions(system=access_to(operator, toy).system, selection=Selection(compared="all"))
    bar = next(row for row in found.regions if row.key == BAR)
    assert bar.time == pytest.approx(0.0)
    assert bar.target_time == pytest.approx(4.0)


def test_option_hotspots_are_not_the_hotspots(toy: str, operator: Principal) -> None:
    found = regions(system=access_to(operator, toy).system, selection=Selection()).regions
    hot = [row.key for row in filtered(found)]
    changed = [row.key for row in filtered(found, kind=OPTION_HOTSPOTS)]
    assert hot[0] == "toy.Main.main()V"
    assert changed == [BAR, FOO, "toy.Main.main()V"]
    assert [row.key for row in filtered(found, option="C")] == [BAR]
    assert [row.key for row in filtered(found, text="main FOO")] == [FOO]


def test_a_region_shows_its_own_model_and_every_repetition(toy: str, operator: Principal) -> None:
    found = region(system=access_to(operator, toy).system, selection=Selection(), key=FOO)
    assert {term.key: round(term.influence.value, 9) for term in found.terms} == {"A*B": 2.0, "A": 0.5}
    assert [row.words for row in found.subspaces] == ["A on and B on", "A on and B off", "A off"]
    assert [row.time for row in found.subspaces] == pytest.approx([2.5, 0.5, 0.0])
    assert [row.holds_base for row in found.subspaces] == [False, False, True]
    assert [row.configurations for row in found.subspaces] == [2, 1, 1]
    first = found.subspaces[0].repetitions
    assert [(run.configuration, run.repetition) for run in first[:3]] == [("c2", 0), ("c2", 1), ("c2", 2)]
    assert sorted(run.time for run in first[:3]) == pytest.approx([2.499, 2.5, 2.501])


def test_an_imported_region_has_no_source(toy: str, operator: Principal) -> None:
    found = region(system=access_to(operator, toy).system, selection=Selection(), key=FOO)
    assert found.source is None
    assert found.versions == ()


@pytest.mark.parametrize("key", ["", "nothing"])
def test_an_unknown_region_is_refused(toy: str, operator: Principal, key: str) -> None:
    with pytest.raises(NotFound):
        region(system=access_to(operator, toy).system, selection=Selection(), key=key)


def test_strangers_see_no_region(toy: str, charlie: Person) -> None:
    with pytest.raises(NotFound):
        regions(system=access_to(charlie.principal, toy).system, selection=Selection())
    with pytest.raises(NotFound):
        region(system=access_to(charlie.principal, toy).system, selection=Selection(), key=FOO)


def test_the_queries_of_regions_are_constant(
    toy: str, operator: Principal, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    regions(system=access_to(operator, toy).system, selection=Selection())
    with django_assert_num_queries(7):
        regions(system=access_to(operator, toy).system, selection=Selection())
    # Two more than the list: revisions that an import is still writing are left out, and the revision is known.
    with django_assert_num_queries(9):
        region(system=access_to(operator, toy).system, selection=Selection(), key=FOO)


def _add_versions(hot: Region, old: Revision, new: Revision) -> None:
    order = Order.objects.create(system=hot.system, name="releases")
    for position, revision in enumerate((old, new)):
        OrderPosition.objects.create(order=order, revision=revision, position=position)
        text = "def hot(a):\n    work()\n    more()\n"
        RegionVersion.objects.create(
            region=hot,
            revision=revision,
            file="pkg/hot.py",
            first_line=10,
            last_line=12,
            body_digest=str(position),
            source=SourceText.objects.create(digest=f"{position:064d}", text=text),
        )


@pytest.fixture
def traced(system: System) -> PerformanceModel:
    """`small` with a function `hot` that only A slows down, its source in two revisions, and times of its lines."""
    batch = Batch.objects.create(system=system, format="test", digest="2" * 64, state=Batch.State.VISIBLE)
    metric = Metric.objects.create(quantity="time", unit="s", clock=Metric.Clock.CPU)
    hot = Region.objects.create(system=system, key="pkg.hot", package="pkg", name="hot")
    new = Revision.objects.get()
    _add_versions(hot, Revision.objects.create(system=system, name="0.9"), new)
    place: dict[str, Any] = {
        "revision": new,
        "workload": Workload.objects.get(),
        "environment": Environment.objects.get(),
    }
    for configuration in Configuration.objects.filter(system=system):
        seconds = 0.05 if "A" in configuration.assignments else 0.01
        for repetition in range(3):
            run = Run.objects.create(
                batch=batch,
                configuration=configuration,
                kind=Run.Kind.PROFILED,
                repetition=repetition,
                **place,
            )
            value = seconds + 0.0001 * repetition
            lines = {"11": value - 0.002, "12": 0.002}
            RegionMeasurement.objects.create(run=run, region=hot, metric=metric, value=value, lines=lines)
    return PerformanceModel.objects.create(
        system=system,
        batch=batch,
        kind=PerformanceModel.Kind.FULL_FACTORIAL,
        region_metric=metric,
        total_metric=metric,
        aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
        aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
        options=["A", "B"],
        **place,
    )


def test_where_no_partition_is_known_subspaces_are_over_the_options_that_tell(
    traced: PerformanceModel, operator: Principal
) -> None:
    """Four measured combinations, but only A changes the time: two subspaces."""
    found = region(system=access_to(operator, "small").system, selection=Selection(), key="pkg.hot")
    assert found.options == ("A",)
    assert [row.words for row in found.subspaces] == ["A on", "A off"]
    assert [row.time for row in found.subspaces] == pytest.approx([0.0501, 0.0101])
    assert [len(row.repetitions) for row in found.subspaces] == [6, 6]


def test_lines_share_the_time_that_the_model_takes(traced: PerformanceModel, operator: Principal) -> None:
    """So the lines of a function sum to its time on the same page; a run in which it was not seen took none there."""
    ran = Configuration.objects.get(assignments={"A": "on"})
    rows = RegionMeasurement.objects.filter(run__configuration=ran).order_by("run__repetition")
    for row, lines in zip(rows, ({"11": 0.04, "12": 0.02}, {"11": 0.02, "12": 0.02}, {}), strict=True):
        row.value, row.lines = sum(lines.values()), lines
        row.save() if lines else row.delete()
    system = access_to(operator, "small").system
    found = region(system=system, selection=Selection(base="A"), key="pkg.hot")
    assert found.source is not None
    assert found.time.value == pytest.approx(0.04)
    assert [line.time for line in found.source.lines] == [None, pytest.approx(0.024), pytest.approx(0.016)]


def test_lines_carry_the_time_at_the_base(traced: PerformanceModel, operator: Principal) -> None:
    found = region(
        system=access_to(operator, "small").system, selection=Selection(base="A"), key="pkg.hot"
    ).source
    assert found is not None
    assert [(line.number, line.text) for line in found.lines] == [
        (10, "def hot(a):"),
        (11, "    work()"),
        (12, "    more()"),
    ]
    assert found.lines[0].time is None
    assert found.lines[1].time == pytest.approx(0.0481)
    assert found.lines[2].time == pytest.approx(0.002)
    assert found.configuration.differences == (("A", "on"),)


def test_versions_come_in_the_order_of_revisions_and_say_what_changed(
    traced: PerformanceModel, operator: Principal
) -> None:
    found = region(system=access_to(operator, "small").system, selection=Selection(), key="pkg.hot").versions
    assert [(one.revision, one.changed, one.has_source) for one in found] == [
        ("0.9", False, True),
        ("1.0", True, True),
    ]
    listed = regions(system=access_to(operator, "small").system, selection=Selection()).regions
    assert (listed[0].versions, listed[0].file) == (2, "pkg/hot.py")

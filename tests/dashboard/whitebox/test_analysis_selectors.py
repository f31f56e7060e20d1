"""What pages are told of an analysis: regions, decisions, what nobody reads, and the chain."""

import pytest
from pytest_django import DjangoAssertNumQueries

from dashboard.access import NotFound
from dashboard.models import Revision, System
from dashboard.selectors.whitebox.analyses import (
    analyzed_revisions,
    newest_analysis,
    option_chains,
    region_analysis,
    white_box_detail,
)
from tests.dashboard.whitebox.stored import (
    FOO,
    MAIN,
    WITHOUT_STEPS,
    change_stored,
    region_of,
    site,
    stored_analysis,
)


def test_an_analysis_is_told_with_what_nobody_reads_and_what_failed(system: System) -> None:
    stored_analysis(system)
    told = white_box_detail(system=system)
    assert told is not None
    assert [(row.key, row.options, row.subspaces) for row in told.regions] == [
        (FOO, ("A", "B"), 3),
        (MAIN, ("A",), 2),
    ]
    assert (told.coverage.regions, told.coverage.subspaces, told.coverage.seen) == (2, 5, 4)
    assert (len(told.result.traced), told.result.seconds) == (2, 1.0)
    assert (told.result.unread, told.undecided) == (("C",), ())
    (failed,) = told.result.failed
    assert told.space.differing(failed.levels) == {"A": "on", "B": "on"}
    assert (failed.status, failed.message, failed.place) == ("failed", "ValueError: B is broken", "tiny.py:9")
    assert told.result.unfollowed_calls == (("re.compile", 7), ("zlib.compress", 3))


def test_what_counts_prove_is_read_and_decides_whatever_taints_missed(system: System) -> None:
    """C chooses what is called: no taint goes there, but other code runs."""
    stored_analysis(system, effects=[{"region": FOO, "option": "C", "moved": 5, "differing": 2}])
    told = white_box_detail(system=system)
    assert told is not None
    assert (told.result.unread, told.undecided) == ((), ())


def test_an_analysis_that_did_not_change_is_read_once(
    system: System, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Readers of pages share it, and what follows from it; one that changed is another."""
    row = stored_analysis(system)
    first = newest_analysis(system)
    with django_assert_num_queries(1):
        again = newest_analysis(system)
    assert first is not None
    assert again is not None
    assert first.result is again.result
    assert white_box_detail(system=system) is white_box_detail(system=system)
    change_stored(row, options=("A",))
    changed = newest_analysis(system)
    assert changed is not None
    assert changed.result.options == ("A",)
    told = white_box_detail(system=system)
    assert told is not None
    assert told.result.options == ("A",)


def test_a_configuration_that_failed_only_where_it_was_counted_is_told_too(system: System) -> None:
    levels = {"A": "off", "B": "on", "C": "off"}
    failed = {"levels": levels, "status": "timeout", "message": "", "place": "tiny.py:3", "seconds": 2.0}
    stored_analysis(system, counted=[failed])
    told = white_box_detail(system=system)
    assert told is not None
    _, counted = told.result.failed
    assert told.space.differing(counted.levels) == {"B": "on"}
    assert (counted.status, counted.message, counted.place) == ("timeout", "", "tiny.py:3")


def test_a_region_is_told_with_its_decisions_its_partition_and_what_never_reaches_it(system: System) -> None:
    stored_analysis(system)
    told = region_analysis(system=system, region=FOO)
    assert told is not None
    assert [(row.line, row.data, row.control) for row in told.decisions] == [(8, ("B",), ("A",))]
    assert told.partitions == (("!A", "A & !B", "A & B"),)
    assert (told.options, told.unreached) == (("A", "B"), ("C",))
    assert [step.line for step in told.steps] == [8]


def test_of_decisions_that_begin_at_one_place_all_options_are_told(system: System) -> None:
    both = [
        site(MAIN, 3, "or", "a and b or c", reads=["a"], data=["A"]),
        site(MAIN, 3, "and", "a and b", reads=["a", "b"], data=["B"], control=["C"]),
    ]
    stored_analysis(system, sites=both)
    told = region_analysis(system=system, region=MAIN)
    assert told is not None
    (decision,) = told.decisions
    assert (decision.data, decision.control, decision.text) == (("A", "B"), ("C",), "a and b or c")
    assert told.unreached == ()


def test_the_chain_goes_from_where_the_option_is_read_to_the_decision(system: System) -> None:
    stored_analysis(system)
    region = region_of(system, FOO)
    first, *_ = option_chains(region, "B")
    assert [(step.line, step.decides) for step in first.steps] == [(2, False), (4, False), (8, True)]
    assert first.from_read


def test_an_analysis_that_noted_no_steps_says_that_the_way_is_not_known(system: System) -> None:
    """Those of earlier releases have none."""
    stored_analysis(system, sites=WITHOUT_STEPS)
    (chain,) = option_chains(region_of(system, FOO), "B")
    assert ([step.line for step in chain.steps], chain.from_read) == ([8], False)
    region = region_of(system, FOO)
    assert (option_chains(region, "C"), len(region.analysis.result.traced)) == ((), 2)


def test_the_newest_analysis_counts_and_each_revision_has_its_own(system: System) -> None:
    Revision.objects.create(system=system, name="2.0")
    stored_analysis(system, unfollowed={})
    stored_analysis(system, "2.0")
    newest = white_box_detail(system=system)
    assert newest is not None
    assert (newest.revision, analyzed_revisions(system)) == ("2.0", ("2.0", "1.0"))
    older = white_box_detail(system=system, revision="1.0")
    assert older is not None
    assert older.result.unfollowed == {}
    with pytest.raises(NotFound, match=r"revision 3\.0 was not analyzed; analyzed were 2\.0, 1\.0"):
        white_box_detail(system=system, revision="3.0")


def test_without_an_analysis_there_is_nothing(system: System) -> None:
    assert white_box_detail(system=system) is None
    assert region_analysis(system=system, region=FOO) is None
    with pytest.raises(NotFound, match="has no revision '9'"):
        region_analysis(system=system, region=FOO, revision="9")

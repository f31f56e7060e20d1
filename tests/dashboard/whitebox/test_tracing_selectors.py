"""What pages are told of an analysis: regions, decisions, what nobody reads, and the chain."""

import pytest

from dashboard.access import NotFound, Principal
from dashboard.models import Revision, System
from dashboard.selectors.whitebox import tracing
from dashboard.selectors.whitebox.chains import chains
from dashboard.selectors.whitebox.regions import traced_region
from dashboard.selectors.whitebox.rows import FailedTrace
from tests.dashboard.whitebox.stored import FOO, MAIN, site, stored_tracing
from tests.people import Person


def test_an_analysis_is_told_with_what_nobody_reads_and_what_failed(
    system: System, operator: Principal
) -> None:
    stored_tracing(system)
    told = tracing(principal=operator, slug="small")
    assert told is not None
    assert [(row.key, row.options, row.subspaces) for row in told.regions] == [
        (FOO, ("A", "B"), 3),
        (MAIN, ("A",), 2),
    ]
    assert (told.traced, told.subspaces, told.seen, told.seconds) == (2, 5, 4, 1.0)
    assert (told.unread, told.undecided) == (("C",), ())
    assert told.failed == (
        FailedTrace((("A", "on"), ("B", "on")), "failed", "ValueError: B is broken", "tiny.py:9"),
    )
    assert told.unfollowed == (("re.compile", 7), ("zlib.compress", 3))


def test_a_configuration_that_failed_only_where_it_was_counted_is_told_too(
    system: System, operator: Principal
) -> None:
    levels = {"A": "off", "B": "on", "C": "off"}
    failed = {"levels": levels, "status": "timeout", "message": "", "place": "tiny.py:3", "seconds": 2.0}
    stored_tracing(system, counted=[failed])
    told = tracing(principal=operator, slug="small")
    assert told is not None
    assert told.failed[1:] == (FailedTrace((("B", "on"),), "timeout", "", "tiny.py:3"),)


def test_a_region_is_told_with_its_decisions_its_partition_and_what_never_reaches_it(
    system: System, operator: Principal
) -> None:
    stored_tracing(system)
    told = traced_region(principal=operator, slug="small", region=FOO)
    assert told is not None
    assert [(row.line, row.options, row.under) for row in told.decisions] == [(8, ("B",), ("A",))]
    assert [one.words for one in told.partitions[0]] == ["A off", "A on and B off", "A on and B on"]
    assert (told.options, told.unreached) == (("A", "B"), ("C",))
    assert [step.line for step in told.steps] == [8]


def test_of_decisions_that_begin_at_one_place_all_options_are_told(
    system: System, operator: Principal
) -> None:
    both = [
        site(MAIN, 3, "or", "a and b or c", reads=["a"], data=["A"]),
        site(MAIN, 3, "and", "a and b", reads=["a", "b"], data=["B"], control=["C"]),
    ]
    stored_tracing(system, sites=both)
    told = traced_region(principal=operator, slug="small", region=MAIN)
    assert told is not None
    (decision,) = told.decisions
    assert (decision.options, decision.under, decision.text) == (("A", "B"), ("C",), "a and b or c")
    assert told.unreached == ()


def test_the_chain_goes_from_where_the_option_is_read_to_the_decision(
    system: System, operator: Principal
) -> None:
    stored_tracing(system)
    told = chains(principal=operator, slug="small", option="B", region=FOO)
    assert [(step.line, step.decides) for step in told.chains[0]] == [(2, False), (4, False), (8, True)]
    never = chains(principal=operator, slug="small", option="C", region=FOO)
    assert (never.chains, never.traced) == ((), 2)


def test_the_newest_analysis_counts_and_each_revision_has_its_own(
    system: System, operator: Principal
) -> None:
    Revision.objects.create(system=system, name="2.0")
    stored_tracing(system, unfollowed={})
    stored_tracing(system, "2.0")
    newest = tracing(principal=operator, slug="small")
    assert newest is not None
    assert (newest.revision, newest.revisions) == ("2.0", ("2.0", "1.0"))
    older = tracing(principal=operator, slug="small", revision="1.0")
    assert older is not None
    assert older.unfollowed == ()
    with pytest.raises(NotFound, match=r"revision 3\.0 was not analyzed; analyzed were 2\.0, 1\.0"):
        tracing(principal=operator, slug="small", revision="3.0")


def test_without_an_analysis_there_is_nothing_and_strangers_are_told_nothing(
    system: System, operator: Principal, charlie: Person
) -> None:
    assert tracing(principal=operator, slug="small") is None
    assert traced_region(principal=operator, slug="small", region=FOO) is None
    stored_tracing(system)
    for ask in (tracing, lambda **who: traced_region(region=FOO, **who)):
        with pytest.raises(NotFound):
            ask(principal=charlie.principal, slug="small")

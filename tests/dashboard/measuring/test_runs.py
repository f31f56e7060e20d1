"""Runs to read: of a cell, of failures; and a configuration found by its words."""

import pytest
from pytest_django import DjangoAssertNumQueries

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import Batch, Configuration, Level, Run, System, SystemOption
from dashboard.selectors.configurations import find_configuration
from dashboard.selectors.measuring.grid import plan_grid
from dashboard.selectors.runs import RunFilter, failures, find_runs, list_runs
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _configuration(name: str) -> Configuration:
    return Configuration.objects.get(name=name)


def test_one_execution_is_one_row_with_both_its_kinds(vera: Person, system: System) -> None:
    """The times are those of the plain run."""
    batch = add_batch(system)
    add_run(batch, _configuration("c1"), value=2.0, region_value=1.5)
    (row,), total = list_runs(access=access_to(vera.principal, "small"), wanted=RunFilter(revision="1.0"))
    assert total == 2
    assert (row.kinds, row.status, row.repetition) == (("plain", "profiled"), "ok", 1)
    assert (row.wall_seconds, row.cpu_seconds, row.configuration) == (2.0, 2.0, "c1")
    assert set(row.run_ids) == set(Run.objects.values_list("pk", flat=True))


def test_imported_plain_and_profiled_runs_are_executions_of_their_own(vera: Person, system: System) -> None:
    """Nothing says that repetition 1 of both was one process."""
    add_run(add_batch(system, format="comprex"), _configuration("c1"), value=2.0, region_value=1.5)
    rows, _ = list_runs(access=access_to(vera.principal, "small"), wanted=RunFilter(revision="1.0"))
    assert [row.kinds for row in rows] == [("plain",), ("profiled",)]


def test_filters_narrow_each_other(vera: Person, system: System) -> None:
    """By revision, configuration, batch, failure, invalidity and id."""
    first, second = add_revisions(system, ["1.0", "2.0"])
    early, late = add_batch(system), add_batch(system)
    one = add_run(early, _configuration("c1"), first, value=1.0)
    two = add_run(early, _configuration("c2"), first, status="failed")
    three = add_run(late, _configuration("c1"), second, value=1.0, invalid_reason="noise")
    identity = _configuration("c1").identity
    for wanted, ids in (
        (RunFilter(), {one, two, three}),
        (RunFilter(revision="1.0"), {one, two}),
        (RunFilter(configuration=identity), {one, three}),
        (RunFilter(revision="1.0", configuration=identity), {one}),
        (RunFilter(batch_id=late.pk), {three}),
        (RunFilter(failed=True), {two}),
        (RunFilter(invalid=True), {three}),
        (RunFilter(run_ids=(one.pk, two.pk)), {one, two}),
    ):
        found = find_runs(access=access_to(vera.principal, "small"), wanted=wanted)
        assert set(found) == {run.pk for run in ids}, wanted
    assert not RunFilter().asks
    assert RunFilter(failed=True).asks


def test_an_id_of_another_system_is_not_found(vera: Person, operator: Principal, system: System) -> None:
    run = add_run(add_batch(system), _configuration("c1"), value=1.0)
    System.objects.create(slug="other", name="Other", visible=True)
    with pytest.raises(NotFound):
        find_runs(access=access_to(operator, "other"), wanted=RunFilter(run_ids=(run.pk,)))


def test_what_is_still_being_imported_is_not_shown(vera: Person, system: System) -> None:
    add_run(add_batch(system, state=Batch.State.WRITING), _configuration("c1"), status="failed")
    assert list_runs(access=access_to(vera.principal, "small"), wanted=RunFilter()) == ((), 0)
    assert not failures(access=access_to(vera.principal, "small"))


def test_alike_failures_stand_together_with_what_one_of_them_printed(vera: Person, system: System) -> None:
    """The newest group first; a build's log stands with its first run only. What is set aside no longer shows."""
    batch = add_batch(system)
    said = "revision cannot be built: pip ended with exit code 1"
    add_run(batch, _configuration("c0"), status="failed", message=said, output_tail="error: no setup.py")
    add_run(batch, _configuration("c1"), status="failed", message=said)
    add_run(batch, _configuration("c2"), status="timeout", message="took longer than its time limit")
    add_run(batch, _configuration("c3"), status="killed", invalid_reason="out of memory, not its fault")
    slow, built = failures(access=access_to(vera.principal, "small"))
    assert (slow.newest.status, slow.configuration, slow.runs, slow.output) == ("timeout", "c2", 1, "")
    assert (built.runs, built.configurations, built.output) == (2, 2, "error: no setup.py")
    assert built.newest.message.startswith("revision cannot be built")


@pytest.mark.parametrize(
    ("written", "name"),
    [("default", "c0"), ("A=on", "c1"), ("A=on,B=off", "c1"), (" B=on , A=on ", "c3"), ("c2", "c2")],
)
def test_a_configuration_is_found_by_its_words(vera: Person, system: System, written: str, name: str) -> None:
    """Options at their reference need not be written, and may."""
    found = find_configuration(access=access_to(vera.principal, "small"), written=written)
    assert found == _configuration(name).identity


@pytest.mark.parametrize("written", ["A=maybe", "C=on", "c9", "A"])
def test_a_configuration_that_nobody_knows_is_not_found(vera: Person, system: System, written: str) -> None:
    with pytest.raises(NotFound, match="has no configuration"):
        find_configuration(access=access_to(vera.principal, "small"), written=written)


def test_level_1_of_many_is_no_switch(vera: Person, system: System) -> None:
    """The name alone, "workers", would say that there are some."""
    workers = SystemOption.objects.create(system=system, name="workers", position=9)
    for position, value in enumerate((4, 1, 2)):
        Level.objects.create(option=workers, position=position, value=value, label=str(value))
    one = Configuration.objects.create(system=system, assignments={"A": "on", "workers": "1"}, identity="one")
    add_run(add_batch(system), one, status="failed", message="exit code 1")
    (run,), _ = list_runs(access=access_to(vera.principal, "small"), wanted=RunFilter(configuration="one"))
    (failure,) = failures(access=access_to(vera.principal, "small"))
    grid = plan_grid(access=access_to(vera.principal, "small"))
    assert run.configuration == failure.configuration == "A + workers = 1"
    assert "A + workers = 1" in grid.configurations


def test_the_number_of_queries_does_not_grow(
    operator: Principal, system: System, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """With one run or with a hundred."""
    batch = add_batch(system)
    for count in (1, 100):
        for repetition in range(count):
            add_run(
                batch,
                _configuration(f"c{repetition % 4}"),
                repetition=100 * count + repetition,
                status="failed",
                message=f"exit code {repetition % 3}",
                output_tail="traceback",
            )
        with django_assert_num_queries(5):
            list_runs(access=access_to(operator, "small"), wanted=RunFilter(failed=True))
        with django_assert_num_queries(4):
            failures(access=access_to(operator, "small"))


def test_strangers_learn_nothing(charlie: Person, system: System) -> None:
    for read in (list_runs, find_runs):
        with pytest.raises(NotFound):
            read(access=access_to(charlie.principal, "small"), wanted=RunFilter())
    with pytest.raises(NotFound):
        failures(access=access_to(charlie.principal, "small"))
    with pytest.raises(NotFound):
        find_configuration(access=access_to(charlie.principal, "small"), written="default")

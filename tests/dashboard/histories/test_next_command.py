"""`manage.py next`, and what revisions with the same code share."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from analytics.histories.acquisition import suggest
from dashboard.access import access_to
from dashboard.models import Revision, Run, System
from dashboard.selectors.histories.curves import load_curves
from dashboard.selectors.histories.fits import fitted_history
from dashboard.selectors.histories.next_revisions import measurable_versions, propose
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.series import list_series
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def said(*arguments: str) -> str:
    """What the command prints to standard output."""
    out = StringIO()
    call_command("next", "Small", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_suggestion_comes_as_a_table_as_names_as_json_and_as_a_git_command(measured: Person) -> None:
    """One revision of six has no run."""
    assert said().startswith("3  ")
    assert "gain about" in said()
    assert said("--as", "text") == "3\n"
    (row,) = json.loads(said("--as", "json"))
    assert row["revision"] == "3"
    assert row["gain"] > 0
    assert said("--as", "git") == "git log --no-walk=unsorted --oneline 3\n"
    assert "default, regular, time (cpu)" in said("--list")


def test_a_revision_with_the_code_of_a_measured_one_is_not_suggested(
    measured: Person, system: System
) -> None:
    """3 holds what 2 holds: its time is known."""
    Revision.objects.filter(system=system, name__in=("2", "3")).update(content="c" * 64)
    for form in ("table", "text", "git"):
        assert said("--as", form) == ""
        assert "nothing is proposed: 6 revisions are measured" in told("--as", form)
    assert json.loads(said("--as", "json")) == []
    assert "nothing is proposed" in told("--as", "json")


def test_each_suggestion_tells_its_gain_and_its_time(measured: Person) -> None:
    """Nothing tells how long a run takes here."""
    assert "gain about" in said()
    assert "time not known" in said()
    assert "nothing is proposed" not in told()


def test_of_several_revisions_with_the_same_code_the_first_one_stands_for_all(
    measured: Person, system: System
) -> None:
    """4 and 3 hold the same code and neither was measured."""
    Run.objects.filter(revision__name="4").delete()
    Revision.objects.filter(system=system, name__in=("3", "4")).update(content="c" * 64)
    rows = list_series(system=access_to(measured.principal, "small").system)
    series = next(row.series_id for row in rows if row.label == "default")
    system.series.get(pk=series).points.filter(revision__name="4").delete()
    found = propose(system=access_to(measured.principal, "small").system, series_id=series).rows
    assert [row.place.name for row in found] == ["3"]


def test_a_term_is_proposed_for_as_its_page_shows_it(measured: Person) -> None:
    """Relative to the default configuration: the gain is a share of its level."""
    alice = measured.principal
    rows = list_series(system=access_to(alice, "small").system)
    series = next(row for row in rows if (row.kind, row.label, row.clock) == ("term", "A", "cpu"))
    system = access_to(alice, "small").system
    order = ordered_revisions(system=system)
    curve = load_curves(system, [series], order)[series.series_id]
    assert curve.level is not None
    candidates = list(measurable_versions(curve, order.revisions))
    (best,) = suggest(fitted_history(curve), candidates, count=5)
    (row,) = propose(system=system, series_id=series.series_id).rows
    assert row.gain == best.expected_gain


def told(*arguments: str) -> str:
    """What the command prints to standard error."""
    err = StringIO()
    call_command("next", "Small", *arguments, stdout=StringIO(), stderr=err)
    return err.getvalue()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--count", "0"), "at least 1"),
        (("--series", "0"), "no history 0"),
        (("--order", "x"), "no order 'x'"),
    ],
)
def test_bad_input_is_refused(measured: Person, arguments: tuple[str, ...], words: str) -> None:
    """Exit code 2."""
    with pytest.raises(CommandError, match=words) as caught:
        said(*arguments)
    assert caught.value.returncode == 2

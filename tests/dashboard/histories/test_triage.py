"""What people say of changes: it is set one or many at a time, taken back, and stays with its change through new fits."""

import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from dashboard.access import Access, Forbidden, NotFound, Principal, Refused, access_to
from dashboard.models import Configuration, Point, Revision, Series, System, TriagedChange, TriageEntry
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.series import series_labels
from dashboard.selectors.histories.triaged import named_change, triage_of_history
from dashboard.selectors.history_list.findings import found_changes, named_changes
from dashboard.selectors.history_list.rows import HistoryQuery, ListedFinding
from dashboard.selectors.triage import ChangeKey, joint_triage, owners_of, past_of
from dashboard.services import data_versions
from dashboard.services.histories.fits import fit_system
from dashboard.services.triage import TriageWords, triage_changes, undo_triage
from tests.dashboard.histories.stepping import add_stepping
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]
REVISIONS = 36
FIRST, SECOND = 12, 24


@pytest.fixture
def stepped(system: System, operator: Principal) -> Access:
    """Two configurations are 30 % slower from r12 on, and one of them 20 % more from r24 on."""

    def slower(at: int) -> float:
        return 1.3 if at >= FIRST else 1.0

    return add_stepping(
        system, operator, REVISIONS, slower, lambda at: slower(at) * (1.2 if at >= SECOND else 1.0)
    )


def found(access: Access, **asked: Any) -> tuple[ListedFinding, ...]:
    return found_changes(access.system, HistoryQuery(**asked)).told


def states(access: Access) -> dict[str, str]:
    """The state of each finding, by its revision."""
    return {one.after: one.triage.state for one in found(access, state="all")}


def say(access: Access, after: str, *, beside: bool = False, **words: Any) -> uuid.UUID:
    """Say something of the finding at that revision."""
    key = next(one.key for one in found(access, state="all") if one.after == after)
    query = HistoryQuery(state="all")
    changes = named_changes(access.system, query, key, beside=beside)
    return triage_changes(access=access, changes=changes, words=TriageWords(**words))


def move_step(access: Access, *, at: int, to: int) -> None:
    """As if the points said that the step lies elsewhere; the histories are fitted anew."""
    low, high = (at, to) if to > at else (to, at)
    names = [f"r{number}" for number in range(low, high)]
    share = 1 / 1.3 if to > at else 1.3
    Point.objects.filter(revision__name__in=names).update(median=F("median") * share)
    refit(access)


def refit(access: Access) -> None:
    ids = list(Series.objects.filter(system=access.system).values_list("pk", flat=True))
    data_versions.bump(system=access.system, series=ids)
    access.system.refresh_from_db()
    fit_system(access=access)


def test_a_finding_is_new_until_somebody_says_what_it_is(stepped: Access) -> None:
    assert states(stepped) == {"r12": "new", "r24": "new"}
    say(stepped, "r12", state="expected", note=" agreed ", link="https://example.org/1")
    told = found_changes(stepped.system, HistoryQuery())
    assert ([one.after for one in told.told], told.total, told.hidden) == (["r24"], 1, 1)
    assert told.states == (("new", 1), ("expected", 1))
    (expected,) = found(stepped, state="expected")
    said = expected.triage
    assert (said.note, said.link, said.said_by) == ("agreed", "https://example.org/1", "operator")
    # One row of each history that shows the change.
    assert (expected.histories, TriagedChange.objects.count()) == (2, 2)


@pytest.mark.parametrize("shift", [5, -5, 2])
def test_what_was_said_survives_a_new_fit_and_a_shift_of_up_to_five_revisions(
    stepped: Access, shift: int
) -> None:
    say(stepped, "r12", state="noise")
    refit(stepped)
    assert states(stepped) == {"r12": "noise", "r24": "new"}
    move_step(stepped, at=FIRST, to=FIRST + shift)
    assert states(stepped) == {f"r{FIRST + shift}": "noise", "r24": "new"}
    # Said again, it is kept where it is now.
    say(stepped, f"r{FIRST + shift}", state="acknowledged")
    assert set(TriagedChange.objects.values_list("after__name", flat=True)) == {f"r{FIRST + shift}"}
    assert TriageEntry.objects.count() == 4


def test_a_change_further_away_is_another_one(stepped: Access) -> None:
    say(stepped, "r12", state="noise")
    move_step(stepped, at=FIRST, to=FIRST + 6)
    assert states(stepped) == {"r18": "new", "r24": "new"}


def test_what_was_said_survives_the_loss_of_the_rows_of_its_series(stepped: Access) -> None:
    """An import that brings them again makes rows of the same identity."""
    say(stepped, "r12", state="expected")
    rows = list(Series.objects.filter(system=stepped.system).values())
    points = list(Point.objects.values("series_id", "revision_id", "batch_id", "n", "median"))
    Series.objects.all().delete()
    again = Series.objects.bulk_create(Series(**{**row, "id": None}) for row in rows)
    ids = {row["id"]: one.pk for row, one in zip(rows, again, strict=True)}
    Point.objects.bulk_create(Point(**{**point, "series_id": ids[point["series_id"]]}) for point in points)
    refit(stepped)
    assert states(stepped) == {"r12": "expected", "r24": "new"}


def test_what_was_fixed_and_is_found_no_more_makes_place_for_a_new_change(stepped: Access) -> None:
    say(stepped, "r12", state="fixed")
    say(stepped, "r24", state="noise")
    move_step(stepped, at=FIRST, to=FIRST + 2)
    assert states(stepped) == {"r14": "fixed", "r24": "noise"}, "a shift loses nothing"
    move_step(stepped, at=FIRST + 2, to=0)
    assert states(stepped) == {"r24": "noise"}
    move_step(stepped, at=0, to=FIRST)
    assert states(stepped) == {"r12": "new", "r24": "noise"}


def test_the_audit_trail_names_the_changes_that_were_decided(
    stepped: Access, client: Client, alice: Person
) -> None:
    """With a link to each while its history is there, and in words when it is gone."""
    action = say(stepped, "r12", state="noise")
    undo_triage(access=stepped, action=action)
    client.force_login(alice.user)
    shown = client.get(f"/systems/{stepped.slug}/audit/").content.decode()
    labels = set(
        series_labels(stepped.system, stepped.system.series.values_list("identity", flat=True)).values()
    )
    assert len(labels) == 2
    for label in labels:
        assert shown.count(f"{label}, r11 \N{RIGHTWARDS ARROW} r12</a>") == 2
    assert shown.count("/histories?series=") == 4
    assert "step=r12" in shown
    table = client.get(f"/systems/{stepped.slug}/audit.csv").content.decode()
    assert all(table.count(f"; {label}, r11 \N{RIGHTWARDS ARROW} r12") == 2 for label in labels)
    stepped.system.series.all().delete()
    gone = client.get(f"/systems/{stepped.slug}/audit/").content.decode()
    assert all(f"{label}, r11" in gone for label in labels)
    assert "/histories?series=" not in gone


def test_what_is_noise_and_comes_back_is_noise(stepped: Access) -> None:
    say(stepped, "r12", state="noise")
    move_step(stepped, at=FIRST, to=0)
    move_step(stepped, at=0, to=FIRST)
    assert states(stepped)["r12"] == "noise"


def test_an_action_is_taken_back_as_one_and_its_past_stays(stepped: Access) -> None:
    say(stepped, "r12", state="acknowledged", note="mine")
    action = say(stepped, "r12", state="noise", note="")
    assert undo_triage(access=stepped, action=action) == 2
    (row,) = (one for one in found(stepped) if one.after == "r12")
    assert (row.triage.state, row.triage.note) == ("acknowledged", "mine")
    past = past_of(stepped.system, row.triage.triage_id or 0)
    assert [(one.state, one.is_undo) for one in past] == [
        ("acknowledged", True),
        ("noise", False),
        ("acknowledged", False),
    ]
    with pytest.raises(Refused, match="nothing to take back"):
        undo_triage(access=stepped, action=action)
    first = say(stepped, "r24", state="fixed")
    undo_triage(access=stepped, action=first)
    assert states(stepped)["r24"] == "new"


def test_all_findings_of_one_revision_are_set_at_once(stepped: Access) -> None:
    """A second finding at r24, which becomes faster, is told beside."""
    one = Configuration.objects.filter(system=stepped.system).order_by("pk")[0]
    names = [f"r{at}" for at in range(SECOND, REVISIONS)]
    own = Point.objects.filter(series__subject=one.identity, revision__name__in=names)
    own.update(median=F("median") * 0.8)
    refit(stepped)
    at_second = [row for row in found(stepped) if row.after == "r24"]
    assert [row.beside for row in at_second] == [2, 2]
    say(stepped, "r24", beside=True, state="expected")
    assert [row.after for row in found(stepped)] == ["r12"]


def test_a_finding_waits_as_long_as_one_of_its_histories_does(stepped: Access) -> None:
    key, _ = next(
        (key, pk)
        for one in found(stepped)
        if one.after == "r12"
        for key, pk in named_changes(stepped.system, HistoryQuery(), one.key, beside=False)
    )
    triage_changes(access=stepped, changes=[(key, None)], words=TriageWords(state="noise"))
    (row,) = (one for one in found(stepped) if one.after == "r12")
    assert (row.triage.state, row.triage.states) == ("new", {"new": 1, "noise": 1})


def test_the_page_of_a_history_says_the_same_as_the_list(stepped: Access) -> None:
    say(stepped, "r12", state="infrastructure")
    for series in Series.objects.filter(system=stepped.system, subject_kind="configuration"):
        history = get_history(system=stepped.system, series_id=series.pk)
        told = triage_of_history(stepped.system, history)
        assert [triage.state for _, triage in told][:1] == ["infrastructure"]
        for key, triage in told:
            assert named_change(stepped.system, key.text) == (key, triage.triage_id)


def test_viewers_say_nothing_and_strangers_see_nothing(
    stepped: Access, bob: Person, vera: Person, charlie: Person
) -> None:
    with pytest.raises(Forbidden):
        say(access_to(vera.principal, "small"), "r12", state="noise")
    with pytest.raises(NotFound):
        access_to(charlie.principal, "small")
    editor = access_to(bob.principal, "small")
    action = say(editor, "r12", state="noise", owner_id=vera.user.pk)
    assert found(editor, state="noise")[0].triage.owner == "vera"
    with pytest.raises(Forbidden):
        undo_triage(access=access_to(vera.principal, "small"), action=action)


def test_an_administrator_of_all_without_a_role_takes_care_of_a_change(
    stepped: Access, vera: Person, charlie: Person
) -> None:
    """Who installed Perfatlas for themselves found nobody to choose."""
    everything = replace(charlie.principal, is_superuser=True)
    access = access_to(everything, "small")
    assert charlie.user.pk in dict(owners_of(access))
    say(access, "r12", owner_id=charlie.user.pk)
    assert "charlie" in {one.triage.owner for one in found(access)}
    assert charlie.user.pk not in dict(owners_of(access_to(vera.principal, "small")))


def test_words_that_cannot_be_kept_are_refused(stepped: Access) -> None:
    for words, fault in (
        ({"state": "done"}, "is no state of a change"),
        ({"link": "javascript:alert(1)"}, "begin it with https://"),
        ({"link": "https://"}, "begin it with https://"),
        ({"link": "https://a b"}, "begin it with https://"),
        ({"link": "http://[1"}, "begin it with https://"),
        ({"link": "https://a/" + "b" * 500}, "at most 500"),
        ({"note": "x" * 2001}, "at most 2000"),
        ({"owner_id": 987654}, "no member of the system"),
    ):
        with pytest.raises(Refused, match=fault):
            say(stepped, "r12", **words)
    assert not TriageEntry.objects.exists()


def test_nothing_of_another_system_is_taken(stepped: Access) -> None:
    other = System.objects.create(slug="other", name="Other", visible=True)
    revision = Revision.objects.create(system=other, name="1")
    foreign = TriagedChange.objects.create(
        system=other, series_identity="0" * 64, before=revision, after=revision, is_worse=True
    )
    own = named_changes(stepped.system, HistoryQuery(), found(stepped)[0].key, beside=False)[0][0]
    wrong = ChangeKey("0" * 64, revision.pk, revision.pk, is_worse=True)
    for change in ((wrong, None), (own, foreign.pk)):
        with pytest.raises(NotFound):
            triage_changes(access=stepped, changes=[change], words=TriageWords(state="noise"))
    for text in ("", "x", "0" * 64, f"{'0' * 64}-1-2-10"):
        with pytest.raises(NotFound):
            named_change(stepped.system, text)
    with pytest.raises(NotFound):
        named_changes(stepped.system, HistoryQuery(), "x", beside=False)


def test_a_joint_state_is_the_one_that_waits_most() -> None:
    from dashboard.selectors.triage import Triage

    def of(*several: str) -> str:
        return joint_triage([Triage(state) for state in several]).state

    assert of("noise") == "noise"
    assert of("noise", "fixed", "acknowledged") == "acknowledged"
    assert of("expected", "new") == "new"

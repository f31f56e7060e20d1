"""Views are kept by a name, opened by a number, and changed by their owners alone."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.access import Access, AccessError, Forbidden, NotFound, Refused, access_to
from dashboard.models import AuditEntry, Membership, SavedView, System
from dashboard.pages.addresses import view_address
from dashboard.selectors.saved_views import find_view, list_views
from dashboard.selectors.search import found_in_system
from dashboard.services.saved_views import (
    delete_view,
    rename_view,
    restore_view,
    save_view,
    share_view,
)
from tests.dashboard.gate.calls import ADDRESS, signed_in
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _save(person: Person, name: str = "Slow terms", **more: Any) -> SavedView:
    return save_view(
        access=access_to(person.principal, "small"),
        name=name,
        section="influences",
        query="term=A%2AB&threshold=5",
        **more,
    )


def test_the_permalink_leads_to_the_page_with_all_that_is_selected(bob: Person) -> None:
    view = _save(bob)
    answer = signed_in(bob.user).get(f"/views/{view.pk}/")
    assert answer["Location"] == "/app/s/small/influences?term=A%2AB&threshold=5"


def test_the_permalink_outlives_new_names_of_view_and_system(bob: Person) -> None:
    view = _save(bob)
    old = view_address(view.pk, view.name)
    assert old == f"/views/{view.pk}/slow-terms/"
    rename_view(access=access_to(bob.principal, "small"), view_id=view.pk, name="Ärger/Ω")
    System.objects.update(slug="renamed")
    for link in (old, view_address(view.pk, "Ärger/Ω")):
        assert signed_in(bob.user).get(link)["Location"].startswith("/app/s/renamed/influences?")


def test_a_key_that_holds_slashes_stays_one_part_of_the_address(bob: Person) -> None:
    access = access_to(bob.principal, "small")
    view = save_view(access=access, name="x", section="regions", key="//evil.example/a(b)")
    there = signed_in(bob.user).get(f"/views/{view.pk}/")["Location"]
    assert there == "/app/s/small/regions/%2F%2Fevil.example%2Fa%28b%29"


@pytest.mark.parametrize(("is_shared", "status"), [(False, 404), (True, 302)])
def test_a_shared_view_opens_for_all_members_a_private_one_for_its_owner(  # noqa: PLR0917 -- everybody who asks
    alice: Person,
    bob: Person,
    vera: Person,
    charlie: Person,
    is_shared: bool,  # noqa: FBT001 -- a parameter of the test
    status: int,
) -> None:
    link = f"/views/{_save(bob, is_shared=is_shared).pk}/"
    assert signed_in(bob.user).get(link).status_code == 302
    for person in (alice, vera):
        assert signed_in(person.user).get(link).status_code == status
    assert signed_in(charlie.user).get(link).status_code == 404
    assert Client().get(link)["Location"].startswith("/login/")
    assert signed_in(bob.user).post(link).status_code == 405


def test_who_left_the_system_sees_no_view_of_it(bob: Person) -> None:
    view = _save(bob, is_shared=True)
    Membership.objects.filter(user=bob.user).delete()
    with pytest.raises(NotFound):
        find_view(principal=bob.principal, view_id=view.pk)


def test_lists_and_the_search_hold_ones_own_views_and_shared_ones(alice: Person, bob: Person) -> None:
    _save(bob, "slow private")
    shown = _save(bob, "slow shared", is_shared=True)
    access = access_to(alice.principal, "small")
    assert list_views(access=access) == (shown,)
    assert [hit.name for hit in found_in_system(access=access, text="SLOW")] == ["slow shared"]
    own = found_in_system(access=access_to(bob.principal, "small"), text="slow")
    assert [(hit.kind, hit.name) for hit in own] == [("view", "slow private"), ("view", "slow shared")]


CHANGES: dict[str, Callable[[Access, SavedView], SavedView]] = {
    "rename": lambda access, view: rename_view(access=access, view_id=view.pk, name=f"other {view.pk}"),
    "share": lambda access, view: share_view(access=access, view_id=view.pk, is_shared=False),
    "delete": lambda access, view: delete_view(access=access, view_id=view.pk),
}


@pytest.mark.parametrize("change", CHANGES)
def test_owners_and_admins_change_a_shared_view_and_nobody_else(
    change: str, alice: Person, bob: Person, vera: Person
) -> None:
    for number, person in enumerate((alice, vera)):
        view = _save(person, f"own {number}")
        assert CHANGES[change](access_to(person.principal, "small"), view)
    view = _save(vera, is_shared=True)
    with pytest.raises(Forbidden, match="somebody else's view"):
        CHANGES[change](access_to(bob.principal, "small"), view)
    assert SavedView.objects.get(pk=view.pk) == view
    assert CHANGES[change](access_to(alice.principal, "small"), view)
    assert AuditEntry.objects.filter(action=f"{change} view", actor="alice").count() == 2


@pytest.mark.parametrize("change", CHANGES)
def test_admins_neither_see_nor_change_private_views_of_others(
    change: str, alice: Person, bob: Person
) -> None:
    view = _save(bob)
    with pytest.raises(NotFound):
        CHANGES[change](access_to(alice.principal, "small"), view)
    delete_view(access=access_to(bob.principal, "small"), view_id=view.pk)
    with pytest.raises(NotFound):
        restore_view(access=access_to(alice.principal, "small"), view_id=view.pk)


def test_a_view_of_another_system_is_not_found(alice: Person, bob: Person) -> None:
    """Also by somebody who may change all there is in its own."""
    view = _save(bob, is_shared=True)
    other = System.objects.create(slug="other", name="Other", visible=True)
    Membership.objects.create(system=other, user=alice.user, role=Membership.Role.ADMIN)
    for change in CHANGES.values():
        with pytest.raises(NotFound):
            change(access_to(alice.principal, "other"), view)


def test_a_deleted_view_comes_back_under_its_number(bob: Person, vera: Person) -> None:
    view, access = _save(bob, is_shared=True), access_to(bob.principal, "small")
    delete_view(access=access, view_id=view.pk)
    assert list_views(access=access) == ()
    assert signed_in(bob.user).get(f"/views/{view.pk}/").status_code == 404
    with pytest.raises(AccessError):
        restore_view(access=access_to(vera.principal, "small"), view_id=view.pk)
    assert restore_view(access=access, view_id=view.pk) == view
    assert list_views(access=access) == (view,)


def test_a_name_that_was_given_since_keeps_a_deleted_view_away(bob: Person) -> None:
    access = access_to(bob.principal, "small")
    first = _save(bob)
    delete_view(access=access, view_id=first.pk)
    _save(bob)
    with pytest.raises(Refused, match="already"):
        restore_view(access=access, view_id=first.pk)


def test_what_was_deleted_over_a_day_ago_goes_with_the_next(bob: Person) -> None:
    access = access_to(bob.principal, "small")
    old, new = _save(bob, "old"), _save(bob, "new")
    SavedView.objects.filter(pk=old.pk).update(deleted_at=timezone.now() - timedelta(days=2))
    delete_view(access=access, view_id=new.pk)
    assert list(SavedView.objects.all()) == [new]


def test_names_are_one_persons_own(bob: Person, vera: Person) -> None:
    _save(bob)
    _save(vera)
    with pytest.raises(Refused, match="'Slow terms' already"):
        _save(bob, "  Slow   terms ")
    for name, said in ((" ", "give the view a name"), ("x" * 101, "101 characters")):
        with pytest.raises(Refused, match=said):
            _save(bob, name)


def test_a_view_holds_no_more_than_an_address(bob: Person) -> None:
    with pytest.raises(Refused, match="select less"):
        save_view(access=access_to(bob.principal, "small"), name="x", section="regions", key="x" * 9000)


def _press(person: Person, verb: str, view: SavedView, *, slug: str = "small", name: str = "new") -> Any:
    """The answer to a press of one button on the page of views, as the browser sends it."""
    button = {"type": "saved-view-act", "verb": verb, "view": view.pk}
    field = {"type": "saved-view-name", "view": view.pk}
    body = {
        "output": "..views-said.children...views-list.children..",
        "outputs": [{"id": one, "property": "children"} for one in ("views-said", "views-list")],
        "inputs": [[{"id": button, "property": "n_clicks", "value": 1}]],
        "changedPropIds": [json.dumps(button, sort_keys=True, separators=(",", ":")) + ".n_clicks"],
        "state": [
            [{"id": field, "property": "value", "value": name}],
            [{"id": field, "property": "id", "value": field}],
            {"id": "slug", "property": "data", "value": slug},
        ],
    }
    return signed_in(person.user).post(ADDRESS, json.dumps(body), content_type="application/json")


VERBS = {"rename": "Renamed to", "make private": "is private", "share": "All who see", "delete": "Undo"}


@pytest.mark.parametrize("verb", VERBS)
def test_every_button_by_every_role(
    verb: str, alice: Person, bob: Person, vera: Person, charlie: Person
) -> None:
    """Who may not change a view changes nothing by a call that is made up."""
    view = _save(bob, is_shared=True)
    before = SavedView.objects.values().get()
    assert "somebody else" in _press(vera, verb, view).content.decode()
    assert "Nothing here" in _press(charlie, verb, view).content.decode()
    assert "Nothing here" in _press(bob, verb, view, slug="elsewhere").content.decode()
    assert SavedView.objects.values().get() == before
    for person in (bob, alice):
        view.save()
        answer = _press(person, verb, view)
        assert answer.status_code == 200
        assert VERBS[verb] in answer.content.decode()


def test_undo_brings_a_view_back_for_its_owner(bob: Person, vera: Person) -> None:
    view = _save(bob, is_shared=True)
    _press(bob, "delete", view)
    assert "somebody else" in _press(vera, "restore", view).content.decode()
    assert "is back" in _press(bob, "restore", view).content.decode()


@pytest.mark.parametrize(
    ("who", "name", "said"),
    [
        ("vera", "mine", "Saved as"),
        ("bob", "", "Give the view a name."),
        ("charlie", "mine", "Nothing here"),
    ],
)
def test_saving_by_every_role(who: str, name: str, said: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("system")
    person: Person = request.getfixturevalue(who)
    given = {
        "save-view-save.n_clicks": 1,
        "save-view-name.n_submit": None,
        "save-view-name.value": name,
        "save-view-shared.checked": True,
        "address.href": "https://perf.example/app/s/small/regions/a%2Fb?base=A",
        "address.pathname": "/app/s/small/regions/a%2Fb",
        "lens.data": {"base": "A", "kind": "own"},
        "slug.data": "small",
    }
    rows = [
        {"id": id_, "property": part, "value": value}
        for (id_, part), value in ((key.split("."), value) for key, value in given.items())
    ]
    body = {
        "output": "..save-view-said.children...save-view-name.value..",
        "outputs": [
            {"id": "save-view-said", "property": "children"},
            {"id": "save-view-name", "property": "value"},
        ],
        "inputs": rows[:2],
        "state": rows[2:],
        "changedPropIds": ["save-view-save.n_clicks"],
    }
    answer = signed_in(person.user).post(ADDRESS, json.dumps(body), content_type="application/json")
    assert said in answer.content.decode()
    kept = list(SavedView.objects.values_list("section", "key", "query", "is_shared"))
    assert kept == ([("regions", "a/b", "base=A&kind=own", True)] if said == "Saved as" else [])

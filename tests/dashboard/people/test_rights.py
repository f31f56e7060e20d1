"""Every address about people x who asks it x a system of others, from the list of addresses, so that none is forgotten."""

import pytest
from django.test import Client
from django.urls import reverse

from dashboard.access import access_to
from dashboard.models import (
    AlertRule,
    AuditEntry,
    Badge,
    Invitation,
    Membership,
    System,
    Team,
    TeamMember,
    TeamRole,
)
from dashboard.people.urls import urlpatterns
from dashboard.services.alerts.rules import RuleWords, write_rule
from dashboard.services.badges import make_badge
from dashboard.services.invitations import invite
from tests.people import Person

# What admins of a system alone may ask; the rest of a system is for all its members.
_FOR_ADMINS = {
    "change-member",
    "invite",
    "revoke-invitation",
    "audit",
    "audit-csv",
    "give-team-role",
    "change-team-role",
    "alerts",
    "make-alert-rule",
    "alert-rule",
    "test-alert-rule",
    "delete-alert-rule",
    "badges",
    "revoke-badge",
}
_RULE = {"name": "slower", "smallest_percent": "5", "certainty_percent": "95", "people": "alice"}
_RULE |= {"shape": "json", "time_zone": "UTC", "is_on": "1"}
# What a button sends.
_POSTED = {
    "change-member": {"role": "viewer"},
    "invite": {"role": "admin", "days": "7", "note": ""},
    "revoke-invitation": {},
    "give-team-role": {"team": "1", "role": "viewer"},
    "change-team-role": {"role": "viewer"},
    "make-alert-rule": _RULE,
    "test-alert-rule": {},
    "delete-alert-rule": {},
    "revoke-badge": {},
}
OF_A_SYSTEM = [str(one.name) for one in urlpatterns if "slug" in one.pattern.converters]


@pytest.fixture
def foreign(system: System) -> System:
    """A system whose admin is none of the others."""
    return System.objects.create(slug="other", name="Other", visible=True)


@pytest.fixture(autouse=True)
def team(alice: Person) -> Team:
    """In which alice is."""
    build = Team.objects.create(pk=1, name="Build")
    TeamMember.objects.create(team=build, user=alice.user)
    return build


@pytest.fixture
def invitation(alice: Person, system: System) -> Invitation:
    return invite(access=access_to(alice.principal, system.slug), role="editor")[0]


@pytest.fixture(autouse=True)
def rule(alice: Person, system: System) -> AlertRule:
    """That tells alice."""
    words = RuleWords("slow", people=("alice",))
    return write_rule(access=access_to(alice.principal, system.slug), words=words, opened_at="")


@pytest.fixture(autouse=True)
def badge(alice: Person, system: System) -> Badge:
    """Of the whole system."""
    return make_badge(access=access_to(alice.principal, system.slug))[0]


def _address(name: str, system: System, member: Person, invitation: Invitation) -> str:
    given = {
        "badge_id": Badge.objects.get().pk,
        "rule_id": AlertRule.objects.get().pk,
        "slug": system.slug,
        "user_id": member.user.pk,
        "invitation_id": invitation.pk,
        "team_id": TeamMember.objects.get().team_id,
    }
    (pattern,) = (one for one in urlpatterns if one.name == name)
    return reverse(name, kwargs={part: given[part] for part in pattern.pattern.converters})


def _ask(person: Person | None, name: str, address: str) -> tuple[int, bytes]:
    """The status and content of an answer to who is signed in, or to nobody."""
    client = Client()
    if person is not None:
        client.force_login(person.user)
    answer = client.post(address, _POSTED[name]) if name in _POSTED else client.get(address)
    return answer.status_code, answer.content


def _rows() -> list[tuple[str, ...]]:
    found = (
        *Membership.objects.values_list(),
        *TeamRole.objects.values_list(),
        *Invitation.objects.values_list(),
        *AuditEntry.objects.values_list(),
        *AlertRule.objects.values_list(),
        *Badge.objects.values_list(),
    )
    return [tuple(map(str, row)) for row in found]


@pytest.mark.parametrize("name", OF_A_SYSTEM)
def test_roles_open_what_they_open_and_nobody_sees_a_foreign_system(  # noqa: PLR0917 -- everybody who asks
    name: str,
    alice: Person,
    bob: Person,
    vera: Person,
    charlie: Person,
    foreign: System,
    system: System,
    invitation: Invitation,
) -> None:
    own, others = (_address(name, one, bob, invitation) for one in (system, foreign))
    before = _rows()
    refused = 403 if name in _FOR_ADMINS else 200
    for person, expected in ((None, 302), (charlie, 404), (vera, refused), (bob, refused)):
        status, content = _ask(person, name, own)
        assert status == expected
        if expected != 200:
            assert b"Small" not in content
    for person in (alice, bob, vera, charlie):
        status, content = _ask(person, name, others)
        assert (status, b"Other" in content) == (404, False)
    assert _rows() == before
    assert _ask(alice, name, own)[0] in {200, 302}
    assert (_rows() != before) == (name in _POSTED)


@pytest.mark.parametrize("name", sorted(_POSTED))
def test_a_button_of_another_site_changes_nothing(
    name: str, alice: Person, bob: Person, system: System, invitation: Invitation
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice.user)
    before = _rows()
    assert client.post(_address(name, system, bob, invitation), _POSTED[name]).status_code == 403
    assert client.get(_address(name, system, bob, invitation)).status_code == 405
    assert _rows() == before


# What strangers may ask: their link says who they are.
_FOR_STRANGERS = {
    "join",
    "open-invitation",
    "new-password",
    "alert",
    "open-alert",
    "open-address",
    "forgot",
    "badge",
}
_PLACES = {"sign_in_id": 1, "token_id": 1, "team_id": 1, "user_id": 1, "machine_id": 1}
OF_AN_ACCOUNT = [
    str(one.name)
    for one in urlpatterns
    if "slug" not in one.pattern.converters and one.name not in _FOR_STRANGERS
]


@pytest.mark.parametrize("name", OF_AN_ACCOUNT)
def test_what_is_of_an_account_needs_one_and_no_button_of_another_site(name: str, charlie: Person) -> None:
    (pattern,) = (one for one in urlpatterns if one.name == name)
    address = reverse(name, kwargs={part: _PLACES[part] for part in pattern.pattern.converters})
    for answer in (Client().get(address), Client().post(address)):
        assert answer["Location"] == f"/login/?next={address}"
    client = Client(enforce_csrf_checks=True)
    client.force_login(charlie.user)
    before = _rows()
    assert client.post(address).status_code in {403, 405}
    assert _rows() == before


def test_an_invitation_of_another_system_is_not_found(alice: Person, system: System, charlie: Person) -> None:
    """Also where one is admin of both a system and knows the number of somebody else's."""
    theirs = System.objects.create(slug="theirs", name="Theirs", visible=True)
    Membership.objects.create(system=theirs, user=charlie.user, role=Membership.Role.ADMIN)
    invitation, _ = invite(access=access_to(charlie.principal, "theirs"), role="viewer")
    status, _ = _ask(alice, "revoke-invitation", f"/systems/small/invitations/{invitation.pk}/")
    invitation.refresh_from_db()
    assert (status, invitation.revoked_at) == (404, None)

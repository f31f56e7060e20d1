"""A team's role in a system counts for everybody in it; who says who is in it, and where it counts."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client

from dashboard.access import (
    Forbidden,
    NotFound,
    Permission,
    Principal,
    Refused,
    Scope,
    access_to,
    permission_of,
)
from dashboard.models import AuditEntry, Membership, System, Team, TeamMember, TeamRole
from dashboard.selectors.systems import list_names
from dashboard.selectors.teams import known_accounts
from dashboard.selectors.triage import owners_of
from dashboard.services.members import remove_member
from dashboard.services.teams import (
    create_team,
    delete_team,
    give_team_role,
    put_into_team,
    take_from_team,
    take_team_role,
)
from tests.people import Person, create_person


@pytest.fixture
def root(db: None) -> Person:
    """A superuser."""
    person = create_person("root")
    person.user.is_superuser = True
    person.user.save()
    return Person(person.user, Principal.of_account(person.user))


@pytest.fixture
def team(system: System, charlie: Person) -> Team:
    """The team Build, editor of `system`, of which charlie is the admin."""
    build = Team.objects.create(name="Build")
    TeamMember.objects.create(team=build, user=charlie.user, is_admin=True)
    TeamRole.objects.create(team=build, system=system, role="editor")
    return build


def _names(principal: Principal) -> list[str]:
    return sorted(account.username for account in known_accounts(principal=principal))


class TestEffectiveRole:
    def test_it_counts_for_everybody_in_the_team_and_nobody_else(
        self, team: Team, charlie: Person, system: System
    ) -> None:
        stranger = create_person("sam")
        assert access_to(charlie.principal, "small").permission is Permission.EDIT
        assert [one.slug for one in list_names(principal=charlie.principal)] == ["small"]
        with pytest.raises(NotFound):
            access_to(stranger.principal, "small")
        assert list_names(principal=stranger.principal) == ()

    @pytest.mark.parametrize(
        ("own", "expected"), [("viewer", "EDIT"), ("editor", "EDIT"), ("admin", "ADMIN")]
    )
    def test_it_is_the_highest(
        self, team: Team, charlie: Person, system: System, own: str, expected: str
    ) -> None:
        Membership.objects.create(system=system, user=charlie.user, role=own)
        other = Team.objects.create(name="Readers")
        TeamMember.objects.create(team=other, user=charlie.user)
        TeamRole.objects.create(team=other, system=system, role="viewer")
        assert permission_of(charlie.principal, system) is Permission[expected]
        assert len(list_names(principal=charlie.principal)) == 1

    def test_it_ends_with_the_membership_the_role_and_the_team(
        self, team: Team, charlie: Person, root: Person, system: System
    ) -> None:
        take_from_team(principal=root.principal, team_id=team.pk, user_id=charlie.user.pk)
        assert permission_of(charlie.principal, system) is None
        TeamMember.objects.create(team=team, user=charlie.user)
        delete_team(principal=root.principal, team_id=team.pk)
        assert permission_of(charlie.principal, system) is None

    def test_a_token_leaves_of_it_what_its_scope_leaves(
        self, team: Team, charlie: Person, system: System
    ) -> None:
        reading = Principal(charlie.user.pk, "charlie", scope=Scope(Permission.VIEW))
        elsewhere = Principal(charlie.user.pk, "charlie", scope=Scope(Permission.ADMIN, system.pk + 1))
        assert permission_of(reading, system) is Permission.VIEW
        assert permission_of(elsewhere, system) is None

    def test_it_takes_no_more_queries(
        self,
        team: Team,
        charlie: Person,
        system: System,
        django_assert_num_queries: Callable[[int], AbstractContextManager[Any]],
    ) -> None:
        with django_assert_num_queries(1):
            access_to(charlie.principal, "small")
        with django_assert_num_queries(1):
            list_names(principal=charlie.principal)

    def test_members_of_a_team_take_care_of_changes(self, team: Team, alice: Person, system: System) -> None:
        assert [name for _, name in owners_of(access_to(alice.principal, "small"))] == ["alice", "charlie"]


class TestLastAdmin:
    def test_an_admin_by_a_team_is_one(self, team: Team, alice: Person, charlie: Person) -> None:
        TeamRole.objects.update(role="admin")
        remove_member(access=access_to(charlie.principal, "small"), user_id=alice.user.pk)
        assert not Membership.objects.exists()

    def test_a_team_that_has_the_last_one_keeps_it(self, team: Team, charlie: Person, root: Person) -> None:
        TeamRole.objects.update(role="admin")
        access, member = access_to(charlie.principal, "small"), {"user_id": charlie.user.pk}
        ways: tuple[Callable[[], object], ...] = (
            lambda: take_from_team(principal=root.principal, team_id=team.pk, **member),
            lambda: delete_team(principal=root.principal, team_id=team.pk),
            lambda: give_team_role(access=access, team_id=team.pk, role="viewer"),
            lambda: take_team_role(access=access, team_id=team.pk),
        )
        for way in ways:
            with pytest.raises(Refused, match="Small would have no admin any more"):
                way()
        assert permission_of(charlie.principal, access.system) is Permission.ADMIN
        assert not AuditEntry.objects.exists()


class TestWhoMay:
    def test_superusers_make_and_delete_teams(self, root: Person, alice: Person) -> None:
        with pytest.raises(Forbidden):
            create_team(principal=alice.principal, name="Mine")
        made = create_team(principal=root.principal, name="Build")
        with pytest.raises(Refused, match="already"):
            create_team(principal=root.principal, name="Build")
        with pytest.raises(Forbidden):
            delete_team(principal=alice.principal, team_id=made.pk)

    def test_who_is_in_it_its_admins_say(
        self, team: Team, charlie: Person, bob: Person, vera: Person, alice: Person
    ) -> None:
        TeamMember.objects.create(team=team, user=bob.user)
        with pytest.raises(Forbidden):
            put_into_team(principal=bob.principal, team_id=team.pk, username="vera")
        with pytest.raises(NotFound):
            put_into_team(principal=alice.principal, team_id=team.pk, username="vera")
        TeamRole.objects.update(role="admin")
        put_into_team(principal=charlie.principal, team_id=team.pk, username="vera")
        assert TeamMember.objects.filter(team=team, user=vera.user).exists()

    def test_nobody_finds_out_who_has_an_account(self, team: Team, charlie: Person, alice: Person) -> None:
        """An account that one does not know of and one that there is not answer alike."""
        assert _names(charlie.principal) == ["charlie"]
        said = []
        for name in ("alice", "nobody"):
            with pytest.raises(Refused) as refused:
                put_into_team(principal=charlie.principal, team_id=team.pk, username=name)
            said.append(str(refused.value).replace(name, "NAME"))
        assert said[0] == said[1]
        assert _names(alice.principal) == ["alice", "charlie"]

    def test_an_admin_of_a_system_gives_roles_to_teams_that_it_knows(
        self, alice: Person, system: System
    ) -> None:
        foreign = Team.objects.create(name="Foreign")
        with pytest.raises(NotFound):
            give_team_role(access=access_to(alice.principal, "small"), team_id=foreign.pk, role="viewer")
        TeamMember.objects.create(team=foreign, user=alice.user)
        give_team_role(access=access_to(alice.principal, "small"), team_id=foreign.pk, role="viewer")
        assert TeamRole.objects.get().role == "viewer"


class TestPages:
    def test_a_team_is_made_filled_given_a_role_and_taken_away(
        self, client: Client, root: Person, bob: Person, system: System
    ) -> None:
        client.force_login(root.user)
        address = client.post("/teams/", {"name": "Build"})["Location"]
        said = client.post(f"{address}members/", {"name": "bob"}, follow=True).content.decode()
        assert "bob is in the team now." in said
        member = f"{address}members/{bob.user.pk}/"
        assert (
            "bob says who is in the team."
            in client.post(member, {"admin": "1"}, follow=True).content.decode()
        )
        team = Team.objects.get()
        given = client.post("/systems/small/teams/", {"team": team.pk, "role": "admin"}, follow=True)
        assert "The team Build is admin now." in given.content.decode()
        assert access_to(bob.principal, "small").permission is Permission.ADMIN
        own = f"/systems/small/teams/{team.pk}/"
        assert "is viewer now" not in client.post(own, {"role": "viewer"}, follow=True).content.decode()
        TeamRole.objects.update(role="viewer")
        assert "is editor now." in client.post(own, {"role": "editor"}, follow=True).content.decode()
        assert "no role here any more" in client.post(own, {"remove": "1"}, follow=True).content.decode()
        assert "in the team no more" in client.post(member, {"remove": "1"}, follow=True).content.decode()
        assert "is deleted." in client.post(f"{address}delete/", follow=True).content.decode()
        assert not Team.objects.exists()

    def test_a_change_leaves_a_trace_in_the_systems_where_it_counts(
        self, client: Client, team: Team, root: Person, bob: Person
    ) -> None:
        client.force_login(root.user)
        client.post(f"/teams/{team.pk}/members/", {"name": "bob"})
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.system_slug) == ("put into team", "small")
        assert entry.details == {"team": "Build", "of": "bob"}

    def test_a_member_reads_who_is_in_it_and_a_stranger_finds_nothing(
        self, client: Client, team: Team, bob: Person, alice: Person
    ) -> None:
        TeamMember.objects.create(team=team, user=bob.user)
        client.force_login(bob.user)
        page = client.get(f"/teams/{team.pk}/").content.decode()
        assert ("charlie" in page, "Put somebody in" in page) == (True, False)
        assert client.post(f"/teams/{team.pk}/members/", {"name": "bob"}).status_code == 403
        assert client.post(f"/teams/{team.pk}/delete/").status_code == 403
        client.force_login(alice.user)
        assert client.get(f"/teams/{team.pk}/").status_code == 404
        assert b"Build" not in client.get("/teams/").content

    def test_a_system_that_one_does_not_see_is_not_named(
        self, client: Client, team: Team, charlie: Person
    ) -> None:
        hidden = System.objects.create(slug="hidden", name="Secret plan")
        TeamRole.objects.create(team=team, system=hidden, role="viewer")
        client.force_login(charlie.user)
        page = client.get(f"/teams/{team.pk}/").content.decode()
        assert ("Small" in page, "Secret plan" in page) == (True, False)

    def test_a_name_that_cannot_be_is_told(self, client: Client, root: Person, team: Team) -> None:
        client.force_login(root.user)
        for name in ("", "x" * 81, "Build"):
            assert client.post("/teams/", {"name": name}).status_code == 400
        assert Team.objects.count() == 1

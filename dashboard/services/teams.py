"""Making teams, saying who is in them, and giving them roles. Each change leaves a trace in every system it counts in."""

from django.db import transaction

from dashboard.access import Access, Forbidden, NotFound, Permission, Principal, Refused
from dashboard.models import Membership, System, Team, TeamMember, TeamRole
from dashboard.selectors.teams import find_team, known_accounts
from dashboard.services import audit
from dashboard.services.members import keeping_admins
from dashboard.services.plain_lines import check_line

_LONGEST_NAME = 80


def create_team(*, principal: Principal, name: str) -> Team:
    """A team with nobody in it. Raises `Forbidden` for who is no superuser, `Refused` for a name that cannot be."""
    if not principal.is_superuser:
        raise Forbidden("superusers make teams")
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise Refused(f"a team's name has 1 to {_LONGEST_NAME} characters")
    check_line(name, "the team's name")
    with transaction.atomic():
        team, is_new = Team.objects.get_or_create(name=name)
        if not is_new:
            raise Refused(f"there is a team {name!r} already")
        audit.record(principal, "create team", "", team=name)
    return team


def delete_team(*, principal: Principal, team_id: int) -> str:
    """Take a team away with its roles; its name. Raises `Forbidden`, `NotFound`, `Refused` for the last admins of a system."""
    if not principal.is_superuser:
        raise Forbidden("superusers delete teams")
    team = find_team(principal=principal, team_id=team_id)
    with keeping_admins(_systems_of(team)):
        _note(principal, "delete team", team)
        team.delete()
    return team.name


def put_into_team(*, principal: Principal, team_id: int, username: str) -> None:
    """Put an account that the acting person knows of into a team. Raises `NotFound`, `Forbidden`, `Refused`."""
    team = find_team(principal=principal, team_id=team_id, as_admin=True)
    user = known_accounts(principal=principal).filter(username=username).first()
    if user is None:
        raise Refused(f"there is no account {username!r} that you know of")
    with transaction.atomic():
        _, is_new = TeamMember.objects.get_or_create(team=team, user=user)
        if is_new:
            _note(principal, "put into team", team, of=username)


def change_team_member(*, principal: Principal, team_id: int, user_id: int, is_admin: bool) -> TeamMember:
    """Let a member say who is in the team, or no longer. Raises `NotFound`, `Forbidden`."""
    team = find_team(principal=principal, team_id=team_id, as_admin=True)
    with transaction.atomic():
        member = _member(team, user_id)
        if member.is_admin != is_admin:
            member.is_admin = is_admin
            member.save(update_fields=["is_admin"])
            _note(principal, "change team", team, of=member.user.get_username(), admin=is_admin)
    return member


def take_from_team(*, principal: Principal, team_id: int, user_id: int) -> str:
    """Take an account out of a team; its name. Raises `NotFound`, `Forbidden`, `Refused` for the last admin of a system."""
    team = find_team(principal=principal, team_id=team_id, as_admin=True)
    with keeping_admins(_systems_of(team)):
        member = _member(team, user_id)
        name = member.user.get_username()
        member.delete()
        _note(principal, "take from team", team, of=name)
    return name


def give_team_role(*, access: Access, team_id: int, role: str) -> TeamRole:
    """Give a team a role in a system, or another one. Raises `NotFound`, `Forbidden`, `Refused` for the last admins."""
    access.check(Permission.ADMIN)
    if role not in Membership.Role.values:
        raise Refused(f"the role is one of {', '.join(Membership.Role.values)}, not {role!r}")
    held = TeamRole.objects.filter(system=access.system, team_id=team_id).first()
    team = held.team if held else find_team(principal=access.principal, team_id=team_id)
    with keeping_admins([access.system]):
        given, _ = TeamRole.objects.update_or_create(system=access.system, team=team, defaults={"role": role})
        was = held.role if held else ""
        audit.record(access.principal, "give team role", access.slug, team=team.name, was=was, role=role)
    return given


def take_team_role(*, access: Access, team_id: int) -> str:
    """Take a team's role in a system away; the team's name. Raises `NotFound`, `Forbidden`, `Refused` for the last admins."""
    access.check(Permission.ADMIN)
    held = TeamRole.objects.select_related("team").filter(system=access.system, team_id=team_id).first()
    if held is None:
        raise NotFound("the team has no role here")
    with keeping_admins([access.system]):
        held.delete()
        audit.record(access.principal, "take team role", access.slug, team=held.team.name, was=held.role)
    return held.team.name


def _member(team: Team, user_id: int) -> TeamMember:
    member = team.members.select_related("user").filter(user_id=user_id).first()
    if member is None:
        raise NotFound("the team has no such member")
    return member


def _systems_of(team: Team) -> list[System]:
    return [one.system for one in team.roles.select_related("system")]


def _note(principal: Principal, action: str, team: Team, **details: object) -> None:
    """In every system in which the team has a role, since the change counts there; else for superusers alone."""
    for slug in [system.slug for system in _systems_of(team)] or [""]:
        audit.record(principal, action, slug, team=team.name, **details)

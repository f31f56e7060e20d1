"""The page of a system's members: roles and, for admins, invitations."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.access import Access, Permission, Refused
from dashboard.models import Membership
from dashboard.people.system_views import system_view, told, whole_number
from dashboard.selectors.members import accounts_of, list_admins, list_invitations, list_members
from dashboard.selectors.teams import list_team_roles, list_teams
from dashboard.services.invitations import MAX_DAYS, invite, revoke_invitation
from dashboard.services.members import change_role, remove_member
from dashboard.services.public_address import public_url, reach_warning
from dashboard.services.teams import give_team_role, take_team_role

_ROLES = (
    (Membership.Role.VIEWER, "sees everything of the system"),
    (Membership.Role.EDITOR, "also measures, imports, marks runs invalid, freezes and shares reports"),
    (Membership.Role.ADMIN, "also gives roles, invites, and deletes the system"),
)
_DAYS = (1, 7, MAX_DAYS)


@system_view(Permission.VIEW, "GET")
def members(request: HttpRequest, access: Access) -> HttpResponse:
    """Everybody's role, for admins; one's own and whom to ask, for others."""
    return _page(request, access)


@system_view(Permission.ADMIN, "POST")
def change(request: HttpRequest, access: Access, user_id: int) -> HttpResponse:
    """Give a member another role, or take it away."""

    def act() -> str:
        if "remove" in request.POST:
            return f"{remove_member(access=access, user_id=user_id)} has no role here any more."
        member = change_role(access=access, user_id=user_id, role=request.POST.get("role", ""))
        return f"{member.user} is {member.role} now."

    told(request, act)
    return redirect("members", slug=access.slug)


@system_view(Permission.ADMIN, "POST")
def give_team(request: HttpRequest, access: Access) -> HttpResponse:
    """Give a team its first role."""
    return change_team(request, slug=access.slug, team_id=whole_number(request.POST.get("team", "")))


@system_view(Permission.ADMIN, "POST")
def change_team(request: HttpRequest, access: Access, team_id: int) -> HttpResponse:
    """Give a team another role, or take it away."""

    def act() -> str:
        if "remove" in request.POST:
            return f"The team {take_team_role(access=access, team_id=team_id)} has no role here any more."
        given = give_team_role(access=access, team_id=team_id, role=request.POST.get("role", ""))
        return f"The team {given.team.name} is {given.role} now."

    told(request, act)
    return redirect("members", slug=access.slug)


@system_view(Permission.ADMIN, "POST")
def make_invitation(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a link; this answer alone shows it."""
    posted = {name: request.POST.get(name, "").strip() for name in ("role", "days", "note")}
    try:
        days = whole_number(posted["days"])
        invitation, secret = invite(access=access, role=posted["role"], days=days, note=posted["note"])
    except Refused as error:
        return _page(request, access, problem=str(error), posted=posted)
    address = public_url(f"/join/{secret}/", opened_at=request.build_absolute_uri("/"))
    made = {"invitation": invitation, "address": address, "warning": reach_warning(address)}
    return _page(request, access, made=made)


@system_view(Permission.ADMIN, "POST")
def revoke(request: HttpRequest, access: Access, invitation_id: int) -> HttpResponse:
    """End an invitation."""

    def act() -> str:
        revoke_invitation(access=access, invitation_id=invitation_id)
        return "The invitation opens nothing any more."

    told(request, act)
    return redirect("members", slug=access.slug)


def _page(
    request: HttpRequest,
    access: Access,
    *,
    made: dict[str, object] | None = None,
    problem: str = "",
    posted: dict[str, str] | None = None,
) -> HttpResponse:
    is_admin = access.allows(Permission.ADMIN)
    about: dict[str, Any] = {
        "access": access,
        "is_admin": is_admin,
        "tab": "members",
        "roles": _ROLES,
        "days": _DAYS,
        "made": made,
        "problem": problem,
        "posted": posted or {"role": Membership.Role.VIEWER, "days": "7", "note": ""},
    }
    if is_admin:
        about["members"] = list_members(system=access.system)
        about["team_roles"] = list_team_roles(system=access.system)
        with_role = {one.team_id for one in about["team_roles"]}
        teams = list_teams(principal=access.principal)
        about["teams"] = [team for team in teams if team.pk not in with_role]
        about["number"] = accounts_of(access.system).count()
        about["invitations"] = list_invitations(system=access.system)
    else:
        about["admins"] = list_admins(system=access.system)
    return render(request, "people/members.html", about, status=400 if problem else 200)

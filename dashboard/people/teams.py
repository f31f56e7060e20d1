"""Pages of teams: which there are, and who is in one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.access import Forbidden, NotFound, Principal, Refused
from dashboard.people.system_views import told
from dashboard.selectors.systems import list_names
from dashboard.selectors.teams import find_team, is_team_admin, known_accounts, list_team_members, list_teams
from dashboard.services.teams import (
    change_team_member,
    create_team,
    delete_team,
    put_into_team,
    take_from_team,
)


def account_view(*methods: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Let who is signed in ask a view by some methods; it gets the principal. Rights are asked again each time."""

    def register(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @never_cache
        @login_required
        @require_http_methods(methods)
        @wraps(view)
        def resolved(request: HttpRequest, **parts: Any) -> HttpResponse:
            try:
                return view(request, Principal.of_account(request.user), **parts)
            except NotFound as error:
                raise Http404(str(error)) from error
            except Forbidden as error:
                raise PermissionDenied(str(error)) from error

        return resolved

    return register


@account_view("GET", "POST")
def teams(request: HttpRequest, principal: Principal) -> HttpResponse:
    """The teams that one is in; superusers see all of them and make new ones."""
    problem, name = "", request.POST.get("name", "").strip()
    if request.method == "POST":
        try:
            return redirect("team", team_id=create_team(principal=principal, name=name).pk)
        except Refused as error:
            problem = str(error)
    about = {"tab": "teams", "teams": list_teams(principal=principal), "problem": problem, "name": name}
    return render(request, "people/teams.html", about, status=400 if problem else 200)


@account_view("GET")
def team(request: HttpRequest, principal: Principal, team_id: int) -> HttpResponse:
    """Who is in a team, and where it has which role, as far as one may know of that."""
    found = find_team(principal=principal, team_id=team_id)
    is_admin = is_team_admin(principal=principal, team=found)
    members = list_team_members(team=found)
    seen = {system.pk for system in list_names(principal=principal)}
    there = {member.user_id for member in members}
    about = {
        "tab": "teams",
        "team": found,
        "members": members,
        "is_team_admin": is_admin,
        "roles": [one for one in found.roles.select_related("system") if one.system_id in seen],
        "known": [one for one in known_accounts(principal=principal) if one.pk not in there]
        if is_admin
        else [],
    }
    return render(request, "people/team.html", about)


@account_view("POST")
def put_in(request: HttpRequest, principal: Principal, team_id: int) -> HttpResponse:
    """Put somebody into a team."""

    def act() -> str:
        name = request.POST.get("name", "")
        put_into_team(principal=principal, team_id=team_id, username=name)
        return f"{name} is in the team now."

    told(request, act)
    return redirect("team", team_id=team_id)


@account_view("POST")
def change_in(request: HttpRequest, principal: Principal, team_id: int, user_id: int) -> HttpResponse:
    """Make a member of a team its admin or not, or take the member out of it."""

    def act() -> str:
        if "remove" in request.POST:
            return f"{take_from_team(principal=principal, team_id=team_id, user_id=user_id)} is in the team no more."
        member = change_team_member(
            principal=principal, team_id=team_id, user_id=user_id, is_admin=request.POST.get("admin") == "1"
        )
        return f"{member.user} {'says' if member.is_admin else 'no longer says'} who is in the team."

    told(request, act)
    gone = not any(one.pk == team_id for one in list_teams(principal=principal))
    return redirect("teams") if gone else redirect("team", team_id=team_id)


@account_view("POST")
def delete(request: HttpRequest, principal: Principal, team_id: int) -> HttpResponse:
    """Delete a team."""
    told(request, lambda: f"The team {delete_team(principal=principal, team_id=team_id)} is deleted.")
    return redirect("teams")

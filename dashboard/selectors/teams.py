"""Teams to read, and whom and which of them somebody may know of: nobody finds out names by trying."""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from dashboard.access import Forbidden, NotFound, Principal
from dashboard.models import Membership, System, Team, TeamMember, TeamRole


def list_teams(*, principal: Principal) -> tuple[Team, ...]:
    """The teams that somebody is in, all of them for a superuser, by name, with members and roles. Four queries."""
    return tuple(_seen(principal).prefetch_related("members__user", "roles__system"))


def find_team(*, principal: Principal, team_id: int, as_admin: bool = False) -> Team:
    """One of these teams. Raises `NotFound`, and `Forbidden` where it must be as its admin and is not."""
    team = _seen(principal).filter(pk=team_id).first()
    if team is None:
        raise NotFound("there is no such team that you can see")
    if as_admin and not is_team_admin(principal=principal, team=team):
        raise Forbidden("the team's admins say who is in it")
    return team


def is_team_admin(*, principal: Principal, team: Team) -> bool:
    """Whether somebody says who is in a team."""
    return principal.is_superuser or (
        principal.user_id is not None
        and TeamMember.objects.filter(team=team, user_id=principal.user_id, is_admin=True).exists()
    )


def list_team_members(*, team: Team) -> tuple[TeamMember, ...]:
    """Who is in a team, by name. One query."""
    return tuple(team.members.select_related("user").order_by("user__username"))


def list_team_roles(*, system: System) -> tuple[TeamRole, ...]:
    """The roles that teams have in a system, by name, with who is in them. Three queries."""
    rows = TeamRole.objects.filter(system=system).select_related("team").order_by("team__name")
    return tuple(rows.prefetch_related("team__members__user"))


def known_accounts(*, principal: Principal) -> QuerySet[User]:
    """The accounts that somebody knows of anyway: in one of their teams, or in a system whose admin they are.

    All for a superuser. For services and, as a list of names, for pages.
    """
    living = User.objects.filter(is_active=True).order_by("username")
    if principal.is_superuser or principal.user_id is None:
        return living if principal.is_superuser else living.none()
    admin = {"role": Membership.Role.ADMIN}
    mine = TeamMember.objects.filter(user_id=principal.user_id).values("team")
    systems = Q(
        system__in=Membership.objects.filter(user_id=principal.user_id, **admin).values("system")
    ) | Q(system__in=TeamRole.objects.filter(team__in=mine, **admin).values("system"))
    return living.filter(
        Q(pk__in=TeamMember.objects.filter(team__in=mine).values("user"))
        | Q(pk__in=Membership.objects.filter(systems).values("user"))
        | Q(
            pk__in=TeamMember.objects.filter(team__in=TeamRole.objects.filter(systems).values("team")).values(
                "user"
            )
        )
    )


def _seen(principal: Principal) -> QuerySet[Team]:
    if principal.is_superuser:
        return Team.objects.all()
    if principal.user_id is None:
        return Team.objects.none()
    return Team.objects.filter(pk__in=TeamMember.objects.filter(user_id=principal.user_id).values("team"))

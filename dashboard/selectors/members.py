"""Who has which role in a system, and who was invited."""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.models import Invitation, Membership, System, TeamMember, TeamRole


def list_members(*, system: System) -> tuple[Membership, ...]:
    """The roles that accounts have in a system, by name, with the accounts. One query."""
    rows = Membership.objects.filter(system=system).select_related("user")
    return tuple(rows.order_by("user__username"))


def accounts_of(system: System, *roles: str) -> QuerySet[User]:
    """The accounts that may sign in and have a role in a system, or one of some, by themselves or by a team; by name.

    For selectors.
    """
    wanted = {"system": system, **({"role__in": roles} if roles else {})}
    own = Membership.objects.filter(**wanted).values("user")
    of_teams = TeamMember.objects.filter(team__in=TeamRole.objects.filter(**wanted).values("team")).values(
        "user"
    )
    accounts = User.objects.filter(Q(pk__in=own) | Q(pk__in=of_teams), is_active=True)
    return accounts.order_by("username")


def list_admins(*, system: System) -> tuple[str, ...]:
    """The names of those who may change the roles in a system: whom to ask. One query."""
    return tuple(accounts_of(system, Membership.Role.ADMIN).values_list("username", flat=True))


def list_invitations(*, system: System) -> tuple[Invitation, ...]:
    """The invitations into a system that can be used now, the newest first, with who made them. One query."""
    now = timezone.now()
    rows = Invitation.objects.filter(system=system, used_at=None, revoked_at=None, expires_at__gt=now)
    return tuple(rows.select_related("created_by"))

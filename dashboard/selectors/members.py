"""Who has which role in a system, and who was invited."""

from django.utils import timezone

from dashboard.models import Invitation, Membership, System


def list_members(*, system: System) -> tuple[Membership, ...]:
    """The roles that accounts have in a system, by name, with the accounts. One query."""
    rows = Membership.objects.filter(system=system).select_related("user")
    return tuple(rows.order_by("user__username"))


def list_admins(*, system: System) -> tuple[str, ...]:
    """The names of those who may change the roles in a system: whom to ask. One query."""
    admins = Membership.objects.filter(system=system, role=Membership.Role.ADMIN, user__is_active=True)
    return tuple(admins.order_by("user__username").values_list("user__username", flat=True))


def list_invitations(*, system: System) -> tuple[Invitation, ...]:
    """The invitations into a system that can be used now, the newest first, with who made them. One query."""
    now = timezone.now()
    rows = Invitation.objects.filter(system=system, used_at=None, revoked_at=None, expires_at__gt=now)
    return tuple(rows.select_related("created_by"))

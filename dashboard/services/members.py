"""The roles that accounts have in a system: changing them and taking them away. Each change leaves a trace."""

from django.db import transaction

from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Membership, System
from dashboard.services import audit


def change_role(*, access: Access, user_id: int, role: str) -> Membership:
    """Give a member another role. Raises `NotFound`, `Forbidden`, and `Refused` for the last admin."""
    if role not in Membership.Role.values:
        raise Refused(f"the role is one of {', '.join(Membership.Role.values)}, not {role!r}")
    with transaction.atomic():
        member = _held_member(access, user_id, stays_admin=role == Membership.Role.ADMIN)
        before, member.role = member.role, Membership.Role(role)
        if before != member.role:
            member.save(update_fields=["role"])
            audit.record(
                access.principal, "change role", access.slug, of=str(member.user), was=before, role=role
            )
    return member


def remove_member(*, access: Access, user_id: int) -> str:
    """Take a member's role away; returns who it was. Raises `NotFound`, `Forbidden`, and `Refused` for the last admin."""
    with transaction.atomic():
        member = _held_member(access, user_id, stays_admin=False)
        member.delete()
        name = member.user.get_username()
        audit.record(access.principal, "remove member", access.slug, of=name, was=member.role)
    return name


def _held_member(access: Access, user_id: int, *, stays_admin: bool) -> Membership:
    """The member to be changed. The system's row is locked, so that two admins cannot put each other out."""
    access.check(Permission.ADMIN)
    System.objects.select_for_update().get(pk=access.system.pk)
    members = Membership.objects.filter(system=access.system)
    member = members.select_related("user").filter(user_id=user_id).first()
    if member is None:
        raise NotFound(f"{access.slug!r} has no such member")
    admins = members.filter(role=Membership.Role.ADMIN, user__is_active=True)
    if not stays_admin and member.role == Membership.Role.ADMIN and not admins.exclude(pk=member.pk).exists():
        raise Refused(
            f"{member.user} is the only admin of {access.system.name}: make somebody else admin first, or nobody "
            "could give roles or delete the system"
        )
    return member

"""The roles that accounts have in a system: changing them and taking them away. Each change leaves a trace."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import transaction

from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Membership, System
from dashboard.selectors.members import list_admins
from dashboard.services import audit


def change_role(*, access: Access, user_id: int, role: str) -> Membership:
    """Give a member another role. Raises `NotFound`, `Forbidden`, and `Refused` for the last admin."""
    access.check(Permission.ADMIN)
    if role not in Membership.Role.values:
        raise Refused(f"the role is one of {', '.join(Membership.Role.values)}, not {role!r}")
    with keeping_admins([access.system]):
        member = _member(access, user_id)
        before, member.role = member.role, Membership.Role(role)
        if before != member.role:
            member.save(update_fields=["role"])
            audit.record(
                access.principal, "change role", access.slug, of=str(member.user), was=before, role=role
            )
    return member


def remove_member(*, access: Access, user_id: int) -> str:
    """Take a member's role away; returns who it was. Raises `NotFound`, `Forbidden`, and `Refused` for the last admin."""
    access.check(Permission.ADMIN)
    with keeping_admins([access.system]):
        member = _member(access, user_id)
        member.delete()
        name = member.user.get_username()
        audit.record(access.principal, "remove member", access.slug, of=name, was=member.role)
    return name


@contextmanager
def keeping_admins(systems: Sequence[System]) -> Iterator[None]:
    """Take a change back, by `Refused`, that leaves a system without the admins that it had.

    The systems' rows are locked, so that two admins cannot put each other out.
    """
    with transaction.atomic():
        ids = sorted(system.pk for system in systems)
        locked = list(System.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
        had = [system for system in locked if list_admins(system=system)]
        yield
        if bare := [system.name for system in had if not list_admins(system=system)]:
            raise Refused(
                f"{' and '.join(bare)} would have no admin any more, so that nobody could give roles or delete it: "
                "make somebody else admin first"
            )


def _member(access: Access, user_id: int) -> Membership:
    members = Membership.objects.filter(system=access.system, user_id=user_id)
    member = members.select_related("user").first()
    if member is None:
        raise NotFound(f"{access.slug!r} has no such member")
    return member

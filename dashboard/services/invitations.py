"""Invitations: a link gives whoever opens it one role in one system, once, also with a new account."""

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from dashboard.access import (
    GRANTED,
    Access,
    NotFound,
    Permission,
    Principal,
    Refused,
    permission_of,
)
from dashboard.models import Invitation, Membership, System
from dashboard.selectors.members import list_invitations
from dashboard.services import audit
from dashboard.services.logins import digest
from dashboard.services.plain_lines import check_line

MAX_DAYS = 30
_LONGEST_NOTE = 80
_MOST_OPEN = 100


def invite(*, access: Access, role: str, days: int = 7, note: str = "") -> tuple[Invitation, str]:
    """An invitation and its secret, which is stored only as its hash.

    Raises `Forbidden`, and `Refused` for a role, a number of days or a note that cannot be.
    """
    access.check(Permission.ADMIN)
    user_id = access.principal.user_id
    if user_id is None:
        raise Refused("an account invites: at the command line there is none")
    if role not in Membership.Role.values:
        raise Refused(f"the role is one of {', '.join(Membership.Role.values)}, not {role!r}")
    if not 1 <= days <= MAX_DAYS:
        raise Refused(f"an invitation lives 1 to {MAX_DAYS} days, not {days}")
    if len(note) > _LONGEST_NOTE:
        raise Refused(f"whom it is for takes up to {_LONGEST_NOTE} characters, not {len(note)}")
    check_line(note, "whom it is for")
    if len(list_invitations(system=access.system)) >= _MOST_OPEN:
        raise Refused(f"{_MOST_OPEN} invitations are open: revoke some of them first")
    secret = secrets.token_urlsafe(24)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            system=access.system,
            role=role,
            note=note,
            token_digest=digest(secret),
            created_by_id=user_id,
            expires_at=timezone.now() + timedelta(days=days),
        )
        about = {"invitation": invitation.pk, "role": role, "days": days, "note": note}
        audit.record(access.principal, "invite", access.slug, **about)
    return invitation, secret


def revoke_invitation(*, access: Access, invitation_id: int) -> None:
    """Let an invitation open nothing any more. Revoking twice changes nothing. Raises `NotFound`, `Forbidden`."""
    access.check(Permission.ADMIN)
    mine = Invitation.objects.filter(system=access.system, pk=invitation_id)
    if not mine.exists():
        raise NotFound("there is no such invitation")
    if mine.filter(revoked_at=None, used_at=None).update(revoked_at=timezone.now()):
        audit.record(access.principal, "revoke invitation", access.slug, invitation=invitation_id)


def opened_invitation(*, secret: str) -> Invitation | None:
    """The living invitation of a secret, or None: unknown, used, revoked and expired ones are all the same."""
    return _living(token_digest=digest(secret))


def kept_invitation(*, invitation_id: int | None) -> Invitation | None:
    """The invitation that somebody opened before, if it still lives."""
    return None if invitation_id is None else _living(pk=invitation_id)


def accept_invitation(*, user: User, invitation_id: int) -> Membership:
    """Give an account the role that it was invited to, and use the invitation up.

    Raises `Refused` where the invitation lives no more, or the account has that role or a higher one already.
    """
    now = timezone.now()
    with transaction.atomic():
        invitation = kept_invitation(invitation_id=invitation_id)
        # Of two who open one link at once, one gets in.
        unused = Invitation.objects.filter(pk=invitation_id, used_at=None, revoked_at=None)
        if invitation is None or not unused.update(used_at=now, used_by=user):
            raise Refused("This invitation was used, revoked or has expired: ask for a new one.")
        System.objects.select_for_update().get(pk=invitation.system_id)
        role = Membership.Role(invitation.role)
        member, is_new = Membership.objects.get_or_create(
            system=invitation.system, user=user, defaults={"role": role}
        )
        if not is_new:
            if GRANTED[Membership.Role(member.role)].value >= GRANTED[role].value:
                raise Refused(f"You are {member.role} of {invitation.system.name} already.")
            member.role = role
            member.save(update_fields=["role"])
        by = invitation.created_by.get_username()
        about = {"invitation": invitation.pk, "role": role.value, "invited_by": by}
        audit.record(Principal.of_account(user), "accept invitation", invitation.system.slug, **about)
    return member


def _living(**one: object) -> Invitation | None:
    """An invitation counts for as long as whoever made it could give that role."""
    invitation = (
        Invitation.objects.select_related("system", "created_by")
        .filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now(), system__visible=True, **one)
        .first()
    )
    if invitation is None or not invitation.created_by.is_active:
        return None
    permission = permission_of(Principal.of_account(invitation.created_by), invitation.system)
    return invitation if permission is Permission.ADMIN else None

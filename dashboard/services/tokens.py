"""Tokens, which act for their user in the API: making, revoking, and finding out whose one is."""

import secrets
from datetime import timedelta
from typing import NoReturn

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from dashboard.access import Permission, Principal, Refused, Scope, access_to
from dashboard.models import ApiToken
from dashboard.selectors.tokens import find_token, living_tokens
from dashboard.services import audit
from dashboard.services.logins import digest
from dashboard.services.plain_lines import check_line
from dashboard.services.tries import BRAKE_MINUTES, count_try, tries

MAX_DAYS = 365
MOST_OF_A_USER = 50
# What finds tokens in files and logs goes by how they begin.
PREFIX = "perfatlas_"
_MOST_GUESSES = 50
_LONGEST_NAME = 80
# What a token was last used is for people: a row is not written at each request.
_LAST_USE = timedelta(minutes=1)
_REMEMBERED_SECONDS = 3600
_GRANTED = {ApiToken.Scope.READ: Permission.VIEW, ApiToken.Scope.WRITE: Permission.ADMIN}


class TokenRefused(Exception):
    """No token, or none that acts for anybody; the words say why."""


class TooManyTokens(TokenRefused):
    """Too many tokens that there are not were tried from one address."""


def create_token(
    *, principal: Principal, name: str, scope: str, days: int, system: str = "", username: str = ""
) -> tuple[ApiToken, str]:
    """A token of a user, and its secret, which is stored only as its hash.

    Of the acting user; the operator names one by `username`. With the address of a `system` it acts there alone. Raises
    `Refused`, which names the field, and `NotFound` or `Forbidden` where the user cannot do there what the scope says.
    """
    name = name.strip()
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise Refused("name: say in up to 80 characters what the token is for")
    check_line(name, "name: it")
    if scope not in ApiToken.Scope.values:
        raise Refused(f"scope: it must be {' or '.join(ApiToken.Scope.values)}, not {scope!r}")
    if not 1 <= days <= MAX_DAYS:
        raise Refused(f"days: a token lives 1 to {MAX_DAYS} days, not {days}")
    user = _owner(principal, username)
    if living_tokens(user.pk).count() >= MOST_OF_A_USER:
        raise Refused(f"{user.get_username()} has {MOST_OF_A_USER} tokens: revoke one first")
    needed = Permission.EDIT if scope == ApiToken.Scope.WRITE else Permission.VIEW
    access = access_to(Principal.of_account(user), system, needed) if system else None
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        name=name,
        token_digest=digest(secret),
        user=user,
        scope=scope,
        system=None if access is None else access.system,
        expires_at=timezone.now() + timedelta(days=days),
    )
    audit.record(
        principal, "create token", system, token=token.pk, of=user.get_username(), scope=scope, days=days
    )
    return token, secret


def _owner(principal: Principal, username: str) -> User:
    """Whose token it will be."""
    wanted = {"username": username} if principal.is_operator else {"pk": principal.user_id}
    user = User.objects.filter(is_active=True, **wanted).first()
    if user is None:
        raise Refused(f"user: there is no account {username!r} that may sign in")
    return user


def revoke_token(*, principal: Principal, token_id: int) -> None:
    """Let a token act for nobody any more. Revoking twice changes nothing. Raises `NotFound`."""
    token = find_token(principal=principal, token_id=token_id)
    if ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=timezone.now()):
        slug = token.system.slug if token.system else ""
        audit.record(principal, "revoke token", slug, token=token_id, of=token.user.get_username())


def principal_of_token(*, secret: str, address: str) -> Principal:
    """Who acts by a token, no further than its scope. Raises `TokenRefused`. One query; a write a minute.

    Tokens that there are not are counted by the `address` they come from, each of them once, so that a forgotten job
    with an old token locks nobody out.
    """
    token = (
        ApiToken.objects.select_related("user", "system").filter(token_digest=digest(secret)).first()
        if secret.startswith(PREFIX)
        else None
    )
    if token is None:
        refuse_unknown(secret, address, "this token is unknown: make one by `manage.py token create`")
    now = timezone.now()
    if token.revoked_at is not None:
        raise TokenRefused(f"the token {token.name!r} was revoked: create another one")
    if token.expires_at <= now:
        raise TokenRefused(
            f"the token {token.name!r} expired on {token.expires_at:%Y-%m-%d}: create another one"
        )
    if not token.user.is_active:
        raise TokenRefused("the account of this token is locked")
    if token.last_used_at is None or token.last_used_at < now - _LAST_USE:
        unused = Q(last_used_at=None) | Q(last_used_at__lt=now - _LAST_USE)
        ApiToken.objects.filter(unused, pk=token.pk).update(last_used_at=now)
    remember_owner(secret, token.user_id)
    scope = Scope(_GRANTED[ApiToken.Scope(token.scope)], token.system_id)
    owner = Principal.of_account(token.user)
    return Principal(owner.user_id, owner.name, owner.is_superuser, scope)


def remember_owner(secret: str, user_id: int) -> None:
    """Keep in this process whose token or machine answers to a secret: it never becomes another's."""
    cache.set(f"owner-{digest(secret)}", user_id, _REMEMBERED_SECONDS)


def owner_of_secret(secret: str) -> int | None:
    """Whose secret it is, as this process has seen lately; None where it has not. No query. It opens nothing."""
    return cache.get(f"owner-{digest(secret)}") if secret else None


def refuse_unknown(secret: str, address: str, words: str) -> NoReturn:
    """Refuse a token that there is not with these words, and count it. For services. Raises `TokenRefused`."""
    if tries(("tokens", address)) >= _MOST_GUESSES:
        raise TooManyTokens(f"too many unknown tokens came from here: wait {BRAKE_MINUTES} minutes")
    if count_try(("token", address, digest(secret))) == 1:
        count_try(("tokens", address))
    raise TokenRefused(words)

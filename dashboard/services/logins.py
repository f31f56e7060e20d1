"""Signing in: one-time logins by the link that `serve` prints, and how often passwords and tokens may be tried."""

import hashlib
import logging
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from dashboard.models import LoginToken
from dashboard.services.tries import BRAKE_MINUTES, count_try

_log = logging.getLogger(__name__)

_LIFE = timedelta(hours=12)
# Tries of passwords within the minutes: for all names from one address, for one name from one address, and for one
# name from everywhere. The last is wide, so that nobody is easily locked out by others. The first comes first: who is over
# it leaves no more rows, whatever names they make up.
_MOST_TRIES = (50, 10, 200)


def digest(token: str) -> str:
    """The form in which a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def create_login_token(*, username: str = "admin") -> str:
    """A fresh token that signs `username` in once; the account is made a superuser without password if absent."""
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        user, created = User.objects.get_or_create(
            username=username, defaults={"is_superuser": True, "is_staff": True}
        )
        if created:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        LoginToken.objects.create(token_digest=digest(token), user=user, expires_at=timezone.now() + _LIFE)
    return token


def redeem_login_token(*, token: str) -> User | None:
    """The token's user, once and in time; None afterwards."""
    now = timezone.now()
    taken = LoginToken.objects.filter(
        token_digest=digest(token), used_at=None, expires_at__gt=now, user__is_active=True
    ).update(used_at=now)
    return User.objects.get(pk=LoginToken.objects.get(token_digest=digest(token)).user_id) if taken else None


def address_of(request: HttpRequest) -> str:
    """Where a request comes from."""
    address: str = request.META.get("REMOTE_ADDR", "")
    if settings.SECURE_PROXY_SSL_HEADER and request.is_secure():
        # The proxy's own word on who asked it: it is the last one.
        address = request.headers.get("X-Forwarded-For", address).rpartition(",")[2].strip()
    return address


class PasswordLimits:
    """Stands before Django's check of passwords, on every page that asks for one; signs nobody in itself."""

    def authenticate(self, request: HttpRequest | None, username: str | None = None, **_: object) -> None:
        """Count a try. Raises `ValidationError`, which the form shows, where there were too many."""
        if request is None or username is None:
            return
        address, name = address_of(request), username.casefold()
        for who, most in zip(((None, address), (name, address), (name, None)), _MOST_TRIES, strict=True):
            many = count_try(("password", *who))
            if many == most + 1:
                _log.warning("too many passwords were tried for %.150r from %.60r", username, address)
            if many > most:
                raise ValidationError(f"Too many tries. Wait {BRAKE_MINUTES} minutes.", code="too_many")

"""One-time logins: the link that `serve` prints."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from dashboard.models import LoginToken

_LIFE = timedelta(hours=12)


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

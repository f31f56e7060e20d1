"""All accounts, and where one is signed in."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.access import Forbidden, Principal
from dashboard.models import SignIn


def list_sign_ins(*, principal: Principal) -> tuple[SignIn, ...]:
    """One's own sign-ins that still live, the last used first. One query."""
    living = own_sign_ins(principal).filter(session__expire_date__gt=timezone.now())
    return tuple(living.order_by("-last_seen_at"))


def own_sign_ins(principal: Principal) -> QuerySet[SignIn]:
    """The sign-ins of whoever asks. For services."""
    rows = SignIn.objects.all()
    return rows.none() if principal.user_id is None else rows.filter(user_id=principal.user_id)


def list_accounts(*, principal: Principal) -> tuple[User, ...]:
    """Every account, by name. Raises `Forbidden` for who is no superuser. One query."""
    if not principal.is_superuser:
        raise Forbidden("superusers see all accounts")
    return tuple(User.objects.order_by("username"))

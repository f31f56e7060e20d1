"""Tokens to read: who has which. What they consist of is stored nowhere."""

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.access import NotFound, Principal
from dashboard.models import ApiToken


def list_tokens(*, principal: Principal) -> tuple[ApiToken, ...]:
    """The principal's own tokens, the newest first, with their systems; the operator's are those of everybody. One query."""
    return tuple(_own(principal))


def find_token(*, principal: Principal, token_id: int) -> ApiToken:
    """One of the principal's own tokens. Raises `NotFound`."""
    token = _own(principal).filter(pk=token_id).first()
    if token is None:
        raise NotFound(f"you have no token {token_id}")
    return token


def living_tokens(user_id: int) -> QuerySet[ApiToken]:
    """The tokens of a user that act for them now. For services."""
    return ApiToken.objects.filter(user_id=user_id, revoked_at=None, expires_at__gt=timezone.now())


def _own(principal: Principal) -> QuerySet[ApiToken]:
    tokens = ApiToken.objects.select_related("user", "system")
    if principal.is_operator:
        return tokens
    return tokens.none() if principal.user_id is None else tokens.filter(user_id=principal.user_id)

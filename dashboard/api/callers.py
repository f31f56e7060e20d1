"""Who calls the API: whoever acts by the token of a request."""

from django.http import HttpRequest
from ninja.security import HttpBearer

from dashboard.access import Principal
from dashboard.services.logins import address_of
from dashboard.services.tokens import principal_of_token


class Token(HttpBearer):
    """A token in the header `Authorization`; cookies and addresses sign nobody in."""

    def authenticate(self, request: HttpRequest, token: str) -> Principal:
        """Who acts by the token. Raises `TokenRefused`."""
        return principal_of_token(secret=token.strip(), address=address_of(request))


def caller(request: HttpRequest) -> Principal:
    """Who acts by the token of a request."""
    principal: Principal = request.auth  # type: ignore[attr-defined] # ninja sets it to what `Token` found
    return principal

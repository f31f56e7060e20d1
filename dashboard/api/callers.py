"""Who calls the API: whoever acts by the token of a request, and what that opens of a system."""

from django.http import HttpRequest
from ninja.security import HttpBearer

from dashboard.access import Access, Permission, Principal, access_to
from dashboard.services.logins import address_of
from dashboard.services.machines.registry import machine_of_secret
from dashboard.services.tokens import principal_of_token


class Token(HttpBearer):
    """A token in the header `Authorization`; cookies and addresses sign nobody in."""

    def authenticate(self, request: HttpRequest, token: str) -> Principal:
        """Who acts by the token. Raises `TokenRefused`."""
        return principal_of_token(secret=token.strip(), address=address_of(request))


class MachineToken(HttpBearer):
    """The secret of a machine, in the same header: it opens what a machine does, and nothing else."""

    def authenticate(self, request: HttpRequest, token: str) -> object:
        """The machine that it is of. Raises `TokenRefused`."""
        return machine_of_secret(secret=token.strip(), address=address_of(request))


def caller(request: HttpRequest) -> Principal:
    """Who acts by the token of a request."""
    principal: Principal = request.auth  # type: ignore[attr-defined] # ninja sets it to what `Token` found
    return principal


def reading(request: HttpRequest, system: str) -> Access:
    """The caller's access to a system that it may see. Raises `NotFound`."""
    return access_to(caller(request), system)


def writing(request: HttpRequest, system: str) -> Access:
    """The caller's access to a system that it may change. Raises `NotFound` and `Forbidden`."""
    return access_to(caller(request), system, Permission.EDIT)

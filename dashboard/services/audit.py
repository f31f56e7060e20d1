"""The trace that changes leave."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponse

from dashboard.access import Principal
from dashboard.models import AuditEntry
from dashboard.services.logins import address_of

# Where the present request comes from; blank for jobs and commands.
_address: ContextVar[str] = ContextVar("address", default="")
_LONGEST_ADDRESS = 60


def note_address(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that lets entries of a request say from where it came."""

    def noting(request: HttpRequest) -> HttpResponse:
        token = _address.set(address_of(request)[:_LONGEST_ADDRESS])
        try:
            return answer(request)
        finally:
            _address.reset(token)

    return noting


def record(principal: Principal, action: str, system_slug: str, /, **details: Any) -> None:
    """Write who did what to which system."""
    AuditEntry.objects.create(
        actor=principal.name,
        action=action,
        system_slug=system_slug,
        details=details,
        address=_address.get(),
    )

"""Views of one system: who asks, and with which permission, is resolved at each request, also at each press of a button."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.access import Forbidden, NotFound, Permission, Principal, Refused, access_to

View = Callable[..., HttpResponse]
# What a table counts by has fewer.
_DIGITS = 19


def gone(request: HttpRequest, text: str, title: str = "This link does not work") -> HttpResponse:
    """The page behind a link that opens nothing: mistyped, used or expired, it is always the same."""
    return render(request, "people/gone.html", {"title": title, "text": text}, status=404)


def without_secret(request: HttpRequest, name: str, found: object, page: str) -> HttpResponse:
    """Keep what a link opened in the session and lead to the page that has no secret in its address."""
    request.session[name] = found
    answer = redirect(page)
    answer["Referrer-Policy"] = "no-referrer"
    return answer


def whole_number(text: str) -> int:
    """The number that a field or an address says; 0, which nothing is numbered, where it says none or one that no table holds."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else 0


def system_view(permission: Permission, *methods: str) -> Callable[[View], View]:
    """Let members with a permission in the system `slug` of the address ask a view by some methods.

    The view gets the access in place of the slug. Who may not know of the system reads that there is nothing.
    """

    def register(view: View) -> View:
        @never_cache
        @login_required
        @require_http_methods(methods)
        @wraps(view)
        def resolved(request: HttpRequest, slug: str, **parts: Any) -> HttpResponse:
            try:
                access = access_to(Principal.of_account(request.user), slug, permission)
                return view(request, access, **parts)
            except NotFound as error:
                raise Http404(str(error)) from error
            except Forbidden as error:
                raise PermissionDenied(str(error)) from error

        return resolved

    return register


def told(request: HttpRequest, act: Callable[[], str]) -> None:
    """Do what a button stands for; the next page says what was done, or why it was not."""
    try:
        messages.success(request, act())
    except Refused as error:
        text = str(error)
        messages.error(request, text[:1].upper() + text[1:])

"""Signing in by OpenID Connect: to the provider, and back from it. There are these addresses where a provider is set alone."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from dashboard.access import Refused
from dashboard.services.openid import come_back, leave
from dashboard.services.openid_accounts import account_of


def _or_back_to_sign_in(request: HttpRequest, act: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return act()
    except Refused as error:
        messages.error(request, str(error))
        return redirect("login")


@never_cache
@require_GET
def to_provider(request: HttpRequest) -> HttpResponse:
    """Lead to the provider. Nothing but a page of ours comes after it."""
    wanted = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    next_page = wanted if is_ours else settings.LOGIN_REDIRECT_URL
    back = request.build_absolute_uri(reverse("openid-back"))
    return _or_back_to_sign_in(request, lambda: redirect(leave(request, back=back, next_page=next_page)))


@never_cache
@require_GET
def from_provider(request: HttpRequest) -> HttpResponse:
    """Sign in whom the provider vouches for, in a session that nobody knew before."""

    def act() -> HttpResponse:
        told, next_page = come_back(request)
        login(request, account_of(told), backend="django.contrib.auth.backends.ModelBackend")
        return redirect(next_page)

    return _or_back_to_sign_in(request, act)


urlpatterns = [
    path("login/openid/", to_provider, name="openid"),
    path("login/openid/back/", from_provider, name="openid-back"),
]

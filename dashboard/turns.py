"""Requests take turns: nobody keeps all threads of a web process busy, by however many connections they ask."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from dashboard.selectors.computed_once import computing_for
from dashboard.services.logins import address_of
from dashboard.services.serving.turns import Turn, begin, end
from dashboard.services.tokens import owner_of_secret
from dashboard.uploads import refusal, secret_of

_RETRY_SECONDS = "1"
_WORDS = "You ask for too much at once. Ask again when some of your other requests are answered."
# Quick, the same for everybody, and asked by what watches the installation or for each page.
_FREE = ("/healthz", "/readyz", "/app/_dash-component-suites/", "/app/assets/", "/charts/")


class PutBack(HttpResponse):
    """Never sent: the web server asks again in a moment."""


def take_turns(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that lets an account, or who is not signed in at an address, have some requests answered at once.

    Others of theirs wait in the web server, without a thread. Where too many wait, or the body is not here as a whole,
    the answer is 429.
    """

    def take(request: HttpRequest) -> HttpResponse:
        if request.path.startswith(_FREE):
            return answer(request)
        asker = _asker(request)
        turn = begin(asker, request.META.get("gunicorn.socket"))
        if turn is Turn.LATER:
            return PutBack()
        if turn is Turn.NEVER:
            return refusal(request, HTTPStatus.TOO_MANY_REQUESTS, _WORDS, **{"Retry-After": _RETRY_SECONDS})
        before = computing_for.set(asker)
        try:
            return answer(request)
        finally:
            computing_for.reset(before)
            end(asker)

    return take


def _asker(request: HttpRequest) -> str:
    """An account has one name, whichever of its tokens, machines or browsers asks.

    A token is known by its first answer: until then it counts as its address, so that many new ones help nobody.
    """
    if request.path.startswith(reverse("api:openapi").removesuffix("openapi.json")):
        owner = owner_of_secret(secret_of(request))
    else:
        owner = request.user.pk if request.user.is_authenticated else None
    return f"address {address_of(request)}" if owner is None else f"account {owner}"

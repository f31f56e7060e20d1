"""Where an account is signed in: noted at its requests, ended by its person. No key of a session leaves this module."""

from collections.abc import Callable
from contextlib import suppress

from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.access import NotFound, Principal
from dashboard.models import SignIn
from dashboard.selectors.accounts import own_sign_ins
from dashboard.services import audit
from dashboard.services.logins import address_of, digest
from dashboard.services.visits import browser_of

_NOTED_EVERY_SECONDS = 60
_LONGEST_ADDRESS = 60


def note_sign_ins(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that notes, once a minute, that a session was used, from where and by which browser.

    It looks at requests alone that asked who is signed in anyway, so that nothing is asked of the database for others.
    """

    def noting(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        key = request.session.session_key if request.session.accessed else None
        is_signed_in = key is not None and request.user.is_authenticated
        if not is_signed_in or not cache.add(f"seen:{digest(str(key))}", True, _NOTED_EVERY_SECONDS):
            return response
        told = {
            "user": request.user,
            "last_seen_at": timezone.now(),
            "address": address_of(request)[:_LONGEST_ADDRESS],
            "browser": browser_of(request.headers.get("User-Agent", "")),
        }
        # The session may have been ended meanwhile, or the disk be full: the answer goes out all the same.
        with suppress(DatabaseError), transaction.atomic():
            SignIn.objects.update_or_create(session_id=key, defaults=told)
        return response

    return noting


def end_sign_in(*, principal: Principal, sign_in_id: int) -> None:
    """End one of one's own sign-ins; its next request is a stranger's. Raises `NotFound`."""
    mine = own_sign_ins(principal).filter(pk=sign_in_id).first()
    if mine is None:
        raise NotFound("there is no such sign-in of yours")
    Session.objects.filter(pk=mine.session_id).delete()
    audit.record(principal, "end sign-in", "", browser=mine.browser)


def end_other_sign_ins(*, principal: Principal, session_key: str | None) -> int:
    """End all of one's own sign-ins but that of the present session; how many they were."""
    others = own_sign_ins(principal).exclude(session_id=session_key)
    keys = list(others.values_list("session_id", flat=True))
    Session.objects.filter(pk__in=keys).delete()
    if keys:
        audit.record(principal, "end sign-ins", "", number=len(keys))
    return len(keys)

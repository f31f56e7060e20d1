"""Nobody keeps all threads of a web process busy."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from dashboard import views
from dashboard.models import System
from dashboard.selectors.computed_once import computing_for
from dashboard.services.serving import turns
from tests.dashboard.api.conftest import call, token_of
from tests.dashboard.gate.calls import signed_in
from tests.people import Person


@contextmanager
def _busy(asker: str) -> Iterator[None]:
    """As many requests of the asker as may be are being answered."""
    with ExitStack() as begun:
        while turns.places(asker):
            assert turns.begin(asker) is turns.Turn.NOW
            begun.callback(turns.end, asker)
        yield


def _of(person: Person) -> str:
    return f"account {person.user.pk}"


def test_an_account_that_asks_much_at_once_is_refused_and_others_are_served(
    alice: Person, bob: Person, system: System
) -> None:
    alices, bobs = signed_in(alice.user), signed_in(bob.user)
    with _busy(_of(alice)):
        refused = alices.get("/app/")
        assert (refused.status_code, refused["Retry-After"]) == (429, "1")
        assert bobs.get("/app/").status_code == 200
        assert Client().get("/login/").status_code == 200
    assert alices.get("/app/").status_code == 200


def test_tokens_count_with_the_pages_of_their_account(alice: Person, bob: Person, system: System) -> None:
    """From the second request on; each in the shape of all errors."""
    tokens = [token_of(alice) for _ in range(2)]
    other = token_of(bob)
    assert [call(one, "GET", "/systems").status_code for one in (*tokens, other)] == [200] * 3
    with _busy(_of(alice)):
        for one in tokens:
            refused = call(one, "GET", "/systems")
            assert (refused.status_code, refused["Retry-After"]) == (429, "1")
            assert refused["Content-Type"] == "application/problem+json"
            assert refused.json()["status"] == 429
        assert call(other, "GET", "/systems").status_code == 200
    assert call(tokens[0], "GET", "/systems").status_code == 200


def test_who_is_not_known_counts_by_address(alice: Person, system: System) -> None:
    """Also with tokens that nobody has seen yet, so that many new ones help nobody."""
    with _busy("address 127.0.0.1"):
        assert Client().get("/login/").status_code == 429
        assert call(token_of(alice), "GET", "/systems").status_code == 429
        assert call("perfatlas_made_up", "GET", "/systems").status_code == 429
        assert Client().get("/login/", REMOTE_ADDR="192.0.2.1").status_code == 200
        assert signed_in(alice.user).get("/app/").status_code == 200


def test_what_watches_the_installation_is_never_refused(db: None) -> None:
    with _busy("address 127.0.0.1"):
        assert Client().get("/healthz").status_code == 200
        assert Client().get("/readyz").status_code in {200, 503}


def test_a_place_is_given_back_whatever_happens(
    alice: Person, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(views, "_call_dash", fail)
    client = signed_in(alice.user, raise_request_exception=False)
    for _ in range(2 * turns.MOST_AT_ONCE):
        assert client.get("/app/").status_code == 500
    assert turns.places(_of(alice)) == turns.MOST_AT_ONCE


def test_what_is_computed_for_a_request_is_computed_for_who_asks(
    alice: Person, bob: Person, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the thread is nobody's afterwards."""
    seen = []

    def note(*_: Any, **__: Any) -> HttpResponse:
        seen.append(computing_for.get())
        return HttpResponse()

    monkeypatch.setattr(views, "_call_dash", note)
    for one in (alice, bob):
        signed_in(one.user).get("/app/")
    assert seen == [_of(alice), _of(bob)]
    assert computing_for.get() == ""

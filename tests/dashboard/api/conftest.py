"""Two systems, tokens of their people, and calls as a program makes them."""

import copy
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.celery import app
from dashboard.models import ApiToken, System
from dashboard.services.tokens import create_token
from tests.dashboard.api import world as worlds
from tests.dashboard.kept import Rows, all_rows, put_back
from tests.people import Person
from tests.standing import Standing, that_commit

Call = Callable[..., Any]


@pytest.fixture(scope="session")
def make_world(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], worlds.World]:
    """Makes the two systems in an empty database: the first time by measuring, then from the rows that were kept."""
    kept: list[Rows] = []

    def make() -> worlds.World:
        if kept:
            put_back(kept[0])
        else:
            for name in (worlds.OWN, worlds.FOREIGN):
                worlds.furnish(worlds.measure(name, tmp_path_factory.mktemp(name)))
            kept.append(all_rows())
        people = worlds.people()
        own, foreign = (worlds.places(System.objects.get(slug=slug)) for slug in (worlds.OWN, worlds.FOREIGN))
        own_machine, foreign_machine = worlds.machines(people)
        return worlds.World({**own, **own_machine}, {**foreign, **foreign_machine}, **people)

    return make


@pytest.fixture(scope="module")
def standing_world(
    request: pytest.FixtureRequest, make_world: Callable[[], worlds.World]
) -> worlds.World | None:
    """The two systems, which stand while the tests of a module run; None where one of them commits."""
    if that_commit(request):
        return None
    standing: Standing = request.getfixturevalue("standing")
    with standing(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "send_task", lambda *_, **__: None)
        return make_world()


@pytest.fixture
def world(
    standing_world: worlds.World | None, db: None, sent: list[int], make_world: Callable[[], worlds.World]
) -> worlds.World:
    """Two measured systems and their people, of the test's own. Made before anything else: rows keep their keys."""
    return copy.deepcopy(standing_world) or make_world()


def token_of(person: Person, scope: str = "write", **about: Any) -> str:
    """The secret of a new token of a person."""
    return create_token(principal=person.principal, name="test", scope=scope, days=1, **about)[1]


def expired_token_of(person: Person) -> str:
    """Of one whose time is over."""
    token, secret = create_token(principal=person.principal, name="old", scope="write", days=1)
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    return secret


def call(secret: str, method: str, path: str, **named: Any) -> Any:
    """Answer a call below `/api/v1`, with a token or without one ("")."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    headers |= named.pop("headers", {})
    client = Client(enforce_csrf_checks=True, raise_request_exception=False, headers=headers)
    return client.generic(method, f"/api/v1{path}", **named)


@pytest.fixture
def anonymous(db: None) -> Call:
    """Calls without a token."""
    return lambda method, path, **named: call("", method, path, **named)

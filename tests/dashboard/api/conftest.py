"""Tokens of the people of the tests, and calls as a program makes them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from dashboard.models import ApiToken
from dashboard.services.tokens import create_token
from tests.people import Person

Call = Callable[..., Any]


@pytest.fixture(autouse=True)
def nobody_tried() -> Iterator[None]:
    """No unknown token was tried yet."""
    cache.clear()
    yield
    cache.clear()


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
    client = Client(enforce_csrf_checks=True, raise_request_exception=False, headers=headers)
    return client.generic(method, f"/api/v1{path}", **named)


@pytest.fixture
def anonymous(db: None) -> Call:
    """Calls without a token."""
    return lambda method, path, **named: call("", method, path, **named)

"""Passwords cannot be tried without end."""

import logging
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from dashboard.models import TryCount
from dashboard.services.tries import tries
from tests.people import Person

pytestmark = pytest.mark.django_db


def _try(client: Client, password: str, address: str = "/login/", name: str = "alice", **about: Any) -> str:
    """What the page says after a try; empty where it let us in."""
    answer = client.post(address, {"username": name, "password": password}, **about)
    return "" if answer.status_code == 302 else answer.content.decode()


@pytest.mark.parametrize("address", ["/login/", "/admin/login/"])
def test_after_ten_tries_the_right_password_is_refused_too(
    client: Client, alice: Person, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    """On the page of the admin as well; the log says so once, however often it goes on."""
    alice.user.is_staff = True
    alice.user.save()
    for _ in range(10):
        assert "Too many tries" not in _try(client, "wrong", address)
    with caplog.at_level(logging.WARNING, "dashboard.services.logins"):
        for _ in range(5):
            assert "Too many tries. Wait 5 minutes." in _try(client, "alice", address)
    assert len(caplog.records) == 1
    assert "'alice' from '127.0.0.1'" in caplog.text


def test_a_name_in_other_letters_is_the_same_name(client: Client, alice: Person) -> None:
    for _ in range(10):
        _try(client, "wrong", name="ALICE")
    assert "Too many tries" in _try(client, "alice")


def test_nobody_is_locked_out_by_tries_from_elsewhere(client: Client, alice: Person) -> None:
    for _ in range(20):
        _try(client, "wrong", REMOTE_ADDR="192.0.2.1")
    assert _try(client, "alice") == ""


def test_many_names_from_one_address_are_tries_too(client: Client, alice: Person) -> None:
    for number in range(50):
        _try(client, "wrong", name=f"name{number}")
    assert "Too many tries" in _try(client, "alice")


def test_behind_a_proxy_its_word_tells_addresses_apart(
    client: Client, alice: Person, settings: Settings
) -> None:
    """What a stranger writes before it counts for nothing; without TLS at a proxy, nothing of it does."""
    proxy = {"HTTP_X_FORWARDED_PROTO": "https"}
    for header in (("HTTP_X_FORWARDED_PROTO", "https"), None):
        settings.SECURE_PROXY_SSL_HEADER = header
        for number in range(12):
            address = f"10.0.0.{number}, 192.0.2.1" if header else f"10.0.0.{number}"
            said = _try(client, "wrong", HTTP_X_FORWARDED_FOR=address, **proxy)
        assert "Too many tries" in said
        other = _try(client, "alice", HTTP_X_FORWARDED_FOR="192.0.2.2", **proxy)
        assert ("Too many tries" in other) == (header is None)
        TryCount.objects.all().delete()


def test_a_name_is_not_taken_for_something_else_that_is_counted(client: Client) -> None:
    for _ in range(3):
        _try(client, "wrong", name="password link")
    assert tries(("password link", None)) == 0

"""Links begin with the public address, warn where nobody else can open them, and stay out of the log."""

import logging

import pytest
from django.test import Client
from pytest_django import Settings

from dashboard.logs import PlainLines
from dashboard.services.public_address import public_url, reach_warning


@pytest.mark.parametrize(
    ("setting", "url"),
    [
        ("", "http://here:8000/r/x/"),
        ("https://perf.example.org", "https://perf.example.org/r/x/"),
        ("https://example.org/perf", "https://example.org/perf/r/x/"),
    ],
)
def test_links_begin_with_the_public_address(settings: Settings, setting: str, url: str) -> None:
    settings.PUBLIC_URL = setting
    assert public_url("/r/x/", opened_at="http://here:8000/") == url


@pytest.mark.parametrize(
    ("url", "is_warned_of"),
    [
        ("http://127.0.0.1:8000/r/x/", True),
        ("http://127.8.0.1/", True),
        ("http://[::1]:8000/", True),
        ("http://localhost:8000/", True),
        ("http://perf.localhost/", True),
        ("http://0.0.0.0:8000/", True),
        ("http://192.168.1.4:8000/", False),
        ("https://perf.example.org/", False),
    ],
)
def test_addresses_of_this_machine_are_warned_of(url: str, is_warned_of: bool) -> None:  # noqa: FBT001 -- a table
    assert bool(reach_warning(url)) == is_warned_of


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "/r/the-secret/",
        "/r/the-secret/report.html",
        "/join/the-secret/",
        "/login/the-secret/",
        "/reset/MQ/the-secret/x",
        "/address/the-secret/",
        "/alert/the-secret/",
        "/badge/the-secret.svg",
    ],
)
def test_the_log_tells_no_secret(
    client: Client, path: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", PlainLines())
    with caplog.at_level(logging.WARNING):
        assert client.get(path).status_code == 404
    assert caplog.records
    assert "secret" not in caplog.text
    assert "/…" in caplog.text

"""Bodies of requests: nothing of a stranger's is read or lies on the disk."""

import io
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from dashboard import uploads
from tests.dashboard.gate.calls import ADDRESS, signed_in
from tests.people import Person


class _Unread(io.RawIOBase):
    """A body that says when somebody reads it."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("the body was read")


def _post(client: Client, address: str, length: int) -> int:
    about: Any = {"CONTENT_LENGTH": length, "wsgi.input": _Unread()}
    return client.generic(
        "POST", address, content_type="multipart/form-data; boundary=x", **about
    ).status_code


@pytest.mark.parametrize(
    "address", ["/login/", "/import/", "/admin/login/", ADDRESS, "/nothing/", "/healthz"]
)
def test_a_large_body_of_a_stranger_is_refused_unread(db: None, address: str) -> None:
    assert _post(Client(enforce_csrf_checks=True), address, 200_000) == 413


@pytest.mark.parametrize("address", ["/login/", ADDRESS, "/import/x/", "/logout/"])
def test_files_are_taken_on_the_page_of_imports_alone(alice: Person, address: str) -> None:
    assert _post(signed_in(alice.user), address, 300_000_000) == 413


@pytest.mark.parametrize("sending", [{"alice": 2}, {"alice": 1, "bob": 2}], ids=["own", "of all"])
def test_only_some_files_come_in_at_once(
    alice: Person, bob: Person, monkeypatch: pytest.MonkeyPatch, sending: Mapping[str, int]
) -> None:
    """The others may try again; pages are served meanwhile, and nobody keeps all places."""
    people = {"alice": alice.user.pk, "bob": bob.user.pk}
    now = Counter({people[name]: many for name, many in sending.items()})
    monkeypatch.setattr(uploads, "_sending", now)
    client = signed_in(alice.user)
    assert _post(client, "/import/", 300_000_000) == 503
    assert client.get("/import/").status_code == 200
    if "bob" not in sending:
        assert _post(signed_in(bob.user), "/import/", 300_000_000) != 503
    assert now == Counter({people[name]: many for name, many in sending.items()})


@pytest.mark.parametrize("address", ["/login/", "/import/"])
def test_a_small_file_of_a_stranger_is_on_no_disk(
    db: None, address: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the token of the form is looked for."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "absent")  # writing there would fail
    client = Client(enforce_csrf_checks=True)
    token = re.findall(r'csrfmiddlewaretoken" value="(\w+)"', client.get("/login/").content.decode())[0]
    data = {"csrfmiddlewaretoken": token, "file": SimpleUploadedFile("t.csv", b"x" * 1000)}
    assert client.post(address, data).status_code in {200, 302, 403}

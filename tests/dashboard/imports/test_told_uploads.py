"""A file whose format nobody chose: its content tells it, or it is refused and goes."""

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.people import create_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(client: Client, settings: LazySettings, tmp_path: Path) -> Client:
    """A signed-in person; uploads lie in a folder of the test."""
    settings.VAR = tmp_path
    client.force_login(create_person("ada").user)
    return client


def test_the_content_tells_the_format_and_what_is_missing_is_asked_for(browser: Client) -> None:
    output = b"goos: linux\npkg: sums\nBenchmarkSum/n=10-2  1000  2.5 ns/op\nPASS\n"
    data = {"format": "told", "system": "Toy", "file": SimpleUploadedFile("out.log", output)}
    address = browser.post("/import/", data)["Location"]
    page = browser.get(address).content.decode()
    assert "Results of a benchmark tool" in page
    assert "“Revision”: out.log does not tell which revision ran" in page
    page = browser.post(address, {"set-revision": "v1", "check": "1"}).content.decode()
    assert "out.log is the output of go test: 1 benchmark." in page


def test_content_that_tells_no_format_is_told_and_not_kept(browser: Client, tmp_path: Path) -> None:
    data = {"format": "told", "system": "Toy", "file": SimpleUploadedFile("t.txt", b"hello\n")}
    answer = browser.post("/import/", data)
    assert answer.status_code == 400
    assert "tells no format that is known. Choose what the file holds" in answer.content.decode()
    assert not list((tmp_path / "uploads").iterdir())

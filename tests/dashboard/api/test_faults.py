"""What an answer tells of a fault: where it lies if it is the caller's, and nothing if it is ours."""

import pytest

from tests.dashboard.api.conftest import call, token_of
from tests.people import Person


def test_a_wrong_value_is_told_at_its_place(alice: Person) -> None:
    answer = call(token_of(alice), "GET", "/systems?limit=0&offset=x")
    assert answer.status_code == 422
    assert [fault["place"] for fault in answer.json()["errors"]] == ["query.limit", "query.offset"]
    assert answer["Cache-Control"] == "no-store"


def test_a_fault_of_ours_is_told_without_its_words(
    alice: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("dashboard.api.systems.list_systems", fail)
    answer = call(token_of(alice), "GET", "/systems")
    assert answer.status_code == 500
    assert "42" not in answer.content.decode()
    assert "the secret is 42" in caplog.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("settings=a&" * 5000, "exceeded"),
        ("--x\r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n" * 5000 + "--x--\r\n", "exceeded"),
        ("nothing", "boundary"),
    ],
)
def test_a_form_that_cannot_be_read_is_the_callers_fault(alice: Person, body: str, words: str) -> None:
    kind = (
        "application/x-www-form-urlencoded"
        if body.startswith("settings")
        else "multipart/form-data; boundary"
    )
    kind += "=x" if body.startswith("--x") else ""
    answer = call(token_of(alice), "POST", "/imports", data=body, content_type=kind)
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert words in answer.json()["detail"]

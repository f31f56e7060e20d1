"""The gate: who is let through to Dash, and what it refuses."""

import json
import re
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import Settings

from dashboard.access import current_principal
from dashboard.models import System
from dashboard.pages.frame.problems import problem
from tests.dashboard.gate.calls import ADDRESS, call, signed_in
from tests.people import Person


def test_a_page_asks_a_stranger_to_sign_in_and_keeps_the_way_back(client: Client, db: None) -> None:
    answer = client.get("/app/s/small/influences?term=A")
    assert answer.status_code == 302
    assert answer["Location"] == "/login/?next=/app/s/small/influences%3Fterm%3DA"


@pytest.mark.parametrize("path", ["_dash-layout", "_dash-dependencies", "_dash-update-component"])
def test_a_call_answers_a_stranger_with_401_and_json(client: Client, db: None, path: str) -> None:
    """A redirect would be followed by the script in silence."""
    answer = client.post(f"/app/{path}", "{}", content_type="application/json")
    assert answer.status_code == 401
    assert answer.json() == {"error": "sign in first"}


@pytest.mark.parametrize("path", ["_reload-hash", "_dash-component-suites", "_favicon.ico", "_alive_1234"])
def test_nothing_but_the_known_calls_exists(alice: Person, path: str) -> None:
    assert signed_in(alice.user).get(f"/app/{path}").status_code == 404


def test_a_page_is_never_cached_and_allows_no_foreign_script(alice: Person) -> None:
    answer = signed_in(alice.user).get("/app/")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
    assert policy["script-src"].startswith("'self' 'sha256-")
    assert "unsafe" not in policy["script-src"]
    assert b"http://" not in answer.content.replace(b"http://www.w3.org", b"")
    assert b"https://" not in answer.content


@pytest.mark.parametrize("path", ["/app/s/small/nowhere", "/app/elsewhere"])
def test_an_address_of_no_page_answers_404_with_the_explorer(alice: Person, path: str) -> None:
    """The explorer draws the state; its status is for everybody else."""
    answer = signed_in(alice.user).get(path)
    assert answer.status_code == 404
    assert b"react-entry-point" in answer.content


def test_a_call_without_the_token_is_refused(alice: Person) -> None:
    answer = signed_in(alice.user, enforce_csrf_checks=True).post(
        ADDRESS, "{}", content_type="application/json"
    )
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", "null", "{}", '{"output": "nothing.children", "inputs": [], "changedPropIds": []}'],
)
def test_a_malformed_call_is_the_callers_fault(
    alice: Person, body: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = signed_in(alice.user).post(ADDRESS, body, content_type="application/json")
    assert answer.status_code in {400, 415}
    assert b"Traceback" not in answer.content
    assert "Traceback" not in caplog.text


def test_a_call_sees_what_the_signed_in_user_sees(alice: Person, charlie: Person) -> None:
    member = call(signed_in(alice.user), "system-switcher-name.children", "small").json()["response"]
    assert member["system-switcher-name"]["children"] == "Small"
    assert [section["section"] for section in member["sections"]["data"]][:1] == [""]
    stranger = call(signed_in(charlie.user), "system-switcher-name.children", "small").json()["response"]
    assert stranger["system-switcher-name"]["children"] == "Systems"
    assert stranger["sections"]["data"] == []


def test_nobody_acts_after_the_answer(alice: Person) -> None:
    call(signed_in(alice.user), "system-switcher-name.children", "small")
    assert current_principal.get() is None


def test_a_page_of_a_hidden_system_shows_that_nothing_is_here(charlie: Person, system: System) -> None:
    """Absent and hidden look the same."""
    client = signed_in(charlie.user)
    hidden = call(client, "content.children", "/app/s/small/", state=("",)).json()["response"]
    absent = call(client, "content.children", "/app/s/large/", state=("",)).json()["response"]
    assert "Nothing here" in json.dumps(hidden["content"])
    assert json.dumps(hidden).replace("small", "large") == json.dumps(absent)


def test_long_answers_are_compressed_where_the_browser_can_read_that(alice: Person) -> None:
    client = signed_in(alice.user)
    plain = client.get("/app/_dash-dependencies")
    small = client.get("/app/_dash-dependencies", headers={"Accept-Encoding": "gzip, br"})
    assert small["Content-Encoding"] == "br"
    assert len(small.content) < len(plain.content) / 2


def test_an_unexpected_error_shows_no_traceback(
    settings: Settings, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of pages and callbacks, Django's own page of our making answers."""

    def fail(*_: object) -> None:
        raise RuntimeError("the secret is 42")

    assert settings.DEBUG is False
    monkeypatch.setattr("dashboard.views.read_address", fail)
    client = signed_in(alice.user, raise_request_exception=False)
    answer = client.get("/app/")
    assert answer.status_code == 500
    assert b"Something went wrong" in answer.content
    assert b"42" not in answer.content


def test_what_a_callback_refuses_is_shown_above_the_page(charlie: Person, system: System) -> None:
    """The page stays as it is; no traceback, no error of the server."""
    body = {
        "output": '{"page":"home-model","slug":["MATCH"]}.children',
        "outputs": {"id": {"page": "home-model", "slug": "small"}, "property": "children"},
        "inputs": [
            {
                "id": {"page": "home-model", "slug": "small"},
                "property": "id",
                "value": {"page": "home-model", "slug": "small"},
            }
        ],
        "changedPropIds": [],
    }
    answer = signed_in(charlie.user).post(ADDRESS, json.dumps(body), content_type="application/json")
    assert answer.status_code == 200
    assert "response" not in answer.json() or not answer.json()["response"]
    said = json.dumps(answer.json()["sideUpdate"])
    assert "Nothing here" in said
    assert "problem" in said


def test_the_same_error_fills_the_log_with_one_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever is signed in can make calls up; each reference that a page shows is in the log all the same."""
    shown = ""
    for number in range(20):
        try:
            int("x" * 1000 + str(number))
        except ValueError as error:
            shown += str(problem(error))
    told = [record for record in caplog.records if record.exc_info]
    assert (len(told), len(caplog.records)) == (1, 20)
    references = [re.findall("reference ([0-9a-f]{8})", record.getMessage())[0] for record in caplog.records]
    assert [reference for reference in references if reference not in shown] == []
    assert all(len(record.getMessage()) < 500 for record in caplog.records)


@pytest.mark.parametrize("name", ["a%00b", "x" * 300, "%ff", "%0a", "a%00.css", "a%00.md"])
@pytest.mark.parametrize(
    "address",
    [
        "/docs/{}",
        "/app/assets/{}",
        "/app/_dash-component-suites/dash/{}",
        "/static/{}",
        "/r/{}/",
        "/login/{}/",
        "/import/{}/",
        "/import/?system={}",
        "/app/s/{}/",
        "/reports/{}/",
        "/app/?{}",
        "/login/?next={}",
    ],
)
def test_no_name_in_an_address_is_a_failure_of_the_server(alice: Person, address: str, name: str) -> None:
    """Neither signs that no file's name holds nor names that are too long; signed in or not."""
    for client in (
        Client(raise_request_exception=False),
        signed_in(alice.user, raise_request_exception=False),
    ):
        assert client.get(address.format(name)).status_code < 500


@pytest.mark.parametrize(
    "path", ["assets/\N{GRINNING FACE}", "s/\N{GRINNING FACE}/", "s/\N{RIGHT-TO-LEFT OVERRIDE}/"]
)
def test_addresses_in_any_letters_are_answered(alice: Person, path: str) -> None:
    """A system's page is the same for all that there is not; there is no such bundle, also for strangers."""
    expected = 404 if path.startswith("assets") else 200
    assert signed_in(alice.user).get(f"/app/{quote(path)}").status_code == expected
    assert Client().get(f"/app/{quote(path)}").status_code == (404 if expected == 404 else 302)

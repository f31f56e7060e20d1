"""Pages outside of the explorer: signing in and out, and what goes wrong."""

from django.test import Client

from tests.dashboard.gate.calls import signed_in
from tests.people import Person


def test_signing_in_leads_back_to_where_one_wanted_to_go(client: Client, alice: Person) -> None:
    page = client.get("/login/?next=/app/s/small/%3Fterm%3DA")
    assert b'value="/app/s/small/?term=A"' in page.content
    answer = client.post(
        "/login/", {"username": "alice", "password": "alice", "next": "/app/s/small/?term=A"}
    )
    assert (answer.status_code, answer["Location"]) == (302, "/app/s/small/?term=A")


def test_a_wrong_password_says_so_and_keeps_the_name(client: Client, alice: Person) -> None:
    answer = client.post("/login/", {"username": "alice", "password": "wrong"})
    assert b"do not fit together" in answer.content
    assert b'value="alice"' in answer.content


def test_nobody_is_led_to_another_site(client: Client, alice: Person) -> None:
    answer = client.post(
        "/login/", {"username": "alice", "password": "alice", "next": "https://example.org/"}
    )
    assert answer["Location"] == "/"


def test_signing_out_needs_a_post(alice: Person) -> None:
    """A picture or a link on another site must sign nobody out."""
    client = signed_in(alice.user)
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/app/").status_code == 302


def test_an_address_of_nothing_has_a_page_in_our_look(client: Client, db: None) -> None:
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert b"Nothing here" in answer.content
    assert b"/static/css/base.css" in answer.content

"""A share link may ask for a password, and tells who opened it: when, roughly from where, by which browser."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client

from dashboard.access import Principal, Refused
from dashboard.models import AuditEntry, LinkVisit, ShareLink, System
from dashboard.selectors.reports import SHOWN_VISITS, last_visits
from dashboard.services.reports.share_links import create_share_link, revoke_share_link
from dashboard.services.visits import browser_of, shortened_address

pytestmark = [pytest.mark.database, pytest.mark.django_db]
SECRET = "known-to-few"
PARTS = ("", "table-0.csv", "report.html")


@pytest.fixture
def token(principal: Principal, report_id: int) -> str:
    """Of a link with a password."""
    return create_share_link(principal=principal, report_id=report_id, days=7, password=SECRET)[1]


def test_without_the_password_nothing_of_the_report_is_shown(client: Client, token: str) -> None:
    for part in PARTS:
        answer = client.get(f"/r/{token}/{part}")
        assert "This report has a password" in answer.content.decode()
        assert b"costs" not in answer.content
        assert answer["Referrer-Policy"] == "strict-origin", (
            "the secret stays here, and browsers send the form"
        )
    answer = client.post(f"/r/{token}/", {"password": "wrong"})
    assert (answer.status_code, b"This is not its password." in answer.content) == (403, True)
    assert not LinkVisit.objects.exists()


def test_the_password_opens_this_link_in_this_browser(
    client: Client, principal: Principal, report_id: int, token: str
) -> None:
    assert client.post(f"/r/{token}/", {"password": SECRET})["Location"] == f"/r/{token}/"
    for part in PARTS:
        assert b"costs" in client.get(f"/r/{token}/{part}").content or part.endswith("csv")
    assert [visit.what for visit in LinkVisit.objects.all()] == ["file", "table", "page"]
    assert "has a password" in Client().get(f"/r/{token}/").content.decode()
    _, other = create_share_link(principal=principal, report_id=report_id, days=7, password=SECRET)
    assert "has a password" in client.get(f"/r/{other}/").content.decode()


def test_a_revoked_link_is_closed_to_who_gave_the_password(
    client: Client, principal: Principal, token: str
) -> None:
    client.post(f"/r/{token}/", {"password": SECRET})
    revoke_share_link(principal=principal, link_id=ShareLink.objects.get().pk)
    assert client.get(f"/r/{token}/").status_code == 404
    assert client.post(f"/r/{token}/", {"password": SECRET}).status_code == 404


def test_it_cannot_be_tried_without_end(client: Client, token: str) -> None:
    for _ in range(10):
        client.post(f"/r/{token}/", {"password": "wrong"})
    assert "Too many tries" in client.post(f"/r/{token}/", {"password": SECRET}).content.decode()
    elsewhere = client.post(f"/r/{token}/", {"password": SECRET}, REMOTE_ADDR="192.0.2.1")
    assert elsewhere.status_code == 302


def test_a_button_of_another_site_opens_nothing(token: str) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post(f"/r/{token}/", {"password": SECRET}).status_code == 403


def test_it_is_stored_only_as_its_hash(token: str) -> None:
    link, entry = ShareLink.objects.get(), AuditEntry.objects.get(action="share report")
    assert SECRET not in f"{link.password}{entry.details}"
    assert entry.details["password"] is True


@pytest.mark.parametrize("password", ["short", "x" * 129])
def test_one_that_is_too_short_or_long_is_refused(
    principal: Principal, report_id: int, password: str
) -> None:
    with pytest.raises(Refused, match="8 to 128 characters"):
        create_share_link(principal=principal, report_id=report_id, days=7, password=password)


def test_visits_tell_no_person(client: Client, principal: Principal, report_id: int) -> None:
    _, token = create_share_link(principal=principal, report_id=report_id, days=7)
    program = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"
    client.get(f"/r/{token}/", REMOTE_ADDR="192.0.2.77", headers={"user-agent": program})
    visit = LinkVisit.objects.get()
    assert (visit.what, visit.address, visit.browser) == ("page", "192.0.2.0/24", "Chrome on Windows")


def test_the_list_of_reports_asks_the_database_as_often_for_many_visits(
    principal: Principal,
    system: System,
    report_id: int,
    django_assert_num_queries: Callable[[int], AbstractContextManager[Any]],
) -> None:
    for _ in range(3):
        create_share_link(principal=principal, report_id=report_id, days=7)
    now = ShareLink.objects.all()[0].created_at
    for link in ShareLink.objects.all():
        LinkVisit.objects.bulk_create(
            LinkVisit(link=link, at=now, what="page", browser="curl") for _ in range(SHOWN_VISITS + 5)
        )
    with django_assert_num_queries(1):
        shown = last_visits(system=system)
    assert [len(visits) for visits in shown.values()] == [SHOWN_VISITS] * 3


@pytest.mark.parametrize(
    ("address", "kept"),
    [("203.0.113.9", "203.0.113.0/24"), ("2001:db8:1:2::3", "2001:db8:1::/48"), ("unix:", ""), ("", "")],
)
def test_an_address_loses_what_tells_its_owner(address: str, kept: str) -> None:
    assert shortened_address(address) == kept


@pytest.mark.parametrize(
    ("user_agent", "family"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 14) AppleWebKit/605 Version/17 Safari/605",
            "Safari on macOS",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537 Edg/140", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140 Mobile Safari/537", "Chrome on Android"),
        ("curl/8.5.0", "curl"),
        ("", "another program"),
    ],
)
def test_a_browser_is_told_by_its_family(user_agent: str, family: str) -> None:
    assert browser_of(user_agent) == family

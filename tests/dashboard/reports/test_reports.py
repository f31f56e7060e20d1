"""Frozen reports keep their numbers; links show one report to whoever holds them, and nothing else."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.access import Forbidden, NotFound, Principal, Refused, access_to
from dashboard.models import AuditEntry, Membership, Report, ShareLink, System
from dashboard.selectors.reports import FrozenView, get_report, list_reports, shown_in
from dashboard.services.reports.freezing import csv_text, delete_report, section_csv, store_report
from dashboard.services.reports.share_links import create_share_link, revoke_share_link

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def stranger() -> Principal:
    return Principal(user_id=User.objects.create_user("sam").pk, name="sam")


@pytest.fixture
def viewer(system: System) -> Principal:
    user = User.objects.create_user("vera")
    Membership.objects.create(system=system, user=user, role=Membership.Role.VIEWER)
    return Principal(user_id=user.pk, name="vera")


def test_a_report_keeps_its_numbers_when_the_data_move_on(
    principal: Principal, system: System, report_id: int
) -> None:
    before = get_report(principal=principal, report_id=report_id)
    System.objects.filter(pk=system.pk).update(data_version=4)
    after = get_report(principal=principal, report_id=report_id)
    assert shown_in(after) == shown_in(before)


def test_a_viewer_reads_reports_but_neither_freezes_shares_nor_deletes(
    viewer: Principal, system: System, report_id: int, frozen: FrozenView
) -> None:
    assert get_report(principal=viewer, report_id=report_id).title == "Influences"
    with pytest.raises(Forbidden):
        store_report(access=access_to(viewer, system.slug), view="influences", address="", frozen=frozen)
    with pytest.raises(Forbidden):
        create_share_link(principal=viewer, report_id=report_id, days=7)
    with pytest.raises(Forbidden):
        delete_report(principal=viewer, report_id=report_id)


def test_a_stranger_learns_nothing_of_a_report(stranger: Principal, report_id: int) -> None:
    with pytest.raises(NotFound):
        get_report(principal=stranger, report_id=report_id)
    with pytest.raises(NotFound):
        create_share_link(principal=stranger, report_id=report_id, days=7)


def test_a_living_link_shows_the_report_without_an_account(
    client: Client, principal: Principal, report_id: int
) -> None:
    _, token = create_share_link(principal=principal, report_id=report_id, days=7)
    response = client.get(f"/r/{token}/")
    page = response.content.decode()
    assert response.status_code == 200
    assert "A &lt;costs&gt; 1.5 s" in page
    assert "erin" in page
    assert json.dumps(1.5) in page
    assert response["Cache-Control"] == "private, no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert not client.cookies, "a share link signs nobody in"


def test_the_token_is_stored_only_as_its_hash(principal: Principal, report_id: int) -> None:
    link, token = create_share_link(principal=principal, report_id=report_id, days=7)
    stored = ShareLink.objects.get(pk=link.pk)
    assert token not in json.dumps([stored.token_digest, AuditEntry.objects.first().details])  # type: ignore[union-attr]


@pytest.mark.parametrize("end", ["revoked", "expired", "hidden", "mistyped"])
def test_a_dead_link_answers_like_one_that_never_was(
    client: Client, principal: Principal, system: System, report_id: int, end: str
) -> None:
    link, token = create_share_link(principal=principal, report_id=report_id, days=7)
    if end == "revoked":
        revoke_share_link(principal=principal, link_id=link.pk)
    elif end == "expired":
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "hidden":
        System.objects.update(visible=False)
    else:
        token = token[:-1]
    for path in ("", "table-0.csv", "report.html"):
        assert client.get(f"/r/{token}/{path}").status_code == 404


def test_a_page_says_that_the_system_was_measured_again(
    client: Client, principal: Principal, report_id: int
) -> None:
    _, token = create_share_link(principal=principal, report_id=report_id, days=7)
    notice = b"measured again since"
    assert notice not in client.get(f"/r/{token}/").content
    System.objects.update(data_version=4)
    assert notice in client.get(f"/r/{token}/").content


def test_visits_are_counted(client: Client, principal: Principal, system: System, report_id: int) -> None:
    _, token = create_share_link(principal=principal, report_id=report_id, days=7)
    client.get(f"/r/{token}/")
    client.get(f"/r/{token}/")
    (row,) = list_reports(system=system)
    assert [found.opened_count for found in row.links.all()] == [2]


@pytest.mark.parametrize("days", [0, 366, -1])
def test_a_link_lives_between_a_day_and_a_year(principal: Principal, report_id: int, days: int) -> None:
    with pytest.raises(Refused, match="1 to 365 days"):
        create_share_link(principal=principal, report_id=report_id, days=days)


def test_the_csv_has_full_precision_and_no_formulas(principal: Principal, report_id: int) -> None:
    report = get_report(principal=principal, report_id=report_id)
    assert section_csv(shown_in(report).sections[0]) == "term,influence (s)\nA,1.5\n'=cmd(),\n"


def test_heads_are_no_formulas_either() -> None:
    """Workloads, which files name, are columns of a report."""
    assert csv_text(("influence of", "=cmd()"), [("A", 1.5)]) == "influence of,'=cmd()\nA,1.5\n"


def test_the_file_needs_no_server(client: Client, principal: Principal, report_id: int) -> None:
    _, token = create_share_link(principal=principal, report_id=report_id, days=7)
    response = client.get(f"/r/{token}/report.html")
    page = response.content.decode()
    assert 'filename="influences.html"' in response["Content-Disposition"]
    assert "<link " not in page
    assert "<script src" not in page
    assert "Plotly" in page


def test_members_open_reports_by_their_number_and_others_do_not(
    client: Client, editor: User, stranger: Principal, report_id: int
) -> None:
    assert client.get(f"/reports/{report_id}/").status_code == 302
    client.force_login(User.objects.get(username=stranger.name))
    assert client.get(f"/reports/{report_id}/").status_code == 404
    client.force_login(editor)
    assert client.get(f"/reports/{report_id}/").status_code == 200
    assert client.get(f"/reports/{report_id}/table-1.csv").status_code == 404


def test_a_title_longer_than_its_column_is_refused(
    principal: Principal, system: System, frozen: FrozenView
) -> None:
    with pytest.raises(Refused, match="201 characters"):
        store_report(
            access=access_to(principal, system.slug),
            view="influences",
            address="",
            frozen=frozen,
            title="x" * 201,
        )


def test_a_deleted_report_leaves_a_trace(principal: Principal, report_id: int) -> None:
    delete_report(principal=principal, report_id=report_id)
    assert not Report.objects.exists()
    assert AuditEntry.objects.filter(action="delete report", actor="erin").exists()

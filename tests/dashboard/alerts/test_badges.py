"""Badges say by a secret address whether a system or a history got slower, and nothing else."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.access import Access, Forbidden, NotFound, access_to
from dashboard.figures.badges import badge_picture
from dashboard.models import AuditEntry, Badge, HistoryFit, Series
from dashboard.selectors.history_list.findings import found_changes, named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.badges import make_badge, revoke_badge
from dashboard.services.triage import TriageWords, triage_changes
from tests.dashboard.alerts.conftest import step
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _says(token: str) -> str:
    """The words of a badge."""
    answer = Client().get(f"/badge/{token}.svg")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert answer["Cache-Control"] == "max-age=60, must-revalidate"
    (said,) = re.findall("<title>(.*)</title>", answer.content.decode())
    return str(said)


def test_it_says_no_change_then_slower_and_then_that_somebody_is_done_with_it(level: Access) -> None:
    _, token = make_badge(access=level)
    assert _says(token) == "performance: no change"
    step(level, 24)
    assert re.fullmatch(r"performance: slower \+(29\.9|30\.0)\s%", _says(token))
    (finding,) = found_changes(level.system, HistoryQuery()).told
    named = named_changes(level.system, HistoryQuery(), finding.key, beside=False)
    triage_changes(access=level, changes=named, words=TriageWords(state="expected"))
    assert _says(token) == "performance: no change"


def test_one_of_a_history_says_nothing_of_others(level: Access) -> None:
    slower, other = Series.objects.filter(system=level.system).order_by("pk")[:2]
    tokens = [make_badge(access=level, history=str(one.pk))[1] for one in (slower, other)]
    step(level, 24, series=slower)
    said = [_says(token) for token in tokens]
    assert "slower +" in said[0]
    assert said[1] == "performance: no change"


def test_the_page_reads_the_findings_once_for_all_badges(
    client: Client, level: Access, alice: Person
) -> None:
    slower, other = Series.objects.filter(system=level.system).order_by("pk")[:2]
    step(level, 24, series=slower)
    client.force_login(alice.user)
    asked = []
    for history in (slower, other, None):
        make_badge(access=level, history="" if history is None else str(history.pk))
        client.get("/systems/small/badges/")
        with CaptureQueriesContext(connection) as queries:
            page = client.get("/systems/small/badges/").content.decode()
        asked.append(len(queries))
    assert page.count("<title>performance: slower") == 2
    assert page.count("<title>performance: no change") == 1
    assert len(set(asked)) == 1


def test_without_a_search_it_is_unknown(level: Access) -> None:
    _, token = make_badge(access=level)
    HistoryFit.objects.all().delete()
    assert _says(token) == "performance: unknown"


def test_it_tells_neither_names_nor_its_token(level: Access) -> None:
    badge, token = make_badge(access=level)
    content = Client().get(f"/badge/{token}.svg").content.decode()
    assert not any(word in content for word in (level.system.name, level.slug, token))
    assert token not in " ".join(map(str, (*Badge.objects.values_list(), *AuditEntry.objects.values_list())))
    assert badge.label == ""


def test_a_revoked_or_made_up_one_is_not_there(level: Access) -> None:
    badge, token = make_badge(access=level)
    revoke_badge(access=level, badge_id=badge.pk)
    revoke_badge(access=level, badge_id=badge.pk)
    assert Client().get(f"/badge/{token}.svg").status_code == 404
    assert Client().get("/badge/made-up.svg").status_code == 404
    assert AuditEntry.objects.filter(action="revoke badge").count() == 1


def test_admins_alone_make_them_of_histories_that_there_are(level: Access, bob: Person) -> None:
    with pytest.raises(Forbidden):
        make_badge(access=access_to(bob.principal, level.slug))
    with pytest.raises(NotFound):
        make_badge(access=level, history="999999999")


def test_an_admin_makes_and_revokes_one_in_the_browser(client: Client, level: Access, alice: Person) -> None:
    client.force_login(alice.user)
    page = "/systems/small/badges/"
    assert b"No badge yet" in client.get(page).content
    wrong = client.post(page, {"history": "main"})
    assert (wrong.status_code, b"named by its number" in wrong.content) == (400, True)
    assert client.post(page, {"history": "999999999"}).status_code == 400
    series = Series.objects.filter(system=level.system)[0]
    made = client.post(page, {"history": str(series.pk)}).content.decode()
    (token,) = re.findall(r'value="http://testserver/badge/([^"]+)\.svg"', made)
    assert _says(token) == "performance: no change"
    assert token not in client.get(page).content.decode()
    client.post(f"{page}{Badge.objects.get().pk}/revoke/")
    assert b"No badge yet" in client.get(page).content


@pytest.mark.parametrize(
    ("worst", "word", "words"),
    [
        (None, "slower", "unknown"),
        (0.0, "slower", "no change"),
        (0.3, "slower", "slower +30.0"),
        (2.0, "worse", "worse +200.0"),
    ],
)
def test_a_picture_is_as_wide_as_its_words(worst: float | None, word: str, words: str) -> None:
    """And a label is text, whatever stands in it."""
    picture = badge_picture(worst, word=word, label="<a&b>")
    label, said = re.findall(r"<text [^>]+>([^<]*)</text>", picture)
    assert (label, said.startswith(words)) == ("&lt;a&amp;b&gt;", True)
    (width,) = re.findall(r'<svg [^>]*? width="(\d+)"', picture)
    assert float(width) == pytest.approx(6.6 * len(f"<a&b>{said}") + 32, abs=2)

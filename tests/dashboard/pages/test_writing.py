"""The page that writes a report: its preview, what it tells at a line, and who may publish."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.access import access_to
from dashboard.models import PerformanceModel, Report
from dashboard.pages.lens import Lens
from dashboard.pages.reports import page, writing
from dashboard.services.reports.numbers import bound_number
from dashboard.services.reports.views import VIEWS
from dashboard.services.saved_views import save_view
from tests.dashboard.pages.test_pages import text
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_a_region_is_named_by_its_key_or_by_a_view(alice: Person, measured: PerformanceModel) -> None:
    access = access_to(alice.principal, "small")
    said = bound_number(access, "region", "(program)", {})
    assert said.startswith("40.1")
    assert said.endswith("ms")
    assert bound_number(access, "region", "", {"region": "(program)"}) == said


def test_the_preview_shows_text_and_figures_and_tells_of_problems(
    alice: Person, measured: PerformanceModel
) -> None:
    access = access_to(alice.principal, "small")
    save_view(access=access, name="Hot", section="regions", key="pkg.hot")
    shown, faults = writing.preview(access, "T", "{{ view:Hot }}\n{{ eror }}\nplain")
    assert "pkg.hot" in text(shown)
    assert "plain" in text(shown)
    assert "Line 2: there is no number 'eror'" in text(faults)
    assert "Nothing written yet" in text(writing.preview(access, None, " ")[0])


def test_publishing_says_where_the_report_is_or_what_is_wrong(
    alice: Person, measured: PerformanceModel
) -> None:
    access = access_to(alice.principal, "small")
    assert "needs a title" in text(writing.publish_now(access, {"title": "", "text": "x"}))
    assert "Line 1: " in text(writing.publish_now(access, {"title": "T", "text": "{{ eror }}"}))
    said = text(writing.publish_now(access, {"title": "T", "text": "x"}))
    assert f"/reports/{Report.objects.get().pk}/" in said
    assert "Written, frozen just now" in text(page.layout(access, "", Lens()))


def test_what_cannot_be_frozen_is_told_in_the_form(alice: Person) -> None:
    """Not in place of the page; and the form does not begin with it."""
    access = access_to(alice.principal, "small")
    form: Any = page.layout(access, "", Lens())
    assert form[page.FREEZE_VIEW].value == "histories"
    said, _ = page.freeze(access, 1, "influences", None, Lens())
    assert "'small' has no influence model yet." in text(said)
    assert not Report.objects.exists()


def test_a_password_that_is_too_short_is_told_at_its_field(
    alice: Person, measured: PerformanceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = access_to(alice.principal, "small")
    page.freeze(access, 1, "influences", None, Lens())
    pressed = {"act": "share-7", "key": Report.objects.get().pk}
    monkeypatch.setattr(page, "ctx", SimpleNamespace(triggered_id=pressed))
    here = "http://localhost/app/s/small/reports"
    said, _, error = page.act(access, [1], here, "short")
    assert (said, error) == (None, "A link's password has 8 to 128 characters, not 5.")
    said, _, error = page.act(access, [1], here, "long enough")
    assert ("/r/" in text(said), error) == (True, "")


def test_a_viewer_sees_the_form_and_why_publishing_is_not_for_viewers(vera: Person) -> None:
    said = text(page.layout(access_to(vera.principal, "small"), "new", Lens()))
    assert "This needs the role editor; yours is viewer." in said


def test_every_view_that_can_be_kept_has_its_way_from_its_page_and_its_place_in_the_form() -> None:
    """The browser knows the pages by themselves; findings are what the list of histories is kept as."""
    script = (Path(__file__).resolve().parents[3] / "static" / "dash" / "lens.js").read_text("utf-8")
    (kept,) = re.findall(r"var FROZEN = {(.*?)};", script, re.DOTALL)
    assert {*re.findall(r'"?([a-z-]+)"?: "', kept), "findings"} == VIEWS.keys()
    assert dict(page._VIEWS).keys() == VIEWS.keys()

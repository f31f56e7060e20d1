"""The list of systems that comes with the document: for whom it is, what stands in it, and that names stay names."""

import re

import pytest
from dash import dcc, html
from django.test import Client

from dashboard.home_document import as_html
from dashboard.models import PerformanceModel, System
from dashboard.pages import home
from dashboard.pages.components.blocks import attributes
from tests.people import Person

HOSTILE = '<script>alert(1)</script> {%scripts%} "><img src=x>'


def document(person: Person, path: str = "/app/") -> str:
    """What the server answers to a browser."""
    client = Client()
    client.force_login(person.user)
    return client.get(path).content.decode()


def test_elements_are_written_as_html_without_ids() -> None:
    tree = html.Div(
        [
            html.A(["x", None, 1], href="/app/?a=1&b=2", className="c", **attributes(aria_label='say "x"')),
            html.Br(),
            dcc.Loading(html.B("<b>")),
            html.Button("Go", disabled=True, tabIndex=-1),
        ],
        id="one",
    )
    assert as_html(tree) == (
        '<div><a aria-label="say &quot;x&quot;" class="c" href="/app/?a=1&amp;b=2">x1</a><br>'
        '<b>&lt;b&gt;</b><button tabindex="-1" disabled>Go</button></div>'
    )


def test_the_document_of_home_holds_the_list_of_who_asks(
    alice: Person, charlie: Person, measured: PerformanceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "_told_last", {})
    mine, other = document(alice), document(charlie)
    assert 'href="/app/s/small/"' in mine
    assert "skeleton-line" in mine
    assert "/app/s/small/" not in other
    assert "No system yet" in other
    assert "first-look" not in document(alice, "/app/s/small/")
    ids = re.findall(r'\bid="([^"]+)"', mine)
    assert len(ids) == len(set(ids))


def test_a_name_in_it_stays_a_name(alice: Person, measured: PerformanceModel) -> None:
    System.objects.filter(slug="small").update(name=HOSTILE)
    told = document(alice)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {%scripts%} &quot;&gt;&lt;img src=x&gt;" in told
    assert "<script>alert" not in told


def test_what_fails_is_said_in_its_place(
    alice: Person,
    measured: PerformanceModel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_principal: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(home, "layout", fail)
    told = document(alice)
    assert "This could not be shown" in told
    assert "react-entry-point" in told
    assert "ZeroDivisionError" in caplog.text


def first_library(told: str) -> str:
    """Where the library is that draws a document's first figures."""
    return told.split('data-first="', 1)[1].partition('"')[0]


def whole_library(told: str) -> str:
    """Where the chart library is that draws every figure."""
    return told.split('data-whole="', 1)[1].partition('"')[0]


def test_it_tells_which_pages_need_the_whole_chart_library_to_who_may_see_them(
    alice: Person, charlie: Person, measured: PerformanceModel
) -> None:
    """A heat map stands on Measure; without call paths the list of regions has bars alone."""
    assert first_library(document(alice, "/app/s/small/measure")) == whole_library(document(alice))
    for who, path in (
        (charlie, "small/measure"),
        (alice, "small/regions"),
        (alice, "small/influences"),
        (alice, "gone/measure"),
    ):
        told = document(who, f"/app/s/{path}")
        assert first_library(told).startswith("/app/assets/charts.js?")
        assert first_library(told) != whole_library(told)

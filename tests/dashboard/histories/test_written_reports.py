"""Reports of several views: views and numbers come where the text names them, and stay as they were published."""

import time

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.access import Access, Forbidden, Refused, access_to
from dashboard.models import Membership, Point, Report
from dashboard.selectors.reports import FrozenView, shown_in
from dashboard.services.reports import what_ifs
from dashboard.services.reports.texts import compose, publish, written_html
from dashboard.services.reports.views import freeze_view
from dashboard.services.saved_views import rename_view, save_view
from tests.dashboard.gate.calls import signed_in
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]
GAP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def access(measured: Person) -> Access:
    return access_to(measured.principal, "small")


@pytest.fixture(autouse=True)
def _views(access: Access) -> None:
    """The history of the term A, the influences, and a page that cannot be frozen."""
    save_view(access=access, name="A over time", section="histories", query="term=A")
    save_view(access=access, name="Costs", section="influences")
    save_view(access=access, name="Start", section="")


def _text(access: Access, line: str) -> str:
    """What stands there in place of a line in which all can be put in."""
    shown, problems = compose(access=access, title="t", text=line)
    assert problems == ()
    return shown.sections[0].text.replace(GAP, " ")


def _told(access: Access, text: str) -> list[tuple[int, str]]:
    return [(one.line, one.said) for one in compose(access=access, title="t", text=text)[1]]


def test_text_and_views_come_in_the_order_of_the_lines(access: Access) -> None:
    text = "# Why\n\n{{ view:A over time }}\nand\n{{ view:Costs }}"
    shown, problems = compose(access=access, title="t", text=text)
    assert problems == ()
    assert [one.text or one.columns[0] for one in shown.sections[:3]] == ["# Why\n", "revision", "between"]
    assert shown.sections[3].text == "and"
    assert shown.sections[4].columns[0] == "term"
    assert "history of A" in shown.sections[1].explanation


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{{ influence A }}", "+9.00 ± 0.03 s"),
        ("{{influence A*B}}", "+3.00 ± 0.03 s"),
        ("{{ influence B × A }}", "+3.00 ± 0.03 s"),
        ("{{ prediction }}", "10.00 ± 0.03 s"),
        ("{{ prediction A }}", "19.00 ± 0.03 s"),
        ("{{ prediction @ Costs }}", "10.00 ± 0.03 s"),
        ("{{ level @ A over time }}", "9.00 ± 0.06 s"),
        ("{{ level 1 @ A over time }}", "5.00 ± 0.06 s"),
        ("{{ change 4 @ A over time }}", "+4.00 ± 0.05 s, > 99 % certain"),
        ("{{ change @ A over time }}", "+4.00 ± 0.05 s, > 99 % certain"),
    ],
)
def test_a_number_is_that_of_the_pages_with_its_unit(access: Access, written: str, read: str) -> None:
    assert _text(access, f"about {written}, so") == f"about {read}, so"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{{ speed }}", "there is no number 'speed': choose one of influence, prediction"),
        ("{{ }}", "there is no number ''"),
        ("{{ influence C }}", "there is no term 'C': there are "),
        ("{{ influence }}", "there is no term ''"),
        ("{{ error A }}", "leave 'A' out"),
        ("{{ region }}", "say which region"),
        ("{{ level 77 @ A over time }}", "there is no revision '77': there are 6, 5"),
        ("{{ change 2 @ A over time }}", "there is no change at revision '2': there are 4"),
        ("{{ level @ Nothing }}", "there is no view 'Nothing'; there are “A over time”, “Costs”"),
        ("{{ view:Nothing }}", "there is no view 'Nothing'"),
        ("see {{ view:Costs }}", "a view stands alone on its line"),
        ("{{ view:Start }}", "the view 'overview' cannot be frozen"),
        ("{ view:Costs }", "a view is named within two braces on each side"),
        ("{view:Costs}", "a view is named within two braces on each side"),
        ("{{ view:Costs }", "a view is named within two braces on each side"),
        ("{ { view:Costs } }", "a view is named within two braces on each side"),
    ],
)
def test_what_cannot_be_put_in_is_told_at_its_line_and_keeps_the_report_back(
    access: Access, written: str, said: str
) -> None:
    text = f"# Why\n\n{written}"
    ((line, problem),) = _told(access, text)
    assert line == 3
    assert said in problem
    with pytest.raises(Refused, match=r"^line 3: "):
        publish(access=access, title="t", text=text)
    assert not Report.objects.exists()


@pytest.mark.parametrize(("title", "text"), [("", "x"), (" ", "x"), ("t", " \n")])
def test_a_report_without_title_or_text_is_refused(access: Access, title: str, text: str) -> None:
    with pytest.raises(Refused, match="needs a title"):
        publish(access=access, title=title, text=text)


@pytest.mark.parametrize("text", ["x" * 50_001, "{{ view:Costs }}\n" * 21])
def test_a_text_has_its_limits(access: Access, text: str) -> None:
    with pytest.raises(Refused, match=r"shorten it to 50000|20 views"):
        compose(access=access, title="t", text=text)


def _published(access: Access) -> FrozenView:
    return shown_in(Report.objects.get())


def test_a_number_is_read_once_however_often_it_is_named(access: Access) -> None:
    """A model is asked for each: five thousand of them held the server for minutes, and that with each letter that was typed."""
    with CaptureQueriesContext(connection) as one:
        _text(access, "{{ influence A }}")
    with CaptureQueriesContext(connection) as many:
        said = _text(access, "{{ influence A }} " * 500)
        assert len(_told(access, "{{ influence D }}\n" * 500)) == 500
    assert said.count("+9.00") == 500
    assert len(many) <= 2 * len(one)
    with pytest.raises(Refused, match="a report holds 100 different numbers"):
        compose(access=access, title="t", text="".join(f"{{{{ influence A{at} }}}}" for at in range(101)))


def test_a_published_report_never_changes(access: Access) -> None:
    publish(access=access, title="t", text="{{ level @ A over time }}\n\n{{ view:A over time }}")
    before = _published(access)
    Point.objects.update(median=77.0)
    view = access.system.saved_views.get(name="A over time")
    rename_view(access=access, view_id=view.pk, name="B")
    assert _published(access) == before


def test_a_published_report_is_read_with_text_figures_and_tables(access: Access, measured: Person) -> None:
    text = "# Why\n\nIt is **{{ prediction }}**. <script>alert(1)</script>\n\n{{ view:Costs }}"
    report_id = publish(access=access, title="All of it", text=text)
    client = signed_in(measured.user)
    for address in (f"/reports/{report_id}/", f"/reports/{report_id}/report.html"):
        page = client.get(address).content.decode()
        assert "<h2>Why</h2>" in page
        assert "<strong>10.0" in page
        assert "alert(1)" not in page
        assert 'data-figure="1"' in page
    assert client.get(f"/reports/{report_id}/table-1.csv").content.startswith(b"term,")


@pytest.mark.parametrize("role", ["viewer"])
def test_only_editors_publish(access: Access, measured: Person, role: str) -> None:
    Membership.objects.filter(user=measured.user).update(role=role)
    with pytest.raises(Forbidden):
        publish(access=access_to(measured.principal, "small"), title="t", text="x")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://elsewhere.example/pixel.gif)",
        "[x](javascript:alert(1))",
        "<a href='data:text/html,alert'>x</a>",
        "<p onclick=alert(1) style='position:fixed'>x</p>",
        "<iframe src=//elsewhere.example></iframe>",
    ],
)
def test_nothing_of_a_text_runs_or_asks_elsewhere(text: str) -> None:
    drawn = written_html(text)
    for bad in ("script", "alert", "<img", "elsewhere", "style=", "data:"):
        assert bad not in drawn


@pytest.mark.parametrize(
    "text",
    ["{{view:" + " " * 49_000, "{{" + "a" * 49_000, "{{ " * 16_000, "{{view:" + " a" * 20_000 + "}"],
    ids=["view", "number", "many", "words"],
)
def test_no_text_holds_the_server_up(access: Access, text: str) -> None:
    begin = time.process_time()
    compose(access=access, title="t", text=text)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("part", ["[", "![", "[a](", "[a](<b", "<![CDATA[", "<a ", "a<b ", "a\n=\n", "***\n"])
def test_markdown_that_takes_long_stands_as_it_was_written(part: str) -> None:
    begin = time.process_time()
    drawn = written_html(part * (49_000 // len(part)))
    assert time.process_time() - begin < 4
    assert drawn.startswith("<pre>")


def test_lists_deeper_than_python_goes_stand_as_they_were_written() -> None:
    assert written_html("1. " * 5_000).startswith("<pre>")


def test_a_long_text_of_people_is_drawn() -> None:
    rows = "\n".join(f"| [r{n}](https://c.example/{n}) | {n} ms | a\\<b |" for n in range(200))
    words = "\n\n".join(
        f"## Why {n}\n\nSee [this](https://c.example/) and [that][1], {'word ' * 60}" for n in range(50)
    )
    drawn = written_html(f"{words}\n\n| a | b | c |\n|---|---|---|\n{rows}\n\n[1]: https://c.example/")
    assert drawn.count("<h3") == 50
    assert drawn.count("<td>") == 600


def test_tables_and_links_stay() -> None:
    drawn = written_html("| a |\n|---|\n| [b](https://c.example/) |")
    assert "<table>" in drawn
    assert 'href="https://c.example/"' in drawn


def test_pages_of_one_thing_and_of_lists_can_be_put_in(access: Access) -> None:
    save_view(access=access, name="Step", section="compare", query="since=2&revision=4")
    save_view(access=access, name="Option A", section="options", key="A")
    save_view(access=access, name="All changes", section="histories", key="all")
    text = "{{ view:Step }}\n{{ view:Option A }}\n{{ view:All changes }}"
    shown, problems = compose(access=access, title="t", text=text)
    assert problems == ()
    # Of an option its terms, its history with the changes, and the histories of its interactions.
    option = ["term", "revision", "between", "term"]
    assert [one.columns[0] for one in shown.sections] == ["series", *option, "on"]


def test_headings_stand_below_the_title_of_the_report() -> None:
    assert written_html("# Why\n\n## Since when") == "<h2>Why</h2>\n<h3>Since when</h3>"


def test_the_page_that_writes_needs_an_account(client: Client, access: Access) -> None:
    assert client.get("/app/s/small/reports/new").status_code == 302


def test_a_model_goes_along_with_its_influences_and_is_kept_as_it_was(access: Access) -> None:
    publish(access=access, title="t", text="{{ view:Costs }}")
    first, *others = _published(access).sections
    assert first.what_if is not None
    assert first.what_if == freeze_view(access=access, view="influences", lens={}).sections[0].what_if
    assert all(one.what_if is None for one in others)
    assert [one.name for one in first.what_if.options] == ["A", "B"]
    assert first.what_if.start == (0, 0)


def test_a_model_that_is_too_large_stays_away_and_the_report_says_so(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_ifs, "MOST_NUMBERS", 3)
    first = freeze_view(access=access, view="influences", lens={}).sections[0]
    assert first.what_if is None
    assert "too large" in first.explanation


def test_a_what_if_is_frozen_with_its_prediction_and_begins_there(access: Access) -> None:
    shown = freeze_view(access=access, view="what-if", lens={"compared": "A"})
    assert shown.title.replace(GAP, " ") == "6: Small takes 19.00 ± 0.03 s with A on"
    kept = shown.sections[0].what_if
    assert kept is not None
    assert kept.start == (1, 0)
    assert freeze_view(access=access, view="what-if", lens={}).title.endswith("by default")

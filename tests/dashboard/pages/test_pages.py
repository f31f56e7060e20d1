"""Home, overview, search, jobs and routes: what they show, called as ordinary functions."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import plotly.utils
import pytest
from django.db.models import F

from dashboard.access import Forbidden, NotFound, Principal, access_to, acting, current_principal
from dashboard.models import Job, PerformanceModel, Region, Run, System
from dashboard.pages import home, jobs
from dashboard.pages.addresses import SECTIONS
from dashboard.pages.frame.problems import problem
from dashboard.pages.frame.routes import show
from dashboard.pages.frame.search import show_hits
from dashboard.pages.lens import Lens
from dashboard.pages.overview import page as overview
from tests.people import Person


def text(component: Any) -> str:
    """Everything that a component says, with its attributes, as JSON."""
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.fixture
def acting_alice(alice: Person) -> Iterator[Principal]:
    """Alice's request."""
    token = current_principal.set(alice.principal)
    yield alice.principal
    current_principal.reset(token)


def test_without_systems_home_says_how_to_bring_one_in(charlie: Person) -> None:
    token = current_principal.set(charlie.principal)
    said = text(home.layout(acting()))
    current_principal.reset(token)
    for way in ("manage.py import --list", "manage.py init", "manage.py measure", "make demo"):
        assert way in said


def test_home_lists_systems_at_once_and_models_one_by_one(
    acting_alice: Principal, measured: PerformanceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "_told_last", {})
    said = text(home.layout(acting()))
    assert "Small" in said
    assert "4 configurations, 1 revision" in said
    assert "skeleton-line" in said
    model = text(home.show_model({"page": "home-model", "slug": "small"}))
    assert "40.0 – 80.0 ms" in model
    assert "40.0 ms by default at 1.0" in model
    assert "mean of 4 configurations" in model
    # What was told once stands there at once, until the system's data change.
    said = text(home.layout(acting()))
    assert "40.0 ms by default" in said
    assert "skeleton-line" not in said
    System.objects.filter(slug="small").update(data_version=F("data_version") + 1)
    assert "skeleton-line" in text(home.layout(acting()))


def test_home_says_where_no_option_was_varied(acting_alice: Principal, measured: PerformanceModel) -> None:
    assert "not varied" not in text(home.layout(acting()))
    Run.objects.exclude(configuration__name="c3").update(status=Run.Status.FAILED)
    assert "2 options, not varied" in text(home.layout(acting()))


def test_home_says_where_there_is_no_model(acting_alice: Principal, system: System) -> None:
    assert text(home.show_model({"page": "home-model", "slug": "small"})).count("no model") == 1


def test_an_overview_begins_with_what_the_system_costs_and_why(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "Small takes 40.0 ms by default, 40.0 to 80.0 ms over 4 measured configurations" in said
    assert "explain 100 % of the variation" in said
    assert "T in ms =" in said


def test_an_overview_says_why_the_formula_begins_with_another_number(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    """40 ms end to end; in the regions 40.1 ms, the median of three runs."""
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "T adds up what was measured inside the regions: 40.1 ms by default. The 40.0 ms above are" in said


def test_an_overview_names_the_only_workload_that_has_times(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    """`Workloads 1` stood beside what an analysis told of another one."""
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert '"children": "Workload"' in said
    assert '"children": "Workloads"' not in said


def test_a_term_of_the_formula_leads_to_its_influence_and_keeps_the_selection(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    said = text(overview.layout(access_to(acting(), "small"), "", Lens(since="1.0")))
    assert "/app/s/small/influences?term=A%2AB&since=1.0" in said


def test_only_who_may_import_is_shown_the_way_there(
    acting_alice: Principal, vera: Person, measured: PerformanceModel
) -> None:
    assert "/import/?system=Small" in text(overview.layout(access_to(acting(), "small"), "", Lens()))
    token = current_principal.set(vera.principal)
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    current_principal.reset(token)
    assert "Import data" not in said


def test_without_repetitions_no_term_has_an_interval(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "of 3 terms have a 95 % interval without zero" in said
    Run.objects.exclude(repetition=0).delete()
    System.objects.update(data_version=99)
    PerformanceModel.objects.update(data_version=99)
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "A × B adds most, 30.0 ms, of 3 terms; without repetitions none has an interval" in said
    assert "the line is its" not in said


def test_where_regions_are_unknown_no_region_is_offered(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    assert "see in which region the largest influence arises" in text(
        overview.layout(access_to(acting(), "small"), "", Lens())
    )
    Run.objects.filter(kind=Run.Kind.PROFILED).delete()
    System.objects.update(data_version=99)
    PerformanceModel.objects.update(data_version=99)
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "0 regions" not in said
    assert "compare configurations." in said


def test_an_overview_of_nothing_measured_says_what_to_type(acting_alice: Principal, system: System) -> None:
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "Nothing measured yet" in said
    assert "manage.py measure small" in said


def test_an_overview_tells_of_failed_and_invalid_runs(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    first, second, *_ = Run.objects.order_by("pk")
    Run.objects.filter(pk=first.pk).update(status=Run.Status.TIMEOUT)
    Run.objects.filter(pk=second.pk).update(invalid_reason="busy")
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "Failed" in said
    assert "Marked invalid" in said


def test_every_section_draws_for_a_system_with_and_without_data(
    acting_alice: Principal, system: System, request: pytest.FixtureRequest
) -> None:
    """No page of any section fails: a state is drawn where there is nothing."""
    for section in SECTIONS:
        content, title, _ = show(f"/app/s/small/{section}", "")
        assert title, text(content)
    request.getfixturevalue("measured")
    for section in SECTIONS:
        content, title, _ = show(f"/app/s/small/{section}", "")
        assert title, text(content)


@pytest.mark.parametrize("path", ["/app/s/other/", "/app/s/small/elsewhere", "/app/nowhere"])
def test_what_is_not_there_becomes_a_state(acting_alice: Principal, system: System, path: str) -> None:
    content, title, _ = show(path, "")
    assert title == ""
    assert "Nothing here" in text(content)


def test_an_unexpected_error_shows_a_reference_that_the_log_knows(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        said = text(problem(RuntimeError("secret detail")))
    assert "secret detail" not in said
    reference = caplog.records[0].getMessage().rsplit(" ", 1)[1]
    assert reference in said


def test_refusals_say_their_reason() -> None:
    assert "There is no system 'x'." in text(problem(NotFound("there is no system 'x'")))
    assert "Your role does not allow this" in text(problem(Forbidden("edit needs the role 'editor'")))


def test_search_leads_to_the_page_of_what_it_found(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    Region.objects.create(system=measured.system, key="pkg/a.b(c)", name="strange")
    said = text(show_hits("strange", "small", {"since": "1.0"}))
    assert "/app/s/small/regions/pkg%2Fa.b%28c%29?region=pkg%2Fa.b%28c%29&since=1.0" in said
    assert "Nothing is called" in text(show_hits("nonsense", "small", None))
    assert "/app/s/small/" in text(show_hits("sma", "", None))
    assert show_hits(" ", "small", None) is None


def test_the_indicator_polls_only_while_something_runs(acting_alice: Principal, system: System) -> None:
    hidden, _, _, resting = jobs.show_jobs()
    assert (hidden, resting) == (True, True)
    Job.objects.create(system=system, kind="measure", title="Measure Small", progress=0.4)
    hidden, words, rows, resting = jobs.show_jobs()
    assert (hidden, resting) == (False, False)
    assert words.endswith("waiting")
    assert "Measure Small" in text(rows)
    assert "40 %" in text(rows)


def test_the_indicator_shows_nobody_elses_jobs(charlie: Person, system: System) -> None:
    Job.objects.create(system=system, kind="measure", title="Measure Small")
    token = current_principal.set(charlie.principal)
    assert jobs.show_jobs()[0] is True
    current_principal.reset(token)

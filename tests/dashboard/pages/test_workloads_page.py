"""The page of workloads: what differs between them, from an imported table to the figures; and where there is nothing."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import plotly.utils
import pytest
from django.db.models import F

from dashboard.access import Principal, access_to, acting
from dashboard.models import Run, System
from dashboard.pages.frame.page import show_systems
from dashboard.pages.lens import Lens
from dashboard.pages.workloads.page import choose_term, layout, show_workloads
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.workloads import choose_context, compare_workloads, workload_contexts
from dashboard.services.reports.views import freeze_view

pytestmark = pytest.mark.django_db

LEVELS = {"small": 0.01, "large": 3.0, "huge": 900.0}


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


def rows(releases: tuple[str, ...] = ("1.0", "1.1")) -> str:
    """`fast` costs in the small workload and saves in the others; `check` adds a tenth everywhere; the rest nothing."""
    lines = ["fast;check;quiet;still;workload;revision;performance"]
    for release, (name, level) in product(releases, LEVELS.items()):
        for place, chosen in enumerate(product((0, 1), repeat=4)):
            factor = (1.5 if name == "small" else 0.5) ** chosen[0] * 1.1 ** chosen[1]
            noise = 1 + 0.002 * ((place * 7 + len(name) * place + len(release)) % 5 - 2)
            cells = [*chosen, name, release, f"{level * factor * noise:.9f}"]
            lines.append(";".join(map(str, cells)))
    return "\n".join(lines) + "\n"


@pytest.fixture
def studied(study: Callable[..., Principal]) -> Principal:
    """A study of three workloads and two releases, and the request of who imported it."""
    return study(rows())


def shown(**lens: str) -> tuple[Any, ...]:
    return show_workloads(access_to(acting(), "study"), Lens.read(lens), None)


def test_an_influence_that_costs_in_one_workload_and_saves_in_others_comes_first(studied: Principal) -> None:
    _, hidden, sentence, subtitle, *_ = found = shown()
    assert hidden is False
    assert sentence.replace("\N{NO-BREAK SPACE}", " ").startswith(
        "1 of 4 influences on Study differs between 3 workloads; fast costs in some and saves"
    )
    assert "1.1" in subtitle
    assert "16 configurations measured in all 3" in subtitle.replace("\N{NO-BREAK SPACE}", " ")
    said = text(found)
    assert "fast ranges from" in said
    assert "to +50 % in small" in said
    assert "+10 %" in said
    assert "at most 5 %" in said


def test_a_chosen_influence_is_shown_alone_and_its_row_is_outlined(studied: Principal) -> None:
    found = shown(term="check")
    assert "check makes +10 %" in text(found)
    heat = found[7]
    assert len(heat.layout.shapes) == 1
    assert len(heat.data[0].z) == 4
    assert list(heat.layout.xaxis.ticktext) == ["small", "large", "huge"]
    told = heat.data[0].y[0]
    assert choose_term(Lens(), {"points": [{"x": 1, "y": told}]}).term == "fast"
    assert choose_term(Lens(term="check"), None).term == "check"


def test_the_revision_is_chosen_and_one_that_was_not_measured_is_told(studied: Principal) -> None:
    assert "time · 1.0" in shown(revision="1.0")[3] or "performance · 1.0" in shown(revision="1.0")[3]
    message, hidden, *_ = shown(revision="0.1")
    assert hidden is True
    assert "at revision 0.1 only one workload was measured, or none" in text(message).lower()


def test_what_is_told_agrees_with_the_truth_and_is_kept(
    studied: Principal, django_assert_max_num_queries: Any
) -> None:
    system = System.objects.get()
    context, choices = choose_context(system, Selection())
    assert choices["revision"] == ("1.1", ("1.0", "1.1"))
    found = compare_workloads(system=system, context=context)
    told = {one.key: one.told for one in found.terms}
    assert told["fast"] == "reverses"
    assert told["check"] == "alike"
    assert [one.name for one in found.workloads] == ["small", "large", "huge"]
    assert [one.runs for one in found.workloads] == [16, 16, 16]
    with django_assert_max_num_queries(2):
        shown()


def test_the_navigation_leads_there_where_a_system_has_several_workloads(studied: Principal) -> None:
    assert "workloads" in {one["section"] for one in show_systems("study")[2]}
    System.objects.get().workloads.exclude(name="small").delete()
    System.objects.update(data_version=F("data_version") + 1)
    assert "workloads" not in {one["section"] for one in show_systems("study")[2]}


def test_with_one_workload_the_page_says_what_would_be_here(study: Callable[..., Principal]) -> None:
    one = "\n".join(line for line in rows().split("\n") if ";small;" in line or "fast" in line)
    access = access_to(study(one, name="One"), "one")
    assert workload_contexts(access.system) == ()
    assert "Several measured workloads are needed" in text(layout(access, "", Lens()))


@pytest.fixture
def apart(study: Callable[..., Principal]) -> Principal:
    """A study of two workloads that no four configurations have in common, and the request of who imported it."""
    lines = rows(("1.0",)).split("\n")
    # Three configurations in both, others in one.
    return study("\n".join([lines[0], *lines[1:8], *lines[17:20], *lines[28:33]]) + "\n")


def test_configurations_that_no_two_workloads_share_are_too_few(apart: Principal) -> None:
    message, hidden, sentence, *_ = shown()
    assert (hidden, "too few configurations in common" in sentence) == (False, True)
    assert "Too little to compare" in text(message)


def test_the_navigation_leads_to_no_workloads_that_cannot_be_compared(
    apart: Principal, django_assert_max_num_queries: Any
) -> None:
    """Several are known, but hardly a configuration was measured in two of them."""
    assert "workloads" not in {one["section"] for one in show_systems("study")[2]}
    with django_assert_max_num_queries(1):
        show_systems("study")


def test_runs_that_are_counted_out_make_no_workloads_to_compare(studied: Principal) -> None:
    Run.objects.exclude(workload__name="small").update(invalid_reason="the machine was busy")
    System.objects.update(data_version=F("data_version") + 1)
    assert "workloads" not in {one["section"] for one in show_systems("study")[2]}


def test_the_page_is_frozen_with_a_column_for_each_workload(studied: Principal) -> None:
    frozen = freeze_view(access=access_to(studied, "study"), view="workloads", lens={"term": "check"})
    every, one = frozen.sections
    assert every.columns == ("influence of", "between workloads", "small", "large", "huge")
    (fast,) = [row[2:] for row in every.rows if row[0] == "fast"]
    assert list(fast) == [pytest.approx(factor, rel=0.02) for factor in (1.5, 0.5, 0.5)]
    assert [row[0] for row in one.rows] == list(LEVELS)
    assert [row[1] for row in one.rows] == [pytest.approx(1.1, rel=0.01)] * 3
    assert one.figure is not None

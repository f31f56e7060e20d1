"""Flame graphs on the pages of regions, influences and two revisions: what they show, and what they say where there is nothing."""

import json
from typing import Any

import plotly.utils
import pytest
from pytest_django import DjangoAssertNumQueries

from analytics.call_paths import CallPaths
from dashboard.access import Access, access_to
from dashboard.figures.call_trees import drawn, flame_figure, matches
from dashboard.models import Configuration, Environment, PerformanceModel, Revision, Run, RunCallPaths
from dashboard.pages.influences.compared_regions import show_regions
from dashboard.pages.influences.compared_regions import show_tree as show_difference
from dashboard.pages.lens import Lens
from dashboard.pages.regions.page import show_tree
from dashboard.pages.two_revisions.page import show_tree as show_revisions
from dashboard.selectors.call_tree_rows import SampledTree
from dashboard.selectors.call_trees import NoCallPaths, revisions_tree, sampled_tree
from dashboard.selectors.model_rows import Selection
from tests.people import Person


def _said(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.fixture
def small(measured: PerformanceModel, vera: Person) -> Access:
    """The system of `measured`, as a viewer sees it."""
    return access_to(vera.principal, measured.system.slug)


@pytest.fixture
def sampled(small: Access) -> Access:
    """The same, with call paths of all profiled runs but those with B alone: with A `hot` is called on a way of its own."""
    for run in Run.objects.filter(kind=Run.Kind.PROFILED).select_related("configuration"):
        on = set(run.configuration.assignments)
        if on == {"B"}:
            continue
        stacks: dict[tuple[str, ...], float] = {("pkg.main", "pkg.cold"): 0.010}
        if "A" in on:
            stacks["pkg.main", "pkg.hot"] = 0.010 + 0.001 * run.repetition
        RunCallPaths.objects.create(run=run, paths=CallPaths.folded(stacks))
    return small


def _tree(access: Access, **selection: str) -> SampledTree:
    return sampled_tree(system=access.system, selection=Selection(**selection))


def test_without_call_paths_the_page_says_how_they_come(small: Access) -> None:
    message, hidden, *_ = show_tree(small, Lens(), "", None)
    assert hidden
    assert "manage.py measure" in _said(message)
    assert "Measure with profiling" in _said(message)


def test_a_configuration_without_call_paths_leads_to_those_that_have_some(sampled: Access) -> None:
    message, hidden, *_ = show_tree(sampled, Lens(base="B"), "", None)
    assert hidden
    assert "These have some" in _said(message)
    assert r"\"base\": \"default\"" in _said(message)


def test_a_configuration_shows_its_tree_with_a_link_for_each_measured_region(sampled: Access) -> None:
    _, hidden, finding, axes, figure, table = show_tree(sampled, Lens(base="A"), "", None)
    assert not hidden
    assert "52 % of 21.0 ms go through hot" in _said(finding)
    assert "3 runs with the sampler" in _said(axes)
    assert figure.data[0].type == "icicle"
    assert "/regions/pkg.hot" in _said(table)
    # It took no time itself, so no page tells of it.
    assert "/regions/pkg.main" not in _said(table)


def test_a_difference_tells_what_is_only_in_one_by_sign_word_and_colour(sampled: Access) -> None:
    _, hidden, finding, axes, figure, table = show_difference(sampled, Lens(compared="A"), "", None)
    assert not hidden
    assert "differs by" in finding
    assert "(+)" in axes
    (trace,) = figure.data
    frames = {
        _said(hover).partition("<b>")[2].partition("</b>")[0]: (hover, colour)
        for hover, colour in zip(trace.hovertext, trace.marker.colors, strict=True)
    }
    assert "+11 ± 2 ms" in _said(frames["hot"][0])
    assert "only in A on" in frames["hot"][0]
    assert "may be no difference" in frames["pkg.cold"][0]
    # Nor is one written with more digits than its margin leaves.
    assert "+11 ± 2 ms" in " ".join(map(_said, trace.text))
    # The colours are mixed with the ground, so that text stays readable: vermilion has more red than blue, grey as much.
    red, blue = (int(frames["hot"][1][at : at + 2], 16) for at in (1, 5))
    assert red > blue
    assert frames["hot"][1] != frames["pkg.cold"][1]
    assert "only in A on" in _said(table)


def test_regions_that_differ_are_sorted_and_say_what_explains_them(sampled: Access) -> None:
    hidden, card_hidden, finding, axes, _, table, rows = show_regions(sampled, Lens(compared="A*B"), None)
    assert not hidden
    assert not card_hidden
    assert finding.startswith("hot differs most")
    assert "with 95" in axes
    assert "only compared" in _said(table)
    assert "by " in _said(rows)


def test_nothing_is_compared_without_a_second_configuration(sampled: Access) -> None:
    assert show_regions(sampled, Lens(), None)[:2] == (True, True)
    assert show_difference(sampled, Lens(), "", None)[1]


def test_a_search_keeps_the_paths_through_what_it_finds(sampled: Access) -> None:
    tree = _tree(sampled, base="A")
    kept = {tree.nodes[at].region for at in drawn(tree, "HOT")}
    assert kept == {"", "pkg.main", "pkg.hot"}
    assert len(matches(tree, "pkg main")) == 1
    finding = show_tree(sampled, Lens(base="A"), "nowhere", None)[2]
    assert finding == "No function on any path is called nowhere"


def test_the_widths_of_callees_never_exceed_that_of_their_caller(sampled: Access) -> None:
    """Plotly draws nothing at all where they do."""
    (trace,) = flame_figure(_tree(sampled, base="A", compared="A*B"), sides=("A", "A*B")).data
    widths = dict(zip(trace.ids, trace.values, strict=True))
    for one in trace.ids:
        below = [value for value, above in zip(trace.values, trace.parents, strict=True) if above == one]
        assert sum(below) <= widths[one]


def test_paths_of_another_environment_are_told_as_such(sampled: Access) -> None:
    details = {"kernel": "6", "settings": [["cores used", "one"]]}
    other = Environment.objects.create(digest="e" * 64, name="elsewhere", details=details)
    Environment.objects.exclude(pk=other.pk).update(details={"kernel": "6"})
    Run.objects.filter(kind=Run.Kind.PROFILED, call_paths__isnull=False).update(environment=other)
    tree = _tree(sampled)
    assert tree.elsewhere
    said = show_tree(sampled, Lens(), "", None)[3]
    # Its name alone may be that of the model's.
    assert "in another environment than the model's: elsewhere (which differs in: cores used)" in said


def test_runs_that_do_not_count_have_no_say(sampled: Access) -> None:
    assert _tree(sampled, base="A").runs == (3,)
    Run.objects.filter(kind=Run.Kind.PROFILED, repetition=1).update(invalid_reason="disturbed")
    assert _tree(sampled, base="A").runs == (2,)


def test_two_revisions_compare_the_default_configuration(sampled: Access) -> None:
    first = Revision.objects.get()
    second = Revision.objects.create(system=sampled.system, name="2.0")
    with pytest.raises(NoCallPaths):
        revisions_tree(system=sampled.system, before=first.name, after="2.0")
    for configuration in Configuration.objects.filter(assignments__in=[{}, {"A": "on"}]):
        for run in Run.objects.filter(configuration=configuration, kind=Run.Kind.PROFILED, revision=first):
            paths = RunCallPaths.objects.get(run=run).paths
            run.pk, run.revision = None, second
            run.save()
            RunCallPaths.objects.create(run=run, paths=paths)
    tree = revisions_tree(system=sampled.system, before=first.name, after="2.0")
    assert tree.runs == (3, 3)
    assert tree.configurations[0].name == "default"
    assert all(node.difference and node.difference.value == 0 for node in tree.nodes)
    assert show_revisions(sampled, Lens(since=first.name, revision="nowhere"), "", None)[1]


def test_more_runs_and_paths_ask_no_more_queries(
    sampled: Access, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    _tree(sampled, base="A", compared="A*B")
    with django_assert_max_num_queries(11):
        _tree(sampled, base="A", compared="A*B")

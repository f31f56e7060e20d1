"""A number that several screens show is one number: the demo is walked, and what differs by definition is said so."""

import copy
import re
from collections.abc import Iterable

import pytest
from django.conf import settings

from dashboard.access import Access, Principal, access_to
from dashboard.figures.influences import term_regions_figure, terms_figure
from dashboard.models import Point, Series, System
from dashboard.pages.influences.page import show_influences
from dashboard.pages.lens import Lens
from dashboard.pages.overview.model import formula_card
from dashboard.pages.overview.page import layout as overview_page
from dashboard.pages.regions.page import show_regions
from dashboard.pages.regions.region import show_region
from dashboard.selectors.accuracy import report_of
from dashboard.selectors.histories.history import latest_value, main_history
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.loaded_models import resolve_model
from dashboard.selectors.measuring.status import list_batches, run_counts
from dashboard.selectors.model_rows import Estimate, Selection
from dashboard.selectors.overview import model_summary, overview
from dashboard.selectors.regions.measured import region, regions
from dashboard.selectors.systems import list_systems
from dashboard.services.imports.importing import import_file
from tests.standing import Standing

# The demo's bundle is imported: seconds that no engine makes shorter.
pytestmark = [pytest.mark.django_db, pytest.mark.once]

_DIGITS = "[\\d.\N{NARROW NO-BREAK SPACE}]+"
# A number with half of its interval: `+40.2 ± 0.6 ms`; its unit may stand elsewhere.
_WITH_MARGIN = re.compile(f"(\N{MINUS SIGN}?{_DIGITS})\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}({_DIGITS})")


def _is_rounded(text: str, value: float) -> bool:
    """Whether `text` is `value` in its digits, up to the tens or hundreds of a large one."""
    plain = text.replace("\N{NARROW NO-BREAK SPACE}", "").replace("\N{MINUS SIGN}", "-")
    places = len(plain.partition(".")[2])
    step = 10.0**-places if places else 10.0 ** (len(plain) - len(plain.rstrip("0")))
    return abs(float(plain) - value) <= 0.5 * step * (1 + 1e-6)


def _shown_rightly(shown: object, estimates: Iterable[Estimate]) -> int:
    """Assert that behind every ± stands half of the interval of the number before it; returns how many there are."""
    told = _WITH_MARGIN.findall(str(shown).replace("\\xa0", "\N{NO-BREAK SPACE}"))
    known = [
        (one.value * factor, one.margin * factor)
        for one in estimates
        if one.margin
        for factor in (1, 1e3, 1e6, 1e9)
    ]
    for value, margin in told:
        assert any(
            # A page may leave the sign to a verb.
            (_is_rounded(value, own) or _is_rounded(value, -own)) and _is_rounded(margin, half)
            for own, half in known
        ), f"{value} ± {margin} is no estimate with half of its 95 % interval"
    return len(told)


@pytest.fixture(scope="module")
def standing_markdown(standing: Standing) -> Access:
    with standing():
        operator = Principal.operator()
        path = settings.BASE_DIR / "demo" / "markdown.zip"
        import_file(principal=operator, format_name="bundle", path=path, system_name="Markdown")
        return access_to(operator, "markdown")


@pytest.fixture
def markdown(standing_markdown: Access, db: None) -> Access:
    """The demo system with a model, regions and histories."""
    return copy.deepcopy(standing_markdown)


def test_numbers_of_the_demo_are_one_on_all_screens(markdown: Access) -> None:
    system = markdown.system
    found = influences(system=system, selection=Selection())
    summary, history = model_summary(system), main_history(system=system)
    assert summary is not None
    assert len(summary.measured.values)
    assert history is not None
    (row,) = list_systems(principal=markdown.principal)

    # The default configuration's time, measured end to end: influences, overview and home, history of that revision.
    assert found.base_measured == summary.default_measured
    (measured,) = (point for point in history.points if point.revision == found.model.revision)
    assert measured.median == found.base_measured
    assert latest_value(system=system) == (history.points[-1], history.series)
    # What the model says of it is the sum of the regions, as profiled: another number, and one on all its screens.
    listed = regions(system=system, selection=Selection())
    assert found.base_time == summary.influences.base_time == listed.base_time
    assert sum(one.time for one in listed.regions) == pytest.approx(found.base_time.value)
    assert found.base_time.value != found.base_measured

    # The error of the model: influences, overview, the command accuracy.
    report = report_of(resolve_model(system, Selection()))
    assert found.quality.error is not None
    assert found.quality.error == report.accuracy.quality.error == summary.report.accuracy.quality.error
    assert found.quality == report.accuracy.quality

    # Regions of the model: the program region is one of the list, and no function of the program.
    assert found.model.regions == sum(not one.is_program for one in listed.regions)
    assert report.accuracy.regions == len(listed.regions)

    # Runs: home, overview with its environments, page Measure with its batches.
    told = overview(system)
    batches = list_batches(access=markdown)
    assert {
        row.measured.runs,
        told.measured.runs,
        sum(runs for _, runs in told.environments),
        run_counts(access=markdown)["runs"],
        sum(one.runs for one in batches),
    } == {2096}


def test_a_region_takes_the_same_in_the_list_and_on_its_page_and_in_its_lines(markdown: Access) -> None:
    system = markdown.system
    first = regions(system=system, selection=Selection()).regions[0]
    detail = region(system=system, selection=Selection(), key=first.key)
    assert first.taken is not None
    assert detail.source is not None
    assert (detail.time.value, detail.time.margin) == pytest.approx((first.taken.value, first.taken.margin))
    assert sum(line.time or 0.0 for line in detail.source.lines) == pytest.approx(first.time)


def test_the_formula_has_margins_and_calls_no_term_smaller_that_may_be_larger(markdown: Access) -> None:
    summary = model_summary(markdown.system)
    assert summary is not None
    terms = summary.influences.terms
    said = str(formula_card("markdown", summary, Lens())).replace("\\xa0", " ")
    told = re.findall(r"className='formula-term'", said)
    # Of the default and of each term that stands there.
    assert said.count("formula-margin") == len(told) + 1 == 9
    sure = [term for term in terms if not term.influence.may_be_zero]
    assert f"{len(sure) - 8} smaller terms and {len(terms) - len(sure)} that may be zero" in said
    # Among the latter are some that would stand before others, by their value.
    assert max(abs(term.influence.value) for term in terms if term.influence.may_be_zero) > abs(
        sure[7].influence.value
    )


def test_a_term_of_the_model_differs_from_its_history_by_what_was_measured(markdown: Access) -> None:
    """The model is of profiled regions; histories are of end-to-end times over the options measured everywhere."""
    system = markdown.system
    found = influences(system=system, selection=Selection())
    series = Series.objects.get(
        system=system, subject_kind=Series.SubjectKind.TERM, subject="tables", metric__clock="cpu"
    )
    point = Point.objects.get(series=series, revision__name=found.model.revision)
    (term,) = (one for one in found.terms if one.key == "tables")
    beside = influences(system=system, selection=Selection(compared="tables"))
    assert beside.base_measured is not None
    assert beside.target_measured is not None
    assert point.median == pytest.approx(beside.target_measured - beside.base_measured)
    assert point.median != term.influence.value
    shown = show_influences(markdown, lens=Lens.read({"term": "tables"}), scheme=None, chosen=None)
    assert "of end-to-end times, without the profiler" in str(shown["term"][1])
    assert "by its regions" in shown["page"][2]


def test_a_region_that_an_option_changes_by_no_certain_term_is_not_said_to_be_unchanged(
    markdown: Access,
) -> None:
    key = "markdown.blockparser:BlockParser.parseBlocks"
    assert region(system=markdown.system, selection=Selection(), key=key).options == ("tables",)
    shown = str(show_region(markdown, Lens.read({}), None, key))
    assert "No option changes this region's time" not in shown
    assert "tables changes this region's time, by terms each of which may be zero" in shown


def test_systems_without_a_model_say_none(operator: Principal) -> None:
    """No number is made up: the other demo systems have no model yet."""
    path = settings.BASE_DIR / "demo" / "markdown-commits.zip"
    import_file(principal=operator, format_name="bundle", path=path, system_name="Markdown commits")
    assert model_summary(System.objects.get(name="Markdown commits")) is None


def test_behind_plus_minus_stands_half_of_the_interval_that_is_drawn(markdown: Access) -> None:
    """On every page that tells a number with its interval, and beside every whisker."""
    system = markdown.system
    found = influences(system=system, selection=Selection())
    estimates = [found.base_time, *(term.influence for term in found.terms)]
    figure = terms_figure(found.terms[:20], found.model)
    traces = {trace.name: trace for trace in figure.data}
    whiskers = traces["bars"].error_x
    assert list(whiskers.array) == pytest.approx(list(whiskers.arrayminus))
    for text, half in zip(traces["amounts"].text, whiskers.array, strict=True):
        ((_, margin),) = _WITH_MARGIN.findall(text)
        assert _is_rounded(margin, half)

    of_term = term_regions(system=system, selection=Selection(), term=found.terms[0].key)
    parts = [one.influence for one in (*of_term.regions, of_term.outside) if one]
    listed = regions(system=system, selection=Selection())
    key = listed.regions[0].key
    detail = region(system=system, selection=Selection(), key=key)
    estimates += [*parts, detail.time, *(term.influence for term in detail.terms)]
    estimates += [one.largest.influence for one in listed.regions if one.largest]
    estimates += [one.taken for one in listed.regions if one.taken]
    lens = Lens.read({})
    for shown, least in (
        (show_influences(markdown, lens=lens, scheme=None, chosen=None), 20),
        (term_regions_figure(of_term), 5),
        (show_regions(markdown, lens, None), 10),
        (show_region(markdown, lens, None, key), 3),
        (overview_page(markdown, "", lens), 1),
    ):
        assert _shown_rightly(shown, estimates) >= least

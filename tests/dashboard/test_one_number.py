"""A number that several screens show is one number: the demo is walked, and what differs by definition is said so."""

import pytest
from django.conf import settings

from dashboard.access import Access, Principal, access_to
from dashboard.models import Point, Series, System
from dashboard.pages.influences.page import show_influences
from dashboard.pages.lens import Lens
from dashboard.selectors.accuracy import report_of
from dashboard.selectors.histories.history import main_history
from dashboard.selectors.influences import influences
from dashboard.selectors.loaded_models import resolve_model
from dashboard.selectors.measuring.status import list_batches, run_counts
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.overview import model_summary, overview
from dashboard.selectors.regions.measured import regions
from dashboard.selectors.systems import list_systems
from dashboard.services.imports.importing import import_file

# The demo's bundle is imported once for each test: seconds that no engine makes shorter.
pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture
def markdown(operator: Principal) -> Access:
    """The demo system with a model, regions and histories."""
    path = settings.BASE_DIR / "demo" / "markdown.zip"
    import_file(principal=operator, format_name="bundle", path=path, system_name="Markdown")
    return access_to(operator, "markdown")


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
    # What the model says of it is the sum of the regions, as profiled: another number, and one on all its screens.
    listed = regions(system=system, selection=Selection())
    assert found.base_time == summary.influences.base_time == listed.base_time
    assert sum(one.time for one in listed.regions) == pytest.approx(found.base_time.value)
    assert found.base_time.value != found.base_measured

    # The error of the model: influences, overview, the command accuracy.
    report = report_of(resolve_model(system, Selection()))
    assert found.error is not None
    assert found.error == report.accuracy.mape_original == summary.report.accuracy.mape_original
    assert found.checked == report.accuracy.predicted

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


def test_systems_without_a_model_say_none(operator: Principal) -> None:
    """No number is made up: the other demo systems have no model yet."""
    path = settings.BASE_DIR / "demo" / "markdown-commits.zip"
    import_file(principal=operator, format_name="bundle", path=path, system_name="Markdown commits")
    assert model_summary(System.objects.get(name="Markdown commits")) is None

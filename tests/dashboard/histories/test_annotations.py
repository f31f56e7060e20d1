"""What is noted at revisions is drawn with every history, and where the benchmark was changed a new level begins."""

import json
from typing import Any

import plotly.utils
import pytest

from dashboard.access import Access, Forbidden, NotFound, Principal, Refused, access_to, current_principal
from dashboard.figures.histories import history_figure, small_history_figure
from dashboard.models import Annotation, Job, Series, System
from dashboard.pages.histories import annotations as page
from dashboard.pages.lens import Lens
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.annotations import annotate, remove_annotation
from dashboard.services.histories.fits import fit_system
from tests.dashboard.histories.stepping import add_stepping, only_history
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def stepped(system: System, operator: Principal, sent: list[int]) -> Access:
    """The default configuration takes twice as long from r15 of 30 revisions on."""
    return add_stepping(system, operator, 30, lambda at: 2.0 if at >= 15 else 1.0)


def told(access: Access) -> int:
    return found_changes(access.system, HistoryQuery()).total


def test_a_changed_benchmark_begins_a_new_level_and_is_no_regression(stepped: Access) -> None:
    assert (told(stepped), len(only_history(stepped).changes)) == (1, 1)
    pk = annotate(access=stepped, kind="benchmark", first="r15", text="a longer input")
    assert Job.objects.filter(kind="fit histories").count() == 1
    history = only_history(stepped)
    assert history.changes == ()
    # The level is free there: the band does not bridge it.
    levels = {row.position: row.estimate for row in history.band}
    assert (levels[14], levels[15]) == pytest.approx((1.0, 2.0), rel=0.02)
    fit_system(access=stepped)
    assert told(stepped) == 0
    remove_annotation(access=stepped, annotation_id=pk)
    fit_system(access=stepped)
    assert (told(stepped), len(only_history(stepped).changes)) == (1, 1)


def test_other_kinds_fit_nothing_anew(stepped: Access) -> None:
    for kind in ("release", "machine", "note"):
        annotate(access=stepped, kind=kind, first="r15", text="2.0")
    assert not Job.objects.exists()
    assert len(only_history(stepped).changes) == 1


def test_a_note_of_one_history_is_drawn_with_no_other(stepped: Access) -> None:
    series = Series.objects.get()
    annotate(access=stepped, kind="benchmark", first="r15", text="its input", series_id=series.pk)
    assert only_history(stepped).changes == ()
    series.pk, series.identity, series.benchmark_version = None, "f" * 64, "2"
    series.save()
    from dashboard.selectors.histories.annotations import load_annotations
    from dashboard.selectors.histories.revisions import ordered_revisions

    found = load_annotations(stepped.system, ordered_revisions(system=stepped.system))
    assert (found.of(series.pk), found.breaks(series.pk)) == ((), ())


def test_every_figure_over_revisions_draws_what_is_noted_with_a_legend(stepped: Access) -> None:
    annotate(access=stepped, kind="release", first="r10", text="2.0")
    annotate(access=stepped, kind="machine", first="r12", last="r14", text="another disk")
    history = only_history(stepped)
    figure = history_figure(history)
    names = [trace.name for trace in figure.data if trace.showlegend]
    assert (figure.layout.showlegend, names) == (True, ["release", "machine changed"])
    shapes = [(one.x0, one.x1) for one in figure.layout.shapes]
    assert {(10, 10), (12, 14)} <= set(shapes)
    assert {(10, 10), (12, 14)} <= {(one.x0, one.x1) for one in small_history_figure(history).layout.shapes}


def test_without_notes_there_is_no_legend(stepped: Access) -> None:
    assert not history_figure(only_history(stepped)).layout.showlegend


def test_what_cannot_be_noted_is_refused(stepped: Access, vera: Person) -> None:
    for words, fault in (
        ({"kind": "party"}, "is no kind"),
        ({"text": " "}, "say what there is to know"),
        ({"text": "x" * 201}, "at most 200"),
        ({"first": "nowhere"}, "there is no revision 'nowhere'"),
        ({"first": "r1", "last": "r0"}, "comes before"),
        ({"first": ""}, "there is no revision"),
        ({"first": "r"}, "30 begin so"),
        ({"link": "ftp://example.org"}, "begin it with https"),
    ):
        given: dict[str, Any] = {"kind": "note", "first": "r1", "text": "seen", **words}
        with pytest.raises(Refused, match=fault):
            annotate(access=stepped, **given)
    with pytest.raises(Forbidden):
        annotate(access=access_to(vera.principal, "small"), kind="note", first="r1", text="seen")
    with pytest.raises(NotFound):
        annotate(access=stepped, kind="note", first="r1", text="seen", series_id=0)
    with pytest.raises(NotFound):
        remove_annotation(access=stepped, annotation_id=0)
    assert not Annotation.objects.exists()


def test_the_card_lists_what_is_noted_and_viewers_have_no_form(stepped: Access, vera: Person) -> None:
    annotate(access=stepped, kind="machine", first="r12", last="r14", text="another disk")
    viewer = access_to(vera.principal, "small")
    token = current_principal.set(vera.principal)
    said = json.dumps(page.show(viewer, Lens()), cls=plotly.utils.PlotlyJSONEncoder)
    form = json.dumps(page.panel(viewer), cls=plotly.utils.PlotlyJSONEncoder)
    current_principal.reset(token)
    assert "machine changed, r12 to r14: another disk" in said
    assert "Remove" not in said
    assert "Add an annotation" not in form
    assert "Remove" in json.dumps(page.show(stepped, Lens()), cls=plotly.utils.PlotlyJSONEncoder)

"""Figures of histories show what the rows say, in the unit that is named."""

from dataclasses import replace

import pytest

from dashboard.figures.histories import history_figure, small_history_figure
from dashboard.figures.histories_words import change_size, finding
from dashboard.figures.numbers import DisplayScale
from dashboard.pages.overview.history import history_sentence
from dashboard.selectors.histories.rows import (
    BandRow,
    ChangeRow,
    History,
    MeasuredPoint,
    OrderedRevisions,
    RevisionPlace,
    SeriesRow,
)

SERIES = SeriesRow(
    "configuration",
    "x",
    1,
    1,
    1,
    1,
    "default",
    "regular",
    "here",
    "time",
    "s",
    "cpu",
    "lower",
    2,
    0,
)
REVISIONS = tuple(RevisionPlace(i, f"1.{i}", i, "", "", None) for i in range(3))
POINTS = (MeasuredPoint(0, "1.0", 5, 0.010, 0.001), MeasuredPoint(2, "1.2", 1, 0.020, None))
BAND = tuple(BandRow(i, 0.01 + i * 0.005, 0.009, 0.021, 0.008, 0.022) for i in range(3))
ORDER = OrderedRevisions("releases", REVISIONS)
CHANGE = ChangeRow(REVISIONS[0], REVISIONS[2], 0.01, 1.0, 0.9, 1.1, "level before", 1.0, 1, is_slower=True)
HISTORY = History(SERIES, ORDER, POINTS, BAND, (CHANGE,), (), enough_data=True, gap=None)


def test_a_history_shows_band_points_and_brackets_in_a_scaled_unit() -> None:
    figure = history_figure(HISTORY)
    assert [trace.name for trace in figure.data] == ["95 % band", "50 % band", "estimate", "measured"]
    assert figure.layout.yaxis.title.text == "CPU time, ms"
    assert figure.layout.xaxis.title.text == "revision, in the order “releases”"
    assert list(figure.data[3].y) == pytest.approx([10.0, 20.0])
    assert list(figure.data[2].y) == pytest.approx([10.0, 15.0, 20.0])
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(0, 2)]
    assert [note.text for note in figure.layout.annotations] == ["+100 %"]
    assert list(figure.layout.xaxis.ticktext) == ["1.0", "1.1", "1.2"]


def test_a_selected_revision_is_marked() -> None:
    marked = history_figure(HISTORY, selected=1).layout.shapes
    assert (marked[-1].x0, marked[-1].x1) == (1, 1)


def test_a_small_history_holds_the_same_points_without_names() -> None:
    figure = small_history_figure(HISTORY)
    assert list(figure.data[-1].y) == pytest.approx([10.0, 20.0])
    assert figure.layout.xaxis.visible is False
    assert figure.layout.yaxis.title.text == "ms"


def test_a_terms_change_is_told_in_the_unit_and_not_in_percent() -> None:
    change = ChangeRow(
        REVISIONS[0], REVISIONS[1], -0.004, -0.1, -0.2, 0.0, "reference level", 1.0, 0, is_slower=False
    )
    assert change_size(change, DisplayScale("ms", 1e3)) == "−4.00\N{NO-BREAK SPACE}ms"


def test_the_headline_and_the_overview_name_the_same_change_the_largest_of_its_level() -> None:
    doubled = ChangeRow(
        REVISIONS[0], REVISIONS[1], 0.010, 1.0, 0.9, 1.1, "level before", 1.0, 0, is_slower=True
    )
    # More seconds than before, and a smaller share of the level.
    more = replace(doubled, before=REVISIONS[1], after=REVISIONS[2], size=0.012, relative=0.6)
    history = replace(HISTORY, changes=(doubled, more))
    assert finding(history).startswith(
        "The default configuration became 100 % slower between 1.0 and 1.1, and"
    )
    sentence = history_sentence("Thing", history).replace("\N{NO-BREAK SPACE}", " ")
    assert sentence.startswith("Thing became 100 % slower between 1.0 and 1.1, the largest")


def test_many_revisions_get_few_names() -> None:
    many = tuple(RevisionPlace(i, f"r{i}", i, "", "", None) for i in range(1000))
    figure = history_figure(
        History(SERIES, OrderedRevisions("all", many), POINTS, BAND, (), (), enough_data=True, gap=None)
    )
    assert len(figure.layout.xaxis.tickvals) <= 10

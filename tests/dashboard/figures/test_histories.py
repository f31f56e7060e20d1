"""Figures of histories show what the rows say, in the unit that is named."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dashboard.figures.histories import history_figure, small_history_figure
from dashboard.figures.histories_words import (
    change_size,
    changed,
    finding,
    interval,
    level_now,
    place_text,
    scale_of,
)
from dashboard.figures.numbers import DisplayScale, estimate_text, scale_for
from dashboard.pages.overview.history import history_sentence
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.rows import (
    BandRow,
    ChangeRow,
    DriftRow,
    History,
    MeasuredPoint,
    SeriesRow,
    largest_change,
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
CHANGE = ChangeRow(
    before=REVISIONS[0],
    after=REVISIONS[2],
    earliest=REVISIONS[0],
    latest=REVISIONS[2],
    size=0.01,
    relative=1.0,
    low=0.9,
    high=1.1,
    reference="level before",
    certainty=0.97,
    chance=1e-4,
    is_candidate=False,
    probability=1.0,
    unmeasured=1,
    is_slower=True,
)
HISTORY = History(SERIES, ORDER, POINTS, BAND, (CHANGE,), (), enough_data=True, gap=None)


def test_a_place_that_is_not_sure_is_told_by_its_95_percent_interval() -> None:
    wide = replace(CHANGE, earliest=REVISIONS[0], latest=REVISIONS[-1])
    sure = replace(wide, before=REVISIONS[1], after=REVISIONS[2], probability=0.9)
    assert place_text(sure) == f"between {REVISIONS[1].name} and {REVISIONS[2].name}"
    unsure = replace(sure, probability=0.59)
    assert place_text(unsure) == f"between {REVISIONS[0].name} and {REVISIONS[-1].name}"


def test_the_change_of_an_influence_has_an_interval() -> None:
    one = replace(CHANGE, reference="base", size=0.08, relative=0.8, low=0.6, high=1.0)
    assert interval(one, scale_for([0.08], "s")).replace("\N{NO-BREAK SPACE}", " ") == "+80 ± 20 ms"


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
    change = replace(CHANGE, size=-0.004, relative=-0.1, reference="reference level", is_slower=False)
    assert change_size(change, DisplayScale("ms", 1e3)) == "−4\N{NO-BREAK SPACE}ms"


def test_a_change_says_its_certainty_and_a_candidate_that_it_may_be_none() -> None:
    told = [
        finding(
            replace(HISTORY, changes=(replace(CHANGE, certainty=certainty, is_candidate=certainty < 0.9),))
        )
        for certainty in (0.97, 0.62)
    ]
    assert told[0] == (
        "The default configuration became 100\N{NO-BREAK SPACE}% slower between 1.0 and 1.2 (97 % certain)"
    )
    assert "may have become 100\N{NO-BREAK SPACE}% slower between" in told[1]
    assert "(62 % certain)" in told[1]


def test_a_small_change_that_is_certain_is_told_before_a_large_candidate() -> None:
    large = replace(CHANGE, relative=3.0, certainty=0.5, is_candidate=True)
    assert largest_change((large, CHANGE)) == CHANGE
    assert largest_change((large,)) == large


def test_the_headline_and_the_overview_name_the_same_change_the_largest_of_its_level() -> None:
    doubled = replace(CHANGE, after=REVISIONS[1], unmeasured=0)
    # More seconds than before, and a smaller share of the level.
    more = replace(doubled, before=REVISIONS[1], after=REVISIONS[2], size=0.012, relative=0.6)
    history = replace(HISTORY, changes=(doubled, more))
    assert finding(history).startswith(
        "The default configuration became 100\N{NO-BREAK SPACE}% slower between 1.0 and 1.1 (97\N{NO-BREAK SPACE}% certain), and"
    )
    sentence = history_sentence("Thing", history).replace("\N{NO-BREAK SPACE}", " ")
    assert sentence.startswith("Thing became 100 % slower between 1.0 and 1.1 (97 % certain), the largest")


DRIFT = DriftRow(
    first=replace(REVISIONS[0], released_at=datetime(2024, 1, 1, tzinfo=UTC)),
    last=replace(REVISIONS[2], released_at=datetime(2024, 12, 30, tzinfo=UTC)),
    size=0.002,
    relative=0.08,
    low=0.06,
    high=0.1,
    certainty=0.97,
    is_candidate=False,
    is_slower=True,
)


def test_a_history_tells_its_slow_drift_in_headline_overview_and_figure() -> None:
    history = replace(HISTORY, changes=(), drift=DRIFT)
    told = finding(history).replace("\N{NO-BREAK SPACE}", " ")
    assert told == "The default configuration slowly became 8 % slower over 12 months (97 % certain)"
    figure = history_figure(history)
    assert list(figure.data[-1].x) == [0, 2]
    assert list(figure.data[-1].y) == pytest.approx([14.0, 16.0])
    assert [note.text for note in figure.layout.annotations] == ["+8 % slowly"]
    sentence = history_sentence("Thing", history).replace("\N{NO-BREAK SPACE}", " ")
    assert sentence == "Thing slowly became 8 % slower over 12 months (97 % certain)"


def test_a_drift_after_a_step_is_told_behind_it_and_a_candidate_with_may() -> None:
    both = finding(replace(HISTORY, drift=replace(DRIFT, is_candidate=True)))
    assert both.endswith(", and may slowly have become 8\N{NO-BREAK SPACE}% slower since 1.0")


def test_a_drift_of_a_term_is_told_in_the_unit() -> None:
    term = replace(HISTORY, series=replace(SERIES, kind="term", label="A"), changes=(), drift=DRIFT)
    assert "slowly grew by 2.0" in finding(term)


def test_a_step_of_a_term_has_the_digits_that_its_interval_leaves() -> None:
    """`shrank by 29.9 ms` stood above `-30 ± 8 ms`."""
    step = replace(CHANGE, size=-0.0299, relative=-0.3, low=-0.38, high=-0.22, reference="the default")
    term = replace(SERIES, kind="term", label="A", unit="s")
    assert changed(step, term).replace("\N{NO-BREAK SPACE}", " ") == "shrank by 30 ± 8 ms"
    assert change_size(step, scale_for([step.size], "s")).startswith("\N{MINUS SIGN}30")


def test_after_several_changes_the_headline_says_the_level_of_now() -> None:
    """The largest one may have been undone since."""
    back = replace(CHANGE, size=-CHANGE.size, relative=-0.5)
    told = finding(replace(HISTORY, changes=(CHANGE, back)))
    assert told.endswith(
        f", and changed 1\N{NO-BREAK SPACE}more time: {estimate_text(level_now(HISTORY), scale=scale_of(HISTORY))} now"
    )
    assert not finding(replace(HISTORY, changes=(CHANGE,))).endswith(" now")


def test_many_revisions_get_few_names() -> None:
    many = tuple(RevisionPlace(i, f"r{i}", i, "", "", None) for i in range(1000))
    figure = history_figure(
        History(SERIES, OrderedRevisions("all", many), POINTS, BAND, (), (), enough_data=True, gap=None)
    )
    assert len(figure.layout.xaxis.tickvals) <= 10

"""Numbers on screen: digits by certainty, the unit that fits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.influence.terms import Estimate
from dashboard.figures.numbers import (
    GAP,
    DisplayScale,
    cell_text,
    count,
    fixed,
    interval_ends,
    long_time,
    number,
    percent,
    plural,
    scale_for,
    share,
    table_texts,
    without_margin,
)


def _plain(text: str) -> str:
    return text.replace(GAP, " ")


@pytest.mark.parametrize(
    ("value", "error", "told"),
    [
        (0.0402173, 0.00061, "40.2 ± 0.6 ms"),
        (0.0402173, 0.00012, "40.22 ± 0.12 ms"),
        (32.7473465, 0.0787, "32.75 ± 0.08 s"),
        (0.0000152, None, "15.2 µs"),
        (145.184, 3.27, "145 ± 3 s"),
        (14518.4, 327.0, "14 500 ± 300 s"),
        (0.9999, None, "1.00 s"),
        (0.0, None, "0 s"),
        (-0.0011, 0.0002, "−1.1 ± 0.2 ms"),
        (0.1234, 0.0, "123 ms"),
        (3e-10, None, "0.300 ns"),
        (None, None, "–"),
        (math.nan, None, "–"),
    ],
)
def test_digits_follow_the_error_and_the_unit_follows_the_size(
    value: float | None, error: float | None, told: str
) -> None:
    assert _plain(number(value, error)).replace("\N{NARROW NO-BREAK SPACE}", " ") == told


def test_a_line_breaks_nowhere_inside_a_quantity() -> None:
    assert " " not in number(0.15, 0.03)


def test_the_unit_of_another_metric_is_left_alone() -> None:
    assert _plain(number(0.012, 0.001, "MB")) == "0.0120 ± 0.0010 MB"


def test_a_column_has_one_unit() -> None:
    scale = scale_for([1.5, 0.002])
    assert [_plain(number(value, scale=scale)) for value in (1.5, 0.002)] == ["1.50 s", "0.00200 s"]


def test_a_sign_is_written_only_where_asked_and_never_on_zero() -> None:
    assert _plain(number(4.2, 0.1, signed=True)).startswith("+4.2")
    assert fixed(0.001, 1, signed=True) == "0.0"
    assert fixed(-0.001, 1) == "0.0"


@given(st.floats(1e-9, 1e6), st.floats(0.001, 0.5))
def test_what_is_shown_lies_within_half_an_error_of_the_truth(value: float, relative: float) -> None:
    scale = scale_for([value])
    shown = without_margin(value, value * relative, scale)
    read = float(shown.replace("\N{NARROW NO-BREAK SPACE}", "")) / scale.factor
    assert abs(read - value) <= 0.51 * value * relative + 1e-6 / scale.factor


def test_times_of_a_plain_table_stand_in_the_unit_that_fits_them() -> None:
    """Readers of a report got 0.0389115 and -3.62847e-05 seconds where the page told 38.9 ms."""
    rows = [("entry", 0.0389115, 26.0234), ("web", -3.62847e-05, None), ("none", None, 0.5)]
    heads, cells = table_texts(("function", "adds (s)", "of the term (%)"), rows)
    assert heads == ["function", "adds (ms)", "of the term (%)"]
    assert cells == [
        ["entry", "38.91", "26.0234"],
        ["web", "\N{MINUS SIGN}0.04", "–"],
        ["none", "–", "0.5"],
    ]
    assert table_texts(("term", "size (s)"), [("A", None)]) == (["term", "size (s)"], [["A", "–"]])
    assert table_texts(("term", "all (s)"), [("A", math.nan)])[1] == [["A", "nan"]]


def test_an_interval_without_zero_is_not_written_with_it() -> None:
    """Below "95 % intervals without zero" stood one of "−50 to 0 ms"."""
    scale = scale_for([0.05])
    ends = interval_ends(Estimate(-0.026281, 0.022228), scale)
    assert ends is not None
    assert [_plain(end) for end in ends] == ["\N{MINUS SIGN}49", "\N{MINUS SIGN}4"]
    assert interval_ends(Estimate(0.0117, 0.0113054), scale) == ("0.4", "23.0")
    assert interval_ends(Estimate(0.05, 0.02), scale) == ("30", "70")
    assert interval_ends(Estimate(0.02, 0.02), scale) == ("0", "40")


@given(st.lists(st.floats(-1e9, 1e9), max_size=5))
def test_the_scale_never_loses_a_value(values: list[float]) -> None:
    scale = scale_for(values)
    largest = max((abs(value) for value in values), default=0.0)
    assert scale.factor > 0
    assert largest * scale.factor >= 0.999 or scale.unit in {"s", "ns"}


@pytest.mark.parametrize(
    ("part", "told"),
    [(0.0, "0 %"), (0.004, "< 1 %"), (0.913, "91 %"), (0.996, "> 99 %"), (1.0, "100 %"), (None, "–")],
)
def test_a_share_is_never_shown_as_nothing_or_all_unless_it_is(part: float | None, told: str) -> None:
    assert _plain(share(part)) == told


def test_counts_have_groups_and_percents_a_digit() -> None:
    assert count(22000) == "22\N{NARROW NO-BREAK SPACE}000"
    assert _plain(percent(8.0455)) == "8.0 %"
    assert percent(None) == "–"


def test_a_count_of_any_size_is_told() -> None:
    """Of thousands of options there are more combinations than a number with a point holds, or Python writes."""
    assert count(10**15 - 1) == "\N{NARROW NO-BREAK SPACE}".join(["999"] * 5)
    assert count(10**15) == "about 10¹⁵"
    assert plural(50**5000, "configuration") == "about 10⁸⁴⁹⁴\N{NO-BREAK SPACE}configurations"


def test_a_number_without_unit_ends_with_its_digits() -> None:
    assert _plain(number(1.5, 0.1, scale=DisplayScale(""))) == "1.50 ± 0.10"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.00264, "2.64 ms"), (4.5, "4.50 s"), (90, "90.0 s"), (26.7 * 60, "26.7 min"), (3 * 3600, "3.00 h")],
)
def test_long_times_stand_in_the_unit_that_fits(seconds: float, words: str) -> None:
    assert _plain(long_time(seconds)) == words


def test_a_time_that_is_not_known_is_a_dash() -> None:
    assert long_time(None) == "–"


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (0.09928818850131577, "0.0992882"),
        (-2.5e-9, "−2.5e−09"),
        (1234567, "1234567"),
        ("a-b", "a-b"),
        (None, "–"),
    ],
)
def test_a_cell_of_a_plain_table_shows_six_digits(cell: str | float | None, told: str) -> None:
    assert cell_text(cell) == told

"""Parts of sentences."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.figures.numbers import listing, plural
from dashboard.pages.components.text import ago, time_left

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=90), "1 December 2025"),
        (timedelta(hours=-1), "just now"),
    ],
)
def test_a_moment_is_told_in_the_largest_unit_that_fits(passed: timedelta, told: str) -> None:
    assert ago(NOW - passed, NOW).replace("\N{NO-BREAK SPACE}", " ") == told


def test_a_machine_whose_clock_is_ahead_measured_nothing_just_now() -> None:
    assert ago(NOW + timedelta(minutes=2), NOW) == "just now"
    assert ago(NOW + timedelta(days=1800), NOW).endswith(", by a clock ahead of this server's")


def test_what_never_was_is_never() -> None:
    assert ago(None, NOW) == "never"


def test_lists_read_as_people_say_them() -> None:
    assert listing(["a"]) == "a"
    assert listing(["a", "b"]) == "a and b"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_one_is_not_many() -> None:
    assert plural(1, "run").endswith("run")
    assert plural(0, "run").endswith("runs")
    assert plural(2, "history", "histories").endswith("histories")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (None, ""),
        (0.2, "about 1 s left"),
        (42.0, "about 42 s left"),
        (200.0, "about 3 min left"),
        (9000.0, "about 2 h left"),
    ],
)
def test_time_left_is_rounded(seconds: float | None, told: str) -> None:
    assert time_left(seconds).replace("\N{NO-BREAK SPACE}", " ") == told

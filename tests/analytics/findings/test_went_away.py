"""A level that came back went away, and is no alarm; one that stayed is."""

from analytics.findings import SeriesChange, list_findings
from tests.analytics.findings.changes import change


def verdicts(*changes: SeriesChange, longest: int = 30) -> list[tuple[str, int]]:
    return sorted((one.verdict.value, one.before) for one in list_findings(changes, longest=longest))


UP, DOWN = change(1, (9, 10), 0.1), change(1, (19, 20), -0.091, level=1.1)


def test_an_opposite_step_of_the_same_size_takes_the_alarm_back() -> None:
    (found,) = list_findings([UP, DOWN])
    assert (found.verdict, found.before, found.first.until) == ("went away", 9, 19)


def test_two_steps_back_take_it_back_as_well() -> None:
    halves = [change(1, (14, 15), -0.05, level=1.1), change(1, (19, 20), -0.05, level=1.05)]
    assert verdicts(UP, *halves) == [("went away", 9)]


def test_a_level_that_stood_longer_is_two_findings() -> None:
    assert verdicts(UP, DOWN, longest=9) == [("told", 9), ("told", 19)]


def test_a_smaller_step_back_leaves_both() -> None:
    assert verdicts(UP, change(1, (19, 20), -0.05, level=1.1)) == [("told", 9), ("told", 19)]


def test_the_step_back_of_another_series_takes_nothing_back() -> None:
    other = change(2, (19, 20), -0.091, level=1.1)
    assert verdicts(UP, other) == [("told", 9), ("told", 19)]

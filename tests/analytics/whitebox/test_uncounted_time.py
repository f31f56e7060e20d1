"""How much of the time of runs no counter sees, where, and with which options."""

from analytics.whitebox.evidence import AnalysisRun
from analytics.whitebox.uncounted_time import UncountedTime, uncounted_time


def run(levels: dict[str, str], uncounted: dict[str, float] | None, status: str = "ok") -> AnalysisRun:
    return AnalysisRun(levels=levels, status=status, message="", place="", seconds=1.0, uncounted=uncounted)


def test_shares_go_from_least_to_most_with_the_levels_that_make_the_difference() -> None:
    runs = [
        run({"level": "6", "keep": "off"}, {"libz.so": 0.75, "libc.so": 0.125}),
        run({"level": "11", "keep": "off"}, {"libc.so": 0.125}),
        run({"level": "6", "keep": "on"}, None),
        run({"level": "9", "keep": "on"}, {"libz.so": 1.0}, "failed"),
    ]
    places = (("libz.so", 0.375), ("libc.so", 0.125))
    assert uncounted_time(runs) == UncountedTime(2, 0.125, 0.875, places, ("level", "6"))


def test_shares_that_differ_as_those_of_equal_runs_do_are_the_doing_of_no_option() -> None:
    found = uncounted_time([run({"a": "off"}, {"zlib": 0.5, "": 0.05}), run({"a": "on"}, {"zlib": 0.46})])
    assert found is not None
    assert (found.level, found.places) == (None, (("zlib", 0.48),))


def test_of_runs_whose_time_was_not_looked_into_nothing_is_known() -> None:
    assert uncounted_time([run({"a": "off"}, None)]) is None

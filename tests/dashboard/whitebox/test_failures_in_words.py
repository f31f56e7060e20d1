"""Failures are told once for each way and place, however many configurations lead there."""

from analytics.whitebox.evidence import AnalysisRun
from dashboard.management.analysis_output import failures_in_words


def run(a: str, status: str, message: str, place: str) -> AnalysisRun:
    return AnalysisRun(levels={"A": a, "B": "off"}, status=status, message=message, place=place, seconds=None)


def test_configurations_that_fail_in_one_way_at_one_place_are_one_line() -> None:
    failed = [
        run("1", "failed", "KeyError: 1", "tiny.py:3"),
        run("2", "timeout", "took longer than its time limit", "tiny.py:9"),
        run("3", "failed", "KeyError: 3", "tiny.py:3"),
        run("4", "killed", "was ended by SIGKILL", ""),
    ]
    assert list(failures_in_words(failed)) == [
        "failed: A=1,B=off: KeyError: 1 at tiny.py:3 (and 1 more configuration)",
        "failed: A=2,B=off: took longer than its time limit at tiny.py:9",
        "failed: A=4,B=off: was ended by SIGKILL",
    ]
    (several,) = failures_in_words([failed[0], failed[2], run("5", "failed", "KeyError: 5", "tiny.py:3")])
    assert several.endswith("(and 2 more configurations)")

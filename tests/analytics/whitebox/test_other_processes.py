"""Runs that work in other processes, which are not counted, are told, with the levels that start these."""

from analytics.whitebox.evidence import AnalysisRun
from analytics.whitebox.other_processes import OtherProcesses, work_elsewhere


def _run(share: float, status: str = "ok", **levels: str) -> AnalysisRun:
    return AnalysisRun(levels=levels, status=status, message="", place="", seconds=1.0, children_share=share)


def test_the_levels_that_start_processes_are_those_that_no_other_run_has() -> None:
    runs = [
        _run(0.6, parallel="on", fast="off"),
        _run(0.4, parallel="on", fast="on"),
        _run(0.0, parallel="off", fast="on"),
    ]
    assert work_elsewhere(runs) == OtherProcesses(2, 3, 0.6, (("parallel", "on"),))


def test_where_all_runs_do_no_option_is_named() -> None:
    runs = [_run(0.6, fast="off"), _run(0.5, fast="off")]
    assert work_elsewhere(runs) == OtherProcesses(2, 2, 0.6, ())


def test_a_small_share_is_no_work_and_a_failed_run_tells_nothing() -> None:
    assert work_elsewhere([_run(0.02, fast="on"), _run(0.9, "failed", fast="off")]) is None

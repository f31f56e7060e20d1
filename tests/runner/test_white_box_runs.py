"""Counted and traced runs, in real processes of throw-away subjects."""

import pytest

from runner.executions import Mode
from tests.runner.throwaway import RunProgram

ENTRY = """
import tiny

def run(options, workload):
    print(tiny.work(options["fast"], workload["size"]))
"""
PROGRAM = """
def work(fast, size):
    total = 0
    for _ in range(size):
        if not fast:
            total += 1
    return total
"""


def test_a_counted_run_has_times_and_counts(run_program: RunProgram) -> None:
    done = run_program(entry=ENTRY, program=PROGRAM, mode="count")
    assert (done.status, done.message) == ("ok", "")
    assert done.plain is not None
    assert done.counts is not None
    assert done.counts.regions == {"tiny:work": ((2, 0, "call", 1), (4, 4, "turn", 3), (5, 8, "if", 3))}
    assert done.trace is None


def test_a_traced_run_tells_which_option_decides_what(run_program: RunProgram) -> None:
    done = run_program(entry=ENTRY, program=PROGRAM, mode="taint")
    assert (done.status, done.message) == ("ok", "")
    assert done.trace is not None
    assert done.trace.options == ("fast",)
    assert [
        (done.trace.sites[site].region, done.trace.sites[site].text, data, control)
        for site, data, control in done.trace.decisions
    ] == [("tiny:work", "if not fast:", 1, 0)]
    assert done.trace.functions["tiny:work"].first_line == 2
    assert done.counts is not None


@pytest.mark.parametrize("mode", ["plain", "count", "taint"])
def test_the_program_prints_the_same_in_every_mode(run_program: RunProgram, mode: Mode) -> None:
    assert run_program(entry=ENTRY, program=PROGRAM, mode=mode).output == "3\n3\n"

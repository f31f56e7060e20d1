"""The clock that runs are timed with."""

import subprocess
import sys

SHORT = """
import resource
from probe.clocks import timed
resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
print(sum(timed(lambda: sum(range(20000)))["cpu_seconds"] > 0 for _ in range(20)))
"""


def test_a_limit_of_cpu_time_does_not_make_the_clock_coarse() -> None:
    """With the limit that every run has, Linux moves the clock of the whole process in steps of milliseconds."""
    done = subprocess.run([sys.executable, "-c", SHORT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["20"]


CHILD = """
import subprocess, sys
from probe.clocks import timed
busy = [sys.executable, "-c", "sum(range(3_000_000))"]
print(timed(lambda: sum(range(300_000)))["children_seconds"])
found = timed(lambda: subprocess.run(busy, check=True))
print(0 < found["children_seconds"] <= found["cpu_seconds"])
"""


def test_what_processes_take_that_the_call_started_is_told_apart() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.0", "True"]

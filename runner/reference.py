"""The reference run: a fixed piece of work that tells whether the machine is as fast as it was."""

import os
import subprocess
import sys
from statistics import median

# About a twentieth of a second on a machine of today, of the work that interpreters do.
_WORK = """
import time
began = time.process_time()
table = {}
for number in range(200_000):
    table[number % 4096] = table.get(number % 977, 0) + number * number % 7
print(time.process_time() - began)
"""
_REPETITIONS = 3


def measuring_core() -> int | None:
    """Return the core that runs are pinned to: the last of those we may use; None where there is only one."""
    cores = os.sched_getaffinity(0)
    return max(cores) if len(cores) > 1 else None


def reference_run() -> float:
    """Return the CPU time of one reference run, in seconds: a fresh process, on the core that runs are pinned to."""
    core = measuring_core()
    command = [sys.executable, "-I", "-S", "-c", _WORK]
    cores = os.sched_getaffinity(0)
    if core is not None:
        # Inherited by the child; ours again at once.
        os.sched_setaffinity(0, {core})
    try:
        return float(
            subprocess.run(command, capture_output=True, check=True, env={"PYTHONHASHSEED": "0"}).stdout
        )
    finally:
        os.sched_setaffinity(0, cores)


def reference_seconds() -> float:
    """Return the CPU time of the reference run, in seconds: the median of three."""
    return median(reference_run() for _ in range(_REPETITIONS))

"""The reference run: a fixed piece of work that tells whether the machine is as fast as it was."""

import os
import platform
import subprocess
import sys
from statistics import median

from pydantic import ValidationError

from .results import ClockResult

# About 30 ms on a machine of today: the work that interpreters do, and reads all over more memory than fits beside a core.
_WORK = """
import json, time
block = list(range(1 << 18))
wall, cpu = time.perf_counter(), time.process_time()
table = {}
for number in range(80_000):
    table[number % 4096] = table.get(number % 977, 0) + number * number % 7
at = 0
for _ in range(60_000):
    at = (at * 1103515245 + 12345) & 0x3FFFF
    table[0] += block[at]
took = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
print(json.dumps(took))
"""
# What a reference run is: times of another work, or by another interpreter, are not comparable.
REFERENCE_PROGRAM = f"1, {sys.implementation.name} {platform.python_version()}"
# One that takes longer tells no more than that the machine does nothing.
_PATIENCE_SECONDS = 20.0
# Reference runs beside a run take at most such a share of what it took, or are one, before and after it; never more than so many.
_SHARE, _MOST = 0.025, 9
# What one takes, with the start of its process, in seconds.
_COST = 0.06


class ReferenceFailed(Exception):
    """A reference run did not come to its end; the message says why. Whatever is measured can be measured without it."""


def measuring_core() -> int | None:
    """Return the core that runs are pinned to: the last of those we may use; None where there is only one."""
    cores = os.sched_getaffinity(0)
    return max(cores) if len(cores) > 1 else None


def reference_run(*, pinned: bool = True) -> ClockResult:
    """Return what one reference run took: a fresh process, on the core that runs are pinned to where they are `pinned`.

    Raises `ReferenceFailed`.
    """
    core = measuring_core() if pinned else None
    command = [sys.executable, "-I", "-S", "-c", _WORK]
    cores = os.sched_getaffinity(0)
    try:
        if core is not None:
            # Inherited by the child; ours again at once.
            os.sched_setaffinity(0, {core})
        done = subprocess.run(
            command,
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": "0"},
            timeout=_PATIENCE_SECONDS,
        )
        return ClockResult.model_validate_json(done.stdout)
    except (OSError, subprocess.SubprocessError, ValidationError) as error:
        raise ReferenceFailed(f"the reference run failed: {error}") from error
    finally:
        os.sched_setaffinity(0, cores)


def reference_time(*, pinned: bool, beside_seconds: float = 0.0) -> ClockResult:
    """Return the medians of reference runs: of more of them beside runs that take long, at a twentieth of their time.

    Raises `ReferenceFailed`.
    """
    times = min(max(1, round(_SHARE * beside_seconds / _COST)), _MOST)
    made = [reference_run(pinned=pinned) for _ in range(times)]
    return ClockResult(
        wall_seconds=median(one.wall_seconds for one in made),
        cpu_seconds=median(one.cpu_seconds for one in made),
    )

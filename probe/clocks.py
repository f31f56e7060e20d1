"""Wall and CPU time of one call."""

from __future__ import annotations

import gc
import resource
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def cpu_seconds() -> float:
    """Return the CPU time used so far by this process and by its children that were waited for, in seconds."""
    # Not time.process_time: under the limit of CPU time that runs have, Linux moves that clock in steps of milliseconds.
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(call: Callable[[], object]) -> dict[str, float]:
    """Return `wall_seconds` and `cpu_seconds` of one `call`; whatever it raises passes through.

    CPU time is that of all threads and of children that were waited for.
    """
    # Garbage of earlier calls is collected here, not on this call's account.
    gc.collect()
    cpu = cpu_seconds()
    wall = time.perf_counter()
    call()
    return {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": cpu_seconds() - cpu}

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
    return _used(resource.RUSAGE_SELF) + _used(resource.RUSAGE_CHILDREN)


def timed(call: Callable[[], object]) -> dict[str, float]:
    """Return `wall_seconds`, `cpu_seconds` and `children_seconds` of one `call`; whatever it raises passes through.

    CPU time is that of all threads and of children that were waited for, of which the last one is the children's alone.
    """
    # Garbage of earlier calls is collected here, not on this call's account.
    gc.collect()
    children = _used(resource.RUSAGE_CHILDREN)
    cpu = cpu_seconds()
    wall = time.perf_counter()
    call()
    return {
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": cpu_seconds() - cpu,
        "children_seconds": _used(resource.RUSAGE_CHILDREN) - children,
    }


def _used(who: int) -> float:
    # Not time.process_time: under the limit of CPU time that runs have, Linux moves that clock in steps of milliseconds.
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime

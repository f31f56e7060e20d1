"""How benchmarks take times."""

import time
from collections.abc import Callable
from statistics import median


def seconds(run: Callable[[], object], runs: int = 5) -> float:
    """Median wall time of several calls of `run`, in seconds."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return median(taken)

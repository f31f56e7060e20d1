"""How benchmarks take times."""

import time
from collections.abc import Callable
from statistics import median
from typing import TypeVar

Made = TypeVar("Made")


def seconds(run: Callable[[], object], runs: int = 5) -> float:
    """Median wall time of several calls of `run`, in seconds."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return median(taken)


def pairs_in_turns(one: Callable[[], Made], other: Callable[[], Made], pairs: int) -> list[tuple[Made, Made]]:
    """What both make, so many times, in turns A B B A: a machine that becomes slower favours neither."""
    made = []
    for number in range(pairs):
        if number % 2 == 0:
            first = one()
            made.append((first, other()))
        else:
            second = other()
            made.append((one(), second))
    return made

"""For which share of an analysis the time that it still takes was told within a factor of two.

Analyzes the subject in a folder, on SQLite, in a data folder of its own, with the words given as `manage.py analyze` takes them. Told is what
a page would show at each of many moments, also between two reports. Prints that share, when the first estimate came, the
largest factor after the first tenth of the time and before the last hundredth, and the share right in each tenth of the time.

    python -m benchmarks.bench_time_left FOLDER [words of analyze ...]
"""

import sys
import time
from bisect import bisect
from typing import Any
from unittest.mock import patch

import numpy as np
from django.core.management import call_command

import benchmarks.own_database  # noqa: F401 -- first: it sets Django up
from dashboard.models.jobs import expected_left
from dashboard.services.jobs.context import JobContext
from dashboard.services.whitebox.analysis_loop import AnalysisLoop

FACTOR, MOMENTS = 2.0, 2_000
# When something was told, and how many seconds were left by it.
Told = list[tuple[float, float | None]]


def analyzed(folder: str, words: list[str]) -> tuple[Told, float, float]:
    """What was told while a subject was analyzed, when the first run began and when the last one was done."""
    told: Told = []
    ends: list[float] = []
    progress, run = JobContext.progress, AnalysisLoop.run

    def hear(context: JobContext, *given: Any, **named: Any) -> None:
        told.append((time.monotonic(), named.get("seconds_left")))
        progress(context, *given, **named)

    def timed(loop: AnalysisLoop, *given: Any) -> None:
        ends.append(time.monotonic())
        run(loop, *given)
        ends.append(time.monotonic())

    call_command("migrate", verbosity=0)
    with patch.object(JobContext, "progress", hear), patch.object(AnalysisLoop, "run", timed):
        call_command("analyze", folder, *words)
    return told, ends[0], ends[1]


def main() -> None:
    """Analyze a subject, and hold what was told against what came."""
    told, began, ended = analyzed(sys.argv[1], sys.argv[2:])
    ratios = np.full(MOMENTS, np.nan)
    for at in range(MOMENTS):
        now = began + (ended - began) * (at + 0.5) / MOMENTS
        place = bisect(told, now, key=lambda one: one[0]) - 1
        if place >= 0 and (seconds := told[place][1]) is not None:
            ratios[at] = max(expected_left(seconds, now - told[place][0]), 1e-9) / (ended - now)
    factors = np.maximum(ratios, 1 / ratios)
    right = factors <= FACTOR
    tenths = " ".join(f"{part.mean():.2f}" for part in np.split(right, 10))
    first = np.flatnonzero(~np.isnan(ratios))[0] / MOMENTS
    worst = np.nanmax(factors[MOMENTS // 10 : -MOMENTS // 100])
    print(f"right within {FACTOR:g} for {right.mean():.0%} of the time, by tenths {tenths}")
    print(f"first told after {first:.1%}; the largest factor is {worst:.1f}")


if __name__ == "__main__":
    main()

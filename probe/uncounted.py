"""The share of a call's CPU time that no counter sees: Python that is not counted, and calls into C that take long.

A call into C that is short does little, and as often as the lines around it are counted. One that is long may do more or less
without any counter noticing.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from .selftime import INTERVAL_SECONDS, sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# Calls into C that take as long as this on average do work that counters should have told.
LONG_SECONDS = 20e-6
# So many places are told by name, those of the largest shares; the rest is together under `OTHERS`.
MOST_PLACES = 20
OTHERS = ""
_LONGEST_NAME = 200
# The call is sampled again until it took so much, but not more often than one time less than this; the last one is watched.
_SAMPLED_SECONDS, MOST_CALLS = 0.1, 11
_OWN = os.path.dirname(__file__) + os.sep  # noqa: PTH120 - see driver


def uncounted(
    call: Callable[[], object], *, files: Collection[str], cpu_seconds: float
) -> dict[str, float] | None:
    """Return the shares of the time of one `call` that lie in code outside of `files`, by where: a module, or what is called in C.

    The call takes `cpu_seconds`, and is made some times more. Python is sampled, which changes its pace little. What C takes is
    clocked call by call, where counted code calls it. None where nothing can be told: something else watches the program
    already, it raised, or most of its time is that of other threads.
    """
    if cpu_seconds <= 0:
        return None
    try:
        spent, cpu = _in_python(call, files)
        in_c = _in_c(call, files)
    except BaseException:  # noqa: BLE001 - what a program raises when called once more says nothing of the counted call
        return None
    sampled_seconds = sum(spent.values())
    if sampled_seconds < cpu / 2:
        return None
    found = {name: seconds / sampled_seconds for name, seconds in spent.items() if name}
    for name, seconds in in_c.items():
        found[name] = found.get(name, 0.0) + seconds / cpu_seconds
    whole = max(sum(found.values()), 1.0)
    ranked = sorted(found, key=lambda name: (-found[name], name))
    told = {name: found[name] / whole for name in ranked[:MOST_PLACES] if found[name] > 0}
    rest = sum(found[name] for name in ranked[MOST_PLACES:]) / whole
    return {**told, OTHERS: rest} if rest > 0 else told


def _in_python(call: Callable[[], object], files: Collection[str]) -> tuple[dict[str, float], float]:
    """The CPU seconds of the frames of each module, with the C that they call, those of `files` under ""; and those of the process."""
    spent: dict[str, float] = {}
    cpu = 0.0
    for _ in range(MOST_CALLS - 1):
        sampler = sampled(call, packages=None, interval_seconds=INTERVAL_SECONDS)
        cpu += sampler.cpu_seconds - sampler.sampling_seconds
        for module, file, seconds in sampler.by_file():
            if not file.startswith(_OWN):
                name = "" if file in files else module[:_LONGEST_NAME]
                spent[name] = spent.get(name, 0.0) + seconds
        if cpu >= _SAMPLED_SECONDS:
            break
    return spent, cpu


def _in_c(call: Callable[[], object], files: Collection[str]) -> dict[str, float]:
    """The CPU seconds of the long calls into C that code of `files` makes, by what is called."""
    if sys.getprofile() is not None:
        raise RuntimeError("something else watches this program already")
    # In every CPython; nothing else tells the time of calls into C.
    from _lsprof import Profiler  # noqa: PLC0415 - only runs that are watched need it

    # Not by the wall clock: waiting is no work.
    profiler = Profiler(time.thread_time)
    profiler.enable(subcalls=True, builtins=True)
    try:
        call()
    finally:
        profiler.disable()
    times: dict[str, list[float]] = {}
    for entry in profiler.getstats():
        if isinstance(entry.code, str) or entry.code.co_filename not in files:
            continue
        for one in entry.calls or ():
            if isinstance(one.code, str):
                spent = times.setdefault(one.code, [0.0, 0])
                spent[0] += one.inlinetime
                spent[1] += one.callcount
    return {_called(name): took for name, (took, calls) in times.items() if took >= LONG_SECONDS * calls}


def _called(text: str) -> str:
    """`zlib.compress` for `<built-in method zlib.compress>`, `list.sort` for `<method 'sort' of 'list' objects>`."""
    text = text.strip("<>")
    parts = text.split("'")
    if text.startswith("method '") and len(parts) > 3:
        text = f"{parts[3]}.{parts[1]}"
    return text.removeprefix("built-in method ").removeprefix("builtins.")[:_LONGEST_NAME]

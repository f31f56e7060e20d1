"""Runs one callable of a program as a job asks for and writes what was measured.

The job is a JSON file; so is the result, of version `RESULT_VERSION`. A job has the keys `entry`
("module:function"), `options`, `workload`, `packages`, `path` (put in front of sys.path), `profile` (bool),
`interval_seconds` and `result` (where to write). `mode` says what else is done to `packages`: "plain" nothing,
"count" counters are put into them, "taint" the call is traced instead of timed, "reads" it is noted which options are
read (see `reads`). A traced job, and one that notes reads, may have `sources` (by option, see `taint.sources`), the former
`weak_updates` (bool), it and one that counts `kept` and `made` (see `instrumented.InstrumentedCode`), and one that counts the `uncounted_seconds` that finding out
may take which share of the time is not counted (see `uncounted`). `stacks` names a file for the stacks of a program that ends before its time (see `ending`).
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import platform
import sys
import traceback
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from . import counting, reads
from .clocks import timed
from .copies import CountedCopies
from .ending import crash_location, watch
from .instrumented import InstrumentedCode
from .returned import digest
from .rewriting import room_to_rewrite
from .selftime import sampled
from .uncounted import MOST_CALLS, uncounted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    Made = TypeVar("Made")

RESULT_VERSION = 1
# What we go on with, whatever the program put in its place.
_BUILTINS = dict(vars(builtins))
_current = vars(builtins)
_put_back = _current.update
# How many frames stand where a traced program has one, at most: a built-in with a taint summary calls it in between.
_FRAMES = 4
_LARGEST = 2**31 - 1


def run_job(path: str) -> int:
    """Run the job in the file `path`, write its result and return the exit code: 0 done, 1 the program raised."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib would be one more module inside the program
        job: dict[str, Any] = json.load(file)
    process = os.getpid()
    if "stacks" in job:
        watch(job["stacks"])
    result: dict[str, Any] = {"version": RESULT_VERSION, "status": "ok", "interpreter": interpreter()}
    try:
        result.update(_measure(job))
    # Whatever a program raises, SystemExit too, is its result, not our end.
    except BaseException as error:  # noqa: BLE001
        _put_back(_BUILTINS)
        _print_exception()
        message = "".join(traceback.format_exception_only(type(error), error)).strip()
        result.update(status="failed", message=message, place=crash_location(error), plain=None, profile=None)
    if job.get("mode") == "reads":
        result["reads"] = list(reads.READ)
    # A copy of the process that the program made and did not end has nothing to say.
    if os.getpid() != process:
        return 0
    # A program may have closed its output, or put anything in its place.
    with suppress(Exception):
        sys.stdout.flush()
    # Names that are no text are told by surrogates, which no reader of JSON takes, not as escapes either.
    with open(job["result"], "w", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        # As one text: what is written piece by piece is made piece by piece, in Python, which takes five times as long.
        file.write(json.dumps(result, ensure_ascii=False))
    return 0 if result["status"] == "ok" else 1


def _print_exception() -> None:
    """Print the exception where Python would have printed it, also where the program replaced the channel."""
    for channel in (sys.stderr, sys.__stderr__):
        with suppress(Exception):
            traceback.print_exc(file=channel)
            channel.flush()  # type: ignore[union-attr]  # None, too, is nothing that can be flushed
        if channel is sys.__stderr__:
            return


def interpreter() -> dict[str, str]:
    """Return implementation, version and compiler of the interpreter that runs the program."""
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": platform.python_compiler(),
    }


def _measure(job: dict[str, Any]) -> dict[str, Any]:
    sys.path[:0] = job["path"]
    mode = job.get("mode", "plain")
    if mode == "taint":
        with room_to_trace():
            return _traced(job)
    copies = None
    if mode == "count":
        counting.install(job["packages"], job.get("kept"), job.get("made"))
        copies = CountedCopies(f"{job['result']}.copy")
    sources = job.get("sources", {}) if mode == "reads" else None
    if sources is not None:
        reads.watch_sources(job["options"], sources)
    run = _entry(job)

    def call() -> object:
        # Copies, so that a program that changes what it was given measures the same thing again.
        options = dict(job["options"]) if sources is None else reads.noted(job["options"], sources)
        return run(options, json.loads(json.dumps(job["workload"])))

    first = call()
    made: dict[str, Any] = {"profile": None}
    if mode == "count":
        made["returned"] = _undisturbed(digest, first)
    # What a call made is gone before the next one is timed.
    del first
    counting.clear()
    if copies is not None:
        copies.clear()
    timing = timed(call)
    if copies is not None:
        made["counts"] = _counted(copies, timing)
        made["uncounted"] = _uncounted(run, job, timing)
    samples = None
    if job["profile"]:
        samples = sampled(call, packages=tuple(job["packages"]), interval_seconds=job["interval_seconds"])
    _put_back(_BUILTINS)
    made["plain"] = timing
    if samples is not None:
        made["profile"] = samples.profile()
    return made


def _counted(copies: CountedCopies, timing: dict[str, float]) -> dict[str, Any]:
    """Return what the call and the copies that it made have counted; the latter's time is no longer that of other processes."""
    with room_to_rewrite():
        counts, seconds = copies.added(_undisturbed(counting.counted))
    timing["children_seconds"] = max(timing["children_seconds"] - seconds, 0.0)
    return counts


def _uncounted(
    run: Callable[..., object], job: dict[str, Any], timing: dict[str, float]
) -> dict[str, float] | None:
    """Return the shares of the time that are not counted; None where finding out would take too long, or fails."""
    # Sampled once at least, and watched, which takes up to three times as long.
    if 4 * max(timing["wall_seconds"], timing["cpu_seconds"]) > job.get("uncounted_seconds", 0.0):
        return None
    # Made before, for it is no work of the program's.
    given = [(dict(job["options"]), json.loads(json.dumps(job["workload"]))) for _ in range(MOST_CALLS)]
    return uncounted(lambda: run(*given.pop()), files=counting.FILES, cpu_seconds=timing["cpu_seconds"])


def _entry(job: dict[str, Any]) -> Callable[..., object]:
    module, _, name = job["entry"].partition(":")
    found: Callable[..., object] = getattr(importlib.import_module(module), name)
    return found


def _traced(job: dict[str, Any]) -> dict[str, Any]:
    """Trace one call; the entry's own module is rewritten too, for it is where the options come from."""
    from .taint import flows, records, sources, tracing  # noqa: PLC0415 - large, and for CPython 3.11 and newer only

    flows.FLOWS.begin(len(job["options"]))
    folders = InstrumentedCode(job.get("kept"), job.get("made"))
    packages = *job["packages"], job["entry"].partition(":")[0]
    tracing.install(packages, weak=job.get("weak_updates", True), folders=folders)
    named = job.get("sources", {})
    # Variables may be read while the program is imported; objects are there only then.
    sources.name_sources(
        job["options"], {one: what for one, what in named.items() if what.startswith("environment:")}
    )
    run = _entry(job)
    sources.name_sources(job["options"], named)
    workload = json.loads(json.dumps(job["workload"]))
    # Caches and what is made on first use are filled with this configuration's own values.
    first = tracing.traced(run, job["options"], workload)
    returned = _undisturbed(digest, first)
    del first
    # What objects and globals are known to hold stays, and what filled a cache was read.
    got = records.RECORD.got
    records.RECORD.clear()
    records.RECORD.got = got
    counting.clear()
    timing = timed(lambda: tracing.traced(run, job["options"], json.loads(json.dumps(job["workload"]))))
    _put_back(_BUILTINS)
    # The source is read again for what is told of it, however low the program has set the limit of recursion.
    with room_to_rewrite():
        return {
            "plain": timing,
            "profile": None,
            "returned": returned,
            "counts": counting.counted(),
            "trace": tracing.trace(tuple(job["options"])),
        }


@contextmanager
def room_to_trace() -> Iterator[None]:
    """Let a traced program recurse about as deep as it does plain; it sees and sets the limit that it would have."""
    set_limit, limit = sys.setrecursionlimit, sys.getrecursionlimit
    before = limit()

    def deepened(most: int) -> None:
        set_limit(min(most * _FRAMES, _LARGEST))

    deepened(before)
    sys.setrecursionlimit = deepened
    sys.getrecursionlimit = lambda: limit() // _FRAMES
    try:
        yield
    finally:
        sys.setrecursionlimit, sys.getrecursionlimit = set_limit, limit
        set_limit(before)


def _undisturbed(work: Callable[..., Made], *given: object) -> Made:
    """Do `work` with the original built-ins, then put those of the program back, which has yet to run."""
    theirs = _current.copy()
    _put_back(_BUILTINS)
    try:
        return work(*given)
    finally:
        for name in _BUILTINS:
            if name not in theirs:
                del _current[name]
        _current.update(theirs)

"""Self time per function of one call: a timer inside the process, weighted by CPU time."""

from __future__ import annotations

import gc
import opcode
import signal
import threading
import time

# By name, for the program may put others in their place.
from builtins import enumerate, frozenset, id, sum, tuple  # noqa: A004 - they are the same
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clocks import cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

INTERVAL_SECONDS = 0.001

# CPython 3.11 and newer look for signals at the start of a function, in this instruction.
_RESUME = opcode.opmap.get("RESUME")


class TimerTaken(RuntimeError):
    """The measured program installed its own SIGALRM handler, so the profile of this call is not complete."""


@dataclass(frozen=True)
class LineSample:
    """CPU time of one line of one code object; `code` belongs to one of the packages asked for."""

    module: str
    code: CodeType
    line: int
    seconds: float


@dataclass(frozen=True)
class StackSamples:
    """What was seen during one call.

    `cpu_seconds` is the CPU time of the call without `sampling_seconds`, the time that the sampler itself took.
    The seconds of all samples never sum to more; what is missing belongs to no package that was asked for.
    """

    wall_seconds: float
    cpu_seconds: float
    sampling_seconds: float
    ticks: int
    samples: tuple[LineSample, ...]


class _Code:
    """What has to be known of a code object at every tick."""

    __slots__ = ("code", "entries", "lines", "module")

    def __init__(self, code: CodeType, module: str | None) -> None:
        self.code = code
        self.module = module
        self.lines: dict[int, float] = {}
        self.entries = _entries(code)


def _entries(code: CodeType) -> frozenset[int]:
    """Return the instruction offsets at which a frame of `code` has only just been entered or resumed."""
    if _RESUME is None:
        return frozenset({-1, 0})
    instructions = code.co_code[::2]
    return frozenset(2 * at for at, operation in enumerate(instructions) if operation == _RESUME)


class _Sampler:
    """The handler of one profiled call and what it has added up."""

    def __init__(self, packages: tuple[str, ...], interval_seconds: float) -> None:
        self._packages = packages
        self._interval = interval_seconds
        self._prefixes = tuple(f"{package}." for package in packages)
        self.codes: dict[int, _Code] = {}
        self.ticks = 0
        self.sampling = 0.0
        self.last = 0.0
        self.stopped = False

    def start(self) -> None:
        """Ask for the next tick; each tick asks anew, so that one never interrupts another."""
        self.last = time.thread_time()
        signal.setitimer(signal.ITIMER_REAL, self._interval)

    def stop(self) -> None:
        """Ask for no tick any more. One that is on its way is not counted and starts no other."""
        self.stopped = True
        signal.setitimer(signal.ITIMER_REAL, 0)

    def tick(self, _signal: int, frame: FrameType | None) -> None:
        """Give the CPU time since the last tick to the nearest frame of our packages."""
        if self.stopped:
            return
        now = time.thread_time()
        self.ticks += 1
        # A signal that arrives in straight-line code is handled when the next function is entered: the time
        # before it is the caller's.
        if frame is not None and frame.f_lasti in self._known(frame).entries:
            frame = frame.f_back
        while frame is not None:
            known = self._known(frame)
            if known.module is not None:
                line = frame.f_lineno or known.code.co_firstlineno
                known.lines[line] = known.lines.get(line, 0.0) + now - self.last
                break
            frame = frame.f_back
        self.start()
        self.sampling += self.last - now

    def _known(self, frame: FrameType) -> _Code:
        # By identity: code objects hash by value, which is slow and merges equal lambdas. The reference kept
        # in _Code makes the identity safe.
        code = frame.f_code
        known = self.codes.get(id(code))
        if known is None:
            known = self.codes[id(code)] = _Code(code, self._module(frame))
        return known

    def _module(self, frame: FrameType) -> str | None:
        """Return the module of `frame` where it belongs to a package asked for and has a source file."""
        name = frame.f_globals.get("__name__")
        if not isinstance(name, str) or frame.f_code.co_filename.startswith("<"):
            return None
        return name if name in self._packages or name.startswith(self._prefixes) else None


def sampled(
    call: Callable[[], object], *, packages: tuple[str, ...], interval_seconds: float = INTERVAL_SECONDS
) -> StackSamples:
    """Return the CPU time of one `call` per line of the code of `packages` (names, dots allowed).

    Every tick of a real-time timer gives the CPU time since the tick before to the nearest frame on the main
    thread's stack that belongs to `packages`, so a long call into C, or into a library that is not listed,
    counts for the line that made it. Raises what `call` raises, `TimerTaken` where the program took SIGALRM
    over, and `RuntimeError` outside the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("self time can only be sampled in the main thread; start the program there")
    sampler = _Sampler(packages, interval_seconds)
    before = signal.signal(signal.SIGALRM, sampler.tick)
    gc.collect()
    cpu = cpu_seconds()
    wall = time.perf_counter()
    sampler.start()
    try:
        call()
    finally:
        sampler.stop()
        wall = time.perf_counter() - wall
        cpu = cpu_seconds() - cpu
        kept = signal.getsignal(signal.SIGALRM) == sampler.tick
        signal.signal(signal.SIGALRM, before)
    if not kept:
        raise TimerTaken("the program uses SIGALRM itself: measure it without a profile")
    samples = tuple(
        LineSample(known.module, known.code, line, seconds)
        for known in sampler.codes.values()
        if known.module is not None
        for line, seconds in known.lines.items()
    )
    # The clocks of thread and process differ by microseconds; the total is never below its parts.
    own = max(cpu - sampler.sampling, sum(sample.seconds for sample in samples))
    return StackSamples(wall, own, sampler.sampling, sampler.ticks, samples)

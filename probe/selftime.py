"""Self time per function and call path of one call: a timer inside the process, weighted by CPU time."""

from __future__ import annotations

import gc
import opcode
import signal
import threading
import time

# By name, for the program may put others in their place.
from builtins import enumerate, frozenset, id, len, sum, tuple  # noqa: A004 - they are the same
from typing import TYPE_CHECKING

from .clocks import cpu_seconds
from .functions import SourceFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

INTERVAL_SECONDS = 0.001
# A stack is followed this far from its innermost frame; a path of a deeper one begins in the middle, below `DEEPER`.
MOST_FRAMES = 200
DEEPER = "<deeper>"
# Different stacks that one call is told of; the time of further ones is that of their regions alone.
MOST_STACKS = 5_000
# Frames of all paths together; the paths that took least are left out.
MOST_NODES = 2_000

# CPython 3.11 and newer look for signals at the start of a function, in this instruction.
_RESUME = opcode.opmap.get("RESUME")


class TimerTaken(RuntimeError):
    """The measured program installed its own SIGALRM handler, so the profile of this call is not complete."""


class _SampledCode:
    """A code object that a tick has met; `lines` has the CPU seconds of each of its lines.

    `module` is None where the code belongs to no package that was asked for. `entries` are the instruction offsets at
    which a frame has only just been entered or resumed.
    """

    __slots__ = ("code", "entries", "lines", "module")

    def __init__(self, code: CodeType, module: str | None) -> None:
        self.code = code
        self.module = module
        self.lines: dict[int, float] = {}
        if _RESUME is None:
            self.entries = frozenset({-1, 0})
        else:
            instructions = enumerate(code.co_code[::2])
            self.entries = frozenset(2 * at for at, operation in instructions if operation == _RESUME)


class StackSampler:
    """The signal handler of one profiled call, and the CPU time that it has attributed to lines of code.

    Every tick of a real-time timer gives the CPU time since the tick before to the nearest frame on the main
    thread's stack that belongs to `packages` (names, dots allowed), so a long call into C, or into a library that is
    not listed, counts for the line that made it. None: every frame belongs to them.
    """

    def __init__(self, packages: tuple[str, ...] | None, interval_seconds: float) -> None:
        self._packages = packages
        self._interval = interval_seconds
        self._prefixes = tuple(f"{package}." for package in packages or ())
        self._codes: dict[int, _SampledCode] = {}
        # CPU seconds by the frames of our packages, the innermost first; where the stack goes on, None is the last.
        self._stacks: dict[tuple[_SampledCode | None, ...], float] = {}
        self._last = 0.0
        self._stopped = False
        self.ticks = 0
        self.sampling_seconds = 0.0
        self.wall_seconds = 0.0
        self.cpu_seconds = 0.0

    def start(self) -> None:
        """Ask for the next tick; each tick asks anew, so that one never interrupts another."""
        self._last = time.thread_time()
        signal.setitimer(signal.ITIMER_REAL, self._interval)

    def stop(self) -> None:
        """Ask for no tick any more. One that is on its way is not counted and starts no other."""
        self._stopped = True
        signal.setitimer(signal.ITIMER_REAL, 0)

    def tick(self, _signal: int, frame: FrameType | None) -> None:
        """Give the CPU time since the last tick to the nearest frame of our packages."""
        if self._stopped:
            return
        now = time.thread_time()
        self.ticks += 1
        # A signal that arrives in straight-line code is handled when the next function is entered: the time
        # before it is the caller's.
        if frame is not None and frame.f_lasti in self._sampled_code(frame).entries:
            frame = frame.f_back
        stack: list[_SampledCode | None] = []
        left = MOST_FRAMES
        known = self._codes.get
        while frame is not None:
            # Most have been met: a call for each frame is what would cost most here.
            sampled_code = known(id(frame.f_code)) or self._sampled_code(frame)
            if sampled_code.module is not None:
                if not stack:
                    line = frame.f_lineno or sampled_code.code.co_firstlineno
                    sampled_code.lines[line] = sampled_code.lines.get(line, 0.0) + now - self._last
                stack.append(sampled_code)
            left -= 1
            # However deep it is, the frame that the time belongs to is looked for.
            if left <= 0 and stack:
                if frame.f_back is not None:
                    stack.append(None)
                break
            frame = frame.f_back
        if stack:
            key = tuple(stack)
            if key in self._stacks or len(self._stacks) < MOST_STACKS:
                self._stacks[key] = self._stacks.get(key, 0.0) + now - self._last
        self.start()
        self.sampling_seconds += self._last - now

    def _sampled_code(self, frame: FrameType) -> _SampledCode:
        # By identity: code objects hash by value, which is slow and merges equal lambdas. The reference kept
        # in _SampledCode makes the identity safe.
        code = frame.f_code
        found = self._codes.get(id(code))
        if found is None:
            name = frame.f_globals.get("__name__")
            if self._packages is None:
                name, ours = str(name), True
            else:
                if not isinstance(name, str) or code.co_filename.startswith("<"):
                    name = None
                ours = name is not None and (name in self._packages or name.startswith(self._prefixes))
            found = self._codes[id(code)] = _SampledCode(code, name if ours else None)
        return found

    def by_file(self) -> list[tuple[str, str, float]]:
        """Return the CPU seconds of each code object of our packages, with its module and its file."""
        return [
            (one.module, one.code.co_filename, sum(one.lines.values()))
            for one in self._codes.values()
            if one.module is not None
        ]

    def profile(self) -> dict[str, Any]:
        """Return plain JSON values: seconds per region and line and by call path, and the functions that the regions are.

        `cpu_seconds` is the CPU time of the call without `sampling_seconds`, the time that the sampler itself took.
        Self times of all regions and `program_seconds` sum to it. `paths` holds the `nodes` of a tree, each [position
        of its caller, region, self time], callers first, -1 for none; their self times and its `cut_seconds`, which were
        not kept by path, sum to those of the regions.
        """
        files = SourceFiles()
        regions: dict[str, dict[str, float]] = {}
        keys: dict[_SampledCode | None, str] = {None: DEEPER}
        for sampled_code in self._codes.values():
            code = sampled_code.code
            if sampled_code.module is None:
                continue
            # Python 3.11 and newer know the qualified name.
            name = getattr(code, "co_qualname", code.co_name)
            function = files.region_at(sampled_code.module, code.co_filename, code.co_firstlineno, name)
            keys[sampled_code] = function.key
            if not sampled_code.lines:
                continue
            lines = regions.setdefault(function.key, {})
            for line, seconds in sampled_code.lines.items():
                lines[str(line)] = lines.get(str(line), 0.0) + seconds
        inside = sum(sum(lines.values()) for lines in regions.values())
        # The clocks of thread and process differ by microseconds; the total is never below its parts.
        own = max(self.cpu_seconds - self.sampling_seconds, inside)
        nodes = _folded(self._stacks, keys)
        return {
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": own,
            "sampling_seconds": self.sampling_seconds,
            "ticks": self.ticks,
            "program_seconds": own - inside,
            "regions": {
                key: {"seconds": sum(lines.values()), "lines": lines} for key, lines in regions.items()
            },
            "functions": {key: one for key, one in files.functions.items() if key in regions},
            "paths": {
                "nodes": nodes,
                "cut_seconds": max(0.0, inside - sum(seconds for _, _, seconds in nodes)),
            },
        }


def _folded(
    stacks: dict[tuple[_SampledCode | None, ...], float], keys: dict[_SampledCode | None, str]
) -> list[tuple[int, str, float]]:
    """Return the tree of stacks, those that took most first, in at most `MOST_NODES` nodes.

    A region that calls itself is one node, as are a function and those that are nested in it.
    """
    nodes: list[list[Any]] = []
    places: dict[tuple[int, str], int] = {}
    for stack in sorted(stacks, key=lambda one: -stacks[one]):
        at = -1
        missing: list[str] = []
        for frame in reversed(stack):
            key = keys[frame]
            if key == (missing[-1] if missing else nodes[at][1] if at >= 0 else None):
                continue
            if not missing and (at, key) in places:
                at = places[at, key]
            else:
                missing.append(key)
        if len(nodes) + len(missing) > MOST_NODES:
            continue
        for key in missing:
            places[at, key] = len(nodes)
            nodes.append([at, key, 0.0])
            at = len(nodes) - 1
        nodes[at][2] += stacks[stack]
    return [(parent, key, seconds) for parent, key, seconds in nodes]


def sampled(
    call: Callable[[], object],
    *,
    packages: tuple[str, ...] | None,
    interval_seconds: float = INTERVAL_SECONDS,
) -> StackSampler:
    """Return a sampler that has watched one `call`.

    Raises what `call` raises, `TimerTaken` where the program took SIGALRM over, and `RuntimeError` outside the main
    thread.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("self time can only be sampled in the main thread; start the program there")
    sampler = StackSampler(packages, interval_seconds)
    before = signal.signal(signal.SIGALRM, sampler.tick)
    gc.collect()
    cpu = cpu_seconds()
    wall = time.perf_counter()
    sampler.start()
    try:
        call()
    finally:
        sampler.stop()
        sampler.wall_seconds = time.perf_counter() - wall
        sampler.cpu_seconds = cpu_seconds() - cpu
        kept = signal.getsignal(signal.SIGALRM) == sampler.tick
        signal.signal(signal.SIGALRM, before)
    if not kept:
        raise TimerTaken("the program uses SIGALRM itself: measure it without a profile")
    return sampler

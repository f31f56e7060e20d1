"""One execution: a fresh process of the subject's own environment, and what came of it."""

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from probe.ending import ASKED
from probe.selftime import INTERVAL_SECONDS

from .branch_counts import BranchCounter
from .environments import Prepared
from .errors import CountingImpossible
from .fingerprints import MachineFingerprint
from .instructions import InstructionCounter, counter_of
from .plans import PlannedRun
from .processes import ProcessLimits, ProcessOutcome, never, run
from .reference import measuring_core
from .results import (
    ClockResult,
    ProbeResult,
    ResultUnreadable,
    first_fault,
    location_in_output,
    location_in_stacks,
    read_result,
    short_location,
)
from .run_commands import INSTRUMENTED, variables_of_run, words_of_run
from .sandboxes import Reach, interpreter_places, sandbox_of
from .sources import instrumented_folder, keep_instrumented
from .subjects import SubjectDefinition
from .uncounted import UncountedSampler, sampler_of

# Where it tells where it is, when it ends before its time.
_STACKS = "stacks"
# A traced run, or one of a command that counts, does the same many times more slowly; the time that a plain one may take
# leaves room for most of that.
TRACED_LIMIT = 4
# Callgrind keeps what it knows of the program's code in the program's address space.
_CALLGRIND_BYTES = 1 << 30
# Finding out what is not counted may take one part of so many of a run's time limit.
_OF_LIMIT = 4
Status = Literal["ok", "failed", "killed", "timeout", "output_limit", "disk_limit", "cancelled", "lost"]

# What is done to the regions' code before it runs: nothing, counters put in, or taints tracked; or only its options are watched.
# A command may be sampled instead of counted.
Mode = Literal["plain", "count", "taint", "reads", "sample"]
Counter = InstructionCounter | BranchCounter | UncountedSampler

_MEGABYTE = 1024 * 1024
# The result of a run that measured nothing; which options led there may be known.
_UNMEASURED = ProbeResult(version=1, status="failed", interpreter={})


@dataclass(frozen=True, slots=True)
class Execution:
    """What one run came to.

    `result.plain` is the end-to-end time: of one call after a warm-up for a callable, of the whole process for a
    command. `result.profile` is that of one further call, `counts` and `trace` those of the timed call, None unless asked
    for: counters cost some of that time, tracing most of it. `result.returned` is a digest of what the first call
    returned, where that was traced or counted and has one. The result is empty unless `status` is
    "ok", and `message` then a note, mostly "": "failed" the program raised or returned an error, "killed" a signal ended it, "timeout",
    "output_limit" and "disk_limit" it went over a limit, "cancelled" somebody stopped it, "lost" its supervisor was killed.
    `message` says so in words, `place` where the program was then, "file:line" ("" where it is not known).
    """

    run: PlannedRun
    status: Status
    message: str
    place: str
    outcome: ProcessOutcome
    result: ProbeResult
    started_at: datetime
    environment: MachineFingerprint


def execute(
    prepared: Prepared,
    run_planned: PlannedRun,
    *,
    profile: bool = True,
    interval_seconds: float = INTERVAL_SECONDS,
    mode: Mode = "plain",
    weak: bool = True,
    uncounted: Collection[str] | None = None,
    cancelled: Callable[[], bool] = never,
    held: Sequence[int] = (),
) -> Execution:
    """Make one run and return what came of it; whatever the program does is a result, not an error.

    `profile` is ignored for commands; "count" counts what their functions do where they were prepared for that, else their
    instructions. Raises `CountingImpossible`. `weak`: a traced run follows weak updates, unless the subject forbids
    it. `uncounted`: which share of the time is not counted is found out, too; of a command, where "sample" is asked of its plain
    build, and these are the names of the functions that are counted. `cancelled` is polled and stops the run within a second; `held` are
    descriptors that stay open as long as the run does: a lock on the machine, say.
    """
    started_at = datetime.now(tz=UTC)
    subject, counter = prepared.subject, _counter(prepared, mode, uncounted or ())
    with prepared.state.scratch() as scratch:
        result, stacks = scratch / "result.json", scratch / _STACKS
        asked: dict[str, object] = {
            "profile": profile,
            "interval_seconds": interval_seconds,
            "mode": mode,
            "weak_updates": weak and subject.analysis.weak_updates,
            "stacks": str(stacks),
            "uncounted_seconds": 0.0 if uncounted is None else subject.limits.timeout_seconds / _OF_LIMIT,
        }
        words = words_of_run(prepared, run_planned, scratch, result, asked=asked)
        outcome = run(
            counter.command(words, scratch) if counter else words,
            folder=scratch,
            environment=variables_of_run(prepared, scratch, run_planned),
            limits=_limits(subject, mode, counter),
            user=prepared.state.user,
            reach=_reach(prepared, scratch, counter),
            cancelled=cancelled,
            held=held,
            asking=(ASKED, stacks) if subject.entry.callable else None,
        )
        status, message, read = _judged(outcome, result if subject.entry.callable else None, run_planned)
        if counter is not None:
            status, message, read = _counted(prepared, counter, scratch, (status, message, read))
        place = "" if status == "ok" else _location(status, outcome, read, stacks)
        if mode in {"count", "taint"} and (status, counter) == ("ok", None):
            keep_instrumented(scratch / INSTRUMENTED, instrumented_folder(prepared.folder, prepared.probe))
    return Execution(
        run=run_planned,
        status=status,
        message=message,
        place=place,
        outcome=outcome,
        result=read if status == "ok" else _UNMEASURED.model_copy(update={"reads": read.reads}),
        started_at=started_at,
        environment=prepared.environment,
    )


def _counter(prepared: Prepared, mode: Mode, functions: Collection[str]) -> Counter | None:
    """Return what watches a command from outside in this mode. Raises `CountingImpossible`."""
    if mode == "sample":
        sampler = sampler_of(prepared.state, prepared.folder, functions)
        if isinstance(sampler, str):
            raise CountingImpossible(sampler)
        return sampler
    return counter_of(prepared.subject, prepared.state, prepared.notes) if mode == "count" else None


def _location(status: Status, outcome: ProcessOutcome, read: ProbeResult, stacks: Path) -> str:
    """Return where it ended: what the probe says it raised, else its last stack, else what a traceback printed.

    Of a program that others ended, a traceback in the output is one of before.
    """
    printed = location_in_output(outcome.output) if status in {"failed", "killed"} else ""
    return short_location(read.place) or location_in_stacks(stacks) or printed


def _reach(prepared: Prepared, scratch: Path, counter: Counter | None) -> Reach:
    """Return what a run sees: the environment and the files of its own revision, and what its subject asks for."""
    asked = prepared.subject.sandbox
    tools = [] if counter is None else [Path(counter.program).parent]
    own = (
        prepared.folder,
        prepared.files,
        prepared.probe,
        *interpreter_places(prepared.base.executable),
        *tools,
    )
    readable = (*own, *map(Path, asked.readable))
    return Reach(
        scratch,
        readable,
        network=asked.network,
        namespaces=asked.namespaces,
        sandbox=sandbox_of(prepared.state),
    )


def _limits(subject: SubjectDefinition, mode: Mode, counter: Counter | None) -> ProcessLimits:
    limits = subject.limits
    simulated = counter is not None and counter.tool == "callgrind"
    slower = mode == "taint" or (counter is not None and counter.tool != "perf")
    seconds = limits.timeout_seconds * (TRACED_LIMIT if slower else 1)
    return ProcessLimits(
        timeout_seconds=seconds,
        cpu_seconds=seconds * (os.cpu_count() or 1) + 1,
        memory_bytes=limits.memory_megabytes * _MEGABYTE + simulated * _CALLGRIND_BYTES,
        file_bytes=limits.file_megabytes * _MEGABYTE,
        output_bytes=int(limits.output_megabytes * _MEGABYTE),
        disk_bytes=limits.disk_megabytes * _MEGABYTE,
        core=measuring_core() if subject.is_pinned else None,
    )


def _counted(
    prepared: Prepared, counter: Counter, scratch: Path, judged: tuple[Status, str, ProbeResult]
) -> tuple[Status, str, ProbeResult]:
    """Return status, note and result of a command that was counted, with what became of its counts."""
    status, message, timed = judged
    if status == "ok":
        places = [place for place in (prepared.source, prepared.files) if place is not None]
        try:
            if isinstance(counter, UncountedSampler):
                shares, samples = counter.shares(scratch, [prepared.folder, *places])
                return "ok", "", timed.model_copy(update={"uncounted": shares, "samples": samples})
            counts, note = counter.read(scratch, places)
        except ResultUnreadable as error:
            return "failed", str(error), _UNMEASURED
        except ValidationError as error:
            why = f"left counts that cannot be: {first_fault(error)}"
            if counter.tool == "gcov":
                why += "; threads that count without `threads = true` under [counts] leave such, whatever the program does"
            return "failed", why, _UNMEASURED
        return "ok", note, timed.model_copy(update={"counts": counts})
    if status in {"failed", "killed"} and not counter.has_written(scratch):
        message += f" under {counter.tool}; {counter.lost}"
    return status, message, timed


def _judged(
    outcome: ProcessOutcome, result: Path | None, planned: PlannedRun
) -> tuple[Status, str, ProbeResult]:
    """Return status, message and result: the probe's where there is one to trust; of a command, its whole time."""
    if outcome.status != "ended" or outcome.signal is not None:
        return "killed" if outcome.status == "ended" else outcome.status, outcome.in_words(), _UNMEASURED
    if result is None or outcome.start_error:
        if not outcome.succeeded:
            return "failed", outcome.in_words(), _UNMEASURED
        took = {"wall_seconds": outcome.wall_seconds, "cpu_seconds": outcome.cpu_seconds}
        return (
            "ok",
            "",
            ProbeResult(version=1, status="ok", interpreter={}, plain=ClockResult.model_validate(took)),
        )
    try:
        read = read_result(result, dict(planned.configuration.levels))
    except ResultUnreadable as error:
        return "failed", f"{outcome.in_words()} and {error}", _UNMEASURED
    if read.status == "failed" or read.plain is None:
        return "failed", read.message or outcome.in_words(), read
    return ("ok", "", read) if outcome.succeeded else ("failed", outcome.in_words(), _UNMEASURED)

"""Instructions of a command: counted by the processor where the kernel lets us, else by callgrind, function by function."""

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from .branch_counts import BranchCounter
from .callgrind import UNKNOWN, CallgrindUnreadable, FunctionCost, FunctionName, added, read_callgrind
from .compilers import gcov_of
from .errors import CountingImpossible
from .gcov import region_key
from .pip import SEARCH_PATH
from .results import LARGEST_RESULT_BYTES, Count, Counts, ResultUnreadable, read_own
from .state import RunnerState
from .subjects import SubjectDefinition
from .tool_runs import idle_program, try_tool

# What the counter of the processor is called, in user mode: the kernel's share depends on the machine.
_PERF_EVENT = "instructions:u"
_PERF_FILE, _CALLGRIND_FILE = "perf.csv", "callgrind.out"
KIND = "instruction"
# What a compiler appends to the name of a function that it made several of.
_CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)*)+$")
_RECURSION = re.compile(r"'\d+$")
_VERSIONED = re.compile(r"\.so[.\d]*$")
# The function of glibc in which every thread but the first begins.
_THREAD_START = "start_thread"


@dataclass(frozen=True, slots=True)
class InstructionCounter:
    """A way to count the instructions of a command on this machine, by its `program` (a path)."""

    tool: Literal["perf", "callgrind"]
    program: str

    @property
    def lost(self) -> str:
        """What keeps a program from writing its counts, and what to do."""
        return LOST

    def command(self, words: Sequence[str], scratch: Path) -> tuple[str, ...]:
        """Return the command that counts while `words` run, into files in `scratch`."""
        if self.tool == "perf":
            asked: tuple[str, ...] = ("stat", "-x,", "-e", _PERF_EVENT, "-o", str(scratch / _PERF_FILE), "--")
        else:
            file = f"--callgrind-out-file={scratch / _CALLGRIND_FILE}.%p"
            asked = ("--quiet", "--tool=callgrind", "--trace-children=yes", file, "--")
        return (self.program, *asked, *words)

    def has_written(self, scratch: Path) -> bool:
        """Whether anything was counted in `scratch`: callgrind makes its file first, and fills it at the end."""
        pattern = _PERF_FILE if self.tool == "perf" else f"{_CALLGRIND_FILE}.*"
        return any(file.lstat().st_size for file in scratch.glob(pattern))

    def refusal(self, state: RunnerState) -> str:
        """Return why perf counts nothing for the subject's user; "" where it does. It takes some milliseconds."""
        text = ""
        with state.scratch() as scratch, suppress(ResultUnreadable):
            outcome = try_tool(self.program, self.command((idle_program(),), scratch), scratch, state)
            text = _text(scratch / _PERF_FILE)
        if outcome.succeeded and _perf_total(text) is not None:
            return ""
        supported = "<not supported>" not in text
        told = outcome.output.strip() if supported else "the kernel has no counter of instructions"
        return f"perf counts nothing ({told.splitlines()[0] if told else outcome.in_words()})"

    def read(self, scratch: Path, places: Sequence[Path]) -> tuple[Counts, str]:
        """Return what was counted in `scratch`, and a note on what that holds, "" where there is nothing to say.

        `places` are the folders that hold the program's own files. Raises `ResultUnreadable`.
        """
        if self.tool == "perf":
            text = _text(scratch / _PERF_FILE)
            total = _perf_total(text)
            if total is None:
                raise ResultUnreadable(f"was not counted by perf: {text.strip()[-200:]!r}")
            return Counts(version=1, regions={}, tool="perf", total=total), ""
        files = sorted(scratch.glob(f"{_CALLGRIND_FILE}.*"))
        try:
            profile = added(read_callgrind(_text(file)) for file in files)
        except CallgrindUnreadable as error:
            raise ResultUnreadable(
                f"left counts of callgrind that cannot be read: {error}; {LOST}"
            ) from error
        if not profile:
            raise ResultUnreadable(f"left no counts of callgrind; {LOST}")
        regions = regions_of(profile, places)
        total = sum(count for rows in regions.values() for *_, count in rows)
        counts = Counts(version=1, regions=regions, tool="callgrind", total=total)
        notes = []
        if len(files) > 1:
            notes.append(
                f"instructions of {len(files)} processes together; what one did before it forked without exec counts twice"
            )
        if any(name.name == _THREAD_START for name in profile):
            notes.append("all threads together: their order may change what is counted")
        return counts, "; ".join(notes)


LOST = (
    "programs that are killed, or shut themselves into a sandbox (seccomp, Landlock), cannot write them: build it without "
    "the sandbox for counting"
)


def counter_of(
    subject: SubjectDefinition, state: RunnerState, notes: Sequence[str] = ()
) -> InstructionCounter | BranchCounter | None:
    """Return how what a subject does is counted here, None for a callable, which has counters of its own.

    "auto": perf where the kernel gives counts to the subject's user, else callgrind; it is tried, not only looked for.
    With the `notes` of a build with counters, those are read. Raises `CountingImpossible` with what to do.
    """
    if subject.entry.callable is not None:
        return None
    if notes or subject.counts_functions:
        return BranchCounter(gcov_of(notes), notes, state)
    wanted, why = subject.counting.tool, []
    if wanted in {"auto", "perf"}:
        perf = shutil.which("perf", path=SEARCH_PATH)
        counter = InstructionCounter("perf", perf or "")
        refusal = "perf is not installed" if perf is None else counter.refusal(state)
        if not refusal:
            return counter
        why.append(refusal)
    if wanted in {"auto", "callgrind"}:
        valgrind = shutil.which("valgrind", path=SEARCH_PATH)
        if valgrind is not None:
            return InstructionCounter("callgrind", valgrind)
        why.append("valgrind is not installed")
    remedy = (
        "run on a machine whose kernel gives them (kernel.perf_event_paranoid at most 2)"
        if wanted == "perf"
        else "install valgrind (on Debian: apt install valgrind)"
    )
    raise CountingImpossible(f"instructions cannot be counted here: {'; '.join(why)}: {remedy}")


def counting_in_words(state: RunnerState) -> str:
    """Return how the instructions of commands are counted here, and why not by the processor; or what to do so that they are."""
    perf, valgrind = (shutil.which(name, path=SEARCH_PATH) for name in ("perf", "valgrind"))
    refusal = "perf is not installed" if perf is None else InstructionCounter("perf", perf).refusal(state)
    if not refusal:
        return "Instructions of commands are counted by the processor (perf), as totals without functions."
    if valgrind is None:
        return f"Instructions of commands cannot be counted: {refusal}; install valgrind (on Debian: apt install valgrind)."
    return f"Instructions of commands are counted by callgrind, 10 to 60 times slower than a run: {refusal}."


def _perf_total(text: str) -> int | None:
    """Return the count in what `perf stat -x,` wrote; None where there is none."""
    for line in text.splitlines():
        value, _, rest = line.partition(",")
        if "instructions" in rest and value.isdecimal():
            return int(value)
    return None


def _text(file: Path) -> str:
    try:
        content = read_own(file, LARGEST_RESULT_BYTES)
    except OSError as error:
        raise ResultUnreadable(f"left no counts; {LOST}") from error
    if content is None or len(content) > LARGEST_RESULT_BYTES:
        raise ResultUnreadable(f"left counts that are no file of at most {LARGEST_RESULT_BYTES} bytes")
    return content.decode(errors="replace").replace("\0", "\ufffd")


def regions_of(
    profile: Mapping[FunctionName, FunctionCost], places: Sequence[Path]
) -> dict[str, tuple[Count, ...]]:
    """Return the own instructions of each function, by line where that is in the function's own file, else at line 0.

    A function of the program is called "file:function", with its file below one of `places`; one of elsewhere after the
    object that holds it, "libc.so:memcpy". What a compiler cloned or split is one function.
    """
    found: dict[str, Counter[int]] = defaultdict(Counter)
    inside = _Inside(places)
    for function, cost in profile.items():
        file = inside.relative(function.file)
        place = file or _VERSIONED.sub(".so", PurePosixPath(function.object).name) or "?"
        name = _CLONE.sub("", _RECURSION.sub("", function.name))
        # An address is not the same in another build.
        key = region_key(place, "?" if name.startswith("0x") else name)
        for (source, line), count in cost.lines.items():
            found[key][line if file and source == function.file else 0] += count
    return {
        key: tuple((line, 0, KIND, count) for line, count in sorted(lines.items()))
        for key, lines in sorted(found.items())
    }


class _Inside:
    """Which source files lie in some folders; debug information names them as the compiler was given them."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = places
        self._known: dict[str, str] = {UNKNOWN: ""}

    def relative(self, file: str) -> str:
        """Return the file relative to the folder that has it, "" where none has: the longest end of its path counts."""
        if file not in self._known:
            parts = [part for part in PurePosixPath(file).parts if part not in {"/", ".", ".."}]
            ends = ("/".join(parts[start:]) for start in range(len(parts)))
            found = (end for end in ends for place in self._places if (place / end).is_file())
            self._known[file] = next(found, "")
        return self._known[file]

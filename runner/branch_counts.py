"""Counting what a native program does: its counters written into a fresh place in each run, and read by gcov."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from .compilers import COUNTERS
from .errors import FilesRefused
from .gcov import GcovUnreadable, read_gcov
from .pip import SEARCH_PATH
from .results import LARGEST_RESULT_BYTES, Counts, ResultUnreadable, read_own
from .state import RunnerState
from .tool_runs import read_with_tool
from .trees import entries

_FOLDER, _REPORT = "counters", "gcov.json"
# By the subject's user, and by find and not by us: what lies there may be anything.
_SCRIPT = f'find {_FOLDER} -type f -name "*{COUNTERS}" -exec "$0" --json-format --branch-probabilities --stdout {{}} + >{_REPORT}'
LOST = (
    "programs that are killed, end by _exit, empty their environment, or shut themselves into a sandbox (seccomp, "
    "Landlock) cannot write them: build it without the sandbox for counting"
)


@dataclass(frozen=True, slots=True)
class BranchCounter:
    """Counts the calls and branches of a program that was built with counters; `program` is gcov, a path.

    `notes` are the files that gcc left beside the objects.
    """

    tool: ClassVar[Literal["gcov"]] = "gcov"
    lost: ClassVar[str] = LOST
    program: str
    notes: Sequence[str]
    state: RunnerState

    def command(self, words: Sequence[str], scratch: Path) -> tuple[str, ...]:
        """Return the command that counts while `words` run; links to the notes are laid out in `scratch`, for gcov."""
        place = scratch / _FOLDER
        for note in self.notes:
            link = place.joinpath(*Path(note).parts[1:])
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(note)
        self.state.give(place)
        env = shutil.which("env", path=SEARCH_PATH) or "/usr/bin/env"
        return (env, f"GCOV_PREFIX={place}", *words)

    def has_written(self, scratch: Path) -> bool:
        """Whether anything was counted in `scratch`."""
        try:
            return any(entry.name.endswith(COUNTERS) for entry in entries(scratch / _FOLDER))
        except FilesRefused:
            return False

    def read(self, scratch: Path, places: Sequence[Path]) -> tuple[Counts, str]:
        """Return what was counted in `scratch` of code below the first of `places`, and no note.

        Raises `ResultUnreadable`.
        """
        if not self.has_written(scratch):
            raise ResultUnreadable(f"left no counts; {self.lost}")
        readable = [Path(os.path.commonpath(self.notes)), *places]
        outcome = read_with_tool(self.program, _SCRIPT, scratch, self.state, readable)
        printed = outcome.output.strip().splitlines()
        why = printed[-1] if printed else outcome.in_words()
        try:
            report = read_own(scratch / _REPORT, LARGEST_RESULT_BYTES) if outcome.succeeded else None
            if report is None or len(report) > LARGEST_RESULT_BYTES:
                raise ResultUnreadable(f"left counts that gcov cannot read: {why}")
            regions, functions = read_gcov(report.decode("utf-8", "replace"), places[0])
        except (OSError, GcovUnreadable) as error:
            raise ResultUnreadable(f"left counts that gcov cannot read: {error}") from error
        if not regions:
            raise ResultUnreadable(f"left counts of no code in the revision's files: {why}")
        return Counts(version=1, regions=regions, tool="gcov", functions=functions), ""

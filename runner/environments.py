"""The environment of a revision: made once, kept, made anew where it was left half-built."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from .build_outputs import NothingBuilt, keep_outputs
from .builds import Build, BuildFailed
from .compilers import counting_flags
from .fingerprints import FIXED_VARIABLES, MachineFingerprint, environment
from .interpreters import Interpreter, interpreter
from .processes import never
from .revisions import check_identifier
from .source_revisions import SourceRevision
from .sources import place_probe, place_subject
from .state import RunnerState, locked, readable_folder, write_whole
from .subjects import FolderRevisions, SubjectDefinition
from .trees import remove

_READY = "ready.json"
_LOG = "build.log"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A revision that can be run. `installed`: pip installed the revision itself.

    `source` holds the revision's files (None for releases), `files` a copy of the subject's own folder,
    `probe` the folder to put on the program's path, `base` the interpreter that `python` was made with. `built` is the
    digest of the files that the subject names as made by its build, "" where it names none. `notes` are what gcc says of
    the objects that it put counters into, none where the revision was not prepared for counting.
    """

    subject: SubjectDefinition
    revision: SourceRevision
    state: RunnerState
    folder: Path
    python: Path
    source: Path | None
    files: Path
    probe: Path
    base: Interpreter
    installed: bool
    environment: MachineFingerprint
    built: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unprepared:
    """A revision that cannot be run: how the making of its environment ended, in words, and the end of the log."""

    subject: SubjectDefinition
    revision: SourceRevision
    status: Literal["failed", "timeout", "cancelled"]
    message: str
    output: str
    environment: MachineFingerprint


def prepare(
    subject: SubjectDefinition,
    revision: SourceRevision,
    *,
    state: RunnerState,
    cancelled: Callable[[], bool] = never,
    counting: bool = False,
) -> Prepared | Unprepared:
    """Return the environment of `revision`, made if there is none yet; `cancelled` is polled meanwhile.

    `counting`: another one, in which gcc puts counters into what the subject's commands compile.
    A failure is a result. Raises `SelectionInvalid` for an identifier that the subject's source cannot have given,
    `IsolationImpossible` where this machine cannot make any environment, and `RepositoryGone` where no revision has
    files any more.
    """
    check_identifier(subject, revision.identifier)
    base = interpreter(state, subject.install.python)
    found = run_environment(subject, base)
    folder = state.folder("environments") / environment_digest(subject, revision, base, counting=counting)
    with locked(folder):
        if not (folder / _READY).exists():
            remove(folder)
            readable_folder(folder)
            build = Build(subject, revision.identifier, state, base, folder, cancelled, counting)
            try:
                write_whole(folder / _READY, build.make())
            except BuildFailed as failure:
                output = build.log[-16_384:]
                return Unprepared(subject, revision, failure.status, str(failure), output, found)
            finally:
                (folder / _LOG).write_text(build.log, encoding="utf-8")
        ready = json.loads((folder / _READY).read_text(encoding="utf-8"))
    try:
        # What was built with counters is no other program.
        built = "" if counting else keep_outputs(subject, revision.identifier, folder / "source", state)
    except NothingBuilt as error:
        output = (folder / _LOG).read_text(encoding="utf-8")[-16_384:]
        return Unprepared(subject, revision, "failed", str(error), output, found)
    released_at = ready["released_at"] and datetime.fromisoformat(ready["released_at"])
    source = folder / "source"
    return Prepared(
        subject=subject,
        revision=replace(revision, released_at=revision.released_at or released_at),
        state=state,
        folder=folder,
        python=folder / "venv" / "bin" / "python",
        source=source if source.is_dir() else None,
        files=place_subject(subject, state),
        probe=place_probe(state),
        base=base,
        installed=ready["installed"],
        environment=found,
        built=built,
        notes=tuple(ready.get("notes", ())),
    )


def run_environment(subject: SubjectDefinition, base: Interpreter) -> MachineFingerprint:
    """Return what the times of `subject` belong to: a command of any language has no interpreter of ours."""
    name = base.name if subject.entry.callable else ""
    pinned = {"cores used": "one"} if subject.is_pinned else {}
    return environment(name, {**FIXED_VARIABLES, **subject.entry.environment, **pinned})


def environment_digest(
    subject: SubjectDefinition, revision: SourceRevision, base: Interpreter, *, counting: bool = False
) -> str:
    """Return a name for everything that decides what is in the environment of `revision`, one for `counting` too."""
    place = str(subject.folder) if isinstance(subject.revisions, FolderRevisions) else ""
    parts = [
        subject.install.model_dump_json(exclude={"timeout_seconds", "built"}),
        subject.revisions.model_dump_json(include={"source", "package", "repository", "path"}),
        revision.identifier,
        base.identity,
        place,
        *([counting_flags(threads=subject.counting.threads)] if counting else []),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

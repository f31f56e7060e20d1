"""Files that a subject's user may read: a revision's source, the subject's own files, the probe, instrumented code."""

import io
import os
import py_compile
import re
import shutil
import sys
import tarfile
from pathlib import Path

import probe

from . import git_history
from .state import RunnerState, readable_folder
from .subject_files import checkout_of, content, folder_digest
from .subjects import FolderRevisions, GitRevisions, SubjectDefinition

# The one name of ours on the path of a measured program.
PROBE_NAME = "_perfatlas_probe"
# Names of instrumented files are digests.
_INSTRUMENTED = re.compile(r"[0-9a-f]{64}")
MOST_FILES = 10_000
MOST_BYTES = 64 * 1024**2  # of all files that one run instrumented


def place_source(
    subject: SubjectDefinition, identifier: str, target: Path, state: RunnerState
) -> Path | None:
    """Put the files of the revision `identifier` into `target`; None for releases, which pip brings.

    Raises `RevisionsUnavailable` for a commit that is gone, `RepositoryGone` where all of them are.
    """
    source = subject.revisions
    if isinstance(source, GitRevisions):
        repository = git_history.repository(subject.folder, source, state, refresh=False)
        files = git_history.archive(repository, identifier)
        target.mkdir()
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extractall(target, filter="data")
        return target
    if isinstance(source, FolderRevisions):
        _copy(subject.folder / source.path, target)
        return target
    return None


def place_subject(subject: SubjectDefinition, state: RunnerState) -> Path:
    """Return a copy of the subject's own folder without a checkout in it, kept by its digest."""
    without = checkout_of(subject.folder, subject.revisions)
    return kept_copy(subject.folder, state.folder("subjects") / subject.digest[:24], without)


def place_probe(state: RunnerState) -> Path:
    """Return a folder that holds the probe under its private name and nothing else, kept by its digest.

    Its bytecode lies beside it: runs write none, and each of them would compile the probe anew.
    """
    code = Path(probe.__file__).parent
    place = readable_folder(state.folder("probes") / folder_digest(code)[:24])
    kept_copy(code, place / PROBE_NAME, compiled=True)
    return place


def instrumented_folder(environment: Path, probe: Path) -> Path:
    """Return the folder of an environment for code that this `probe` rewrote, to count or to trace, made if need be.

    A run reads it and writes what it made into its own scratch folder: the folder is ours, so that no program changes
    what another one's environment holds.
    """
    return readable_folder(readable_folder(environment / "rewritten") / probe.name)


def keep_instrumented(made: Path, kept: Path) -> None:
    """Copy new files of instrumented code from `made`, a program's own folder, to `kept`; anything else is passed over.

    Without room for them, the next run instruments again.
    """
    left = MOST_BYTES
    try:
        with os.scandir(made) as entries:
            for _, entry in zip(range(MOST_FILES), entries, strict=False):
                size = entry.stat(follow_symlinks=False).st_size
                regular = entry.is_file(follow_symlinks=False) and _INSTRUMENTED.fullmatch(entry.name)
                target = kept / entry.name
                if not regular or size > left or target.exists():
                    continue
                left -= size
                part = target.with_suffix(f".{os.getpid()}")
                source = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW)
                with os.fdopen(source, "rb") as read, part.open("wb") as write:
                    shutil.copyfileobj(read, write)
                part.chmod(0o644)
                part.replace(target)
    except OSError:
        return


def kept_copy(folder: Path, place: Path, without: Path | None = None, *, compiled: bool = False) -> Path:
    """Copy `folder` to `place` unless that was done: built beside it and renamed, so it is whole or absent.

    `compiled`: the bytecode of every module lies where an interpreter like ours looks first.
    """
    if not place.exists():
        building = place.with_name(f"{place.name}.{os.getpid()}")
        shutil.rmtree(building, ignore_errors=True)
        _copy(folder, building, without)
        for path in building.rglob("*.py") if compiled else ():
            beside = readable_folder(path.parent / "__pycache__")
            made = beside / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
            py_compile.compile(str(path), cfile=str(made), doraise=True)
            made.chmod(0o644)
        building.replace(place)
    return place


def _copy(folder: Path, target: Path, without: Path | None = None) -> None:
    target.mkdir(mode=0o755)
    for path in content(folder, without=without):
        copied = target / path.relative_to(folder)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)
        # Readable by the subject's user whatever this person's umask is; programs stay executable.
        copied.chmod(0o755 if os.access(path, os.X_OK) and path.stat().st_mode & 0o111 else 0o644)
    for inner in (target, *(path for path in target.rglob("*") if path.is_dir())):
        inner.chmod(0o755)

"""What a build made, identified by the files that the subject names: equal builds are the same program."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .interpreters import interpreter
from .state import RunnerState, locked, write_whole
from .subject_files import files_digest
from .subjects import SubjectDefinition


class NothingBuilt(ValueError):
    """No file of the build matches what the subject names."""


def built_digest(place: Path, patterns: Sequence[str]) -> str:
    """Return the `files_digest` of the files below `place` that any pattern matches.

    Raises `NothingBuilt` for a pattern that no file matches.
    """
    files: dict[str, Path] = {}
    for pattern in patterns:
        some = [path for path in place.glob(pattern) if path.is_file()]
        if not some:
            raise NothingBuilt(
                f"install.built: no file of the build matches {pattern!r}: name files that the build makes, relative to "
                "the revision's files"
            )
        files |= {str(path.relative_to(place)): path for path in some}
    return files_digest(sorted(files.items()))


def keep_outputs(subject: SubjectDefinition, identifier: str, folder: Path, state: RunnerState) -> str:
    """Return the digest of what the build of a revision made in `folder`; "" where the subject names no outputs.

    It is kept for the next time that the revisions are listed. Raises `NothingBuilt`.
    """
    if not subject.install.built:
        return ""
    digest = built_digest(folder, subject.install.built)
    place = _place(subject, state)
    with locked(place):
        known = {**known_builds(subject, state), identifier: digest}
        write_whole(place, known)
    return digest


def known_builds(subject: SubjectDefinition, state: RunnerState) -> dict[str, str]:
    """Return what the builds made that are known, by revision."""
    place = _place(subject, state)
    found: dict[str, str] = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    return found


def joined_contents(contents: Mapping[str, str], builds: Mapping[str, str]) -> dict[str, str]:
    """Return the contents of revisions, by identifier, after those that hold or were built to the same are joined.

    Joined ones are named by the smallest digest of their builds: a build that is not reproducible has several.
    """
    same: dict[str, set[str]] = {}
    for identifier, content in contents.items():
        names = {content, builds.get(identifier, "")} - {""}
        joined = names.union(*(same.get(name, ()) for name in names))
        same |= dict.fromkeys(joined, joined)
    made = {*builds.values()}
    return {
        identifier: min(same.get(content or builds.get(identifier, ""), set()) & made, default=content)
        for identifier, content in contents.items()
    }


def _place(subject: SubjectDefinition, state: RunnerState) -> Path:
    """Return where the builds of a subject are noted: apart from those that are made in another way."""
    parts = [
        subject.install.model_dump_json(exclude={"timeout_seconds"}),
        subject.revisions.model_dump_json(include={"source", "repository"}),
        interpreter(state, subject.install.python).identity,
    ]
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    return state.folder("built") / f"{name}.json"

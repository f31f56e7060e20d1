"""What changed from commit to commit: a digest over the files that matter, and how many of their lines."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from .git_history import inside, run_git

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .subjects import GitRevisions


@dataclass(frozen=True, slots=True)
class Content:
    """The files of a commit that matter, as a `digest`, and how many of their lines changed since the one before.

    `lines` counts those added and removed; a file that is no text counts as one. None for the first commit.
    """

    digest: str
    lines: int | None


def contents(place: Path, identifiers: Sequence[str], source: GitRevisions) -> tuple[Content, ...]:
    """Return the content of each commit: those with equal digests hold the same files that matter.

    Files matter that match one of `source.include` (all, if there is none) and none of `source.exclude`. Commits are
    compared one with the next in the order given, so a change and its exact revert lead back to the same digest.
    """
    if not identifiers:
        return ()
    empty = run_git(*inside(place), "hash-object", "-t", "tree", "--stdin").decode().strip()
    asked = "".join(f"{newer} {older}\n" for older, newer in pairwise(identifiers))
    first = run_git(*inside(place), "diff-tree", "-r", "--raw", empty, identifiers[0], "--", *_paths(source))
    changes = {identifiers[0]: first.decode("utf-8", "replace").splitlines()}
    said = run_git(
        *inside(place),
        *("diff-tree", "--stdin", "-r", "--raw", "--numstat", "--", *_paths(source)),
        said=asked.encode(),
    )
    commit = identifiers[0]
    for line in said.decode("utf-8", "replace").splitlines():
        if "\t" in line:
            changes[commit].append(line)
        else:
            commit = line.split()[0]
            changes[commit] = []
    found: list[Content] = []
    digest = 0
    for identifier in identifiers:
        lines = changes.get(identifier, ())
        digest ^= _changed(line for line in lines if line.startswith(":"))
        counted = sum(_counted(line) for line in lines if not line.startswith(":"))
        found.append(Content(f"{digest:064x}", counted if found else None))
    return tuple(found)


def _paths(source: GitRevisions) -> tuple[str, ...]:
    """The files that matter, as git's pathspecs."""
    wanted = [f":(top,glob){pattern}" for pattern in source.include or ("**",)]
    return *wanted, *(f":(top,exclude,glob){pattern}" for pattern in source.exclude)


def _changed(lines: Iterable[str]) -> int:
    """The files that git's raw lines take away and bring, each as a number, joined by exclusive or."""
    total = 0
    for line in lines:
        fields, _, path = line.partition("\t")
        old_mode, new_mode, old, new, _ = fields.lstrip(":").split()
        for mode, blob in ((old_mode, old), (new_mode, new)):
            if blob.strip("0"):
                total ^= int.from_bytes(hashlib.sha256(f"{path}\0{mode}\0{blob}".encode()).digest())
    return total


def _counted(line: str) -> int:
    """The lines that one of git's counts tells of: added, removed, path; what is no text has no lines."""
    added, removed, _ = line.split("\t", 2)
    return 1 if added == "-" else int(added) + int(removed)

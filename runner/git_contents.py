"""Which commits hold the same code: a digest over the files that matter, for every commit of a line."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from .git_history import inside, run_git

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .subjects import GitRevisions


def content_digests(place: Path, identifiers: Sequence[str], source: GitRevisions) -> tuple[str, ...]:
    """Return a digest for each commit, in hexadecimal: equal ones hold the same files that matter.

    Files matter that match one of `source.include` (all, if there is none) and none of `source.exclude`. Commits are
    compared one with the next in the order given, so a change and its exact revert lead back to the same digest.
    """
    if not identifiers:
        return ()
    empty = run_git(*inside(place), "hash-object", "-t", "tree", "--stdin").decode().strip()
    pairs = zip(identifiers, (empty, *identifiers), strict=False)
    asked = "".join(f"{newer} {older}\n" for newer, older in pairs if older != empty)
    first = run_git(*inside(place), "diff-tree", "-r", "--raw", empty, identifiers[0], "--", *_paths(source))
    changes = {identifiers[0]: first.decode("utf-8", "replace").splitlines()}
    said = run_git(
        *inside(place), "diff-tree", "--stdin", "-r", "--raw", "--", *_paths(source), said=asked.encode()
    )
    commit = identifiers[0]
    for line in said.decode("utf-8", "replace").splitlines():
        if line.startswith(":"):
            changes[commit].append(line)
        else:
            commit = line.split()[0]
            changes[commit] = []
    digests = []
    content = 0
    for identifier in identifiers:
        content ^= _changed(changes.get(identifier, ()))
        digests.append(f"{content:064x}")
    return tuple(digests)


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

"""Branches of a repository that are not merged: their newest commits, each with the commit at which it left the history."""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from . import git_contents
from .git_history import inside, revision_of, run_git
from .source_revisions import LONGEST_BRANCH, SourceRevision
from .state import RunnerState
from .subjects import GitRevisions

# The newest ones: who names all branches of a large repository means those that are worked on.
MOST_BRANCHES = 50
_FIELDS = "%(refname)%1f%(objectname)%1f%(committerdate:iso-strict)%1f%(authorname)%1f%(subject)"
# Where hosts and git keep them; those of a remote, pull and merge requests are named so: `origin/topic`, `pull/5/head`.
_PLACES = ("refs/heads", "refs/remotes", "refs/pull", "refs/merge-requests")


def branches(
    place: Path, source: GitRevisions, state: RunnerState, listed: Sequence[str]
) -> tuple[SourceRevision, ...]:
    """Return the newest commits of the branches that `source.branches` means, the newest first, with their `branch` and `base`.

    `listed` are the commits of the history, oldest first: branches that are merged into the last one are left out, and those
    that hold no commit of it. The base is the last commit of the history that a branch holds. Raises `RevisionsUnavailable`.
    """
    if not source.branches or not listed:
        return ()
    printed = run_git(
        *inside(place),
        *("for-each-ref", "--sort=-committerdate", f"--format={_FIELDS}"),
        *(f"--no-merged={listed[-1]}", f"--contains={listed[0]}", *_PLACES),
    )
    tips: dict[str, tuple[str, str]] = {}
    for line in printed.decode("utf-8", "replace").split("\n"):
        reference, _, told = line.partition("\x1f")
        name = reference.removeprefix("refs/").removeprefix("heads/").removeprefix("remotes/")
        if told and any(fnmatchcase(name, pattern) for pattern in source.branches):
            # Several names of one commit: one of them tells.
            tips.setdefault(told.partition("\x1f")[0], (name[:LONGEST_BRANCH], told))
    known = frozenset(listed)
    found = []
    for identifier, (name, told) in list(tips.items())[:MOST_BRANCHES]:
        base = _base(place, identifier, known)
        _, (content, lines) = git_contents.contents(place, (base, identifier), source, state)
        commit = revision_of(told)
        found.append(replace(commit, content=content, changed_lines=lines, branch=name, base=base))
    return tuple(found)


def _base(place: Path, identifier: str, listed: frozenset[str]) -> str:
    """Return the last of the commits `listed` that a commit descends from."""
    commits = run_git(*inside(place), "rev-list", "--topo-order", "--end-of-options", identifier)
    return next(commit for commit in commits.decode().split() if commit in listed)

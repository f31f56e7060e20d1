"""Revisions of a subject, in order, and which of them a person's selection means."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from . import git_branches, git_contents, git_history, git_tags, releases
from .build_outputs import joined_contents, known_builds
from .errors import RevisionsUnavailable, SelectionInvalid
from .source_revisions import SourceRevision
from .state import RunnerState
from .subject_files import content, folder_digest
from .subjects import FolderRevisions, GitRevisions, ReleaseRevisions, SubjectDefinition

# So much of a folder's digest names its state.
_DIGITS = 12
_FOLDER_DIGEST = re.compile(rf"[0-9a-f]{{{_DIGITS}}}")


def list_revisions(subject: SubjectDefinition, state: RunnerState) -> tuple[SourceRevision, ...]:
    """Return all revisions of `subject`, oldest first; raises `RevisionsUnavailable` with the words of git or pip.

    A person's own checkout is only read. Releases carry a date once they were prepared.
    """
    source = subject.revisions
    if isinstance(source, GitRevisions):
        found = _commits(git_history.repository(subject.folder, source, state), source, state)
    elif isinstance(source, ReleaseRevisions):
        # Of those that were downloaded.
        kept = releases.archives(source, state).glob("*/*")
        dates = {path.parent.name: releases.archive_date(path) for path in kept}
        found = tuple(
            SourceRevision(version, dates.get(version), f"{source.package} {version}")
            for version in releases.versions(source, state)
        )
    else:
        folder = subject.folder / source.path
        changed = max((path.stat().st_mtime for path in content(folder)), default=None)
        if changed is None:
            raise RevisionsUnavailable(f"{folder} is empty: put the program there, or change revisions.path")
        changed_at = datetime.fromtimestamp(changed, tz=UTC)
        digest = folder_digest(folder)[:_DIGITS]
        found = (SourceRevision(digest, changed_at, f"content of {folder.name}"),)
    if not found:
        raise RevisionsUnavailable(f"{subject.name} has no revisions: widen [revisions] in its subject.toml")
    return _as_built(found, subject, state)


def _commits(place: Path, source: GitRevisions, state: RunnerState) -> tuple[SourceRevision, ...]:
    """Return the commits of a repository, oldest first, with what they changed, their tags and the first release of each."""
    commits = git_history.commits(place, source)
    identifiers = [commit.identifier for commit in commits]
    files = git_contents.contents(place, identifiers, source, state)
    named = git_tags.tags(place)
    released = git_tags.first_releases(place, source, named, identifiers)
    return tuple(
        replace(
            commit,
            names=named.get(commit.identifier, ()),
            content=digest,
            changed_lines=lines,
            released_in=released.get(commit.identifier, ""),
        )
        for commit, (digest, lines) in zip(commits, files, strict=True)
    )


def list_branches(
    subject: SubjectDefinition, state: RunnerState, listed: Sequence[SourceRevision]
) -> tuple[SourceRevision, ...]:
    """Return the newest commits of the unmerged branches that `subject` names, the newest first, beside the revisions `listed`.

    None where its revisions are of no git. The repository is as it was when they were listed. Raises `RevisionsUnavailable`.
    """
    source = subject.revisions
    if not isinstance(source, GitRevisions) or not source.branches:
        return ()
    place = git_history.repository(subject.folder, source, state, refresh=False)
    found = git_branches.branches(place, source, state, [one.identifier for one in listed])
    named = git_tags.tags(place)
    return _as_built(
        tuple(replace(one, names=named.get(one.identifier, ())) for one in found), subject, state
    )


def _as_built(
    found: tuple[SourceRevision, ...], subject: SubjectDefinition, state: RunnerState
) -> tuple[SourceRevision, ...]:
    """Return the revisions with one content for those of which builds made the same files."""
    if not subject.install.built:
        return found
    shared = joined_contents({one.identifier: one.content for one in found}, known_builds(subject, state))
    return tuple(replace(one, content=shared[one.identifier]) for one in found)


def host_link(subject: SubjectDefinition) -> str:
    """Return how the host of the subject's revisions addresses them, a pattern of `host_links`; "" where that is not known."""
    source = subject.revisions
    if isinstance(source, FolderRevisions):
        return ""
    return source.link or (
        git_history.host_pattern(subject.folder, source) if isinstance(source, GitRevisions) else ""
    )


def check_identifier(subject: SubjectDefinition, identifier: str) -> None:
    """Raise `SelectionInvalid` unless `identifier` has the form that the source of `subject` gives its revisions.

    It becomes a path, an argument of pip and git, and a word of commands: no other text may reach those.
    """
    if isinstance(subject.revisions, GitRevisions):
        git_history.check_commit(identifier)
    elif isinstance(subject.revisions, ReleaseRevisions):
        releases.check_version(identifier)
    elif not _FOLDER_DIGEST.fullmatch(identifier):
        raise SelectionInvalid(f"{identifier!r} is no digest of a folder: list the revisions again")


def notices(subject: SubjectDefinition, state: RunnerState) -> tuple[str, ...]:
    """Return what a person should know of where the revisions come from, in words; mostly nothing.

    Raises `RevisionsUnavailable`.
    """
    source = subject.revisions
    if isinstance(source, GitRevisions):
        place = git_history.repository(subject.folder, source, state, refresh=False)
        if git_history.is_shallow(place):
            return (git_history.SHALLOW,)
    return ()


def touched_functions(
    subject: SubjectDefinition, state: RunnerState, identifiers: Sequence[str]
) -> list[frozenset[tuple[str, str]]] | None:
    """Return which functions, as path and qualified name, differ from each commit to the next; None where no git tells.

    Raises `RevisionsUnavailable`.
    """
    source = subject.revisions
    if not isinstance(source, GitRevisions):
        return None
    place = git_history.repository(subject.folder, source, state, refresh=False)
    return git_contents.touched_functions(place, identifiers, source)


def select_revisions(
    revisions: Sequence[SourceRevision], expressions: Sequence[str]
) -> tuple[SourceRevision, ...]:
    """Return those of `revisions` that any of the selector expressions selects, in their order.

    Expressions: "all"; "latest"; "first"; "last=N"; "every=N" (the newest and each Nth before it); "a..b"; an
    identifier, the beginning of a commit's hash (7 or more), or a tag; a and b too may be "first" and "latest".
    The newest commits of unmerged branches stand in no order: only the name of the branch selects one, and its hash.
    Raises `SelectionInvalid` for any other.
    """
    listed = [one for one in revisions if not one.branch]
    named = (*listed, *(one for one in revisions if one.branch))
    everything = range(len(listed))
    positions: set[int] = set()
    for expression in map(str.strip, expressions):
        kind, _, number = expression.partition("=")
        first, dots, last = expression.partition("..")
        if expression == "all":
            positions.update(everything)
        elif expression in {"latest", "first"}:
            positions.update(everything[-1:] if expression == "latest" else everything[:1])
        elif kind in {"last", "every"} and number.isdecimal() and int(number) > 0:
            positions.update(everything[-int(number) :] if kind == "last" else everything[:: -int(number)])
        elif dots:
            positions.update(range(_position(listed, first), _position(listed, last) + 1))
        else:
            positions.add(_position(named, expression))
    return tuple(named[at] for at in sorted(positions))


def _position(revisions: Sequence[SourceRevision], name: str) -> int:
    if name in {"first", "latest"}:
        return 0 if name == "first" else len(revisions) - 1
    for at, revision in enumerate(revisions):
        if name in (revision.identifier, *revision.names) or (name and name == revision.branch):
            return at
    begun = [at for at, revision in enumerate(revisions) if revision.identifier.startswith(name)]
    if len(name) >= 7 and len(begun) == 1:
        return begun[0]
    newest = ", ".join(revision.branch or revision.identifier for revision in revisions[-3:])
    message = f"'{name}' is no revision of this subject: write all, latest, a..b or names such as {newest}"
    raise SelectionInvalid(message)

"""Commits of a git repository and their files; a person's own checkout is only read."""

import hashlib
import os
import re
import subprocess
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from .errors import RepositoryGone, RevisionsUnavailable, SelectionInvalid
from .host_links import commit_pattern
from .source_revisions import LONGEST_AUTHOR, SourceRevision
from .state import RunnerState, locked, readable_folder
from .subjects import GitRevisions

SHALLOW = (
    "the repository is a shallow clone: `git fetch --unshallow` in it brings the commits that are missing"
)
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FIELDS = "%H%x1f%cI%x1f%aN%x1f%s"
# A view of a repository has these parts of it, those that there are.
_PARTS = ("objects", "refs", "packed-refs", "reftable", "shallow")
_KEPT_SETTINGS = re.compile(
    r"core\.repositoryformatversion|extensions\.(objectformat|refstorage|partialclone|compatobjectformat)"
    r"|remote\..*\.(url|fetch|promisor|partialclonefilter)",
    re.DOTALL,
)
# The folder in the repository that a subject named.
_PREFIX = "perfatlas.prefix"
# What follows the name in an address of e-mail; some write theirs where their name belongs.
_ADDRESS = re.compile(r"(?<=\S)@\S+")


def repository(folder: Path, source: GitRevisions, state: RunnerState, *, refresh: bool = True) -> Path:
    """Return a local repository for `source`: a view of the one at its path, or a mirror of its address, brought up to date.

    Without `refresh` a mirror that is there is taken as it is: its address is not asked. Raises `RepositoryGone` where
    there is none any more, `RevisionsUnavailable` for a folder that is none.
    """
    local = folder / source.repository
    if local.is_dir():
        return _view(local, state)
    # An address has a colon: "https://...", or "host:path".
    if ":" not in source.repository:
        raise RepositoryGone(
            f"there is no repository at {source.repository}: bring it back, or change revisions.repository in "
            "subject.toml and register the subject again"
        )
    mirror = state.folder("repositories") / hashlib.sha256(source.repository.encode()).hexdigest()[:16]
    try:
        if not (mirror / "HEAD").exists():
            run_git("clone", "--quiet", "--mirror", "--", source.repository, str(mirror))
        elif refresh:
            run_git("-C", str(mirror), "fetch", "--quiet", "--prune", "origin")
    except RevisionsUnavailable as error:
        raise RepositoryGone(
            f"{source.repository} cannot be reached: {error}; try again when it can, or change revisions.repository"
        ) from error
    return mirror


def _view(local: Path, state: RunnerState) -> Path:
    """Return a repository of ours with commits and names of the one that the folder `local` lies in, as they are now.

    The settings of a repository name commands that git runs: filters of files, checks of signatures, ways to fetch what is
    missing. They are of whoever may write there, and git runs as we do, in no sandbox: of them only those that say how
    the objects are kept, and where a partial clone fetches from, are taken over.
    """
    told = run_git(*_beside(local), "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
    own, common = (Path(os.fsdecode(line)) for line in told.removesuffix(b"\n").split(b"\n"))
    prefix = os.fsdecode(run_git(*_beside(local), "rev-parse", "--show-prefix").removesuffix(b"\n"))
    name = hashlib.sha256(os.fsencode(f"{own}\0{common}\0{prefix}")).hexdigest()[:16]
    view = readable_folder(state.folder("repositories") / f"view-{name}")
    with locked(view):
        for part in _PARTS:
            if not (view / part).is_symlink():
                (view / part).symlink_to(common / part)
        settings = view / f"config.{os.getpid()}"
        settings.write_text("", encoding="utf-8")
        kept = run_git("config", "--file", str(common / "config"), "--no-includes", "--null", "--list")
        named = [one.partition("\n") for one in os.fsdecode(kept).split("\0")]
        taken = [(key, value) for key, _, value in named if _KEPT_SETTINGS.fullmatch(key)]
        for key, value in (*taken, ("core.bare", "true"), (_PREFIX, prefix)):
            run_git("config", "--file", str(settings), "--add", key, value)
        settings.replace(view / "config")
        head = view / f"HEAD.{os.getpid()}"
        head.write_bytes((own / "HEAD").read_bytes())
        head.replace(view / "HEAD")
    return view


def host_pattern(folder: Path, source: GitRevisions) -> str:
    """Return how the host of a repository addresses its commits, of a clone that of its origin; "" where that is not known.

    Nobody outside is asked.
    """
    local = folder / source.repository
    if not local.is_dir():
        return commit_pattern(source.repository)
    with suppress(RevisionsUnavailable):
        origin = run_git(*_beside(local), "config", "--get", "remote.origin.url")
        return commit_pattern(origin.decode("utf-8", "replace"))
    return ""


def is_shallow(place: Path) -> bool:
    """Whether the repository is a shallow clone: commits before some are not in it."""
    return run_git(*inside(place), "rev-parse", "--is-shallow-repository").strip() == b"true"


def commits(place: Path, source: GitRevisions) -> tuple[SourceRevision, ...]:
    """Return the commits of `source.range` in the repository at `place`, oldest first, without their content and tags.

    Raises `RevisionsUnavailable` with git's words, and with what to do where a shallow clone lacks them.
    """
    order = ["--first-parent"] if source.history == "first-parent" else ["--topo-order"]
    options = [
        "--reverse",
        "--no-show-signature",
        f"--format={_FIELDS}",
        "--end-of-options",
    ]
    try:
        printed = run_git(*inside(place), "log", *order, *options, source.range, "--")
    except RevisionsUnavailable as error:
        if is_shallow(place):
            raise RevisionsUnavailable(f"{error}; {SHALLOW}") from error
        raise
    listed = printed.decode("utf-8", "replace")
    # Not splitlines: a message may hold further characters that end a line there.
    return tuple(map(revision_of, listed.removesuffix("\n").split("\n") if listed else ()))


def revision_of(line: str) -> SourceRevision:
    """Return the revision that a line of git tells: its hash, date, author and subject, between unit separators."""
    identifier, date, author, message = line.split("\x1f", 3)
    name = " ".join(_ADDRESS.sub("", author).split())
    at = datetime.fromisoformat(date)
    return SourceRevision(identifier, at, message, author=name[:LONGEST_AUTHOR])


def check_commit(identifier: str) -> None:
    """Raise `SelectionInvalid` unless `identifier` is a commit's full hash: git takes other words for options or trees."""
    if not _HASH.fullmatch(identifier):
        raise SelectionInvalid(
            f"{identifier!r} is no commit's hash of 40 or 64 hexadecimal digits: list the revisions again"
        )


def archive(place: Path, identifier: str) -> bytes:
    """Return the files of commit `identifier` as a tar archive; submodules are not part of it.

    Raises `SelectionInvalid` for what is no hash, `RevisionsUnavailable` for a commit that is gone.
    """
    check_commit(identifier)
    # Of a folder inside a repository, what is in the folder.
    prefix = os.fsdecode(
        run_git(*inside(place), "config", "--default=", "--get", _PREFIX).removesuffix(b"\n")
    )
    wanted = f"{identifier}:{prefix}" if prefix else f"{identifier}^{{commit}}"
    return run_git(*inside(place), "archive", "--format=tar", "--end-of-options", wanted)


def inside(place: Path) -> tuple[str, ...]:
    """Return git's arguments to work inside a repository of ours, of `repository`."""
    return (f"--git-dir={place}",)


def _beside(place: Path) -> tuple[str, ...]:
    """Return git's arguments to ask of somebody's checkout where its parts lie: what runs no command that it names."""
    # The repository was named by whoever registered the subject; git's own doubt is about strangers' ones.
    return "-c", f"safe.directory={place}", "-c", f"safe.directory={place}/.git", "-C", str(place)


def run_git(*arguments: str, stdin: bytes | None = None) -> bytes:
    """Return what git prints, given `stdin` on its standard input. Raises `RevisionsUnavailable` with its words."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            ["git", *arguments], input=stdin or b"", capture_output=True, check=False, env=environment
        )
    except FileNotFoundError as error:
        raise RevisionsUnavailable("git is not installed: install it, or measure a folder") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip()
        raise RevisionsUnavailable(f"git {arguments[-1]}: {reason}; see [revisions] in subject.toml")
    return done.stdout

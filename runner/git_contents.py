"""What changed from commit to commit: a digest over the files that matter, and how many of their lines."""

import hashlib
import inspect
import json
import platform
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path

from probe.functions import function_hashes

from . import comments
from .git_history import inside, run_git
from .state import RunnerState, write_whole
from .subjects import GitRevisions

# A path, and its mode and blob before and after.
Change = tuple[str, tuple[str, str], tuple[str, str]]
# Files that are read at once: a few megabytes mostly.
_TOGETHER = 200


def contents(
    place: Path, identifiers: Sequence[str], source: GitRevisions, state: RunnerState
) -> list[tuple[str, int | None]]:
    """Return for each commit a digest of its files that matter, and how many of their lines changed since the one before.

    Lines count those added and removed; a file that is no text counts as one. None for the first commit, and 0 where
    nothing changed that matters.

    Files matter that match one of `source.include` (all, if there is none) and none of `source.exclude`; with
    `source.ignore_comments` comments do not. Commits are compared one with the next in the order given, so a change and its exact revert lead back to the same digest.
    """
    if not identifiers:
        return []
    empty = run_git(*inside(place), "hash-object", "-t", "tree", "--stdin").decode().strip()
    asked = "".join(f"{newer} {older}\n" for older, newer in pairwise(identifiers))
    first = run_git(*inside(place), "diff-tree", "-r", "--raw", empty, identifiers[0], "--", *_paths(source))
    changes = {identifiers[0]: [_change(line) for line in _lines(first)]}
    lines = dict.fromkeys(identifiers, 0)
    printed = run_git(
        *inside(place),
        *("diff-tree", "--stdin", "-r", "--raw", "--numstat", "--", *_paths(source)),
        stdin=asked.encode(),
    )
    commit = identifiers[0]
    for line in _lines(printed):
        if line.startswith(":"):
            changes[commit].append(_change(line))
        elif "\t" in line:
            added, removed, _ = line.split("\t", 2)
            # What is no text has no lines.
            lines[commit] += 1 if added == "-" else int(added) + int(removed)
        else:
            commit = line.split()[0]
            changes[commit] = []
    codes: dict[tuple[str, str], str] = {}
    if source.ignore_comments:
        files = {(blob, path) for some in changes.values() for path, *sides in some for _, blob in sides}
        codes = _code_digests(place, files, state)
    found: list[tuple[str, int | None]] = []
    digest = 0
    for identifier in identifiers:
        before = digest
        # The files that are taken away and brought, each as a number, joined by exclusive or.
        for path, *sides in changes.get(identifier, ()):
            for mode, blob in sides:
                if blob.strip("0"):
                    file = f"{path}\0{mode}\0{codes.get((blob, path), blob)}"
                    digest ^= int.from_bytes(hashlib.sha256(file.encode()).digest())
        counted = lines[identifier] if digest != before else 0
        found.append((f"{digest:064x}", counted if found else None))
    return found


def touched_functions(
    place: Path, identifiers: Sequence[str], source: GitRevisions
) -> list[frozenset[tuple[str, str]]]:
    """Return for each commit the functions, as path and qualified name, that differ from the commit before in the order given.

    Files count that matter, as in `contents`. Python's functions are told apart; of another language "" stands for the
    whole file. Comments and docstrings count nowhere. The first commit touches nothing. Raises `RevisionsUnavailable`.
    """
    asked = "".join(f"{newer} {older}\n" for older, newer in pairwise(identifiers))
    printed = run_git(
        *inside(place), *("diff-tree", "--stdin", "-r", "--raw", "--", *_paths(source)), stdin=asked.encode()
    )
    changes: dict[str, list[Change]] = {}
    commit = ""
    for line in _lines(printed):
        if line.startswith(":"):
            changes[commit].append(_change(line))
        else:
            commit = line.split()[0]
            changes[commit] = []
    blobs = {
        (blob, path)
        for some in changes.values()
        for path, *sides in some
        for _, blob in sides
        if blob.strip("0")
    }
    parts = _code_parts(place, sorted(blobs))
    found = []
    for identifier in identifiers:
        touched = set()
        for path, (_, old), (_, new) in changes.get(identifier, ()):
            before, after = parts.get((old, path), {}), parts.get((new, path), {})
            names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            touched |= {(path, name) for name in names}
        found.append(frozenset(touched))
    return found


def _code_parts(place: Path, files: Sequence[tuple[str, str]]) -> dict[tuple[str, str], dict[str, str]]:
    """Return hashes of the parts of each of `files`, (blob, path): of a Python file by function, else of the whole as ""."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    rest = iter(files)
    while some := list(islice(rest, _TOGETHER)):
        asked = "".join(f"{blob}\n" for blob, _ in some)
        printed = run_git(*inside(place), "cat-file", "--batch", stdin=asked.encode())
        for (blob, path), text in zip(some, _texts(printed), strict=True):
            # What git does not have, as a submodule's commit, is told by its name.
            found[blob, path] = {"": blob} if text is None else _parts(text, comments.language(path))
    return found


def _parts(text: bytes, language: str) -> dict[str, str]:
    if language == "python":
        # A file of another Python, or one that is nested too deeply, is not told apart.
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return function_hashes(text.decode("utf-8"))
    code = comments.without_comments(text, language) if language else text
    return {"": hashlib.sha256(code).hexdigest()}


def _lines(printed: bytes) -> list[str]:
    """The lines that git printed. Not splitlines: a path may hold further characters that end a line there."""
    return [line for line in printed.decode("utf-8", "replace").split("\n") if line]


def _paths(source: GitRevisions) -> tuple[str, ...]:
    """The files that matter, as git's pathspecs."""
    wanted = [f":(top,glob){pattern}" for pattern in source.include or ("**",)]
    return *wanted, *(f":(top,exclude,glob){pattern}" for pattern in source.exclude)


def _change(line: str) -> Change:
    """The path, and mode and blob on either side, of one of git's raw lines."""
    fields, _, path = line.partition("\t")
    old_mode, new_mode, old, new, _ = fields.lstrip(":").split()
    return path, (old_mode, old), (new_mode, new)


def _code_digests(
    place: Path, files: AbstractSet[tuple[str, str]], state: RunnerState
) -> dict[tuple[str, str], str]:
    """Return the digest without comments of each of `files`, (blob, path), that is in a language that tells its comments.

    They are kept by git's name of the content, for they never change. Raises `RevisionsUnavailable`.
    """
    known = {(blob, path): f"{blob} {named}" for blob, path in files if (named := comments.language(path))}
    # Another version of what tells comments apart may tell others.
    rules = hashlib.sha256(inspect.getsource(comments).encode()).hexdigest()[:12]
    kept = state.folder("contents") / f"python-{platform.python_version()}-{rules}.json"
    digests: dict[str, str] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    missing = iter(sorted({*known.values()} - digests.keys()))
    while some := list(islice(missing, _TOGETHER)):
        digests |= _read(place, some)
        write_whole(kept, digests)
    return {file: digests[key] for file, key in known.items() if key in digests}


def _read(place: Path, keys: list[str]) -> dict[str, str]:
    blobs = [key.split()[0] for key in keys]
    printed = run_git(
        *inside(place), "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in blobs).encode()
    )
    return {
        key: hashlib.sha256(comments.without_comments(text, key.split()[1])).hexdigest()
        for key, text in zip(keys, _texts(printed), strict=True)
        if text is not None
    }


def _texts(printed: bytes) -> Iterator[bytes | None]:
    """Yield the content of each object that git printed; None for what it does not have, as a submodule's commit."""
    at = 0
    while at < len(printed):
        end = printed.index(b"\n", at)
        head = printed[at:end].split()
        at = end + 1
        if head[-1] == b"missing":
            yield None
            continue
        size = int(head[-1])
        yield printed[at : at + size]
        at += size + 1

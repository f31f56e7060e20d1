"""Digests of files without their comments, by git's name of their content; kept, for they never change."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
from itertools import islice
from typing import TYPE_CHECKING

from . import comments
from .git_history import inside, run_git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from .state import RunnerState

# Files that are read at once: a few megabytes mostly.
_TOGETHER = 200


def code_digests(
    place: Path, files: AbstractSet[tuple[str, str]], state: RunnerState
) -> dict[tuple[str, str], str]:
    """Return the digest without comments of each of `files`, (blob, path), that is in a language that tells its comments.

    Raises `RevisionsUnavailable`.
    """
    known = {(blob, path): f"{blob} {named}" for blob, path in files if (named := comments.language(path))}
    # Another version of what tells comments apart may tell others.
    rules = hashlib.sha256(inspect.getsource(comments).encode()).hexdigest()[:12]
    kept = state.folder("contents") / f"python-{platform.python_version()}-{rules}.json"
    digests: dict[str, str] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    missing = iter(sorted({*known.values()} - digests.keys()))
    while some := list(islice(missing, _TOGETHER)):
        digests |= _read(place, some)
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        part.write_text(json.dumps(digests), encoding="utf-8")
        part.replace(kept)
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

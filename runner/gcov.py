"""Counts of a native program's functions and branches: what gcov's JSON tells of one run, by function.

A region is a function as it stands in its source file, "file:function", names of C++ with their parameters. Read through
gcov and not from gcc's files: their format is gcc's own and changes with its versions.
"""

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from probe.functions import LONGEST_SOURCE, SourceRegion

from .comments import language, without_comments
from .results import LONGEST_KEY, Count

CALL, BRANCH = "call", "branch"
# Code of functions that are nowhere by themselves: they are always inlined.
INLINED = "(inlined)"
_LONGEST_NAME, _LONGEST_MODULE = 2000, 200


class GcovUnreadable(ValueError):
    """The text is not what gcov writes; the message says why."""


def region_key(place: str, name: str) -> str:
    """Return the key of a region of a native program: its file or library, and its function; long ones end in a digest."""
    key = f"{place}:{name}"
    if len(key) > LONGEST_KEY:
        key = f"{key[: LONGEST_KEY - 9]}~{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    return key


def read_gcov(text: str, root: Path) -> tuple[dict[str, tuple[Count, ...]], dict[str, SourceRegion]]:
    """Return the counts of each function in files below `root`, those at 0 left out, and where these functions stand.

    "call" counts the entries of a function, at its first line; "branch" how often the nth way out of a line was taken,
    with n as its column, from 1. Ways of exceptions are left out. Raises `GcovUnreadable`.
    """
    reader = _Reader(root)
    try:
        for line in text.splitlines():
            # gcov writes one object for each file of counters, and nothing else on this channel.
            if line.startswith("{"):
                reader.take(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GcovUnreadable(f"{type(error).__name__}: {error}") from None
    regions = {
        key: tuple(sorted((*site, count) for site, count in sites.items() if count))
        for key, sites in sorted(reader.counts.items())
        if any(sites.values())
    }
    return regions, {key: reader.function(key) for key in regions}


class _Reader:
    """What was read so far: counts by region, line, column and kind; file, name and lines of each region."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self.counts: defaultdict[str, Counter[tuple[int, int, str]]] = defaultdict(Counter)
        self._places: dict[str, tuple[str, str, int, int]] = {}

    def take(self, report: Mapping[str, Any]) -> None:
        """Read what one object of the build counted."""
        for source in report["files"]:
            path = os.path.normpath(os.path.join(report["current_working_directory"], source["file"]))  # noqa: PTH118 -- no link is followed
            if path.startswith(f"{self._root}/"):
                self._take_file(path[len(self._root) + 1 :], source)

    def _take_file(self, file: str, source: Mapping[str, Any]) -> None:
        keys: dict[str, str] = {}
        spans: list[tuple[int, int, str]] = []
        for one in source["functions"]:
            name, first, last = one["demangled_name"], one["start_line"], one["end_line"]
            key = keys[one["name"]] = self._region(file, name, first, last)
            spans.append((first - last, first, key))
            self.counts[key][first, one["start_column"], CALL] += one["execution_count"]
        # The innermost function around a line comes first.
        spans.sort(reverse=True)
        for line in source["lines"]:
            ways = _ways(line["branches"])
            if not ways:
                continue
            number = line["line_number"]
            around = (key for lines, first, key in spans if first <= number <= first - lines)
            key = keys.get(line.get("function_name", "")) or next(around, "")
            if not key:
                key = self._region(file, INLINED, number, number)
            for at, count in enumerate(ways, start=1):
                self.counts[key][number, at, BRANCH] += count

    def _region(self, file: str, name: str, first: int, last: int) -> str:
        key = region_key(file, name)
        *_, known_first, known_last = self._places.get(key, (file, name, first, last))
        self._places[key] = (file, name, min(first, known_first), max(last, known_last))
        return key

    def function(self, key: str) -> SourceRegion:
        """Where a region stands."""
        file, name, first, last = self._places[key]
        text = "".join(_lines(f"{self._root}/{file}")[first - 1 : last])
        code = without_comments(text.encode(), language(file) or "c")
        return SourceRegion(
            key=key,
            module=file[-_LONGEST_MODULE:],
            qualified_name=name[:_LONGEST_NAME],
            file=file,
            first_line=first,
            last_line=last,
            body_hash=hashlib.sha256(code).hexdigest(),
            source=text if len(text) <= LONGEST_SOURCE else "",
        )


def _ways(branches: Iterable[Mapping[str, Any]]) -> list[int]:
    """How often each way out of a line was taken; a call that may throw has two, that it throws and that it does not."""
    listed = [*branches]
    thrown = {at for at, one in enumerate(listed) if one["throw"]}
    for (at, one), (after, other) in pairwise(enumerate(listed)):
        if other["throw"] and one["fallthrough"]:
            thrown.add(at)
        elif one["throw"] and other["fallthrough"] and at - 1 not in thrown:
            thrown.add(after)
    return [one["count"] for at, one in enumerate(listed) if at not in thrown]


# Environments never change once they are built, and each run of one asks for the same files.
@lru_cache(maxsize=1024)
def _lines(path: str) -> list[str]:
    real = os.path.realpath(path)
    try:
        # A link in the program's files must not lead to others.
        return Path(real).read_text("utf-8", "replace").splitlines(keepends=True) if real == path else []
    except OSError:
        return []

"""What a program returned has one digest, in every process, or none."""

import os
import subprocess
import sys
from array import array
from collections import OrderedDict
from pathlib import Path

import pytest

from probe.returned import MOST_BYTES, MOST_OBJECTS, digest

ROOT = Path(__file__).resolve().parent.parent.parent


def parents_and_children(names: str) -> dict[str, object]:
    """A tree in which each child knows its parent."""
    root: dict[str, object] = {"children": []}
    root["children"] = [{"name": name, "parent": root} for name in names]
    return root


def shared(levels: int) -> list[object]:
    """Lists that hold the one below twice."""
    made: list[object] = []
    for _ in range(levels):
        made = [made, made]
    return made


DIFFERENT: list[object] = [
    None, True, False, 0, 1, -1, 2**70, 1.0, -0.0, 0.0, float("nan"), 1j, "", "1", b"1", "\ud800", (), [], {}, set(),
    frozenset(), [1, 2], [2, 1], [[1], 2], [[1, 2]], (1, 2), {1: 2}, {1, 2}, {"a": [1]}, {"a": 1, "b": 2},
    {"b": 2, "a": 1}, {(1, "a"), frozenset({2})}, parents_and_children("ab"), parents_and_children("ba"), shared(3),
    "x" * 70_000, "x" * 70_001,
]  # fmt: skip


def test_different_values_have_different_digests() -> None:
    digests = [digest(value) for value in DIFFERENT]
    assert "" not in digests
    assert len(set(digests)) == len(DIFFERENT)


def test_who_else_holds_an_object_does_not_matter() -> None:
    one = [1, "a"]
    assert digest([one, one]) == digest([[1, "a"], [1, "a"]])


@pytest.mark.parametrize(
    "value",
    [
        object(), [object()], {"a": array("d", [1.0])}, memoryview(b"1"), bytearray(b"1"), OrderedDict(a=1), len,
        shared(40), list(range(MOST_OBJECTS)), "x" * (MOST_BYTES + 1), [b"x" * MOST_BYTES, "y"], 1 << 9 * MOST_BYTES,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_too_large_or_no_plain_value_has_none(value: object) -> None:
    assert digest(value) == ""


def test_sets_within_sets_have_a_bound() -> None:
    inner: frozenset[object] = frozenset()
    for _ in range(10):
        inner = frozenset({inner})
    assert digest(inner)
    for _ in range(100):
        inner = frozenset({inner})
    assert digest(inner) == ""


def test_lists_may_be_deep() -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    assert digest(deep)


@pytest.mark.parametrize("value", ["{'a', 'b', 'c', ('d', 'e')}", "{'x': frozenset('abcdef')}"])
def test_sets_have_the_same_digest_in_every_process(value: str) -> None:
    text = f"from probe.returned import digest; print(digest({value}))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", text],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1

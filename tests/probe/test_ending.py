"""The place of an exception: where the program raised it, and of calls without end the call."""

from types import CodeType

import pytest

from probe.ending import crash_location

PROGRAM = """
def walk(depth):
    if depth == 0:
        return end()
    return walk(depth - 1)

def end():
    raise RecursionError

def compare():
    one, other = [], []
    one.append(one)
    other.append(other)
    return one == other

def compared_after(depth):
    if depth:
        return compared_after(depth - 1)
    return compare()
"""
CODE: CodeType = compile(PROGRAM, "program.py", "exec")


def _place(call: str) -> str:
    names: dict[str, object] = {}
    exec(CODE, names)  # noqa: S102 - the program of this test
    with pytest.raises(RecursionError) as raised:
        eval(call, names)  # noqa: S307 - a call of it
    return crash_location(raised.value)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        # Wherever the stack is full, the call that was made again and again is what has filled it.
        ("walk(600)", 5),
        # In this place it is no call of the program that has.
        ("walk(3)", 8),
        ("compare()", 14),
        ("compared_after(3)", 14),
    ],
)
def test_the_place_of_too_deep_a_recursion_is_the_call_that_recurs(call: str, line: int) -> None:
    assert _place(call) == f"program.py:{line}"

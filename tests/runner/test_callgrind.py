"""What callgrind wrote is read to the instruction, and what is damaged is refused with its place."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.callgrind import CallgrindUnreadable, FunctionName, added, read_callgrind

# Two functions; `main` calls `work` three times, which calls itself and has code of a header inlined.
TEXT = """# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 1
cmd:  ./prog
part: 1

desc: Trigger: Program termination

positions: line
events: Ir Dr
summary: 150 9

ob=(1) /bin/prog
fl=(1) src/prog.c
fn=(1) main
10 20 9
+2 5
cfn=(2) work
calls=3 30
* 125
jcnd=1/2 +1
* 0
fn=(2)
30 60
cfn=(2)
calls=1 30
+1 15
fi=(2) src/list.h
7 40
fe=(1)
-2 0x19

totals: 150 9
"""
MAIN, WORK = FunctionName("/bin/prog", "src/prog.c", "main"), FunctionName("/bin/prog", "src/prog.c", "work")
DAMAGED = [
    ("fn=(2)\n30 60", "fn=(9)\n30 60", r"line 24, 'fn=\(9\)': a name that was not given before"),
    ("+2 5", "-20 5", "line 18, '-20 5': a position that cannot be"),
    ("+2 5", "+2 -5", "line 18, .* a number that cannot be"),
    ("+2 5", "+x 5", "line 18, .* is not understood"),
    ("events: Ir Dr", "events: Dr", r"line 11, .* it counts no instructions \(Ir\)"),
    ("events: Ir Dr\n", "", "a cost before the line that says of which events"),
    ("version: 1", "version: 2", "line 2, .* only version 1"),
    ("fn=(1) main\n", "", "a cost before the first function"),
    ("positions: line", "positions: column", "positions are instr, bb and line"),
    ("jcnd=1/2 +1", "what is this", "line 22, 'what is this': is no line of callgrind's"),
    ("fn=(1) main", "fn=(1) main\ncalls=1 1\n10 1", "is not understood"),
]


def test_own_and_called_instructions_are_told_by_function_and_line() -> None:
    """A call of itself is no called instruction; inlined code stands at the line of its own file."""
    found = read_callgrind(TEXT)
    assert found.keys() == {MAIN, WORK}
    assert (found[MAIN].own, found[MAIN].called) == (25, 125)
    assert found[MAIN].lines == {("src/prog.c", 10): 20, ("src/prog.c", 12): 5}
    assert (found[WORK].own, found[WORK].called) == (125, 0)
    assert found[WORK].lines == {("src/prog.c", 30): 60, ("src/list.h", 7): 40, ("src/prog.c", 5): 25}


def test_instruction_addresses_before_lines_are_passed_over() -> None:
    lines = TEXT.replace("positions: line", "positions: instr line")
    text = re.sub(r"^([0-9+*-]\S*) ", r"0x40 \1 ", lines, flags=re.MULTILINE)
    assert read_callgrind(text) == read_callgrind(TEXT)


def test_processes_are_added() -> None:
    both = added([read_callgrind(TEXT), read_callgrind(TEXT)])
    assert {name: (cost.own, cost.called) for name, cost in both.items()} == {MAIN: (50, 250), WORK: (250, 0)}


@pytest.mark.parametrize(("text", "other", "message"), DAMAGED)
def test_what_is_damaged_is_refused_with_its_line(text: str, other: str, message: str) -> None:
    assert text in TEXT
    with pytest.raises(CallgrindUnreadable, match=message):
        read_callgrind(TEXT.replace(text, other))


@given(st.integers(0, len(TEXT.rstrip().removesuffix("150 9"))))
def test_a_text_that_is_cut_short_is_never_believed(end: int) -> None:
    with pytest.raises(CallgrindUnreadable):
        read_callgrind(TEXT[:end])


@given(st.data())
def test_any_damage_is_refused_or_adds_up(data: st.DataObject) -> None:
    """Nothing but `CallgrindUnreadable` is raised, whatever bytes stand anywhere."""
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, min(len(TEXT), start + 40)))
    text = TEXT[:start] + data.draw(st.text(max_size=20)) + TEXT[end:]
    try:
        found = read_callgrind(text)
    except CallgrindUnreadable:
        return
    totals = re.findall(r"^totals:\s*(\S+)", text, re.MULTILINE)
    assert sum(cost.own for cost in found.values()) == sum(int(total, 0) for total in totals)

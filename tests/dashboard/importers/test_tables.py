"""Reading CSV and JSON: every fault is reported with its place."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from dashboard.importers.errors import MAX_LISTED, Fault, Faults, InvalidBundle
from dashboard.importers.limits import FARTHEST
from dashboard.importers.tables import Table, read_table
from dashboard.importers.text_files import read_json
from tests.dashboard.importers.comprex_sample import as_source

ANY: TypeAdapter[Any] = TypeAdapter(Any)


def _table(content: bytes, *required: str) -> tuple[Table | None, tuple[Fault, ...]]:
    faults = Faults()
    table = read_table(as_source({"t.csv": content}), "t.csv", required, faults)
    return table, faults.listed()


def _json(content: bytes) -> tuple[Any, tuple[Fault, ...]]:
    faults = Faults()
    found = read_json(as_source({"t.json": content}), "t.json", ANY, faults)
    return found, faults.listed()


def _column(faults: Faults, *cells: str) -> Table:
    return Table("t.csv", {"x": cells}, range(2, len(cells) + 2), faults)


def test_rows_know_the_line_on_which_they_end() -> None:
    table, faults = _table(b'a,b\n1,"two\nlines"\n\n3,4\n', "a")
    assert table is not None
    assert not faults
    assert table["b"] == ("two\nlines", "4")
    assert list(table.lines) == [3, 5]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"", 1, "is empty"),
        (b"a,a\n1,2\n", 1, "there twice"),
        (b"b\n1\n", 1, "column is missing"),
        (b"a,b\n1,2\n3\n", 3, "has 1 fields where the header has 2"),
        (b"a,b\n1,2,3\n", 2, "has 3 fields"),
        (b'a,b\n1,"2\n', 2, "no sound CSV"),
        (b'a,b\n1,"2"3\n', 2, "no sound CSV"),
        ("a,b\n1,2\n".encode("utf-16"), 1, "byte order mark of UTF-16"),
        (b"a,b\n1,\xe4\n", 2, "is not UTF-8"),
        (b"a,b\n1,2\n3,\0\n", 3, "NUL"),
    ],
)
def test_a_broken_table_is_reported_with_its_line(content: bytes, line: int, words: str) -> None:
    _, faults = _table(content, "a")
    assert faults[0].line == line
    assert words in str(faults[0])


def test_spreadsheets_may_mark_utf_8() -> None:
    table, faults = _table(b"\xef\xbb\xbfa,b\n1,2\n", "a")
    assert not faults
    assert table is not None
    assert table["a"] == ("1",)


def test_a_missing_file_is_a_fault() -> None:
    faults = Faults()
    assert read_table(as_source({}), "t.csv", ["a"], faults) is None
    assert "t.csv: the file is missing" in str(faults.listed()[0])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": 1,\n "b" 2}', "line 2: is no JSON"),
        (b'{"a": 1, "a": 2}', "'a' is there twice"),
        (b'{"a": NaN}', "NaN is no number of JSON"),
        (b'{"a": 1e999}', "1e999 is too large"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"a": "\\u0000"}', "NUL"),
        (b'{"a": "\\\\\\u0000"}', "NUL"),
        (b"[" * 100_000, "is no acceptable JSON"),
        (b"1" * 5000, "is no acceptable JSON"),
    ],
)
def test_json_that_no_database_can_store_is_refused(content: bytes, words: str) -> None:
    found, faults = _json(content)
    assert found is None
    assert words in str(faults[0])


def test_a_backslash_before_the_digits_of_a_nul_is_none() -> None:
    content, faults = _json(b'{"a": "\\\\u0000"}')
    assert content == {"a": "\\u0000"}
    assert not faults


def test_json_of_another_shape_is_reported_by_place() -> None:
    faults = Faults()
    shape: TypeAdapter[dict[str, list[int]]] = TypeAdapter(dict[str, list[int]])
    assert read_json(as_source({"t.json": b'{"a": [1, "x"]}'}), "t.json", shape, faults) is None
    assert str(faults.listed()[0]).startswith("t.json, at 'a/1': input should be a valid integer")


@pytest.mark.parametrize(
    "cell", ["", "x", "nan", "NaN", "inf", "-Infinity", "1_000", " 1", "1e999", "1e101", "0x10", "١"]
)
def test_what_is_no_finite_number_is_a_fault(cell: str) -> None:
    faults = Faults()
    found = _column(faults, "1.5", cell).numbers("x", minimum=0.0)
    assert found[0] == 1.5
    assert np.isnan(found[1])
    assert [(fault.line, fault.value) for fault in faults.listed()] == [(3, cell)]


def test_a_negative_number_is_a_fault_only_where_there_is_a_minimum() -> None:
    faults = Faults()
    assert _column(faults, "-1").numbers("x")[0] == -1
    assert not faults.count
    _column(faults, "-1").numbers("x", minimum=0.0)
    assert "the number is negative (value '-1')" in str(faults.listed()[0])


@given(values=st.lists(st.floats(-FARTHEST, FARTHEST)))
def test_numbers_read_back_exactly_what_python_writes(values: list[float]) -> None:
    faults = Faults()
    found = _column(faults, *(repr(value) for value in values)).numbers("x")
    assert found.tolist() == values
    assert not faults.count


@given(cells=st.lists(st.text(max_size=6)))
def test_any_text_is_a_number_or_one_fault(cells: list[str]) -> None:
    faults = Faults()
    found = _column(faults, *cells).numbers("x", minimum=0.0)
    assert np.isnan(found).sum() == faults.count
    assert np.isfinite(found[~np.isnan(found)]).all()


@pytest.mark.parametrize("cell", ["", "1.0", "-1", "x", "1" * 30, " 1"])
def test_what_is_no_whole_number_is_a_fault(cell: str) -> None:
    faults = Faults()
    assert _column(faults, "7", cell).whole_numbers("x").tolist() == [7, -1]
    assert faults.listed()[0].line == 3


def test_unknown_references_are_faults_each_with_its_line() -> None:
    faults = Faults()
    found = _column(faults, "a", "z", "a").references("x", {"a": 4}, "is unknown", "Correct it")
    assert found.tolist() == [4, -1, 4]
    assert str(faults.listed()[0]) == "t.csv, line 3, column 'x': is unknown (value 'z'). Correct it."


def test_repeated_rows_name_the_line_they_repeat() -> None:
    faults = Faults()
    table = _column(faults, "a", "b", "a")
    table.check_unique("x")
    assert list(table.repeats(table["x"])) == [(2, 0)]
    assert "line 4, column 'x': repeats line 2" in str(faults.listed()[0])


def test_texts_that_are_too_long_or_blank_are_faults() -> None:
    faults = Faults()
    _column(faults, "abcd", "").texts("x", longest=3, blank=False)
    assert [fault.line for fault in faults.listed()] == [2, 3]


def test_faults_beyond_the_first_hundred_of_a_file_are_counted() -> None:
    faults = Faults()
    for line in range(MAX_LISTED + 7):
        faults.add("a.csv", "is wrong", "Correct it", line=line)
    faults.add("b.csv", "is wrong too", "Correct it", value="x" * 200)
    with pytest.raises(InvalidBundle) as stopped:
        faults.stop_if_any()
    lines = stopped.value.lines()
    assert len(lines) == MAX_LISTED + 2
    assert lines[-1] == "... and 7 more faults like these."
    assert len(lines[-2]) < 200

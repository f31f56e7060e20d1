"""Whatever a CSV file holds: records or a told refusal."""

import csv
import io
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.importers.errors import ImporterError
from dashboard.importers.mapped_csv import propose, read, rows
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
CELLS = st.sampled_from(
    ["1", "2.5", "1,5", "on", "", "NA", "-3", "1e9", "x y", '"', "ä", "\n", "1e999"]
) | st.text(max_size=4)
ROLES = st.sampled_from(
    [
        "option",
        "metric:time:s",
        "metric:n:",
        "revision",
        "repetition",
        "workload",
        "benchmark",
        "value:s",
        "quantity",
    ]
)


def _proposed_and_read(folder: Path, content: bytes) -> Imported | None:
    path = folder / "table.csv"
    path.write_bytes(content)
    with suppress(ImporterError), open_source(path, lone=True) as source:
        dialect, roles = propose(source, {})
        mapping = tuple(f"{name}={role}" for name, role in zip(dialect.header, roles, strict=True))
        return read(source, {"map": mapping})
    return None


@given(st.binary(max_size=300))
@QUIET
def test_any_bytes_are_read_or_told(tmp_path: Path, content: bytes) -> None:
    _proposed_and_read(tmp_path, content)


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6), st.sampled_from(",;\t|"))
@QUIET
def test_any_table_is_read_or_told(tmp_path: Path, rows: list[list[str]], sign: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=sign).writerows(rows)
    found = _proposed_and_read(tmp_path, text.getvalue().encode())
    if found is not None:
        assert len(found.records.measurements.value) or len(found.records.points.median)


@given(st.lists(ROLES, min_size=3, max_size=3), st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5))
@QUIET
def test_any_mapping_is_read_or_told(
    tmp_path: Path, roles: list[str], rows: list[tuple[str, str, str]]
) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("a", "b", "c"), *rows])
    path = tmp_path / "table.csv"
    path.write_text(text.getvalue(), newline="")
    mapping = tuple(f"{column}={role}" for column, role in zip("abc", roles, strict=True))
    with suppress(ImporterError), open_source(path, lone=True) as source:
        found = read(source, {"map": mapping})
        assert len(found.records.measurements.value) or len(found.records.points.median)


@given(
    st.lists(
        st.tuples(st.sampled_from(["on", "off"]), st.integers(1, 3), st.floats(0, 1e6)),
        min_size=1,
        max_size=20,
    )
)
@QUIET
def test_what_is_written_comes_back(tmp_path: Path, rows: list[tuple[str, int, float]]) -> None:
    path = tmp_path / "table.csv"
    path.write_text("fast,level,time\n" + "".join(f"{one},{two},{value!r}\n" for one, two, value in rows))
    with open_source(path, lone=True) as source:
        records = read(source, {"map": ("fast=option", "level=option", "time=metric:time:s")}).records
    assert sorted(records.measurements.value.tolist()) == sorted(value for _, _, value in rows)
    assert len(records.runs) == len(rows)
    labels = {option.name: option.levels[0].label for option in records.options}
    told = [labels | dict(records.configurations[run.configuration].assignments) for run in records.runs]
    assert [(one["fast"], one["level"]) for one in told] == [(one, str(two)) for one, two, _ in rows]


@pytest.mark.parametrize(
    "content",
    [
        b'a\n"' + b"x" * (2 << 20),
        b"a" * (3 << 20),
        b"a\n" + b"1," * 100_000,
        b",".join([b"a"] * 2000),
        b"\0" * 1000,
    ],
)
def test_hostile_bytes_are_told(tmp_path: Path, content: bytes) -> None:
    assert _proposed_and_read(tmp_path, content) is None


def test_a_table_of_too_many_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows.MAX_ROWS == 500_000
    monkeypatch.setattr("dashboard.importers.mapped_csv.rows.MAX_ROWS", 10)
    path = tmp_path / "table.csv"
    path.write_text("time_s\n" + "1\n" * 11)
    with open_source(path, lone=True) as source, pytest.raises(ImporterError, match="more than 10 rows"):
        read(source, {"map": ("time_s=metric:time:s",)})


def test_a_long_table_is_not_held_as_text(tmp_path: Path) -> None:
    """A row takes memory for its run, its numbers and its positions alone."""
    path = tmp_path / "table.csv"
    path.write_text(
        "a,rev,t,m\n"
        + "".join(f"{'on' if row % 2 else 'off'},r{row % 5},{row}.5,{row}\n" for row in range(30_000))
    )
    mapping = ("a=option", "rev=revision", "t=metric:time:s", "m=metric:memory:MB")
    tracemalloc.start()
    try:
        with open_source(path, lone=True) as source:
            assert len(read(source, {"map": mapping}).records.runs) == 30_000
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert used < 30_000 * 600


def test_a_table_says_the_same_in_one_piece_and_in_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "a,n,rev,t,q,u\n" + "".join(f"{row % 3},-0,r{row % 4},{row},time,ms\n" for row in range(20))
    )
    long = ("a=option", "n=option", "rev=revision", "t=value", "q=quantity", "u=unit")
    for mapping in (long, ("a=benchmark", "rev=revision", "t=metric:time:s")):
        read_in = []
        for rows_at_once in (1, 3, 1000):
            monkeypatch.setattr("dashboard.importers.mapped_csv.rows._PIECE", rows_at_once)
            with open_source(path, lone=True) as source:
                records = read(source, {"map": mapping}).records
            tables = (records.measurements, records.points)
            columns = [getattr(table, name).tolist() for table in tables for name in table.__slots__]
            read_in.append(repr((records.runs, records.configurations, records.series, columns)))
        assert read_in[0] == read_in[1] == read_in[2]


def test_a_fault_in_a_later_piece_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.importers.mapped_csv.rows._PIECE", 2)
    path = tmp_path / "table.csv"
    path.write_text("n,t\n1,1\n2,2\n3,x\n4,4\n1,5\n")
    mapping = ("n=repetition", "t=metric:time:s")
    with open_source(path, lone=True) as source, pytest.raises(ImporterError, match="line 4, column 't'"):
        read(source, {"map": mapping})
    path.write_text(path.read_text().replace("x", "3"))
    with (
        open_source(path, lone=True) as source,
        pytest.raises(ImporterError, match="row 5 repeats repetition 1"),
    ):
        read(source, {"map": mapping})

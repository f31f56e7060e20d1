"""What every registered benchmark tool keeps: its own output is told, cut, changed and foreign ones are refused with their place."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.importers.benchmarks import read
from dashboard.importers.benchmarks.output import OutputError, ToolOutput
from dashboard.importers.benchmarks.registry import TOOLS, tools_of
from dashboard.importers.errors import ImporterError, InvalidBundle
from dashboard.importers.records import Imported
from dashboard.importers.source import ImportSource, open_source
from tests.dashboard.importers.benchmark_outputs import FOLDER, SAMPLES, text_of

NAMES = [one.name for one in TOOLS]
GIVEN = {"revision": ("v1",), "benchmark": ("what ran",)}
QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
# Their figures are made of all rows: of fewer rows they are others, and each row is whole.
OF_ALL_ROWS = {"JMeter"}


def read_text(tool: str, text: str, folder: Path) -> Imported:
    """What is read where the sample of a tool says `text`, with the files that lie beside it."""
    name = Path(SAMPLES[tool][0])
    path = folder / name.name
    if len(name.parts) > 1:
        for other in (FOLDER / name).parent.iterdir():
            (folder / other.name).write_bytes(other.read_bytes())
    path.write_text(text, encoding="utf-8", newline="")
    with open_source(folder if len(name.parts) > 1 else path, lone=True) as source:
        return read(source, GIVEN)


def told(found: Imported) -> set[tuple[str, str, float]]:
    """The benchmark, the metric and each value, of points and runs."""
    records = found.records
    runs = [records.runs[run] for run in records.measurements.run]
    rows = [
        (run.workload, records.metrics[metric].quantity, value)
        for run, metric, value in zip(
            runs, records.measurements.metric, records.measurements.value, strict=True
        )
    ]
    points = zip(records.points.series, records.points.median, strict=True)
    rows += [
        (records.series[at].subject, records.metrics[records.series[at].metric].quantity, value)
        for at, value in points
    ]
    return {(subject, quantity, float(value)) for subject, quantity, value in rows}


def test_every_tool_has_a_sample_and_every_file_is_one() -> None:
    assert set(SAMPLES) == set(NAMES)
    files = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*") if file.is_file()}
    folder = {name for name in files if name.startswith("criterion/")}
    assert files - folder == {name for name, _, _ in SAMPLES.values()} - folder


@pytest.mark.parametrize("tool", NAMES)
def test_its_output_is_told_by_it_and_by_no_other(tool: str) -> None:
    assert [one.name for one in tools_of(ToolOutput("output", text_of(tool)))] == [tool]
    log = "".join(f"2026-05-01T12:00:00.1234567Z \x1b[32m{line}\n" for line in text_of(tool).splitlines())
    if next(one for one in TOOLS if one.name == tool).kind == "text":
        # As continuous integration logs it.
        assert [one.name for one in tools_of(ToolOutput("output", log))] == [tool]


@pytest.mark.parametrize("tool", NAMES)
def test_its_values_are_measured_and_have_a_metric(tool: str, tmp_path: Path) -> None:
    found = read_text(tool, text_of(tool), tmp_path)
    values = np.concatenate([found.records.measurements.value, found.records.points.median])
    assert len(values)
    assert (values >= 0).all()
    assert np.isfinite(values).all()
    assert {
        one.quantity for one in found.records.metrics if one.unit == "1/s" and one.better == "lower"
    } == set()
    assert {
        one.quantity for one in found.records.metrics if one.unit == "s" and one.better == "higher"
    } == set()


@pytest.mark.parametrize("tool", NAMES)
def test_cut_output_is_refused_or_says_less(tool: str, tmp_path: Path) -> None:
    """Cut within a line it is refused; at the end of a line, what it says is true."""
    text = text_of(tool)
    whole = told(read_text(tool, text, tmp_path))
    kind = next(one for one in TOOLS if one.name == tool).kind
    refused = []
    for end in range(1, len(text), max(1, len(text) // 20)):
        is_line = text[end - 1] == "\n"
        try:
            found = read_text(tool, text[:end], tmp_path)
        except InvalidBundle as error:
            refused.append(error)
            continue
        assert is_line or not text[end:].strip(), f"cut at {end}: {text[max(0, end - 40) : end]!r}"
        assert kind in ("text", "CSV") or not text[end:].strip()
        assert tool in OF_ALL_ROWS or told(found) <= whole
    assert refused
    assert all(fault.file and fault.problem and fault.remedy for error in refused for fault in error.faults)


@pytest.mark.parametrize("tool", NAMES)
def test_a_changed_value_is_refused_with_file_place_and_remedy(tool: str, tmp_path: Path) -> None:
    file, old, new = SAMPLES[tool]
    text = text_of(tool)
    assert old in text
    with pytest.raises(InvalidBundle) as refused:
        read_text(tool, text.replace(old, new, 1), tmp_path)
    (fault,) = refused.value.faults
    assert fault.file == Path(file).name
    assert fault.remedy
    assert (
        fault.line
        or fault.column
        or "is not complete" in fault.problem
        or "is not supported" in fault.problem
    )


@pytest.mark.parametrize("tool", NAMES)
@given(data=st.data())
@QUIET
def test_any_change_is_read_or_told(tool: str, tmp_path: Path, data: st.DataObject) -> None:
    """Nothing but an error of importers comes out, and what is read is measured."""
    text = text_of(tool)
    start = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 12))
    new = data.draw(
        st.sampled_from(["", "-1", "NaN", "1e999", '"', "[]", "{}", "null", "x", ",", "\n", "0", "\0", "€"])
    )
    with suppress(ImporterError):
        found = read_text(tool, text[:start] + new + text[start + length :], tmp_path)
        values = np.concatenate([found.records.measurements.value, found.records.points.median])
        assert len(values)
        assert np.isfinite(values).all()


@given(
    st.text(max_size=200) | st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists).map(str)
)
@QUIET
def test_any_text_is_told_as_not_supported(tmp_path: Path, text: str) -> None:
    (tmp_path / "output.txt").write_text(text, encoding="utf-8", errors="replace")
    with open_source(tmp_path / "output.txt", lone=True) as source, pytest.raises(InvalidBundle) as refused:
        read(source, GIVEN)
    assert str(refused.value).startswith("output.txt")


@pytest.mark.parametrize("part", ["<!---->", "<!-- a -->\n", "<!--", "<?a?>", " ", "\n"])
def test_comments_hold_no_reader_up(part: str) -> None:
    begin = time.process_time()
    assert tools_of(ToolOutput("a.xml", part * 20_000 + "x")) == []
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("tool", [one.name for one in TOOLS if one.kind == "text"])
def test_long_lines_hold_no_reader_up(tool: str) -> None:
    lines = text_of(tool).splitlines()[:20]
    parts = (" ", "0", "a", ".", "_ ")
    long = [line[: len(line) // 2] + part * 100_000 + line for line in lines for part in parts]
    begin = time.process_time()
    with suppress(ImporterError, OutputError):
        found = tools_of(ToolOutput("a.txt", "\n".join([*lines, *long, ""])))
        for one in found:
            one.read(ToolOutput("a.txt", "\n".join([*lines, *long, ""])))
    assert time.process_time() - begin < 4


FOREIGN: Mapping[str, str] = {
    "a table": "size,seconds\n10,0.5\n",
    "a trace": '{"traceEvents": [], "timestampUnit": "us"}',
    "a profile": "main;work 12\nmain 3\n",
    "a model": '<vm name="x"><binaryOptions/></vm>',
    "JSON": '{"results": [{"name": "a", "value": 3}]}',
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_content_is_not_supported_and_says_what_was_looked_for(kind: str, tmp_path: Path) -> None:
    (tmp_path / "output").write_text(FOREIGN[kind], encoding="utf-8")
    with open_source(tmp_path / "output", lone=True) as source, pytest.raises(InvalidBundle) as refused:
        read(source, GIVEN)
    (fault,) = refused.value.faults
    assert "is not supported" in fault.problem
    assert {"JSON": "hyperfine", "a trace": "hyperfine", "a model": "PHPBench"}.get(
        kind, "go test"
    ) in fault.remedy


def test_empty_and_ambiguous_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text(" \n", encoding="utf-8")
    (tmp_path / "both.txt").write_text(text_of("wrk") + text_of("pgbench"), encoding="utf-8")
    with open_source(tmp_path) as source, pytest.raises(InvalidBundle) as refused:
        read(source, GIVEN)
    assert refused.value.lines() == [
        "both.txt: holds the output of several tools: wrk, pgbench. Give a file for each.",
        "empty.json: is empty. Give the output of a benchmark tool.",
    ]


def test_a_folder_without_files_is_refused() -> None:
    with pytest.raises(InvalidBundle, match="holds no file"):
        read(ImportSource("empty", {}), GIVEN)

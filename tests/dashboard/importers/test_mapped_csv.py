"""CSV of any shape: what a mapping makes of it."""

from pathlib import Path

import pytest

from dashboard.importers.errors import InvalidBundle, InvalidSetting, SourceError
from dashboard.importers.mapped_csv import propose, read
from dashboard.importers.mapped_csv.roles import parse
from dashboard.importers.records import Imported
from dashboard.importers.settings import ImportSettings
from dashboard.importers.source import open_source

WIDE = "version,compress,level,time_ms,memory_MB,note\n1.0,on,3,12.5,100,a\n1.0,off,3,8.5,90,b\n1.10,on,9,22.5,,c\n"
ROLES = ("version=revision", "compress=option", "level=option", "time_ms=metric:time:ms")
NO_NUMBER = (
    "table.csv, line 2, column 'time_ms': is no number in range (value 'fast'). "
    "Write a number with a decimal point, or nothing."
)
MAPPED = {"map": (*ROLES, "memory_MB=metric:memory:MB")}


def _read(folder: Path, text: str | bytes, given: ImportSettings = MAPPED) -> Imported:
    path = folder / "table.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with open_source(path, lone=True) as source:
        return read(source, given)


def _values(found: Imported, metric: int = 0) -> list[float]:
    table = found.records.measurements
    rows = zip(table.metric.tolist(), table.value.tolist(), strict=True)
    return [value for of, value in rows if of == metric]


def _guessed(folder: Path, text: str) -> dict[str, str]:
    path = folder / "table.csv"
    path.write_text(text)
    with open_source(path, lone=True) as source:
        dialect, roles = propose(source, {})
        return {name: str(role) for name, role in zip(dialect.header, roles, strict=True)}


def _faults(folder: Path, text: str, given: ImportSettings = MAPPED) -> str:
    with pytest.raises(InvalidBundle) as error:
        _read(folder, text, given)
    return "\n".join(error.value.lines())


def test_a_row_is_a_run_and_a_metric_column_its_measurements(tmp_path: Path) -> None:
    found = _read(tmp_path, WIDE)
    records = found.records
    assert [(one.quantity, one.unit) for one in records.metrics] == [("time", "s"), ("memory", "MB")]
    assert _values(found) == pytest.approx([0.0125, 0.0085, 0.0225])
    assert _values(found, 1) == [100.0, 90.0]
    assert [records.configurations[run.configuration].assignments for run in records.runs] == [
        {"compress": "on"},
        {},
        {"compress": "on", "level": "9"},
    ]
    assert found.remarks == (
        "table.csv: columns left out: note.",
        "table.csv: times in ms are stored in seconds.",
    )


def test_versions_come_in_their_order_and_other_revisions_as_listed(tmp_path: Path) -> None:
    text = WIDE.replace("1.0,off", "1.2,off")
    assert _read(tmp_path, text).records.orders[0].places == {"1.0": 0, "1.2": 1, "1.10": 2}
    other = text.replace("1.0,", "feed,").replace("1.10,", "cafe,").replace("1.2,", "abba,")
    order = _read(tmp_path, other).records.orders[0]
    assert (order.name, order.places) == ("as listed", {"feed": 0, "abba": 1, "cafe": 2})


def test_equal_rows_are_repetitions(tmp_path: Path) -> None:
    body = WIDE.split("\n", 1)[1]
    runs = _read(tmp_path, WIDE + body).records.runs
    assert [run.repetition for run in runs] == [0, 0, 0, 1, 1, 1]


def test_texts_of_one_level_are_one_configuration(tmp_path: Path) -> None:
    given = {"map": ("a=option", "t=metric:time:s")}
    records = _read(tmp_path, "a,t\n0,1\n-0,2\n1,3\n2,4\n+1,5\n", given).records
    assert [one.assignments for one in records.configurations] == [{}, {"a": "1"}, {"a": "2"}]
    assert [(run.configuration, run.repetition) for run in records.runs] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (2, 0),
        (1, 1),
    ]
    told = {"map": ("a=option", "n=repetition", "t=metric:time:s")}
    assert "row 2 repeats repetition 0" in _faults(tmp_path, "a,n,t\n2.0,0,1\n2,0,2\n3,0,1\n", told)


def test_a_level_of_zero_has_no_sign(tmp_path: Path) -> None:
    found = _read(tmp_path, "a,t\n-0.0,1\n1.5,3\n0,2\n", {"map": ("a=option", "t=metric:time:s")})
    assert [level.label for level in found.records.options[0].levels] == ["0.0", "1.5"]
    assert [run.configuration for run in found.records.runs] == [0, 1, 0]


def test_a_column_may_number_the_repetitions(tmp_path: Path) -> None:
    given = {"map": ("n=repetition", "t=metric:time:s")}
    assert [run.repetition for run in _read(tmp_path, "n,t\n7,1\n3,2\n", given).records.runs] == [7, 3]
    assert "row 2 repeats repetition 7" in _faults(tmp_path, "n,t\n7,1\n7,2\n", given)
    assert "line 3, column 'n': is no repetition (value 'x')" in _faults(tmp_path, "n,t\n7,1\nx,2\n", given)


def test_the_long_form_names_what_a_value_is(tmp_path: Path) -> None:
    text = "level,metric,unit,value\n3,time,ms,10\n3,energy,J,5\n3,time,ms,12\n9,time,s,1\n"
    given = {"map": ("level=option", "metric=quantity", "unit=unit", "value=value")}
    found = _read(tmp_path, text, given)
    assert [(one.quantity, one.unit) for one in found.records.metrics] == [("time", "s"), ("energy", "J")]
    assert _values(found) == pytest.approx([0.01, 0.012, 1.0])
    assert len(found.records.runs) == 3
    assert found.records.measurements.run.tolist() == [0, 0, 1, 2]


def test_what_was_measured_is_the_program_where_configurations_are_compared(tmp_path: Path) -> None:
    given = {"map": ("v=revision", "a=option", "t=metric:time:s")}
    records = _read(tmp_path, "v,a,t\n1,on,1\n1,off,2\n", given).records
    assert [one.is_program for one in records.regions] == [True]
    assert _read(tmp_path, "v,a,t\n1,on,1\n2,off,2\n", given).records.regions == ()


def test_benchmarks_become_points_of_histories(tmp_path: Path) -> None:
    text = "rev,bench,host,t\n1,sort,h,1\n1,sort,h,3\n2,sort,h,5\n1,find,h,9\n"
    given = {"map": ("rev=revision", "bench=benchmark", "host=environment", "t=metric:time:s")}
    records = _read(tmp_path, text, given).records
    assert [one.subject for one in records.series] == ["sort", "find"]
    assert records.points.median.tolist() == [2.0, 5.0, 9.0]
    assert records.points.n.tolist() == [2, 1, 1]
    assert records.points.spread.tolist()[0] == pytest.approx(2**0.5)
    assert records.runs == ()


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_delimiter_is_read_from_the_first_rows(tmp_path: Path, sign: str) -> None:
    assert _values(_read(tmp_path, WIDE.replace(",", sign))) == pytest.approx([0.0125, 0.0085, 0.0225])


def test_another_delimiter_can_be_given(tmp_path: Path) -> None:
    given = {**MAPPED, "delimiter": ("~",)}
    assert len(_read(tmp_path, WIDE.replace(",", "~"), given).records.runs) == 3
    with pytest.raises(InvalidSetting, match="--delimiter: is no delimiter"):
        _read(tmp_path, WIDE, {**MAPPED, "delimiter": ("::",)})


def test_a_decimal_comma_is_read_from_a_column_of_them(tmp_path: Path) -> None:
    text = WIDE.replace(",", ";").replace("2.5", "2,5").replace("8.5", "8,5")
    assert _values(_read(tmp_path, text)) == pytest.approx([0.0125, 0.0085, 0.0225])
    wrong = text.replace("8,5", "8.5")
    given = {**MAPPED, "decimal": (",",)}
    assert (
        "line 3, column 'time_ms': is no number in range (value '8.5'). Write a number with a decimal comma"
        in (_faults(tmp_path, wrong, given))
    )


@pytest.mark.parametrize(
    ("encoding", "remark"), [("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("latin-1", True)]
)
def test_encodings_are_recognised(tmp_path: Path, encoding: str, *, remark: bool) -> None:
    text = "größe,t\nklein,1\nübergroß,2\n"
    found = _read(tmp_path, text.encode(encoding), {"map": ("größe=option", "t=metric:time:s")})
    assert [level.label for level in found.records.options[0].levels] == ["klein", "übergroß"]
    assert any("Latin-1" in one for one in found.remarks) == remark


def test_quoted_fields_may_hold_delimiters_quotes_and_line_breaks(tmp_path: Path) -> None:
    text = 'mode,t\n"a, ""b""\nc",1\n"a, ""b""\nc",x\n'
    assert "line 5, column 't': is no number in range (value 'x')" in _faults(
        tmp_path, text, {"map": ("mode=workload", "t=metric:time:s")}
    )


def test_rows_without_values_are_left_out_and_counted(tmp_path: Path) -> None:
    found = _read(tmp_path, "t\n1\nNA\n\n-\n2\n", {"map": ("t=metric:time:s",)})
    assert _values(found) == [1.0, 2.0]
    assert found.remarks == ("table.csv: 2 of 4 rows hold no value and were left out.",)


def test_every_bad_cell_is_told_with_line_column_value_and_remedy(tmp_path: Path) -> None:
    text = WIDE.replace("12.5", "fast").replace("1.0,off", ",off").replace("1.10,on,9", "1.10,on,")
    assert _faults(tmp_path, text).split("\n") == [
        NO_NUMBER,
        "table.csv, line 3, column 'version': the revision is missing. Write its name.",
        "table.csv, line 4, column 'level': the level is missing. Write the option's level, or leave the row out.",
    ]


def test_rows_of_another_width_are_told(tmp_path: Path) -> None:
    assert "line 3: has 2 fields where the header has 1" in _faults(
        tmp_path, "t\n1\n2,3\n4\n", {"map": ("t=metric:time:s",)}
    )


def test_faults_are_capped_and_counted(tmp_path: Path) -> None:
    shown = _faults(tmp_path, "t\n" + "x\n" * 250, {"map": ("t=metric:time:s",)})
    assert shown.endswith("... and 150 more faults like these.")


def test_a_column_of_many_values_is_no_option(tmp_path: Path) -> None:
    text = "id,t\n" + "".join(f"{number},1\n" for number in range(200))
    assert "has more than 127 levels and is no option" in _faults(
        tmp_path, text, {"map": ("id=option", "t=metric:time:s")}
    )


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ((), "no column holds what was measured"),
        (("time_ms=metric:time:ms", "level=value:s"), "both metric and value are given"),
        (("level=value:s",), "a value needs its quantity"),
        (("version=quantity", "level=value"), "the values have no unit"),
        (("version=quantity", "note=unit", "level=value:s"), "the unit is given twice"),
        (("time_ms=metric:time:ms", "note=unit"), "quantity and unit belong to a value"),
        (
            ("version=revision", "note=revision", "time_ms=metric:time:ms"),
            "revision is given to several columns",
        ),
        (("version=benchmark", "level=option", "time_ms=metric:time:ms"), "a benchmark has no options"),
        (
            ("time=metric:time:ms",),
            "there is no such column (value 'time'). The columns are version, compress",
        ),
        (("time_ms=metric:time:years",), "time needs its unit"),
        (("time_ms=metric:time",), "a metric needs its quantity and its unit"),
        (("time_ms=metric:a:b:c",), "'c' is neither lower nor higher"),
        (("time_ms=speed",), "'speed' is no role"),
        (("time_ms=revision:x",), "revision takes nothing behind it"),
        (("time_ms",), "names no column and role"),
        (("level=option", "level=ignore"), "gives a column two roles"),
    ],
)
def test_a_mapping_that_makes_no_sense_is_refused(tmp_path: Path, roles: tuple[str, ...], says: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        _read(tmp_path, WIDE, {"map": roles})
    assert says in str(error.value)


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError, match="is empty"):
        _read(tmp_path, text)


def test_more_files_than_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(WIDE)
    (tmp_path / "b.csv").write_text(WIDE)
    with open_source(tmp_path, lone=True) as source, pytest.raises(SourceError, match="Give one CSV file"):
        read(source, MAPPED)


def test_roles_are_proposed_from_names_and_values(tmp_path: Path) -> None:
    assert _guessed(tmp_path, WIDE) == {
        "version": "revision",
        "compress": "option",
        "level": "option",
        "time_ms": "metric:time:ms",
        "memory_MB": "metric:memory:MB",
        "note": "option",
    }


@pytest.mark.parametrize(
    ("header", "cells", "role"),
    [
        ("commit", "abc", "revision"),
        ("Performance", "1.5", "metric:time:"),
        ("cpu time [s]", "1.5", "metric:time:s:cpu"),
        ("Throughput (ops)", "100", "metric:throughput:ops:higher"),
        ("elapsedSeconds", "100", "metric:time:seconds"),
        ("score", "1.25", "option"),
        ("iteration", "4", "repetition"),
        ("id", "4", "ignore"),
        ("empty", "", "ignore"),
        ("bench", "sort", "benchmark"),
        ("Host", "lab", "environment"),
    ],
)
def test_a_proposal_for_one_column(tmp_path: Path, header: str, cells: str, role: str) -> None:
    assert _guessed(tmp_path, f"{header}\n{cells}\n") == {header: role}


def test_the_long_form_is_recognised(tmp_path: Path) -> None:
    assert _guessed(tmp_path, "level,metric,unit,value\n3,time,ms,10\n") == {
        "level": "option",
        "metric": "quantity",
        "unit": "unit",
        "value": "value",
    }


@pytest.mark.parametrize(
    "text", ["metric:time:s", "metric:speed:MB/s:higher", "metric:time:ms:cpu", "option", "value:s"]
)
def test_a_role_is_read_as_it_is_written(text: str) -> None:
    assert str(parse(text)) == text

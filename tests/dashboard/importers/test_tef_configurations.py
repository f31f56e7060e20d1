"""Which configuration each trace was made with."""

from pathlib import Path

import pytest

from dashboard.importers.errors import InvalidBundle, InvalidSetting, SourceError
from tests.dashboard.importers.tef_sample import NESTED, events, read, trace

TABLE = "trace,foo,level,workload\na.json,on,3,small\nb.json,off,3,small\nc.json,on,9,small\n"


def _folder(level: str = "level") -> dict[str, str]:
    short = events([(0, "B", "Base", 0), (1, "B", level, 1), (2, "E", level, 1), (4, "E", "Base", 0)])
    whole = events([(0, "B", "foo", 0), (1, "B", level, 1), (4, "E", level, 1), (5, "E", "foo", 0)])
    return {
        "a.json": trace(whole),
        "b.json": trace(short),
        "c.json": trace(whole),
        "configurations.csv": TABLE,
    }


def test_a_table_gives_each_trace_its_configuration(tmp_path: Path) -> None:
    found = read(tmp_path, _folder())
    records = found.records
    assert [(one.name, [level.label for level in one.levels]) for one in records.options] == [
        ("foo", ["off", "on"]),
        ("level", ["3", "9"]),
    ]
    assert [records.configurations[one.configuration].assignments for one in records.runs] == [
        {"foo": "on"},
        {},
        {"foo": "on", "level": "9"},
    ]
    (analysis,) = records.performance_models
    formulas = {records.regions[part.region].key: part.formulas for part in analysis.partitions}
    assert formulas["program"] == ("True",)
    assert formulas["foo"] == ("!foo", "foo")
    assert formulas["foo*level"] == (
        "!foo & level=3",
        "foo & level=3",
        "foo & level=9",
        "!((!foo & level=3) | (foo & level=3) | (foo & level=9))",
    )
    assert (analysis.workload, analysis.uncovered_is_zero) == ("small", True)


def test_configuration_numbers_of_vara_find_their_traces_and_repetitions(tmp_path: Path) -> None:
    one = trace(events(NESTED))
    names = ["XZ-c1_config-1_success.json", "XZ-c2_config-1_success.json", "XZ-c3_config-2_success.json"]
    table = "config_id,foo,bar\n1,on,on\n2,on,off\n"
    records = read(tmp_path, {**dict.fromkeys(names, one), "configurations.csv": table}).records
    assert [(run.configuration, run.repetition) for run in records.runs] == [(0, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("trace,", "file,", "has no column that tells the traces"),
        ("b.json", "z.json", "line 3, column 'trace': there is no such trace (value 'z.json')"),
        ("b.json", "a.json", "a.json has a row already"),
        (",off,", ",,", "line 3, column 'foo': the value is missing"),
        (",level,", ",depth,", "no configuration tells whether the feature was selected (value 'level')"),
    ],
)
def test_a_wrong_table_of_configurations_is_told(tmp_path: Path, old: str, new: str, says: str) -> None:
    files = _folder()
    files["configurations.csv"] = TABLE.replace(old, new)
    with pytest.raises(InvalidBundle) as error:
        read(tmp_path, files)
    assert says in "\n".join(error.value.lines())


def test_several_traces_without_configurations_are_refused_with_the_way_out(tmp_path: Path) -> None:
    files = _folder()
    del files["configurations.csv"]
    with pytest.raises(
        SourceError, match=r"Add configurations\.csv with the columns trace and one per option"
    ):
        read(tmp_path, files)
    runs = read(tmp_path, {}, {"configuration": ("foo=on,level=3",)}).records.runs
    assert [(run.configuration, run.repetition) for run in runs] == [(0, 0), (0, 1), (0, 2)]


def test_settings_name_revision_workload_and_environment(tmp_path: Path) -> None:
    given = {
        "revision": ("v1",),
        "workload": ("big",),
        "environment": ("lab",),
        "configuration": ("foo=on,bar=off",),
    }
    records = read(tmp_path, trace(events(NESTED)), given).records
    assert (records.revisions[0].name, records.workloads[0].name) == ("v1", "big")
    assert records.environments[0].name == "lab"
    assert records.configurations[0].assignments == {"foo": "on"}


def test_zero_and_one_say_off_and_on_of_a_feature(tmp_path: Path) -> None:
    records = read(tmp_path, trace(events(NESTED)), {"configuration": ("foo=1,bar=0",)}).records
    assert {one.name: [level.label for level in one.levels] for one in records.options} == {
        "foo": ["off", "on"],
        "bar": ["off", "on"],
    }
    assert records.configurations[0].assignments == {"foo": "on"}


@pytest.mark.parametrize("text", ["foo", "foo=", "=on", "foo=on,,", "foo=on,foo=off"])
def test_a_configuration_that_is_not_written_as_one_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSetting, match="--configuration"):
        read(tmp_path, trace(events(NESTED)), {"configuration": (text,)})

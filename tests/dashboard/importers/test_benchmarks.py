"""What tools measured becomes points, or runs where there are parameters: values, units, revisions, machines."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from dashboard.importers.benchmarks import read
from dashboard.importers.benchmarks.output import ToolOutput
from dashboard.importers.benchmarks.registry import tools_of
from dashboard.importers.errors import InvalidBundle, InvalidSetting
from dashboard.importers.records import Imported, MetricRecord
from dashboard.importers.source import open_source
from tests.dashboard.importers.benchmark_outputs import FOLDER, SAMPLES

WALL = MetricRecord("time", "s", "wall")
COMMIT = "782c3ee0a28ccdc7a742fa02373bbfc9a0b3d0ad"


def take(path: Path, **given: str) -> Imported:
    with open_source(path, lone=True) as source:
        return read(source, {name: (value,) for name, value in given.items()})


def sample(tool: str, **given: str) -> Imported:
    return take(FOLDER / SAMPLES[tool][0], **{"revision": "v1", **given})


def written(folder: Path, content: object, name: str = "output.json") -> Path:
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder / name


def runs(found: Imported) -> dict[tuple[str, str, tuple[tuple[str, str], ...]], list[float]]:
    """The values of runs by workload, unit and assignments that differ from the reference."""
    records = found.records
    values: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[float]] = {}
    rows = zip(records.measurements.run, records.measurements.metric, records.measurements.value, strict=True)
    for place, metric, value in rows:
        run = records.runs[place]
        levels = tuple(sorted(records.configurations[run.configuration].assignments.items()))
        values.setdefault((run.workload, records.metrics[metric].unit, levels), []).append(float(value))
    return values


def points(found: Imported) -> dict[tuple[str, str], tuple[float, int]]:
    """Median and number of measurements by subject, and quantity with clock."""
    records = found.records
    told = {}
    for row, place in enumerate(records.points.series):
        one = records.series[place]
        metric = records.metrics[one.metric]
        told[one.subject, f"{metric.quantity} {metric.clock}"] = (
            float(records.points.median[row]),
            int(records.points.n[row]),
        )
    return told


def test_parameters_are_options_and_each_repetition_is_a_run() -> None:
    found = sample("JMH")
    assert runs(found) == {
        ("org.example.Sorting.sort", "s", ()): pytest.approx([1.2e-6, 1.26e-6, 1.24e-6, 1.3e-6]),
        ("org.example.Sorting.sort", "bytes", ()): [416.0],
        ("org.example.Sorting.sort", "s", (("size", "1000"),)): pytest.approx([1.5e-5, 1.6e-5]),
    }
    assert {one.name: [level.label for level in one.levels] for one in found.records.options} == {
        "order": ["random"],
        "size": ["100", "1000"],
    }
    # What configurations are compared of is a program region, as of a table.
    assert [one.is_program for one in found.records.regions] == [True]


def test_a_benchmark_without_parameters_is_a_point_with_number_and_spread() -> None:
    found = sample("JMH")
    ((key, (median, n)),) = points(found).items()
    assert (key, n) == (("org.example.Sorting.join", "operations none"), 2)
    assert median == pytest.approx(850_000.0)
    assert found.records.metrics[2].better == "higher"
    assert found.records.points.spread == pytest.approx([14142.1356])


def test_arguments_of_google_benchmark_have_a_name_or_a_number() -> None:
    found = sample("Google Benchmark")
    assert {one.name for one in found.records.options} == {"size", "spread", "arg1"}
    measured = runs(found)
    assert [len(measured["BM_Sort", "s", levels]) for levels in ((), (("size", "512"),))] == [4, 4]
    assert set(points(found)) == {("BM_Plain", "time wall"), ("BM_Plain", "time cpu")}


def test_a_command_is_called_by_its_parameters() -> None:
    found = sample("hyperfine")
    assert {one.name for one in found.records.workloads} == {"head -c {n} /dev/zero", "echo {mode}"}
    assert [one.clock for one in found.records.metrics] == ["wall", "cpu"]


def test_a_value_that_stands_in_a_command_by_chance_is_no_parameter(tmp_path: Path) -> None:
    def result(command: str, **parameters: str) -> dict[str, object]:
        return {
            "command": command,
            "mean": 1,
            "user": 0,
            "system": 0,
            "times": [1.0],
            "parameters": parameters,
        }

    entries = [result(f"sleep 1 -n {n} -m {m}", n=n, m=m) for n in "12" for m in "13"]
    found = take(written(tmp_path, {"results": entries}), revision="v1")
    assert {one.name for one in found.records.workloads} == {"sleep 1 -n {n} -m {m}"}


def test_names_that_say_key_and_value_are_options_of_go() -> None:
    found = sample("go test")
    assert runs(found)["example.org/sums.BenchmarkSum", "s", ()] == pytest.approx([2.854e-9, 3.746e-9])
    assert ("example.org/sums.BenchmarkPlain", "time wall") in points(found)
    assert any("widgets/op" in remark for remark in found.remarks)
    assert found.records.environments[0].name == "AMD EPYC, linux, amd64, GOMAXPROCS 2"


def test_many_repetitions_are_kept_as_their_median(tmp_path: Path) -> None:
    entry = {
        "jmhVersion": "1", "benchmark": "B.b", "mode": "avgt", "params": {"n": "1"},
        "primaryMetric": {"score": 2, "scoreUnit": "s/op", "rawData": [[1.0, 2.0, 3.0] * 100]},
    }  # fmt: skip
    records = take(written(tmp_path, [entry]), revision="v1").records
    assert (len(records.runs), records.measurements.value.tolist(), records.measurements.n.tolist()) == (
        1,
        [2.0],
        [300],
    )
    assert records.measurements.deviation == pytest.approx(np.std([1.0, 2.0, 3.0] * 100, ddof=1))


def test_the_revision_is_the_files_own_or_given() -> None:
    (own,) = take(FOLDER / "pytest-benchmark.json").records.revisions
    assert (own.name, own.commit) == (COMMIT[:10], COMMIT)
    assert own.released_at == datetime(2026, 11, 24, 13, 40, 58, tzinfo=UTC)
    found = take(FOLDER / "pytest-benchmark.json", revision="2.0", date="2026-05-01T12:00:00+02:00")
    (given,) = found.records.revisions
    assert (given.name, given.commit, given.released_at) == ("2.0", "", datetime(2026, 5, 1, 10, tzinfo=UTC))
    assert found.records.date_order == "dates"
    with pytest.raises(
        InvalidSetting, match=r"--revision: k6.json does not tell which revision ran. Give the commit"
    ):
        take(FOLDER / "k6.json")


def test_without_a_date_a_revision_has_no_place_and_it_is_said() -> None:
    found = sample("k6")
    assert (found.records.date_order, found.records.revisions[0].released_at) == ("", None)
    assert "k6.json: nothing tells when v1 was made" in found.remarks[-1]
    measured = sample("Google Benchmark")
    assert measured.records.date_order == "dates"
    assert "its place in histories is when it was measured" in measured.remarks[-1]


def test_the_host_does_not_tell_machines_apart_and_a_given_name_does(tmp_path: Path) -> None:
    """Runners of continuous integration have another name each time."""
    other = (FOLDER / "pytest-benchmark.json").read_text().replace("bench-1", "bench-2")
    first, second = (take(path) for path in (FOLDER / "pytest-benchmark.json", written(tmp_path, other)))
    assert [one.digest for one in first.records.environments] == [
        one.digest for one in second.records.environments
    ]
    assert first.records.environments[0].details["host"] == "bench-1"
    named = take(FOLDER / "pytest-benchmark.json", environment="oak").records.environments[0]
    assert named.name == "oak"
    assert named.digest != first.records.environments[0].digest


def test_files_of_several_revisions_come_in_together(tmp_path: Path) -> None:
    text = (FOLDER / "pytest-benchmark.json").read_text()
    written(tmp_path, text, "0001_a.json")
    written(tmp_path, text.replace(COMMIT, "f" * 40).replace("13:40:58", "14:40:58"), "0002_b.json")
    found = take(tmp_path)
    assert [one.name for one in found.records.revisions] == [COMMIT[:10], "f" * 10]
    assert len(found.records.points.series) == 2
    with pytest.raises(InvalidSetting, match="the files are of 2 revisions"):
        take(tmp_path, revision="v1")


def test_one_bad_file_refuses_all(tmp_path: Path) -> None:
    written(tmp_path, (FOLDER / "k6.json").read_text(), "good.json")
    written(tmp_path, "hello", "bad.txt")
    with pytest.raises(InvalidBundle) as refused:
        take(tmp_path, revision="v1")
    assert [fault.file for fault in refused.value.faults] == ["bad.txt"]


def test_a_folder_of_criterion_keeps_samples_and_the_parameter() -> None:
    assert runs(take(FOLDER / "criterion", revision="v1")) == {
        ("fib/recursive", "s", ()): pytest.approx([2.62e-5, 2.62250e-5, 2.6233333e-5])
    }


def test_what_a_tool_does_not_name_is_asked_for() -> None:
    with pytest.raises(InvalidSetting, match=r"--benchmark: time.txt does not tell what ran. Name it"):
        sample("time")
    assert points(sample("time", benchmark="build")) == {
        ("build", "time wall"): (0.051, 1),
        ("build", "time cpu"): (0.001, 1),
    }


def test_an_aggregate_that_is_told_twice_is_refused(tmp_path: Path) -> None:
    written(tmp_path, (FOLDER / "vitest.json").read_text(), "a.json")
    written(tmp_path, (FOLDER / "vitest.json").read_text(), "b.json")
    with pytest.raises(
        InvalidBundle, match=r"b.json: tells the time in s of a benchmark a second time \(first in a.json\)"
    ):
        take(tmp_path, revision="v1")


def test_failures_are_counted_and_a_file_of_nothing_else_is_refused(tmp_path: Path) -> None:
    assert "benchmark-dotnet.json: 1 failed and has no value." in sample("BenchmarkDotNet").remarks
    failed = {
        "context": {"num_cpus": 2},
        "benchmarks": [{"name": "BM_A", "run_name": "BM_A", "error_occurred": True}],
    }
    with pytest.raises(InvalidBundle, match="is of Google Benchmark and holds no result"):
        take(written(tmp_path, failed), revision="v1")


@pytest.mark.parametrize(
    ("name", "value"),
    [("reruns", "yes"), ("date", "yesterday"), ("revision", "x" * 121), ("benchmark", "a\nb")],
)
def test_wrong_settings_are_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidSetting, match=f"--{name}: "):
        take(FOLDER / "k6.json", **{"revision": "v1", name: value})


@pytest.mark.parametrize(
    ("row", "value"), [("avgt       12.5          s/op", 12.5), ("avgt    5  12.5 ± 0.1  s/op", 12.5)]
)
def test_a_score_of_jmh_is_read_whole_without_a_count_too(row: str, value: float) -> None:
    """JMH leaves the count blank where it measured once."""
    head = "Benchmark  Mode  Cnt  Score  Error  Units\n"
    output = ToolOutput("jmh.txt", f"{head}a.B.c  {row}\n")
    (tool,) = tools_of(output)
    assert [list(one.values) for one in tool.read(output).results] == [[value]]

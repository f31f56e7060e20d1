"""Result folders of asv: what is read of both formats, and what is refused with its place."""

import math
from pathlib import Path
from typing import Any

import pytest

from dashboard.importers import asv
from dashboard.importers.asv import importer
from dashboard.importers.asv.series import subjects_of
from dashboard.importers.errors import InvalidBundle
from dashboard.importers.records import Imported, SeriesRecord
from dashboard.importers.source import open_source
from tests.dashboard.importers import asv_sample as sample


def read(files: sample.Files, path: Path) -> Imported:
    with open_source(sample.write(files, path)) as source:
        return asv.read(source)


def faults(files: sample.Files, path: Path) -> list[str]:
    with pytest.raises(InvalidBundle) as refused:
        read(files, path)
    return refused.value.lines()


def points(found: Imported) -> dict[tuple[str, str, str, str], tuple[float, int, float]]:
    """Median, n and spread (-1 where it is unknown) by label, machine, start of the version and revision."""
    records = found.records
    table = records.points
    result = {}
    for row in range(len(table.series)):
        one: SeriesRecord = records.series[table.series[row]]
        machine = records.environments[one.environment].name.partition(",")[0]
        key = (one.label, machine, one.benchmark_version[:1], records.revisions[table.revision[row]].name)
        spread = float(table.spread[row])
        result[key] = (float(table.median[row]), int(table.n[row]), -1.0 if math.isnan(spread) else spread)
    return result


def test_values_come_with_readable_parameters_machine_version_and_revision(tmp_path: Path) -> None:
    found = points(read(sample.folder(1), tmp_path))
    first, second = sample.COMMITS[0][:10], sample.COMMITS[1][:10]
    assert {key: value[:2] for key, value in found.items()} == {
        ("bench_sort.Sort.time_sort(kind=int, size=10)", "oak", "a", first): (0.001, 10),
        ("bench_sort.Sort.time_sort(kind=int, size=1000)", "oak", "a", first): (0.1, 10),
        ("bench_sort.peakmem_load", "oak", "", first): (4096.0, 1),
        ("bench_gone.time_gone", "oak", "", first): (0.5, 1),
        ("bench_sort.Sort.time_sort(kind=int, size=10)", "oak", "b", second): (0.001, 10),
        ("bench_sort.Sort.time_sort(kind=int, size=1000)", "oak", "b", second): (0.1, 4),
        ("bench_sort.peakmem_load", "oak", "c", second): (4096.0, 1),
        ("bench_sort.Sort.time_sort(kind=int, size=10)", "elm", "b", second): (0.003, 10),
        ("bench_sort.Sort.time_sort(kind=int, size=1000)", "elm", "b", second): (pytest.approx(0.3), 4),
        ("bench_sort.peakmem_load", "elm", "c", second): (4096.0, 1),
    }


def test_metrics_keep_their_unit_and_revisions_their_date(tmp_path: Path) -> None:
    records = read(sample.folder(2), tmp_path).records
    assert {(one.quantity, one.unit, one.clock) for one in records.metrics} == {
        ("time", "s", "wall"),
        ("peak memory", "bytes", "none"),
    }
    assert records.date_order == "dates"
    dated = {one.commit: one.released_at for one in records.revisions}
    assert dated[sample.COMMITS[1][:40]].isoformat() == "2020-09-14T12:26:40+00:00"  # type: ignore[union-attr]


def test_what_failed_or_was_skipped_is_counted_and_makes_no_point(tmp_path: Path) -> None:
    found = read(sample.folder(2), tmp_path)
    assert found.remarks == ("9 results failed and have no value", "3 results were skipped by the suite")
    assert not any(math.isnan(value) for value in found.records.points.median.tolist())


def test_the_fit_finds_the_standard_error_of_asv_again(tmp_path: Path) -> None:
    found = points(read(sample.folder(1), tmp_path))
    _, n, spread = found["bench_sort.Sort.time_sort(kind=int, size=10)", "oak", "b", sample.COMMITS[1][:10]]
    # The variance of the median of n normal values, as the fit takes it.
    assert 2.5758 * math.sqrt(math.pi / 2 * spread**2 / n) == pytest.approx(0.0001, rel=1e-4)


def test_an_open_interval_gives_way_to_the_quartiles(tmp_path: Path) -> None:
    found = points(read(sample.folder(1), tmp_path))
    label = "bench_sort.Sort.time_sort(kind=int, size=1000)"
    assert found[label, "oak", "b", sample.COMMITS[1][:10]][2] == pytest.approx(0.004 / 1.34898, rel=1e-4)


def test_a_folder_above_and_packed_files_are_read_the_same(tmp_path: Path) -> None:
    plain = read(sample.folder(), tmp_path / "plain")
    moved: dict[str, Any] = {
        f"site/results/{name}{'.gz' if name.startswith('oak/a') else ''}": content
        for name, content in sample.folder().items()
    }
    deeper = read({"readme.txt": "text", **moved}, tmp_path / "deeper")
    assert points(plain) == points(deeper)


def test_parameters_without_names_or_with_equal_words_stay_apart() -> None:
    assert subjects_of("m.time_x", [["<class 'int'>", "int"]], ["a"]) == [
        ("m.time_x(<class 'int'>)", "m.time_x(a=<class 'int'>)"),
        ("m.time_x(int)", "m.time_x(a=int)"),
    ]
    assert [label for _, label in subjects_of("m.time_x", [["1", "1"]], ["a", "b"])] == [
        "m.time_x(1)",
        "m.time_x(1 (2))",
    ]
    long = subjects_of("m.time_x", [["x" * 500, "x" * 500 + "y"]], ["name" * 120])
    assert len({subject for subject, _ in long}) == 2
    assert all(len(text) <= 400 for pair in long for text in pair)


def test_a_lone_null_says_that_all_combinations_failed(tmp_path: Path) -> None:
    files = sample.folder()
    name = f"oak/{sample.COMMITS[2][:8]}-virtualenv-py3.11.json"
    files[name]["results"]["bench_sort.Sort.time_sort"] = [[None], sample.PARAMS, "b" * 64]
    known = points(read(sample.folder(), tmp_path / "whole"))
    found = points(read(files, tmp_path / "failed"))
    assert {key for key in known if key not in found} == {
        key for key in known if "time_sort" in key[0] and key[3] == sample.COMMITS[2][:10] and key[1] == "oak"
    }


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (["commit_hash"], 5, "at 'commit_hash': is no text (value '5')"),
        (["date"], "soon", "at 'date': is no date in milliseconds since 1970"),
        (["version"], 3, "at 'version': is of an unknown format (value '3')"),
        (["params", "machine"], "ash", "at 'params/machine': names another machine than the folder's 'oak'"),
        (["result_columns"], ["params"], "at 'result_columns': is no list of columns"),
        (["results"], [], "at 'results': is no object"),
        (["results", "bench_sort.Sort.time_sort", 0], [1.0], "some statistics are no list of 1"),
        (["results", "bench_sort.peakmem_load", 0], [1.0, 2.0], "has 2 results for 1 combinations"),
        (["results", "bench_sort.Sort.time_sort", 0, 0], "1", "is no number (value \"'1'\")"),
        (["results", "bench_sort.Sort.time_sort", 0, 0], True, "is no number (value 'True')"),
        (["results", "bench_sort.Sort.time_sort", 0, 0], 1e200, "lies beyond 1e+100"),
        (["results", "bench_sort.Sort.time_sort", 0, 0], 10**400, "holds a whole number that is too large"),
        (["results", "bench_sort.Sort.time_sort", 5], [1.0], "some statistics are no list of 4"),
        (["results", "bench_sort.Sort.time_sort", 1], [[1], [2]], "has parameters that are no texts"),
        (["results", "bench_sort.Sort.time_sort"], 7, "is no list (value '7')"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_place(
    tmp_path: Path, place: list[Any], value: Any, words: str
) -> None:
    files = sample.folder()
    name = f"oak/{sample.COMMITS[2][:8]}-virtualenv-py3.11.json"
    target = files[name]
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    told = faults(files, tmp_path)
    assert len(told) == 1
    assert told[0].startswith(name)
    assert words in told[0]


def test_all_faults_of_all_files_are_told_together(tmp_path: Path) -> None:
    files = sample.folder()
    names = sorted(name for name in files if name.startswith("oak/a"))
    files[names[0]] = "{"
    files[names[1]]["date"] = None
    files["elm/machine.json"] = []
    told = [line.partition(":")[0] for line in faults(files, tmp_path)]
    assert told == ["elm/machine.json", names[0], f"{names[1]}, at 'date'"]


def test_one_revision_twice_in_one_environment_is_refused(tmp_path: Path) -> None:
    files = sample.folder()
    files["oak/copy.json"] = sample.result(2)
    assert "holds the same revision in the same environment as" in faults(files, tmp_path)[0]


def test_a_folder_without_a_list_of_benchmarks_is_refused(tmp_path: Path) -> None:
    files = sample.folder()
    del files["benchmarks.json"]
    assert "holds no benchmarks.json" in faults(files, tmp_path)[0]
    assert "no result of any revision" in faults({"benchmarks.json": {"version": 2}}, tmp_path / "empty")[0]


def test_results_without_a_machine_are_passed_over_as_asv_does(tmp_path: Path) -> None:
    files = sample.folder()
    files["html/index.json"] = {"x": 1}
    assert read(files, tmp_path).remarks[0].startswith("1 files lie in folders without a machine.json")


def in_two(files: sample.Files, path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Imported, bool]:
    """What is read with a second process, and whether that found no fault."""
    done = []

    def spy(*given: Any) -> Any:
        done.append(read_in_two(*given))
        return done[-1]

    read_in_two = importer._read_in_two
    monkeypatch.setattr(importer, "MANY", 2)
    monkeypatch.setattr(importer, "_read_in_two", spy)
    return read(files, path), done[0] is not None


def test_two_processes_read_what_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = sample.folder(5)
    alone = read(files, tmp_path / "alone" / "results")
    found, is_sound = in_two(files, tmp_path / "two" / "results", monkeypatch)
    assert is_sound
    assert points(found) == points(alone)
    names = ("series", "revisions", "environments", "metrics", "batches")
    assert all(getattr(found.records, name) == getattr(alone.records, name) for name in names)
    assert (found.digest, found.remarks) == (alone.digest, alone.remarks)


@pytest.mark.parametrize(("added", "copied"), [("oak/zzz.json", 0), ("oak/000.json", -1)])
def test_faults_of_either_process_are_told_file_by_file(
    added: str, copied: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same revision twice, of which each process may see one."""
    files = sample.folder(5)
    results = sorted(name for name in files if name.startswith("oak/") and "machine" not in name)
    files[added] = files[results[copied]]
    monkeypatch.setattr(importer, "MANY", 1_000)
    alone = faults(files, tmp_path / "alone")
    monkeypatch.setattr(importer, "MANY", 2)
    assert faults(files, tmp_path / "two") == alone
    assert any("the same revision" in line for line in alone)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (
            (
                '{\n    // "repo": "https://github.com/old/one",\n    "repo": "..",\n'
                '    "show_commit_url": "https://example.org/project/commit/?id=",\n}'
            ),
            "https://example.org/project/commit/?id={commit}",
        ),
        (
            '{\n  "show_commit_url": "#",\n  "repo": "https://me:secret@github.com/a/b.git"\n}',
            "https://github.com/a/b/commit/{commit}",
        ),
        ('{\n  "show_commit_url": "javascript:alert(1)//",\n  "repo": ".."\n}', ""),
        ("\xff\n", ""),
    ],
)
def test_settings_beside_the_results_tell_where_commits_are_shown(
    tmp_path: Path, settings: str, found: str
) -> None:
    folder = sample.write(sample.folder(1), tmp_path)
    (folder / "asv.conf.json").write_text(settings, encoding="latin-1")
    with open_source(folder) as source:
        assert asv.read(source).records.host_link == found

"""Reading Comprex bundles: what is said of a broken one."""

import pytest

from dashboard.importers import comprex
from dashboard.importers.errors import InvalidBundle
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.importers.comprex_sample import Files, as_source, changed, files

TIMES = "region_measurements.csv.gz"


def _faults(given_files: Files) -> list[str]:
    with pytest.raises(InvalidBundle) as refused:
        comprex.read(as_source(given_files))
    return refused.value.lines()


@pytest.mark.parametrize(
    "absent",
    ["manifest.json", "options.csv", "regions.csv", "partitions.json", "configs.csv", "runs.csv", TIMES],
)
def test_a_missing_file_is_reported_once(absent: str) -> None:
    given_files = {name: content for name, content in files().items() if name != absent}
    assert _faults(given_files) == [f"{absent}: the file is missing. Add it to the bundle."]


@pytest.mark.parametrize(
    ("name", "old", "new", "place", "words"),
    [
        (
            "region_measurements.csv.gz",
            ",999000",
            ",abc",
            f"{TIMES}, line 2, column 'self_time_us'",
            "no number",
        ),
        ("region_measurements.csv.gz", ",999000", ",-5", f"{TIMES}, line 2", "negative (value '-5')"),
        ("region_measurements.csv.gz", ",999000", ",nan", f"{TIMES}, line 2", "not finite"),
        ("region_measurements.csv.gz", ",999000", ",1e400", f"{TIMES}, line 2", "not finite"),
        ("region_measurements.csv.gz", "self_time_us", "time", f"{TIMES}, line 1", "column is missing"),
        ("region_measurements.csv.gz", "c0,R1", "c9,R1", f"{TIMES}, line 5, column 'config_id'", "'c9'"),
        ("region_measurements.csv.gz", "c0,R1", "c0,R9", f"{TIMES}, line 5, column 'region_id'", "'R9'"),
        (
            "region_measurements.csv.gz",
            "c0,R1,0",
            "c0,R1,7",
            f"{TIMES}, line 5, column 'iteration'",
            "no such run",
        ),
        ("region_measurements.csv.gz", "c0,R1,0", "c0,R1,1", f"{TIMES}, line 6", "line 5 has this"),
        ("region_measurements.csv.gz", "c0,R1,0", "c0,R1,x", f"{TIMES}, line 5", "no whole number"),
        (
            "groundtruth.csv",
            "g1,0",
            "g1,2",
            "groundtruth.csv, line 3, column 'A'",
            "neither 0 nor 1 (value '2')",
        ),
        ("groundtruth.csv", "A,B,C", "A,B,D", "groundtruth.csv, line 1, column 'D'", "no known option"),
        ("groundtruth.csv", "A,B,C", "A,B,D", "groundtruth.csv, line 1, column 'C'", "option has no column"),
        ("groundtruth.csv", "g1,0,0,1", "g1,0,0,0", "groundtruth.csv, line 3", "same options as line 2"),
        ("groundtruth.csv", "g1,", "g0,", "groundtruth.csv, line 3, column 'config_id'", "repeats line 2"),
        (
            "configs.csv",
            ",g0",
            ",g99",
            "configs.csv, line 2, column 'groundtruth_id'",
            "no such configuration",
        ),
        ("configs.csv", ",g0", ",g1", "configs.csv, line 2, column 'groundtruth_id'", "other options"),
        ("configs.csv", "c1,", ",", "configs.csv, line 3, column 'config_id'", "value is missing"),
        ("configs.csv", "c1,1,0,0", "c1,1,0", "configs.csv, line 3", "has 4 fields where the header has 5"),
        ("runs.csv", "c0,1", "c0,0", "runs.csv, line 3", "repeats line 2"),
        ("runs.csv", "c0,1", "c9,1", "runs.csv, line 3", "no known configuration"),
        ("runs.csv", "iteration", "turn", "runs.csv, line 1, column 'iteration'", "column is missing"),
        ("options.csv", "B,false,true", "B,same,same", "options.csv, line 3", "given more than once"),
        ("options.csv", "B,false", "A,false", "options.csv, line 3", "repeats line 2"),
        ("options.csv", "B,false", "B b,false", "options.csv, line 3", "none of them a space"),
        ("regions.csv", "R3,3", "R2,3", "regions.csv, line 5", "repeats line 4"),
        (
            "regions.csv",
            ",A B",
            ",A Z",
            "regions.csv, line 4, column 'options'",
            "no known option (value 'Z')",
        ),
        (
            "partitions.json",
            '"A & !B", ',
            "",
            "partitions.json, line 4, at 'R2'",
            "no subspace holds for A=on",
        ),
        ("partitions.json", '"!A", "A & !B"', '"!B", "A & !B"', "partitions.json, line 4", "overlap"),
        ("partitions.json", '"A & B"', '"A & & B"', "partitions.json, line 4", "an option is missing"),
        (
            "partitions.json",
            '"A & B"',
            '"A & (B"',
            "partitions.json, line 4",
            "a closing parenthesis is missing",
        ),
        ("partitions.json", '"A & B"', '"A & Q"', "partitions.json, line 4", "no option is called 'Q'"),
        ("partitions.json", '"R3"', '"R9"', "partitions.json, line 5", "not in regions.csv"),
        ("partitions.json", '"R3"', '"R2"', "partitions.json", "'R2' is there twice"),
        ("partitions.json", '["True"]', '"True"', "partitions.json, at 'R0'", "valid array"),
        (
            "published_corrections.csv",
            ",1.25,",
            ",0,",
            "published_corrections.csv, line 3",
            "corrects nothing",
        ),
        ("published_corrections.csv", "random1", "other", "manifest.json", "has no such fit"),
        (
            "published_predictions.csv",
            "g3",
            "g33",
            "published_predictions.csv, line 5",
            "not in groundtruth.csv",
        ),
        (
            "published_subspace_times.csv.gz",
            "R1,1",
            "R1,2",
            "published_subspace_times.csv.gz, line 2",
            "only 2",
        ),
        ("published_local_models.json", "{", "[", "published_local_models.json, line 1", "is no JSON"),
        ("manifest.json", '"R0"', '"R7"', "manifest.json, at 'program_region'", "is no region"),
        ("manifest.json", '"version": 1', '"version": 2', "manifest.json, at 'version'", "should be 1"),
        ("manifest.json", "comprex-bundle", "zip", "manifest.json, at 'format'", "comprex-bundle"),
        ("manifest.json", '"clock": "cpu"', '"clock": "sun"', "manifest.json, at 'clock'", "'wall' or 'cpu'"),
        ("manifest.json", '"seconds"', '"hours"', "manifest.json, at 'unit'", "'seconds'"),
    ],
)
def test_a_fault_is_reported_with_its_place(name: str, old: str, new: str, place: str, words: str) -> None:
    lines = _faults(changed(name, old, new))
    assert any(line.startswith(place) and words in line for line in lines), lines


def test_a_truncated_file_does_not_hide_the_faults_of_others() -> None:
    given_files = changed("groundtruth.csv", "g1,0", "g1,5")
    given_files[TIMES] = given_files[TIMES][:-9]
    assert sorted(line.split(",")[0].split(":")[0] for line in _faults(given_files)) == [
        "groundtruth.csv",
        TIMES,
    ]


def test_all_faults_of_all_files_are_reported_together() -> None:
    given_files = changed("runs.csv", "c0,1", "c9,1")
    given_files |= {
        name: changed(name, old, new)[name]
        for name, old, new in (
            ("partitions.json", '"A & !B", ', ""),
            ("groundtruth.csv", "g1,0", "g1,5"),
            ("published_corrections.csv", ",1.25,", ",x,"),
        )
    }
    named = {line.split(",")[0] for line in _faults(given_files)}
    assert named == {"runs.csv", "partitions.json", "groundtruth.csv", "published_corrections.csv"}


def test_a_configuration_without_runs_is_a_fault() -> None:
    kept = [line for line in sample.text_of(files(), "runs.csv").splitlines() if not line.startswith("c2")]
    lines = _faults({**files(), "runs.csv": "\n".join(kept).encode()})
    assert "runs.csv, column 'config_id': the configuration has no run (value 'c2')" in lines[0]

"""Reading Comprex bundles: what comes out of a sound one, and what is said of a broken one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.importers import comprex
from dashboard.importers.errors import ImporterError, InvalidBundle
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.importers.comprex_sample import Files, as_source, changed, files, with_manifest

TIMES = "region_measurements.csv.gz"


def _read(given_files: Files) -> Imported:
    return comprex.read(as_source(given_files))


def _faults(given_files: Files) -> list[str]:
    with pytest.raises(InvalidBundle) as refused:
        _read(given_files)
    return refused.value.lines()


def test_a_sound_bundle_becomes_one_revision_with_profiled_and_plain_runs() -> None:
    found = _read(files())
    records = found.records
    assert not found.remarks
    assert [one.name for one in records.revisions] == ["1.0"]
    assert [run.kind for run in records.runs] == ["profiled"] * 12 + ["plain"] * 8
    assert len(records.configurations) == 8
    assert records.configurations[0].assignments == {}
    assert records.configurations[3].assignments == {"A": "on", "B": "true", "C": "slow"}
    assert [(one.key, one.is_program) for one in records.regions] == [
        ("program", True),
        ("toy.Main.main()V", False),
        ("toy.Main.foo(Z)V", False),
        ("toy.Main.bar(Z)V", False),
    ]


def test_values_of_options_are_kept_as_labels_and_booleans_as_such() -> None:
    levels = [
        [(level.value, level.label) for level in option.levels] for option in _read(files()).records.options
    ]
    assert levels == [
        [(False, "off"), (True, "on")],
        [(False, "false"), (True, "true")],
        [("fast", "fast"), ("slow", "slow")],
    ]


def test_times_are_seconds_by_the_clock_of_the_manifest() -> None:
    records = _read(files()).records
    table = records.region_measurements
    assert records.metrics[table.metric[0]].clock == "cpu"
    assert records.metrics[table.metric[0]].unit == "s"
    assert table.value[:3].tolist() == [0.999, 1.0, 1.001]
    assert table.value.sum() == pytest.approx(
        sum(3 * sample.microseconds(r, *c) / 1e6 for r in sample.PARTITIONS for c in sample.PROFILED)
    )
    totals = records.measurements
    clocks = [records.metrics[metric].clock for metric in totals.metric]
    assert clocks == ["wall"] * 12 + ["cpu"] * 8
    assert totals.value[-1] == sample.seconds(1, 1, 1)


def test_a_profiled_configuration_is_the_same_as_its_ground_truth() -> None:
    records = _read(files()).records
    plain = {run.configuration for run in records.runs if run.kind == "plain"}
    profiled = {run.configuration for run in records.runs if run.kind == "profiled"}
    assert profiled < plain
    assert len(plain) == 8


@pytest.mark.parametrize(
    "absent",
    [
        "groundtruth.csv published_predictions.csv",
        "published_predictions.csv",
        "published_corrections.csv",
        "published_subspace_times.csv.gz published_local_models.json",
    ],
)
def test_optional_files_may_be_absent(absent: str) -> None:
    base = with_manifest(corrections=None, published_predictions_correction=None)
    if "groundtruth" in absent:
        configs = "\n".join(
            line.rsplit(",", 1)[0] + ("," if row else ",groundtruth_id")
            for row, line in enumerate(sample.text_of(base, "configs.csv").splitlines())
        )
        base["configs.csv"] = sample.stored("configs.csv", configs)
    found = _read({name: content for name, content in base.items() if name not in absent.split()})
    assert len(found.records.runs) == (12 if "groundtruth" in absent else 20)


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
        ("partitions.json", '"A & B"', '"A & & B"', "partitions.json, line 4", "unexpected '&'"),
        ("partitions.json", '"A & B"', '"A & (B"', "partitions.json, line 4", "never closed"),
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
        ("manifest.json", "published_corrections.csv", "../secret.csv", "../secret.csv", "file is missing"),
    ],
)
def test_a_fault_is_reported_with_its_place(name: str, old: str, new: str, place: str, words: str) -> None:
    lines = _faults(changed(name, old, new))
    assert any(line.startswith(place) and words in line for line in lines), lines


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


def test_figures_that_only_repeat_the_data_are_remarked_on_where_they_differ() -> None:
    total = str(4_000_000 - 2000)
    given_files = changed("runs.csv", f",{total}\n", ",5\n")
    given_files["regions.csv"] = changed("regions.csv", "main()V,2", "main()V,3")["regions.csv"]
    given_files["options.csv"] = changed("options.csv", "recorded,1", "recorded,0")["options.csv"]
    remarks = _read(given_files).remarks
    assert len(remarks) == 3
    assert "in_any_partition of A" in remarks[0]
    assert "n_subspaces of R1 is 3" in remarks[1]
    assert "region_total_us of c0, iteration 0 is 5" in remarks[2]


def test_regions_of_one_method_keep_apart_by_their_ids() -> None:
    found = _read(changed("regions.csv", "bar(Z)V", "foo(Z)V"))
    assert [one.key for one in found.records.regions[2:]] == [
        "toy.Main.foo(Z)V [R2]",
        "toy.Main.foo(Z)V [R3]",
    ]


def test_a_long_signature_is_cut_but_stays_unique() -> None:
    found = _read(changed("regions.csv", "bar(Z)V", f"bar({'L' * 600})V"))
    region = found.records.regions[3]
    assert region.key.endswith(" [R3]")
    assert len(region.key) == 400
    assert len(region.name) == 300


@given(data=st.data())
@settings(max_examples=50)
def test_whatever_a_cell_holds_the_bundle_is_read_or_refused_with_faults(data: st.DataObject) -> None:
    given_files = files()
    name = data.draw(st.sampled_from(sorted(given_files)))
    text = sample.text_of(given_files, name)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    put = data.draw(
        st.one_of(st.text(max_size=8), st.sampled_from(["-1", "nan", '"', ",", "\n", "{", "1e99"]))
    )
    try:
        text = text[:start] + put + text[end:]
        found = _read({**given_files, name: sample.stored(name, text)})
    except ImporterError:
        return
    assert np.isfinite(found.records.region_measurements.value).all()
    assert (found.records.region_measurements.value >= 0).all()


@given(data=st.data())
@settings(max_examples=50)
def test_truncated_files_are_refused_or_hold_whole_rows(data: st.DataObject) -> None:
    given_files = files()
    name = data.draw(st.sampled_from(sorted(given_files)))
    kept = data.draw(st.integers(0, len(given_files[name]) - 1))
    try:
        found = _read({**given_files, name: given_files[name][:kept]})
    except ImporterError:
        return
    assert not name.endswith((".gz", ".json"))
    assert len(found.records.runs) <= 20


@pytest.mark.parametrize(
    ("name", "regions", "configurations", "runs"),
    [("lucene", 551, 2017, 130 + 2000), ("density", 62, 2088, 440 + 2000)],
)
def test_the_published_bundles_are_sound(
    reference_data: Path, name: str, regions: int, configurations: int, runs: int
) -> None:
    with open_source(reference_data / "comprex" / name) as source:
        found = comprex.read(source)
    assert not found.remarks
    assert len(found.records.regions) == regions
    assert len(found.records.configurations) == configurations
    assert len(found.records.runs) == runs

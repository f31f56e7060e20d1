"""Reading Comprex bundles: what comes out of a sound one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.importers import comprex
from dashboard.importers.errors import ImporterError
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.importers.comprex_sample import Files, as_source, changed, files

TIMES = "region_measurements.csv.gz"


def _read(given_files: Files) -> Imported:
    return comprex.read(as_source(given_files))


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
    ("absent", "remarks"),
    [
        (
            "groundtruth.csv",
            [
                "published_predictions.csv is left out: groundtruth.csv, whose ids it uses, is not there.",
                "configs.csv: groundtruth_id leads nowhere, groundtruth.csv is not there.",
            ],
        ),
        ("published_predictions.csv", []),
        (
            "published_corrections.csv",
            ["manifest.json names published_corrections.csv, which is not there: no corrections are known."],
        ),
        ("published_subspace_times.csv.gz", []),
        ("published_local_models.json", []),
    ],
)
def test_optional_files_may_be_absent(absent: str, remarks: list[str]) -> None:
    found = _read({name: content for name, content in files().items() if name != absent})
    assert list(found.remarks) == remarks
    assert len(found.records.runs) == (12 if absent == "groundtruth.csv" else 20)


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


def test_the_key_of_a_long_signature_is_cut_but_stays_unique_and_the_name_is_whole() -> None:
    found = _read(changed("regions.csv", "bar(Z)V", f"bar({'L' * 600})V"))
    region = found.records.regions[3]
    assert region.key.endswith(" [R3]")
    assert len(region.key) == 400
    assert f"({'L' * 600})" in region.name


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

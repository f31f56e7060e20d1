"""Perfatlas bundles: what is written reads back the same, and what is broken is refused with its place."""

import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.importers import bundle, comprex
from dashboard.importers.bundle.files import FILE_OF, FILES, OPTIONAL
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.errors import ImporterError, InvalidBundle
from dashboard.importers.records import SystemRecords
from dashboard.importers.source import open_source
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.importers.comprex_sample import as_source
from tests.dashboard.importers.strategies import systems


@pytest.fixture(scope="module")
def records() -> SystemRecords:
    """The sample's records."""
    return comprex.read(as_source(sample.files())).records


@pytest.fixture
def files(records: SystemRecords) -> sample.Files:
    """The sample as a Perfatlas bundle."""
    return bundle_files(records)


def _faults(given_files: sample.Files) -> list[str]:
    with pytest.raises(InvalidBundle) as refused:
        bundle.read(as_source(given_files))
    return refused.value.lines()


@given(content=systems())
@settings(max_examples=60)
def test_a_system_of_any_content_reads_back_as_it_was_written(content: SystemRecords) -> None:
    files = bundle_files(content)
    assert bundle_files(bundle.read(as_source(files)).records) == files


def test_an_empty_system_reads_back(records: SystemRecords) -> None:
    files = bundle_files(SystemRecords())
    assert bundle_files(bundle.read(as_source(files)).records) == files


def test_a_folder_and_a_zip_hold_the_same_and_are_written_the_same_again(
    tmp_path: Path, records: SystemRecords
) -> None:
    for name in ("one.zip", "two.zip", "folder"):
        write_bundle(records, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with open_source(tmp_path / "one.zip") as packed, open_source(tmp_path / "folder") as folder:
        assert bundle.read(packed).digest == bundle.read(folder).digest
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.testzip() is None


def test_a_bundle_is_never_written_over_anything(tmp_path: Path, records: SystemRecords) -> None:
    path = tmp_path / "there.zip"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        write_bundle(records, path)
    assert path.read_text() == "mine"


OPTIONAL_FILES = {FILE_OF[field] for field in OPTIONAL}
MEASUREMENTS = FILE_OF["measurements"]


@pytest.mark.parametrize("name", sorted(FILES - OPTIONAL_FILES))
def test_every_file_must_be_there(files: sample.Files, name: str) -> None:
    lines = _faults({key: content for key, content in files.items() if key != name})
    assert lines[0] == f"{name}: the file is missing. Add it to the bundle."


def test_bundles_without_aggregates_are_read(files: sample.Files) -> None:
    """Files and columns that came later may be absent: each value is one execution then."""
    measured = sample.text_of(files, MEASUREMENTS).splitlines()
    short = "\n".join(",".join(line.split(",")[:3]) for line in measured)
    given = {name: content for name, content in files.items() if name not in OPTIONAL_FILES}
    found = bundle.read(as_source({**given, MEASUREMENTS: gzip.compress(short.encode())})).records
    assert found.coefficients == ()
    assert np.isnan(found.measurements.deviation).all()
    assert set(found.measurements.n.tolist()) == {1}


@pytest.mark.parametrize(
    ("name", "old", "new", "place", "words"),
    [
        ("manifest.json", '"version": 2', '"version": 3', "manifest.json, at 'version'", "should be 2"),
        (
            "manifest.json",
            '"format": "perfatlas-bundle"',
            '"format": "zip"',
            "manifest.json, at 'format'",
            "zip",
        ),
        (
            "options.json",
            '"label": "on"',
            '"label": "off"',
            "options.json, at '0'",
            "two levels have one label",
        ),
        ("options.json", '"name": "B"', '"name": "A"', "options.json, at '1'", "repeats the name of entry 0"),
        ("options.json", '"name": "B"', '"name": "B b"', "options.json, at '1'", "none of them a space"),
        ("options.json", '"description"', '"note"', "options.json, at '0/note'", "unexpected keyword"),
        ("options.json", '"first_revision": ""', '"first_revision": "9"', "options.json, at '0'", "unknown"),
        ("configurations.json", '"A": "on"', '"A": "off"', "configurations.json, at '1'", "no such level"),
        ("configurations.json", '"A": "on"', '"Z": "on"', "configurations.json, at '1'", "option is unknown"),
        ("metrics.json", '"wall"', '"sun"', "metrics.json, at '1/clock'", "'wall', 'cpu', 'count' or 'none'"),
        (
            "revisions.json",
            '"released_at": null',
            '"released_at": "2020-01-31"',
            "revisions.json, at '0/released_at'",
            "no time zone",
        ),
        ("analyses.json.gz", '"batch": 0', '"batch": 7', "analyses.json.gz, at '0'", "only 1 for batch"),
        ("analyses.json.gz", '"revision": "1.0"', '"revision": "9"', "analyses.json.gz, at '0'", "unknown"),
        ("analyses.json.gz", '"A & !B"', '"A & Q"', "analyses.json.gz, at '0'", "no option is called 'Q'"),
        ("analyses.json.gz", '"A & !B"', '"!A"', "analyses.json.gz, at '0'", "overlap"),
        ("analyses.json.gz", '"slope": 1.25', '"slope": 0', "analyses.json.gz, at '0'", "corrects nothing"),
        (
            "analyses.json.gz",
            '"name": "random1"',
            '"name": "r"',
            "analyses.json.gz, at '0'",
            "correction is unknown",
        ),
        ("analyses.json.gz", '"region": 3', '"region": 9', "analyses.json.gz, at '0'", "only 4 for region"),
        ("analyses.json.gz", '"region": 3', '"region": 2', "analyses.json.gz, at '0'", "two partitions"),
        ("regions.csv", '2,"toy', '3,"toy', "regions.csv, line 4, column 'number'", "should be 2"),
        ("regions.csv", "main()V", "foo(Z)V", "regions.csv, line 4", "repeats the key of entry 1"),
        ("runs.csv.gz", '1,0,"1.0"', '1,0,"7"', "runs.csv.gz, line 3, column 'revision'", "name is unknown"),
        ("runs.csv.gz", '1,0,"1.0"', '1,5,"1.0"', "runs.csv.gz, line 3, column 'batch'", "only 1 of these"),
        ("runs.csv.gz", '"profiled",1', '"profiled",0', "runs.csv.gz, line 3", "repeats the run of entry 0"),
        ("runs.csv.gz", '"ok"', '"fine"', "runs.csv.gz, line 2, column 'status'", "no known word"),
        ("runs.csv.gz", '"ok",""', '"ok","today"', "runs.csv.gz, line 2, column 'started_at'", "no time"),
        ("measurements.csv.gz", "\n0,", "\n99,", "measurements.csv.gz, line 2, column 'run'", "only 20"),
        (
            "measurements.csv.gz",
            "\n1,",
            "\n0,",
            "measurements.csv.gz, line 3",
            "line 2 has the same run, metric",
        ),
        (
            "region_measurements.csv.gz",
            "0.999",
            "x",
            "region_measurements.csv.gz, line 2, column 'value'",
            "no number",
        ),
        (
            "region_measurements.csv.gz",
            '0.999,""',
            '0.999,"[]"',
            "region_measurements.csv.gz, line 2",
            "no object",
        ),
    ],
)
def test_a_fault_is_reported_with_its_place(
    files: sample.Files, name: str, old: str, new: str, *, place: str, words: str
) -> None:
    text = sample.text_of(files, name)
    assert old in text
    lines = _faults({**files, name: sample.stored(name, text.replace(old, new, 1))})
    assert any(line.startswith(place) and words in line for line in lines), lines


def test_a_source_excerpt_under_a_wrong_digest_is_refused(files: sample.Files) -> None:
    given_files = {**files, "sources.json.gz": sample.stored("sources.json.gz", '{"00ff": "def f(): pass"}')}
    assert "sources.json.gz: the text has another SHA-256 (value '00ff')" in _faults(given_files)[0]


def test_lines_of_source_carry_values(files: sample.Files) -> None:
    text = sample.text_of(files, "region_measurements.csv.gz")
    given_files = {
        **files,
        "region_measurements.csv.gz": sample.stored(
            "region_measurements.csv.gz", text.replace('0.999,""', '0.999,"{""12"":0.5}"', 1)
        ),
    }
    table = bundle.read(as_source(given_files)).records.region_measurements
    assert table.lines == {0: {"12": 0.5}}


@given(data=st.data())
@settings(max_examples=80)
def test_whatever_a_file_holds_the_bundle_is_read_or_refused(data: st.DataObject) -> None:
    given_files = bundle_files(comprex.read(as_source(sample.files())).records)
    name = data.draw(st.sampled_from(sorted(given_files)))
    text = sample.text_of(given_files, name)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    put = data.draw(
        st.one_of(
            st.text(st.characters(codec="utf-8"), max_size=8),
            st.sampled_from(["-1", "null", '"', ",", "\n", "{", "1e99", "99999999999", "[]"]),
        )
    )
    changed = {**given_files, name: sample.stored(name, text[:start] + put + text[end:])}
    try:
        found = bundle.read(as_source(changed))
    except ImporterError:
        return
    assert json.loads(bundle_files(found.records)["manifest.json"])["version"] == 2

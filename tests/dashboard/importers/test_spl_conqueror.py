"""Options x releases: what comes out of the sample, what is refused, and that nothing else happens."""

import gzip
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.importers import spl_conqueror
from dashboard.importers.errors import ImporterError, InvalidBundle, InvalidSetting
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source
from tests.dashboard.importers import spl_sample as sample
from tests.dashboard.importers.comprex_sample import as_source


def _read(files: Mapping[str, bytes], **told: tuple[str, ...]) -> Imported:
    return spl_conqueror.read(as_source(files), told)


@pytest.fixture(scope="module")
def found() -> Imported:
    return _read(sample.files())


def test_features_fold_into_options_with_the_default_first(found: Imported) -> None:
    assert sample.levels(found.records) == {
        "level": ["2", "1", "9"],
        "verify": ["off", "on"],
        "method": ["absent", "fast", "small"],
    }
    assert len(found.records.configurations) == 18
    assert sum(not one.assignments for one in found.records.configurations) == 1
    assert [one.name for one in found.records.feature_models] == ["compressor"]


def test_each_measured_value_is_that_of_its_configuration(found: Imported) -> None:
    records = found.records
    defaults = {"level": "2", "verify": "off", "method": "absent"}
    for run, metric, value in zip(
        records.measurements.run, records.measurements.metric, records.measurements.value, strict=True
    ):
        at = records.runs[run]
        level = defaults | dict(records.configurations[at.configuration].assignments)
        method = level["method"].replace("absent", "")
        told = (int(level["level"]), int(level["verify"] == "on"), method)
        release = sample.RELEASES.index(at.revision)
        assert value == (sample.seconds(*told, release) if metric == 0 else 100 * told[0])


def test_deviations_become_absolute_and_stand_for_the_repetitions_of_the_readme(found: Imported) -> None:
    table = found.records.measurements
    assert table.deviation is not None
    assert table.n is not None
    times = table.metric == 0
    assert table.deviation[times] == pytest.approx(0.1 * table.value[times])
    assert np.isnan(table.deviation[~times]).all()
    assert set(table.n.tolist()) == {5}


def test_a_cell_that_is_no_number_was_not_measured(found: Imported) -> None:
    assert len(found.records.runs) == 54
    assert len(found.records.measurements.run) == 2 * 54 - 1
    assert any("1 cells of memory are empty" in remark for remark in found.remarks)


def test_units_are_those_of_the_readme_and_unknown_where_it_doubts(found: Imported) -> None:
    assert [(one.quantity, one.unit, one.better) for one in found.records.metrics] == [
        ("performance", "ms", "lower"),
        ("memory", "", "lower"),
    ]
    assert any("doubts" in remark for remark in found.remarks)


def test_a_person_says_units_and_directions() -> None:
    told = {"unit": ("memory=KiB", "performance=s"), "better": ("memory=higher",)}
    metrics = _read(sample.files(), **told).records.metrics
    assert [(one.unit, one.better) for one in metrics] == [("s", "lower"), ("KiB", "higher")]


def test_other_settings_make_other_content() -> None:
    assert _read(sample.files()).digest == _read(sample.files()).digest
    assert _read(sample.files(), unit=("memory=KiB",)).digest != _read(sample.files()).digest


def test_throughput_is_better_where_it_is_higher() -> None:
    header = sample.text_of(sample.files(), "measurements.csv.gz").replace(";memory", ";memory_1")
    rows = "\n".join(line.rpartition(";")[0] for line in header.splitlines())
    files = {"measurements.csv": rows.encode(), "README.md": b"The throughput is measured in mbits."}
    (metric,) = _read(files).records.metrics
    assert (metric.unit, metric.better) == ("Mbit", "higher")


def test_releases_stand_in_the_order_of_versions(found: Imported) -> None:
    (order,) = found.records.orders
    assert (order.name, sorted(order.places, key=order.places.__getitem__)) == (
        "releases",
        list(sample.RELEASES),
    )
    assert any("by version number, unlike the file" in remark for remark in found.remarks)
    assert found.records.revisions[0].commit == "0123456789" * 4


def test_published_coefficients_keep_their_term_and_tell_its_levels(found: Imported) -> None:
    terms = {one.term: one.levels for one in found.records.coefficients}
    assert terms == {
        "root": {},
        "level_2": {"level": "2"},
        "level_9 * verify": {"level": "9", "verify": "on"},
        "method": {"method": ("fast", "small")},
    }
    assert {one.revision for one in found.records.coefficients} == set(sample.RELEASES)


def test_without_a_feature_model_columns_tell_the_options() -> None:
    found = _read(sample.files(model=False))
    assert sample.levels(found.records) == {
        "level": ["2", "1", "9"],
        "verify": ["off", "on"],
        "method": ["off", "on"],
        "fast": ["off", "on"],
        "small": ["off", "on"],
    }
    assert any("level: 3 columns of which each row has one" in remark for remark in found.remarks)


def test_a_lone_table_separated_by_commas_will_do() -> None:
    found = _read({"mine.csv": b"verify,threads,time\n0,1,1.5\n1,1,2.5\n1,4,3\n"}, revision=("2.0",))
    assert sample.levels(found.records) == {"verify": ["off", "on"], "threads": ["1", "4"]}
    assert {one.revision for one in found.records.runs} == {"2.0"}


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("measurements.csv.gz", "\n1;1;0;0;1;0;0;0;0;", "\n1;1;1;0;1;0;0;0;0;", "line 2, column 'level': more than one"),
        ("measurements.csv.gz", "\n1;1;0;0;1;0;0;0;0;", "\n1;1;0;0;1;0;0;1;0;", "line 2"),
        ("measurements.csv.gz", "1.10;11.0", "1.10;fast", "line 2, column 'performance': is no number (value 'fast')"),
        ("measurements.csv.gz", "1.10;11.0", ";11.0", "line 2, column 'revision': the value is missing"),
        ("measurements.csv.gz", "1.10;11.0", "1.10;11.0;3", "line 2: has 13 fields where the header has 12"),
        ("measurements.csv.gz", "performance", "memory", "line 1, column 'memory': the column is there twice"),
        ("measurements.csv.gz", "level_9", "level_8", "option level needs a column level_9"),
        ("deviations.csv.gz", ";0.1;", ";-0.1;", "line 2, column 'performance': the number is negative"),
        ("models.csv", "1.9_opt", "1.8", "line 2, column 'revision': was not measured (value '1.8')"),
        ("models.csv", "2.0_opt", "1.9_opt", "line 4, column 'revision': is there twice"),
        ("models.csv", "10.5", "-", "line 2, column 'root': is no number"),
        ("FeatureModel.xml", "<name>verify</name>", "<name>level</name>", "FeatureModel.xml, line"),
    ],
)  # fmt: skip
def test_every_fault_is_told_with_its_place(name: str, old: str, new: str, words: str) -> None:
    with pytest.raises(InvalidBundle) as refused:
        _read(sample.changed(sample.files(), name, old, new))
    assert words in "\n".join(refused.value.lines())


def test_a_configuration_that_is_measured_twice_is_refused() -> None:
    text = sample.text_of(sample.files(), "measurements.csv.gz").splitlines()
    with pytest.raises(InvalidBundle, match=r"line 56.*measures the configuration of line 2 again"):
        _read({"measurements.csv": "\n".join([*text, text[1]]).encode()})


def test_a_folder_in_which_several_files_may_hold_the_measurements_is_refused() -> None:
    with pytest.raises(InvalidBundle, match=r"several files may hold them: a\.csv, b\.csv"):
        _read({"a.csv": b"x;time\n", "b.csv": b"x;time\n"})


@pytest.mark.parametrize(
    "told",
    [
        {"unit": ("size=B",)},
        {"better": ("memory=up",)},
        {"repetitions": ("0",)},
        {"unit": ("memory=" + "x" * 41,)},
    ],
)
def test_settings_that_say_nothing_of_the_file_are_refused(told: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(InvalidSetting):
        _read(sample.files(), **told)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_files_are_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    files = sample.files()
    name = data.draw(st.sampled_from(sorted(files)))
    text = sample.text_of(files, name)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 40, len(text))))
    new = data.draw(
        st.text(max_size=20) | st.sampled_from(["\n", ";;;", "NaN", "1e999", '"', "-1", "\0", "<a>"])
    )
    damaged = {**files, name: sample.packed(name, text[:start] + new + text[end:])}
    try:
        records = _read(damaged).records
    except ImporterError:
        return
    assert all(math.isfinite(value) for value in records.measurements.value)
    assert all(0 <= run.configuration < len(records.configurations) for run in records.runs)


def test_measurements_in_an_archive_are_said_to_be_there() -> None:
    with pytest.raises(InvalidBundle) as refused:
        _read({"FeatureModel.xml": b"<vm/>", "measurements.tar.gz": b"x"})
    assert "Unpack measurements.tar.gz" in str(refused.value)


def test_published_studies_come_in_whole(reference_data: Path) -> None:
    """Two of the nine: numeric columns of deviations, alternatives under an optional option, cells without a number."""
    for name, runs, values in (("brotli", 2160, 8640), ("VP9", 21056, 3 * 21056 - 2)):
        with open_source(reference_data / "performance-evolution" / name) as source:
            records = spl_conqueror.read(source, {}).records
        table = records.measurements
        assert (len(records.runs), len(table.value)) == (runs, values)
        assert table.deviation is not None
        assert not np.isnan(table.deviation).any()


def test_a_row_measured_twice_is_refused_by_its_line_also_beside_deviations() -> None:
    files = dict(sample.files())
    lines = gzip.decompress(files["measurements.csv.gz"]).splitlines(keepends=True)
    files["measurements.csv.gz"] = gzip.compress(b"".join([*lines[:2], lines[1], *lines[2:]]))
    with pytest.raises(InvalidBundle) as refused:
        _read(files)
    assert str(refused.value).startswith(
        "measurements.csv.gz, line 3: measures the configuration of line 2 again"
    )


def _changed(name: str, change: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """The sample with a packed file changed."""
    files = dict(sample.files())
    files[name] = gzip.compress(change(gzip.decompress(files[name])))
    return files


def test_a_deviation_that_is_given_twice_is_refused_where_the_two_differ() -> None:
    def again(text: bytes) -> bytes:
        lines = text.splitlines(keepends=True)
        number = next(at for at, line in enumerate(lines) if line != lines[0])
        cells = lines[number].split(b";")
        place = lines[0].rstrip().split(b";").index(b"performance")
        cells[place] = b"0.777"
        return b"".join([*lines, lines[number], b";".join(cells)])

    with pytest.raises(InvalidBundle) as refused:
        _read(_changed("deviations.csv.gz", again))
    assert "gives other deviations than line 2 of the same configuration" in str(refused.value)
    assert len(refused.value.faults) == 1


def test_tabs_marks_and_words_for_flags_are_read(found: Imported) -> None:
    def other(text: bytes) -> bytes:
        lines = text.replace(b";", b"\t").split(b"\n")
        place = lines[0].split(b"\t").index(b"verify")
        rows = [line.split(b"\t") for line in lines[1:] if line]
        for cells in rows:
            cells[place] = b"True" if cells[place] == b"1" else b"False"
        return b"\xef\xbb\xbf" + b"\n".join([lines[0], *(b"\t".join(cells) for cells in rows), b""])

    records = _read(_changed("measurements.csv.gz", other)).records
    assert sample.levels(records) == sample.levels(found.records)
    assert list(records.measurements.value) == list(found.records.measurements.value)


def test_an_empty_feature_model_is_told_and_not_passed_over() -> None:
    model = next(name for name in sample.files() if "FeatureModel" in name)
    with pytest.raises(InvalidBundle) as refused:
        _read({**sample.files(), model: b""})
    assert f"{model}: is no feature model" in str(refused.value)


def test_deviations_of_a_single_revision_need_no_column_for_it() -> None:
    files = {
        "measurements.csv": sample.table(["x", "performance"], [[0, 10.0], [1, 20.0]]),
        "deviations.csv": sample.table(["x", "performance"], [[1, 0.1], [0, 0.2]]),
    }
    assert _read(files).records.measurements.deviation.tolist() == pytest.approx([2.0, 2.0])

"""Workloads that stand in columns beside the features of a study."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dashboard.importers import spl_conqueror
from dashboard.importers.common_records import PUBLISHED_WORKLOAD
from dashboard.importers.errors import InvalidBundle
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source
from tests.dashboard.importers import spl_sample as sample
from tests.dashboard.importers.comprex_sample import as_source

HEADER = [*sample.FEATURES, "short", "long", "revision", "performance"]
ROWS = [
    [*sample.indicators(level, verify, "fast"), 1 - long, long, "1.9", 10 * level + verify + 100 * long]
    for level in sample.LEVELS
    for verify in (0, 1)
    for long in (0, 1)
]
TOLD = {"workload-column": ("short", "long")}


def _read(files: Mapping[str, bytes], **told: tuple[str, ...]) -> Imported:
    return spl_conqueror.read(
        as_source(files), {name.replace("_", "-"): value for name, value in told.items()}
    )


def _files(rows: Sequence[Sequence[object]], header: Sequence[str] = HEADER) -> dict[str, bytes]:
    return {
        "measurements.csv": sample.table(header, rows),
        "FeatureModel.xml": sample.feature_model().encode(),
    }


def test_each_row_is_of_the_workload_whose_column_is_one() -> None:
    records = spl_conqueror.read(as_source(_files(ROWS)), TOLD).records
    assert [one.name for one in records.workloads] == ["short", "long"]
    assert len(records.configurations) == 6
    assert [run.workload for run in records.runs] == ["short", "long"] * 6
    values = records.measurements.value[records.measurements.run]
    assert all(
        (value >= 100) == (run.workload == "long") for value, run in zip(values, records.runs, strict=True)
    )


def test_one_column_may_hold_names() -> None:
    rows = [[*row[:9], "long" if row[10] else "short", *row[11:]] for row in ROWS]
    header = [*sample.FEATURES, "input", "revision", "performance"]
    records = _read(_files(rows, header), workload_column=("input",)).records
    assert {run.workload for run in records.runs} == {"short", "long"}


def test_columns_of_which_each_row_has_one_tell_the_workload_unasked() -> None:
    found = _read(_files(ROWS))
    assert [one.name for one in found.records.workloads] == ["short", "long"]
    assert "short, long tell the workload of each row." in found.remarks


def test_columns_that_do_not_part_equal_rows_are_features_of_another_version() -> None:
    found = _read(_files(ROWS[::2]))
    assert [one.name for one in found.records.workloads] == [PUBLISHED_WORKLOAD.name]


def test_where_not_each_row_has_a_workload_the_error_names_the_columns() -> None:
    rows = [[*row[:9], 1, 1, *row[11:]] if place == 2 else row for place, row in enumerate(ROWS)]
    with pytest.raises(InvalidBundle, match=r"if short, long tell workloads, say --workload-column COLUMN"):
        _read(_files(rows))


def test_a_column_called_workload_holds_names() -> None:
    rows = [[*row[:9], "long" if row[10] else "short", *row[11:]] for row in ROWS]
    found = _read(_files(rows, [*sample.FEATURES, "workload", "revision", "performance"]))
    assert {run.workload for run in found.records.runs} == {"short", "long"}


def test_published_models_by_workload_are_left_out_with_a_remark() -> None:
    models = sample.table(["workload", "revision", "root"], [["short", "1.9", 1], ["long", "1.9", 2]])
    found = _read({**_files(ROWS), "models.csv": models})
    assert not found.records.coefficients
    assert any("models by workload are left out" in one for one in found.remarks)


def _numbered(rows: Sequence[Sequence[object]], sampled: Sequence[Sequence[object]]) -> dict[str, bytes]:
    return {
        "measurements.csv": ("\n".join(",".join(map(str, row)) for row in rows) + "\n").encode(),
        "sample.csv": ("\n".join(",".join(map(str, row)) for row in sampled) + "\n").encode(),
    }


MEASURED = (
    ("time", "workload", "config_id", "partition"),
    *((1.0 + config, name, config, 5) for name in ("short", "long") for config in (1, 2, 3)),
)
SAMPLE = (("fast", "threads", "config_id"), ("False", 1, 1), ("True", 2, 2), ("True", 2, 3))


def test_rows_name_their_configurations_by_number() -> None:
    found = _read(_numbered(MEASURED, SAMPLE))
    records = found.records
    assert [option.name for option in records.options] == ["fast", "threads"]
    assert [metric.quantity for metric in records.metrics] == ["time"]
    assert len(records.configurations) == 2
    assert any(one.startswith("partition: neither a feature nor a metric") for one in found.remarks)


def test_a_configuration_under_two_numbers_was_measured_twice() -> None:
    runs = _read(_numbered(MEASURED, SAMPLE)).records.runs
    repeated = [(run.workload, run.configuration, run.repetition) for run in runs if run.repetition]
    assert [workload for workload, _, _ in repeated] == ["short", "long"]


@pytest.mark.parametrize(
    ("sampled", "words"),
    [
        (SAMPLE[:-1], "line 4, column config_id: sample.csv has no such configuration"),
        ((*SAMPLE, SAMPLE[1]), "repeats line 2"),
        ([("fast", "number"), ("True", 1)], "measurements.csv and this table share no column"),
        ([("time", "config_id"), (1, 1)], "share time, config_id"),
    ],
)
def test_a_sample_that_does_not_fit_is_refused(sampled: Sequence[Sequence[object]], words: str) -> None:
    with pytest.raises(InvalidBundle) as raised:
        _read(_numbered(MEASURED, sampled))
    assert words in str(raised.value).replace("'", "")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ((0, 0), "the row has no workload"),
        ((1, 1), "the row has several workloads"),
        (("x", 1), "is neither 0 nor 1"),
    ],
)
def test_a_row_of_no_single_workload_is_refused(cells: tuple[object, object], words: str) -> None:
    rows = [[*row[:9], *cells, *row[11:]] if place == 3 else row for place, row in enumerate(ROWS)]
    with pytest.raises(InvalidBundle, match=f"line 5, column .*{words}"):
        spl_conqueror.read(as_source(_files(rows)), TOLD)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidBundle, match="column 'medium': there is no such column"):
        _read(_files(ROWS), workload_column=("medium",))


def test_deviations_belong_to_their_workload() -> None:
    header = [*HEADER[:-1], "performance"]
    deviations = [[*row[:-1], 0.2 if row[10] else 0.1] for row in ROWS]
    files = {**_files(ROWS), "deviations.csv": sample.table(header, deviations)}
    records = spl_conqueror.read(as_source(files), TOLD).records
    found = records.measurements
    assert found.deviation is not None
    shares = found.deviation / found.value
    assert [round(float(share), 6) for share in shares] == [0.1, 0.2] * 6


@pytest.mark.parametrize(
    ("folder", "amounts"),
    [
        ("fastdownward", (49, 56, 6, 15344)),
        ("xz", (1873, 13, 1, 25987)),
        ("dconvert", (1910, 12, 1, 81168)),
    ],
)
def test_a_published_study_of_workloads_is_one_system(
    reference_data: Path, folder: str, amounts: tuple[int, int, int, int]
) -> None:
    with open_source(reference_data / "workloads" / folder) as source:
        records = spl_conqueror.read(source, {}).records
    found = (records.configurations, records.workloads, records.revisions, records.runs)
    assert tuple(map(len, found)) == amounts

"""Workloads that stand in columns beside the features of a study."""

from collections.abc import Mapping, Sequence

import pytest

from dashboard.importers import spl_conqueror
from dashboard.importers.errors import InvalidBundle
from dashboard.importers.records import Imported
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


def test_without_the_setting_the_error_names_the_columns() -> None:
    with pytest.raises(InvalidBundle, match=r"if short, long tell workloads, say --workload-column COLUMN"):
        _read(_files(ROWS))


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

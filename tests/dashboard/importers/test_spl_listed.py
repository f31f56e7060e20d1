"""Measurements without a header, as SPL Conqueror writes them for binary options."""

import pytest

from dashboard.importers import spl_conqueror
from dashboard.importers.errors import InvalidBundle
from tests.dashboard.importers import spl_sample as sample
from tests.dashboard.importers.comprex_sample import as_source

LINES = b"root;level;level_1;10,5\nroot;level;level_9;verify;28\nroot;level;level_2;method;fast;9.5\n"


def test_each_line_lists_its_options_before_the_value() -> None:
    files = {"measurements.csv": LINES, "FeatureModel.xml": sample.feature_model().encode()}
    found = spl_conqueror.read(as_source(files), {})
    records = found.records
    assert sample.levels(records)["verify"] == ["off", "on"]
    assert records.measurements.value.tolist() == [10.5, 28.0, 9.5]
    assert [one.quantity for one in records.metrics] == ["performance"]
    chosen = [dict(records.configurations[run.configuration].assignments) for run in records.runs]
    assert chosen[1] == {"level": "9", "verify": "on"}
    assert any("without a header" in remark for remark in found.remarks)


def test_options_of_the_model_that_no_line_lists_are_off() -> None:
    files = {
        "measurements.csv": b"root;level;level_1;10\nroot;level;level_9;28\n",
        "FeatureModel.xml": sample.feature_model().encode(),
    }
    assert len(spl_conqueror.read(as_source(files), {}).records.configurations) == 2


def test_without_a_feature_model_the_options_are_those_that_lines_list() -> None:
    records = spl_conqueror.read(as_source({"measurements.csv": b"a;b;1\na;2\nb;3\n"}), {}).records
    assert sorted(sample.levels(records)) == ["a", "b"]


def test_a_line_without_a_value_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidBundle, match="line 2: does not end with a measured value"):
        spl_conqueror.read(as_source({"measurements.csv": b"a;1\na;b\n"}), {})


def test_an_option_called_as_the_value_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidBundle, match="line 2, column 'performance': is said twice of one row"):
        spl_conqueror.read(as_source({"measurements.csv": b"a;1\na;performance;2\n"}), {})

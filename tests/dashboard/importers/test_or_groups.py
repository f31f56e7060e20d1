"""Or-groups of feature models that are written without their parent."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from analytics.configurations.feature_models.conditions import conditions, violated
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.rows import fold_rows
from tests.dashboard.importers.feature_model_sample import model, option, read_file, write

GROUP = [option(name, "<parent>sub</parent><optional>True</optional>") for name in ("a", "b")]


def read_constraint_text(tmp_path: Path, boolean: str, *others: str) -> tuple[str, tuple[str, ...]]:
    """The text of the only constraint of a model with the optional features a and b below sub, and the remarks."""
    content = model(*others, *GROUP, boolean=f"<constraint>{boolean}</constraint>")
    found = read_file(write(tmp_path, content))
    return found.records.feature_models[0].constraints[0].text, found.remarks


def test_one_of_several_optional_features_is_asked_only_where_their_parent_is(tmp_path: Path) -> None:
    sub = option("sub", "<parent>root</parent><optional>True</optional>")
    text, remarks = read_constraint_text(tmp_path, "a | b", sub)
    assert text == "!sub | a | b"
    (remark,) = remarks
    assert remark == (
        "FeatureModel.xml, line 8: read 'a | b' as asked only where sub is chosen; taken alone it would ask for sub "
        "everywhere."
    )


def test_alternatives_can_be_missing_too(tmp_path: Path) -> None:
    pair = [
        option(
            name,
            "<parent>root</parent>",
            f"<excludedOptions><options>{other}</options></excludedOptions>",
        )
        for name, other in (("sub", "rest"), ("rest", "sub"))
    ]
    assert read_constraint_text(tmp_path, "a | b", *pair)[0] == "!sub | a | b"


@pytest.mark.parametrize(
    ("boolean", "optional"),
    [
        ("a | b", "False"),
        ("a | !b", "True"),
        ("a | sub", "True"),
        ("a | root", "True"),
        ("!sub | a | b", "True"),
    ],
)
def test_other_constraints_stay_as_they_are_written(tmp_path: Path, boolean: str, optional: str) -> None:
    sub = option("sub", f"<parent>root</parent><optional>{optional}</optional>")
    assert read_constraint_text(tmp_path, boolean, sub) == (boolean, ())


def test_every_measured_configuration_of_a_published_system_is_valid(reference_data: Path) -> None:
    folder = reference_data / "performance-evolution" / "FastDownward"
    (found,) = read_file(folder / "FeatureModel.xml").records.feature_models
    folding = fold(found.model)
    with gzip.open(folder / "measurements.csv.gz", "rt") as stream:
        rows = {
            tuple(float(row[feature.name]) for feature in found.model.features)
            for row in csv.DictReader(stream, delimiter=";")
        }
    columns = np.array(sorted(rows)).T
    names = [feature.name for feature in found.model.features]
    configurations, _ = fold_rows(folding, dict(zip(names, columns, strict=True)))
    asked = conditions(folding)
    assert len(configurations) == 347
    assert not [row for row in configurations if violated(folding, asked, row)]

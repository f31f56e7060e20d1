"""Feature models as options: which features become which levels, and rows of features to configurations."""

import numpy as np
import pytest
from hypothesis import given

from analytics.configurations.errors import (
    FeatureModelError,
)
from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.feature_models.folding import EVERYWHERE, Presence, fold
from analytics.configurations.feature_models.rows import fold_rows, unfold
from analytics.configurations.options import Option
from tests.analytics.feature_model_samples import COMPRESSOR, alternatives, feature_models, selections

FOLDING = fold(COMPRESSOR)


def test_groups_switches_and_numbers_become_options() -> None:
    assert FOLDING.space.options == (
        Option("compression", ("absent", "gzip", "lzma")),
        Option("level", (1, 9, 10)),
        Option("dictionary", (False, True)),
        Option("window", ("absent", 1, 2.5)),
        Option("threads", (1, 2, 4)),
        Option("log/quiet", ("log", "quiet")),
    )


@pytest.mark.parametrize(
    ("feature", "presence"),
    [
        ("root", EVERYWHERE),
        ("sync", EVERYWHERE),
        ("level", EVERYWHERE),
        ("compression", Presence("compression", (1, 2))),
        ("lzma", Presence("compression", (2,))),
        ("level_9", Presence("level", (1,))),
        ("dictionary", Presence("dictionary", (1,))),
        ("tuned", Presence("dictionary", (1,))),
        ("window", Presence("window", (1, 2))),
        ("threads", Presence("threads", (0, 1, 2))),
        ("quiet", Presence("log/quiet", (1,))),
    ],
)
def test_every_feature_has_its_place(feature: str, presence: Presence) -> None:
    assert FOLDING.presences[feature] == presence


def test_a_term_over_features_names_options_and_levels() -> None:
    assert FOLDING.levels_of_term(["gzip", "level_10", "root"]) == {"compression": "gzip", "level": "10"}
    assert FOLDING.levels_of_term(["lzma", "compression"]) == {"compression": "lzma"}


def test_a_term_may_be_told_by_several_levels_or_by_none() -> None:
    assert FOLDING.levels_of_term(["compression"]) == {"compression": ("gzip", "lzma")}
    assert FOLDING.levels_of_term(["root"]) == {}
    assert FOLDING.levels_of_term(["gzip", "lzma"]) is None
    assert FOLDING.levels_of_term(["bzip2"]) is None


def test_an_unknown_feature_is_named() -> None:
    with pytest.raises(FeatureModelError, match="no feature is called 'bzip2'"):
        FOLDING.model.feature("bzip2")


def test_a_parent_of_two_groups_stays_a_switch() -> None:
    model = FeatureModel(
        "two groups",
        (
            Feature("root"),
            Feature("p", "root", optional=True),
            *alternatives("p", "a", "b"),
            *alternatives("p", "c", "d"),
        ),
    )
    assert fold(model).space.options == (
        Option("p", (False, True)),
        Option("a/b", ("absent", "a", "b")),
        Option("c/d", ("absent", "c", "d")),
    )


def test_exclusions_that_do_not_pair_everyone_leave_switches() -> None:
    model = FeatureModel(
        "chain",
        (
            Feature("root"),
            Feature("a", "root", excluded=(("b",),)),
            Feature("b", "root", excluded=(("c",),)),
            Feature("c", "root"),
        ),
    )
    assert [option.levels for option in fold(model).space.options] == [(False, True)] * 3


def test_a_feature_called_absent_keeps_its_name() -> None:
    model = FeatureModel(
        "absent", (Feature("root"), Feature("p", "root", optional=True), *alternatives("p", "absent", "b"))
    )
    assert fold(model).space.options == (Option("p", ("absent_", "absent", "b")),)


@given(model=feature_models())
def test_folding_keeps_every_selection_of_features(model: FeatureModel) -> None:
    found = selections(model)
    folding = fold(model)
    columns = {
        feature.name: np.array(
            [np.nan if row[feature.name] is None else row[feature.name] for row in found], float
        )
        for feature in model.features
    }
    configurations, mismatches = fold_rows(folding, columns)
    assert mismatches == ()
    assert len(np.unique(configurations, axis=0)) == len(found)
    for name, column in unfold(folding, configurations).items():
        np.testing.assert_array_equal(column, columns[name])


COLUMNS = {
    "gzip": [0, 1, 0],
    "lzma": [1, 0, 0],
    "level_9": [0, 1, 0],
    "level_1": [1, 0, 0],
    "level_10": [0, 0, 1],
    "dictionary": [1, 0, 0],
    "window": [2.5, np.nan, np.nan],
    "threads": [1, 2, 4],
    "log": [1, 1, 0],
    "quiet": [0, 0, 1],
}


def columns(**changed: list[float]) -> dict[str, np.ndarray]:
    return {name: np.array(values, float) for name, values in {**COLUMNS, **changed}.items()}


def test_rows_fold_without_the_columns_that_are_no_option() -> None:
    configurations, mismatches = fold_rows(FOLDING, columns())
    assert mismatches == ()
    assert configurations.tolist() == [[2, 0, 1, 2, 0, 0], [1, 1, 0, 0, 1, 0], [0, 2, 0, 0, 2, 1]]


def test_a_group_may_stand_in_one_column_of_numbers() -> None:
    rows = {name: column for name, column in columns().items() if not name.startswith("level_")}
    configurations, mismatches = fold_rows(FOLDING, rows | {"level": np.array([1.0, 9.0, 10.0])})
    assert mismatches == ()
    assert configurations[:, 1].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("changed", "row", "feature", "problem"),
    [
        ({"level_1": [1, 1, 0]}, 1, "level", "more than one alternative is chosen"),
        ({"level_1": [0, 0, 0]}, 0, "level", "none of the levels 1, 9, 10 is chosen"),
        ({"threads": [1, 3, 4]}, 1, "threads", "has a value that is none of 1, 2, 4"),
        ({"sync": [1, 0, 1]}, 1, "sync", "is 0, but by the other features it must be 1"),
        ({"compression": [1, 1, 1]}, 2, "compression", "is 1, but by the other features it must be 0"),
    ],
)
def test_rows_that_contradict_themselves_are_named(
    changed: dict[str, list[float]], row: int, feature: str, problem: str
) -> None:
    _, (mismatch,) = fold_rows(FOLDING, columns(**changed))
    assert mismatch == (row, feature, problem)


def test_a_missing_or_unknown_column_is_refused() -> None:
    with pytest.raises(FeatureModelError, match="option threads needs a column"):
        fold_rows(FOLDING, {name: column for name, column in columns().items() if name != "threads"})
    with pytest.raises(FeatureModelError, match="option level needs a column level_9"):
        fold_rows(FOLDING, {name: column for name, column in columns().items() if name != "level_9"})
    with pytest.raises(FeatureModelError, match="no feature is called 'bzip2'"):
        fold_rows(FOLDING, columns(bzip2=[0, 0, 0]))


@pytest.mark.parametrize(
    "features",
    [
        (Feature("a", "b"), Feature("b", "a")),
        (Feature("root"), Feature("a", "a")),
        (Feature("root"), Feature("root")),
    ],
)
def test_features_that_are_no_tree_are_refused(features: tuple[Feature, ...]) -> None:
    with pytest.raises(FeatureModelError):
        FeatureModel("no tree", features)

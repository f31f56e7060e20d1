"""Valid configurations: exactly those that brute force finds, counted, listed, sampled and completed."""

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from analytics.configurations.errors import FeatureModelError, TooManyConfigurationsError
from analytics.configurations.feature_models.conditions import conditions, violated
from analytics.configurations.feature_models.features import Constraint, Feature, FeatureModel
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.rows import fold_rows
from analytics.configurations.feature_models.valid import valid_configurations
from analytics.configurations.options import IntArray, Option, OptionSpace
from tests.analytics.feature_model_samples import COMPRESSOR, feature_models, selections
from tests.analytics.strategies import every_configuration


def satisfies(constraint: Constraint, selection: dict[str, float | None]) -> bool:
    """Whether a selection satisfies a generated constraint, by Python's own expressions."""
    features = [name for name in selection if re.search(rf"\b{name}\b", constraint.text)]
    there = all(selection[name] not in {None, 0.0} or _is_zero(selection, name) for name in features)
    if constraint.kind == "mixed" and constraint.requirement == "all" and not there:
        return True
    numbers = {name: value or 0.0 for name, value in selection.items()}
    if constraint.kind == "boolean":
        names = {
            name: value is not None and (value != 0 or _is_zero(selection, name))
            for name, value in selection.items()
        }
        text = constraint.text.replace("|", " or ").replace("!", " not ")
        return bool(eval(text, {}, names))  # noqa: S307
    text = re.sub(r"(?<![<>!])=", "==", constraint.text)
    return bool(eval(text, {}, numbers)) != constraint.negated  # noqa: S307


NUMBERS: set[str] = set()


def _is_zero(selection: dict[str, float | None], name: str) -> bool:
    """Whether a numeric feature is there with the value zero."""
    return name in NUMBERS and selection[name] == 0.0


def by_brute_force(model: FeatureModel) -> IntArray:
    """The valid configurations in lexicographic order."""
    NUMBERS.clear()
    NUMBERS.update(feature.name for feature in model.features if feature.values is not None)
    found = [row for row in selections(model) if all(satisfies(one, row) for one in model.constraints)]
    folding = fold(model)
    columns = {
        feature.name: np.array(
            [np.nan if row[feature.name] is None else row[feature.name] for row in found], float
        )
        for feature in model.features
    }
    rows, _ = fold_rows(folding, columns)
    return rows[np.lexsort(rows.T[::-1])] if rows.shape[1] else rows


@given(model=feature_models())
def test_the_diagram_holds_exactly_the_valid_configurations(model: FeatureModel) -> None:
    expected = by_brute_force(model)
    valid = valid_configurations(fold(model))
    assert valid.count() == len(expected)
    np.testing.assert_array_equal(valid.enumerate(10_000), expected)
    everything = every_configuration(valid.space)
    wanted = {row.tobytes() for row in expected}
    assert valid.allows(everything).tolist() == [row.tobytes() in wanted for row in everything]


@given(model=feature_models())
def test_a_configuration_is_valid_where_it_violates_no_condition(model: FeatureModel) -> None:
    folding = fold(model)
    among = conditions(folding)
    everything = every_configuration(folding.space)
    violations = [violated(folding, among, row) for row in everything]
    assert valid_configurations(folding).allows(everything).tolist() == [not found for found in violations]


@given(model=feature_models(), data=st.data())
def test_completions_are_the_best_that_brute_force_finds(model: FeatureModel, data: st.DataObject) -> None:
    valid = valid_configurations(fold(model))
    positions = st.integers(0, len(valid.space.options) - 1)
    fixed = data.draw(st.sets(positions, max_size=3))
    partial = {position: data.draw(st.integers(0, valid.space.sizes[position] - 1)) for position in fixed}
    for prefer in ("reference", "other"):
        fitting = [
            row
            for row in valid.enumerate(10_000)
            if all(row[position] == level for position, level in partial.items())
        ]
        # Rows stand in lexicographic order and the minimum is the first among equals.
        best = min(fitting, key=lambda row: int(((row == 0) == (prefer == "other")).sum()), default=None)
        found = valid.complete(partial, prefer)
        assert (None if found is None else found.tolist()) == (None if best is None else best.tolist())


@given(model=feature_models(), data=st.data())
def test_those_that_hold_some_levels_are_the_valid_ones_with_them(
    model: FeatureModel, data: st.DataObject
) -> None:
    valid = valid_configurations(fold(model))
    positions = data.draw(st.sets(st.integers(0, len(valid.space.options) - 1), max_size=2))
    levels = {position: data.draw(st.integers(0, valid.space.sizes[position] - 1)) for position in positions}
    everything = valid.enumerate(10_000)
    expected = everything[[all(row[p] == level for p, level in levels.items()) for row in everything]]
    held = valid.holding(levels)
    assert held.count() == len(expected)
    np.testing.assert_array_equal(held.enumerate(10_000), expected)
    first = held.complete({})
    assert (first is None) == (len(expected) == 0)
    assert first is None or valid.allows(first[np.newaxis]).all()


@given(model=feature_models(), seed=st.integers(0, 5))
def test_the_nearest_valid_configuration_differs_least(model: FeatureModel, seed: int) -> None:
    valid = valid_configurations(fold(model))
    everything = valid.enumerate(10_000)
    wanted = np.random.default_rng(seed).integers(0, valid.space.sizes, dtype=np.int8)
    best = min(everything, key=lambda row: int((row != wanted).sum()), default=None)
    found = valid.nearest(wanted)
    assert (None if found is None else found.tolist()) == (None if best is None else best.tolist())


def test_samples_differ_and_are_uniform() -> None:
    valid = valid_configurations(fold(COMPRESSOR))
    rng = np.random.default_rng(7)
    drawn = [row.tobytes() for _ in range(600) for row in valid.sample(5, rng)]
    counts = Counter(drawn)
    assert len(counts) == valid.count()
    assert chisquare(list(counts.values())).pvalue > 0.001
    everything = valid.sample(10_000, rng)
    assert len(np.unique(everything, axis=0)) == len(everything) == valid.count()


def many_switches(n: int) -> FeatureModel:
    """`n` optional features of which the neighbours are not both off: their number is a Fibonacci number."""
    features = [Feature("root"), *(Feature(f"s{index}", "root", optional=True) for index in range(n))]
    pairs = tuple(Constraint(f"s{index} | s{index + 1}") for index in range(n - 1))
    return FeatureModel("many", tuple(features), pairs)


def test_more_configurations_than_64_bits_hold_are_counted_and_sampled() -> None:
    valid = valid_configurations(fold(many_switches(150)))
    before, count = 1, 2
    for _ in range(149):
        before, count = count, before + count
    assert valid.count() == count > 2**100
    drawn = valid.sample(50, np.random.default_rng(1))
    assert valid.allows(drawn).all()
    assert len(np.unique(drawn, axis=0)) == 50
    completed = valid.complete({3: 0})
    assert completed is not None
    assert valid.allows(completed[np.newaxis]).all()
    assert completed.sum() == 75
    with pytest.raises(
        TooManyConfigurationsError, match="configurations are valid, more than 1000: draw a sample"
    ):
        valid.enumerate(1000)


def test_far_pairs_need_few_nodes() -> None:
    """Equal pairs, all first halves before all second halves: 2^24 nodes in the order of the file."""
    names = [*(f"a{index}" for index in range(24)), *(f"b{index}" for index in range(24))]
    features = (Feature("root"), *(Feature(name, "root", optional=True) for name in names))
    pairs = tuple(Constraint(f"a{index} <=> b{index}") for index in range(24))
    valid = valid_configurations(fold(FeatureModel("pairs", features, pairs)))
    assert valid.count() == 2**24
    assert sum(len(layer) for layer in valid.layers) < 100


def test_a_sum_over_many_features_is_decided_by_its_partial_sums() -> None:
    features = (Feature("root"), *(Feature(f"s{index}", "root", optional=True) for index in range(40)))
    text = " + ".join(f"s{index}" for index in range(40)) + " <= 2"
    valid = valid_configurations(fold(FeatureModel("sum", features, (Constraint(text, "mixed"),))))
    assert valid.count() == 1 + 40 + 40 * 39 // 2


def test_a_comparison_with_too_many_partial_sums_is_refused() -> None:
    features = (Feature("root"), *(Feature(f"s{index}", "root", optional=True) for index in range(40)))
    text = " + ".join(f"{2**index} * s{index}" for index in range(40)) + " != 5"
    with pytest.raises(FeatureModelError, match="comparisons have more than 20000 partial sums"):
        valid_configurations(fold(FeatureModel("sum", features, (Constraint(text, "mixed"),))))


def test_a_model_that_contradicts_itself_has_no_configuration() -> None:
    features = (Feature("root"), Feature("a", "root", optional=True))
    valid = valid_configurations(fold(FeatureModel("none", features, (Constraint("a & !a"),))))
    assert valid.count() == 0
    assert valid.enumerate(10).shape == (0, 1)
    assert valid.sample(3, np.random.default_rng(0)).shape == (0, 1)
    assert valid.complete({}) is None
    assert not valid.allows(np.array([[0], [1]], dtype=np.int8)).any()


def test_a_system_may_have_more_options_more_levels_and_another_order_of_levels() -> None:
    space = OptionSpace(
        (
            Option("cache", (False, True)),
            Option("log/quiet", ("quiet", "log", "debug")),
            Option("threads", (4, 2, 1)),
            Option("window", (2.5, 1, "absent")),
            Option("level", (10, 9, 1)),
            Option("dictionary", (False, True)),
            Option("compression", ("lzma", "gzip", "absent")),
        )
    )
    own = valid_configurations(fold(COMPRESSOR))
    valid = valid_configurations(fold(COMPRESSOR), space)
    assert valid.count() == 2 * own.count()
    for row in valid.enumerate(1000):
        values = space.decode(row)
        del values["cache"]
        assert values["log/quiet"] != "debug"
        assert own.allows(own.space.encode([values])).all()


def test_a_system_without_an_option_of_its_model_is_refused() -> None:
    with pytest.raises(
        FeatureModelError, match="the system has no option 'compression' of its feature model"
    ):
        valid_configurations(fold(COMPRESSOR), OptionSpace((Option("level", (1, 9, 10)),)))


def test_conditions_say_what_they_ask_for() -> None:
    assert [condition.words for condition in conditions(fold(COMPRESSOR))] == [
        "dictionary needs lzma",
        "window is there exactly where lzma is",
        "!quiet | level_1",
        "not (threads * window > 8), where all of these are there",
    ]


def test_a_violation_names_its_condition() -> None:
    folding = fold(COMPRESSOR)
    row = folding.space.encode([{"dictionary": "on", "log/quiet": "quiet", "level": "9"}])[0]
    words = [condition.words for condition in violated(folding, conditions(folding), row)]
    assert words == ["dictionary needs lzma", "!quiet | level_1"]


def test_every_combination_of_small_products_agrees_with_arithmetic() -> None:
    features = (
        Feature("root"),
        Feature("n", "root", values=(0.1, 0.2, 0.3)),
        Feature("m", "root", values=(0.1, 0.2, 0.3)),
    )
    model = FeatureModel("decimals", features, (Constraint("n + m = 0.3", "non-boolean", "all"),))
    rows = valid_configurations(fold(model)).enumerate(10)
    assert rows.tolist() == [[n, m] for n, m in product(range(3), repeat=2) if n + m + 2 == 3]


def test_a_model_without_options_has_one_configuration_or_is_refused() -> None:
    features = (Feature("root"), Feature("a", "root"))
    valid = valid_configurations(fold(FeatureModel("one", features)))
    assert valid.count() == 1
    assert valid.enumerate(1).shape == (1, 0)
    assert valid.complete({}) is not None
    with pytest.raises(FeatureModelError, match="no configuration is valid"):
        valid_configurations(fold(FeatureModel("none", features, (Constraint("!a"),))))

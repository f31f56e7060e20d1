"""What holds for every influence model."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import IntArray
from analytics.configurations.partitions import Partition
from analytics.influence.models import fit
from analytics.influence.terms import TermTable
from analytics.influence.times import Aggregator, FloatArray, RegionTimes
from tests.analytics.strategies import (
    configurations_of,
    every_configuration,
    measured,
    noiseless_times,
    noisy_times,
    option_spaces,
)


def summed(table: TermTable, configurations: IntArray) -> FloatArray:
    """The sum of the terms whose changes each configuration makes."""
    made = (table.levels[np.newaxis] == -1) | (table.levels[np.newaxis] == configurations[:, np.newaxis])
    total: FloatArray = made.all(axis=2) @ table.coefficients
    return total


def same(one: TermTable, other: TermTable) -> bool:
    """Whether two tables have the same terms, coefficients and standard errors."""
    return one.levels.tolist() == other.levels.tolist() and all(
        np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)
        for a, b in (
            (one.coefficients, other.coefficients),
            (one.standard_errors, other.standard_errors),
        )
    )


@given(st.data())
def test_terms_relative_to_any_base_sum_to_every_prediction(data: st.DataObject) -> None:
    """And the predictions are the truth where nothing is noisy."""
    times = data.draw(noiseless_times())
    model = fit(times, data.draw(configurations_of(times.space)))
    predicted = model.predict(times.configurations)
    assert predicted == pytest.approx(times.values.sum(axis=(0, 2)), abs=1e-9)
    assert summed(model.terms, times.configurations) == pytest.approx(predicted, abs=1e-9)


@given(noiseless_times())
def test_a_prediction_is_the_sum_of_its_regions(times: RegionTimes) -> None:
    """Each region's local model alone gives what the region takes."""
    model = fit(times)
    parts = [summed(model.local_model(region), times.configurations) for region in times.regions]
    assert np.array(parts) == pytest.approx(times.values[:, :, 0], abs=1e-9)


@given(noisy_times())
def test_a_term_is_the_sum_of_its_regions(times: RegionTimes) -> None:
    """For every term."""
    model = fit(times)
    for row, coefficient in enumerate(model.terms.coefficients.tolist()):
        shares = model.shares(row)
        assert sum(one.value for one in shares.values()) == pytest.approx(coefficient, abs=1e-9)
        if abs(coefficient) > 1e-3:
            assert sum(one.value / coefficient for one in shares.values()) == pytest.approx(1)


@given(st.data())
def test_noiseless_data_returns_the_true_terms(data: st.DataObject) -> None:
    """Terms made up first, measured in one region over all options, and found again."""
    space = data.draw(option_spaces(max_options=3))
    configurations = every_configuration(space)
    levels = np.array(list(product(*([-1, *range(1, size)] for size in space.sizes))))
    true = np.array(
        data.draw(st.lists(st.integers(-99, 99), min_size=len(levels), max_size=len(levels))), dtype=float
    )
    made = (levels[np.newaxis] == -1) | (levels[np.newaxis] == configurations[:, np.newaxis])
    values = made.all(axis=2) @ true
    part = Partition.exhaustive(space, space.names)
    model = fit(measured(space, [part], configurations, values[np.newaxis, :, np.newaxis]))
    found = {
        tuple(row): value
        for row, value in zip(model.terms.levels.tolist(), model.terms.coefficients, strict=True)
    }
    assert found == {tuple(row): value for row, value in zip(levels.tolist(), true, strict=True)}


@given(noisy_times(), st.integers(0, 2**32 - 1))
def test_the_order_of_configurations_regions_and_repetitions_changes_no_influence(
    times: RegionTimes, seed: int
) -> None:
    """Nor a standard error."""
    rng = np.random.default_rng(seed)
    regions, runs = rng.permutation(len(times.regions)), rng.permutation(len(times.configurations))
    shuffled = replace(
        times,
        regions=[times.regions[index] for index in regions],
        partitions=[times.partitions[index] for index in regions],
        configurations=times.configurations[runs],
        values=times.values[regions][:, runs][:, :, ::-1],
        ran=times.ran[runs][:, ::-1],
    )
    assert same(fit(times).terms, fit(shuffled).terms)


@given(noisy_times(), st.sampled_from([1e-3, 0.5, 60.0]))
def test_scaling_the_times_scales_the_influences(times: RegionTimes, factor: float) -> None:
    """And their standard errors: the unit does not matter."""
    terms, scaled = fit(times).terms, fit(replace(times, values=times.values * factor)).terms
    assert scaled.coefficients == pytest.approx(terms.coefficients * factor, abs=1e-9)
    assert scaled.standard_errors == pytest.approx(terms.standard_errors * factor, abs=1e-9)
    # Rounding alone decides the degrees of freedom of a sum without noise.
    noisy = terms.standard_errors > 1e-9
    assert scaled.degrees_of_freedom[noisy] == pytest.approx(terms.degrees_of_freedom[noisy])


@given(st.data())
def test_the_terms_between_two_configurations_sum_to_their_difference(data: st.DataObject) -> None:
    """T(B) - T(A), to 1e-9, over the options that differ only."""
    times = data.draw(noisy_times())
    before, after = data.draw(configurations_of(times.space)), data.draw(configurations_of(times.space))
    model = fit(times)
    terms = model.between(before, after).terms
    steps = terms.where(terms.degrees > 0)
    start, end = model.predict(np.stack([before, after]))
    assert steps.coefficients.sum() == pytest.approx(end - start, abs=1e-9)
    assert not (steps.levels[:, before == after] != -1).any()
    again = model.relative_to(before)
    assert start == pytest.approx(again.terms.coefficients[0])


@given(st.data())
def test_a_comparison_shows_the_terms_of_the_model_based_at_its_start(data: st.DataObject) -> None:
    """The same coefficients and standard errors, whichever way they are asked for."""
    times = data.draw(noisy_times())
    before, after = data.draw(configurations_of(times.space)), data.draw(configurations_of(times.space))
    model = fit(times)
    whole, between = model.relative_to(before).terms, model.between(before, after).terms
    made = ((whole.levels == -1) | (whole.levels == after)).all(axis=1)
    assert same(whole.where(made), between)


@given(noisy_times(), st.floats(0.1, 5.0))
def test_an_offset_moves_the_intercept_of_the_program_region_only(times: RegionTimes, offset: float) -> None:
    """A constant is no influence."""
    plain, moved = fit(times), fit(replace(times, program_region="R0", offset=offset))
    expected = plain.terms.coefficients.copy()
    expected[0] += offset
    assert moved.terms.coefficients == pytest.approx(expected, abs=1e-9)
    assert moved.terms.standard_errors == pytest.approx(plain.terms.standard_errors, abs=1e-9)
    assert moved.local_model("R0").coefficients[0] == pytest.approx(
        plain.local_model("R0").coefficients[0] + offset
    )


@given(noiseless_times(), st.sampled_from(["median", "mean"]))
def test_repeating_every_run_alike_changes_no_influence_and_leaves_no_doubt(
    times: RegionTimes, how: Aggregator
) -> None:
    """With both aggregators; the interval then is the coefficient."""
    again = replace(
        times,
        values=np.repeat(times.values, 3, axis=2),
        ran=np.repeat(times.ran, 3, axis=1),
        aggregate_repetitions=how,
        aggregate_configurations=how,
    )
    terms = fit(again).terms
    assert terms.coefficients == pytest.approx(fit(times).terms.coefficients, abs=1e-9)
    assert (terms.margins < 1e-9).all()

"""What known workloads have in common is what they were made with, and tells of a new one what its few values cannot."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray
from analytics.workloads.borrowed import BorrowedGrid, borrow, left_out_errors
from analytics.workloads.families import WorkloadFamily, learn_family, moderated
from analytics.workloads.sample import WorkloadSample
from tests.analytics.workloads.samples import SPACE, sample_of

ONE = BorrowedGrid(shares=(0.3,), scales=(2.0,), quantiles=(0.5,))


def related(
    seed: int, configurations: int = 80, workloads: int = 9, noise: float = 0.02
) -> tuple[WorkloadSample, IntArray, FloatArray, FloatArray]:
    """Known workloads, whose influences differ together; and a further one: values (n,) with its terms' coefficients (8,).

    Terms leave an interaction of three options unexplained, which workloads have to a different degree.
    """
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (configurations, 8)).astype(np.int8)
    ways = rng.normal(0, 0.3, (8, 2))
    own = rng.normal(size=(2, workloads + 1))
    coefficients = rng.normal(0, 0.4, 8)[:, np.newaxis] + ways @ own + rng.normal(0, 0.05, (8, workloads + 1))
    untold = np.outer(rows[:, 0] * rows[:, 1] * rows[:, 2], 0.3 + 0.2 * own[0])
    logs = rng.normal(0, 3, workloads + 1) + rows @ coefficients + untold
    values = np.exp(logs + noise * rng.normal(size=logs.shape))
    return sample_of(rows, values[:, 1:]), rows, values[:, 0], coefficients[:, 0]


def dense(family: WorkloadFamily, rows: IntArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance by the normal equations of coefficients, with inverses written out."""
    design, untold = family.rows(rows)
    prior = 2.0 * family.covariance(0.3)
    prior[0, 0] += 25.0
    noise = np.diag(1 / (np.median(family.noise) + untold))
    # What does not vary between workloads has no inverse: it keeps its mean.
    free = np.flatnonzero(np.diag(prior) > 0.0)
    before = np.linalg.inv(prior[np.ix_(free, free)])
    own = design[:, free]
    mean, covariance = family.means.copy(), np.zeros_like(prior)
    covariance[np.ix_(free, free)] = inverse = np.linalg.inv(before + own.T @ noise @ own)
    mean[free] += inverse @ (own.T @ noise @ (np.log(values) - design @ family.means))
    return mean, covariance


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 40))
def test_a_direct_dense_solve_gives_the_same(seed: int, own: int) -> None:
    sample, rows, values, _ = related(seed)
    family = learn_family(SPACE, sample)
    found = borrow(family, rows[:own], values[:own], grid=ONE)
    mean, covariance = dense(family, rows[:own], values[:own])
    np.testing.assert_allclose(found.coefficients, mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-4, atol=1e-6)


def test_a_grid_of_several_is_the_mixture_of_its_parts() -> None:
    """Weights are the likelihoods of the own values, by another implementation of the normal distribution."""
    sample, rows, values, _ = related(5)
    family = learn_family(SPACE, sample)
    quantiles = (0.1, 0.9)
    parts = [borrow(family, rows[:8], values[:8], grid=replace(ONE, quantiles=(one,))) for one in quantiles]
    design, _ = family.rows(rows[:8])
    prior = 2.0 * family.covariance(0.3)
    prior[0, 0] += 25.0
    likely = [
        stats.multivariate_normal.logpdf(
            np.log(values[:8]),
            design @ family.means,
            design @ prior @ design.T + np.quantile(family.noise, one) * np.eye(8),
        )
        for one in quantiles
    ]
    weights = np.exp(np.array(likely) - max(likely))
    weights /= weights.sum()
    both = borrow(family, rows[:8], values[:8], grid=replace(ONE, quantiles=quantiles))
    mean = sum(weight * one.coefficients for weight, one in zip(weights, parts, strict=True))
    np.testing.assert_allclose(both.coefficients, mean, rtol=1e-5, atol=1e-6)


def test_ten_values_tell_the_rest_better_than_a_model_of_twenty_and_intervals_hold_the_truth() -> None:
    held, terms, errors = [], [], []
    for seed in range(25):
        sample, rows, values, true = related(seed)
        family = learn_family(SPACE, sample)
        found = borrow(family, rows[:10], values[:10])
        logs, margins = found.predict(rows[20:])
        off = np.abs(logs - np.log(values[20:]))
        held.append(off <= margins)
        alone = ((family.levels == 1).sum(axis=1) == 1) & ((family.levels >= 0).sum(axis=1) == 1)
        places = family.levels[alone].argmax(axis=1)
        # Terms that share an option with the untold interaction have a part of it.
        clean = places > 2
        gap = np.abs(found.coefficients[: len(alone)][alone] - true[places])[clean]
        terms.append(gap <= found.margins[alone][clean])
        design = np.column_stack([np.ones(len(rows)), rows])
        fresh = [
            design[20:] @ np.linalg.lstsq(design[:own], np.log(values[:own]), rcond=None)[0]
            for own in (10, 20)
        ]
        errors.append([off.mean(), *(np.abs(one - np.log(values[20:])).mean() for one in fresh)])
    assert 0.9 <= np.concatenate(held).mean() <= 0.995
    assert np.concatenate(terms).mean() >= 0.93
    borrowed, of_ten, of_twenty = np.array(errors).T
    assert (borrowed < of_ten).mean() >= 0.9
    assert borrowed.mean() < 0.7 * of_twenty.mean()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(0.01, 100), st.permutations(range(12)))
def test_order_and_unit_of_own_values_change_no_term(seed: int, unit: float, order: list[int]) -> None:
    sample, rows, values, _ = related(seed)
    family = learn_family(SPACE, sample)
    first = borrow(family, rows[:12], values[:12])
    turned = borrow(family, rows[:12][order], values[:12][order])
    np.testing.assert_allclose(first.coefficients, turned.coefficients, atol=1e-6)
    # The level of known workloads has the unit, too.
    scaled = learn_family(SPACE, replace(sample, values=sample.values * unit))
    other = borrow(scaled, rows[:12], unit * values[:12])
    np.testing.assert_allclose(other.coefficients[1:], first.coefficients[1:], atol=1e-5)
    np.testing.assert_allclose(other.margins[1:], first.margins[1:], rtol=1e-3, atol=1e-5)


def test_own_values_narrow_intervals_and_nothing_is_told_where_a_term_was_not_measured() -> None:
    sample, rows, values, _ = related(2)
    family = learn_family(SPACE, sample)
    few, many = (borrow(family, rows[:count], values[:count], grid=ONE) for count in (5, 60))
    assert (many.margins <= few.margins + 1e-12).all()
    assert (few.own, many.own) == (5, 60)
    assert (many.told >= few.told - 1e-12).all()
    assert ((few.told >= 0) & (few.told <= 1)).all()
    # Of workloads whose terms have nothing to do with one another, a level that was never on tells nothing.
    apart = BorrowedGrid(shares=(1.0,), scales=(1.0,), quantiles=(0.5,))
    off = rows[rows[:, 7] == 0][:6]
    found = borrow(family, off, values[rows[:, 7] == 0][:6], grid=apart)
    at = np.flatnonzero((family.levels[:, 7] == 1) & ((family.levels >= 0).sum(axis=1) == 1))
    assert found.told[at] == pytest.approx(0.0, abs=1e-9)
    assert found.coefficients[at] == pytest.approx(family.means[at])


def test_a_configuration_that_no_known_workload_has_is_less_certain() -> None:
    sample, rows, values, _ = related(3)
    known = replace(sample, configurations=rows[:60], values=sample.values[:60])
    found = borrow(learn_family(SPACE, known), rows[:10], values[:10])
    new = np.array([row for row in rows[60:] if not (rows[:60] == row).all(axis=1).any()])
    _, margins = found.predict(new)
    _, of_known = found.predict(rows[:60])
    assert found.family.untold > 0
    assert np.median(margins) > np.median(of_known)


def test_errors_by_leaving_out_are_those_of_a_prediction_without_the_value() -> None:
    sample, rows, values, _ = related(4)
    family = learn_family(SPACE, sample)
    errors = left_out_errors(family, rows[:8], values[:8])
    without, _ = borrow(family, np.delete(rows[:8], 2, axis=0), np.delete(values[:8], 2)).predict(rows[2:3])
    assert errors[2] == pytest.approx(abs(np.exp(without[0]) / values[2] - 1))
    assert left_out_errors(family, rows[:3], values[:3]).shape == (0,)
    assert left_out_errors(family, rows[:45], values[:45]).shape == (45,)


def test_workloads_that_differ_by_a_factor_alone_are_told_from_one_value() -> None:
    rows = np.array([[int(bit) for bit in f"{number:08b}"] for number in range(64)], dtype=np.int8)
    values = np.outer(2.0 ** rows[:, 3], [1.0, 4.0, 9.0])
    found = borrow(learn_family(SPACE, sample_of(rows, values)), rows[:1], np.array([7.0]))
    logs, _ = found.predict(rows)
    np.testing.assert_allclose(np.exp(logs), 7.0 * 2.0 ** rows[:, 3], rtol=1e-3)


@given(st.integers(0, 1000), st.integers(2, 30))
def test_moderated_variances_lie_between_their_own_and_one_for_all(seed: int, degrees: int) -> None:
    rng = np.random.default_rng(seed)
    true = np.exp(rng.normal(0, 0.5, 40))
    own = true * rng.chisquare(degrees, 40) / degrees
    found = moderated(own, degrees)
    assert (np.diff(found[np.argsort(own)]) >= -1e-9).all()
    assert np.ptp(np.log(found)) <= np.ptp(np.log(own)) + 1e-9
    assert moderated(np.zeros(5), 3).tolist() == [0.0] * 5
    assert moderated(own[:2], degrees).tolist() == own[:2].tolist()


def test_moderated_variances_are_nearer_to_the_true_ones() -> None:
    gains = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        true = 3.0 * 12 / rng.chisquare(12, 60)
        own = true * rng.chisquare(4, 60) / 4
        off, raw = np.log(moderated(own, 4) / true), np.log(own / true)
        gains.append((off**2).mean() < (raw**2).mean())
    assert np.mean(gains) >= 0.95

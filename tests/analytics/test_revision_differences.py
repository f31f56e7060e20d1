"""Series that differ between two revisions beyond their noise: known truth, nothing changed, and what cannot be told."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.histories.measurements import FloatArray, Measurements
from analytics.histories.settings import HistorySettings, NoisePolicy
from analytics.revision_differences import (
    FALSE_DISCOVERY_RATE,
    ComparedSeries,
    RevisionDifferences,
    modes_apart,
    revision_differences,
)

BENCHMARK = HistorySettings(noise=NoisePolicy.BEYOND_REPETITIONS)


def repeated(levels: FloatArray, rng: np.random.Generator, repetitions: int = 5) -> ComparedSeries:
    """A configuration of these levels, in seconds, whose runs scatter by 2 %; the middle two revisions are compared."""
    runs = levels[:, None] * np.exp(0.02 * rng.normal(size=(len(levels), repetitions)))
    measured = Measurements.of(
        np.arange(len(levels)),
        np.median(runs, axis=1),
        np.full(len(levels), repetitions),
        runs.std(axis=1, ddof=1),
    )
    middle = len(levels) // 2
    return ComparedSeries(measured, middle - 1, middle, HistorySettings(), "alike")


def single(values: FloatArray) -> ComparedSeries:
    """A benchmark that was measured once at each revision."""
    middle = len(values) // 2
    measured = Measurements.of(np.arange(len(values)), values)
    return ComparedSeries(measured, middle - 1, middle, BENCHMARK, "alike")


def stepped(slower: int, series: int = 60) -> RevisionDifferences:
    """Of 60 series over six revisions some become 20 % slower in the middle."""
    rng = np.random.default_rng(7)
    levels = [np.where(np.arange(6) < 3, 1.0, 1.2 if one < slower else 1.0) for one in range(series)]
    return revision_differences([repeated(one, rng) for one in levels])


def test_what_became_slower_differs_and_its_interval_holds_the_truth() -> None:
    found = stepped(slower=6)
    assert found.differs[:6].all()
    assert found.differs[6:].sum() <= 1
    assert ((found.low[:6] < 0.2) & (found.high[:6] > 0.2)).sum() >= 5
    assert (found.at_least[:6] > 0.1).all()
    assert found.absolute[:6] == pytest.approx(found.relative[:6], rel=0.05)


@pytest.mark.parametrize("revisions", [2, 20])
def test_comparisons_without_any_difference_seldom_tell_one(revisions: int) -> None:
    """Of 20 comparisons of 60 series; the seed is of this test alone."""
    rng = np.random.default_rng(20261123)
    wrong = 0
    for _ in range(20):
        some = [repeated(np.full(revisions, 0.1), rng, repetitions=3) for _ in range(60)]
        wrong += bool(revision_differences(some).differs.any())
    assert wrong <= 3


def test_neighbours_tell_the_noise_of_a_benchmark_measured_once() -> None:
    rng = np.random.default_rng(3)
    values = np.exp(0.02 * rng.normal(size=(40, 20)))
    values[0, 10:] *= 1.3
    found = revision_differences([single(one) for one in values])
    assert found.differs.tolist() == [True] + [False] * 39


def test_the_other_way_round_the_difference_has_the_other_sign() -> None:
    rng = np.random.default_rng(5)
    there = [repeated(np.full(4, 1.0), rng) for _ in range(12)]
    back = [replace(one, before=one.after, after=one.before) for one in there]
    one, other = revision_differences(there), revision_differences(back)
    assert one.absolute == pytest.approx(-other.absolute)
    assert one.false_discovery_rate == pytest.approx(other.false_discovery_rate)


def test_another_unit_changes_no_share() -> None:
    rng = np.random.default_rng(6)
    seconds = [repeated(np.full(4, 1.0), rng) for _ in range(12)]
    milliseconds = [
        replace(
            one,
            measurements=Measurements.of(
                one.measurements.positions,
                1000 * one.measurements.values,
                one.measurements.repetitions,
                1000 * one.measurements.spreads,
            ),
        )
        for one in seconds
    ]
    one, other = revision_differences(seconds), revision_differences(milliseconds)
    assert other.relative == pytest.approx(one.relative)
    assert other.high == pytest.approx(one.high)
    assert other.absolute == pytest.approx(1000 * one.absolute)


def test_counts_differ_where_they_differ_at_all() -> None:
    counted = Measurements.of([0, 1], [1_000_000.0, 1_000_001.0])
    same = Measurements.of([0, 1], [1_000_000.0, 1_000_000.0])
    found = revision_differences(
        [ComparedSeries(one, 0, 1, HistorySettings(), "counts", exact=True) for one in (counted, same)]
    )
    assert found.differs.tolist() == [True, False]
    assert found.absolute_low[0] == found.absolute_high[0] == pytest.approx(1.0)


def test_two_single_runs_alone_tell_no_noise() -> None:
    found = revision_differences([single(np.array([1.0, 2.0]))])
    assert np.isnan(found.false_discovery_rate).all()
    assert np.isnan(found.low).all()
    assert found.relative[0] == pytest.approx(1.0)
    assert not found.differs.any()


def test_what_is_told_is_noise_in_one_of_twenty_at_most() -> None:
    assert FALSE_DISCOVERY_RATE == 0.05


def test_a_term_is_relative_to_the_default_configuration() -> None:
    """Influences may be negative: they are compared on the plain scale."""
    settings = replace(HistorySettings(), reference_level=0.1, log_scale=False)
    measured = Measurements.of([0, 1], [-0.01, 0.02], [3, 3], errors=[0.001, 0.001])
    found = revision_differences([ComparedSeries(measured, 0, 1, settings, "terms")])
    assert found.relative[0] == pytest.approx(0.3)
    assert found.absolute[0] == pytest.approx(0.03)
    assert found.differs[0]


def test_two_modes_are_told_and_a_step_is_none() -> None:
    rng = np.random.default_rng(1)
    places = np.arange(40)
    noise = np.exp(0.005 * rng.normal(size=40))
    jumping = noise * np.where(rng.random(40) < 0.4, 1.1, 1.0)
    assert modes_apart(places, jumping, 19, 20) == pytest.approx(0.1, abs=0.01)
    assert modes_apart(places, noise * np.where(places < 20, 1.0, 1.1), 19, 20) is None
    assert modes_apart(places[:10], jumping[:10], 4, 5) is None

"""Synthetic histories are what they claim to be."""

import numpy as np
import pytest

from studies.synthetic import Excursion, LevelStep, make_history


def test_a_history_has_the_steps_it_names() -> None:
    history = make_history(
        50,
        np.random.default_rng(0),
        base=2.0,
        steps=[LevelStep(10, 0.5)],
        excursions=[Excursion(20, 29, 1.0)],
    )
    assert history.levels[[9, 10, 19, 20, 29, 30]] == pytest.approx([2.0, 3.0, 3.0, 6.0, 6.0, 3.0])


def test_drift_is_the_growth_from_first_to_last() -> None:
    levels = make_history(30, np.random.default_rng(0), base=4.0, drift=0.25).levels
    assert levels[[0, -1]] == pytest.approx([4.0, 5.0])


def test_the_steps_of_a_walk_have_the_size_asked_for() -> None:
    levels = make_history(4000, np.random.default_rng(0), walk=0.02).levels
    assert np.std(np.diff(np.log(levels))) == pytest.approx(0.02, rel=0.05)


def test_measurements_scatter_as_asked() -> None:
    history = make_history(2000, np.random.default_rng(0), base=3.0)
    points = history.measure(range(2000), np.random.default_rng(1), repetitions=5, noise=0.01)
    assert np.sqrt(np.mean(points.spreads**2)) == pytest.approx(0.03, rel=0.05)
    assert np.median(points.values) == pytest.approx(3.0, rel=0.001)

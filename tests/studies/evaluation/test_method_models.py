"""A model for each method: their sum, and what the filter holds at its mean."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.times import FloatArray, RegionTimes
from studies.evaluation.method_models import learn_methods

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "abc"))
EVERY = ValidConfigurations.unconstrained(SPACE).enumerate(8)
WHOLE = Partition.from_formulas(SPACE, ["True"])


def times_of(*methods: FloatArray, program: int | None = None) -> RegionTimes:
    """Times (8, n_repetitions) of each method in every configuration."""
    names = [f"m{number}" for number in range(len(methods))]
    return RegionTimes(
        SPACE,
        names,
        [WHOLE] * len(names),
        EVERY,
        np.array(methods),
        np.ones(methods[0].shape, dtype=bool),
        program_region=None if program is None else names[program],
    )


def repeated(values: FloatArray, noise: float = 0.0, seed: int = 0) -> FloatArray:
    """Each value three times, with noise of this size."""
    drawn: FloatArray = values[:, np.newaxis] + np.random.default_rng(seed).normal(0, noise, (len(values), 3))
    return drawn


DEPENDS = 5.0 + 3 * EVERY[:, 0] * EVERY[:, 1]
STANDS = np.full(8, 2.0)
SMALL = 0.001 * (1 + EVERY[:, 2])


def test_the_prediction_is_the_sum_over_methods() -> None:
    found = learn_methods(times_of(repeated(DEPENDS), repeated(STANDS), repeated(SMALL)), filtered=False)
    assert found.predict(EVERY) == pytest.approx(DEPENDS + STANDS + SMALL)
    assert (len(found.models), found.held, found.constant) == (3, 0, 0)


def test_methods_that_are_small_or_differ_by_noise_alone_are_held_at_their_mean() -> None:
    noisy = repeated(STANDS, 0.3)
    times = times_of(repeated(DEPENDS, 0.1), noisy, repeated(SMALL))
    found = learn_methods(times, filtered=True)
    assert (len(found.models), found.held) == (1, 2)
    # Of repetitions the median, as the analysis takes it.
    assert found.constant == pytest.approx(np.median(noisy, axis=1).mean() + SMALL.mean())
    every = learn_methods(times, filtered=False).predict(EVERY)
    truth = DEPENDS + STANDS + SMALL
    assert np.abs(found.predict(EVERY) - truth).max() < np.abs(every - truth).max()


def test_without_repetitions_nothing_is_told_apart_from_noise_and_only_small_methods_are_held() -> None:
    found = learn_methods(times_of(*(one[:, np.newaxis] for one in (DEPENDS, STANDS, SMALL))), filtered=True)
    assert (len(found.models), found.held) == (2, 1)


def test_runs_that_are_missing_count_for_nothing_and_what_a_program_lacks_is_added() -> None:
    times = times_of(repeated(DEPENDS), repeated(STANDS), program=1)
    ran = times.ran.copy()
    ran[3, 2] = False
    values = times.values.copy()
    values[:, 3, 2] = np.nan
    some = replace(times, values=values, ran=ran, offset=0.5)
    assert learn_methods(some, filtered=False).predict(EVERY) == pytest.approx(DEPENDS + STANDS + 0.5)
    assert learn_methods(some, filtered=True).held == 1

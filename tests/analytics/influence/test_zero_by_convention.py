"""A region that runs only where its features are selected takes no time elsewhere, measured or not."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.models import fit
from analytics.influence.times import RegionTimes
from tests.analytics.influence.written_terms import written
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in ("foo", "bar")))
FOO = Partition.from_formulas(SPACE, ["foo", "!foo"])
BOTH = Partition.from_formulas(SPACE, ["foo & bar", "!(foo & bar)"])


@pytest.fixture
def one_configuration() -> RegionTimes:
    """Two runs of the configuration with both features on: foo alone takes 2 and both together 3."""
    values = np.array([[[1.9, 2.1]], [[2.9, 3.1]]])
    times = measured(SPACE, [FOO, BOTH], SPACE.checked([[1, 1]]), values)
    return replace(times, uncovered_is_zero=True)


def test_the_time_in_an_interaction_is_its_term(one_configuration: RegionTimes) -> None:
    terms = fit(one_configuration).terms
    found = dict(zip(written(terms), terms.coefficients.tolist(), strict=True))
    assert found == pytest.approx(
        {"intercept": 0.0, "foo [off -> on]": 2.0, "bar [off -> on] × foo [off -> on]": 3.0}
    )
    assert terms.determined.all()


def test_every_configuration_has_a_prediction(one_configuration: RegionTimes) -> None:
    assert fit(one_configuration).predict(every_configuration(SPACE)).tolist() == pytest.approx([0, 0, 2, 5])


def test_the_noise_is_that_of_the_measured_runs(one_configuration: RegionTimes) -> None:
    terms = fit(one_configuration).terms
    assert np.isfinite(terms.standard_errors).all()
    assert (terms.standard_errors > 0).tolist() == (terms.coefficients > 0).tolist()


def test_what_was_measured_counts_more_than_the_convention(one_configuration: RegionTimes) -> None:
    times = replace(
        one_configuration,
        configurations=SPACE.checked([[1, 1], [0, 0]]),
        values=np.array([[[2.0, 2.0], [0.5, 0.5]], [[3.0, 3.0], [0.0, 0.0]]]),
        ran=np.ones((2, 2), dtype=bool),
    )
    assert fit(times).predict(every_configuration(SPACE)).tolist() == pytest.approx([0.5, 0.5, 2.0, 5.0])

"""The hybrid model as it is kept: its terms by region, relative to any base, with intervals and an honest error."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.hybrid.data import CountedSample
from analytics.influence.learned import learn_hybrid
from analytics.influence.stored import LearnedModel, pack, unpack
from tests.analytics.influence.hybrid.programs import EVERY, PROGRAM, SPACE, TAINTS, counts_of, runs_of, some

COST = np.array([0.002, 0.002, 0.001, 0.004, 0.004])


@pytest.fixture(scope="module")
def runs() -> CountedSample:
    """40 configurations of a program whose time is that of its counts, with 1 % of noise."""
    configurations = some(40)
    seconds = 0.05 + counts_of(PROGRAM, configurations) @ COST
    noise = np.random.default_rng(1).normal(0, 0.01, len(seconds))
    return runs_of(configurations, plain=seconds * (1 + noise))


@pytest.fixture(scope="module")
def found(runs: CountedSample) -> LearnedModel:
    return learn_hybrid(runs, TAINTS)


def test_terms_come_with_intervals_and_the_regions_where_they_arise(
    found: LearnedModel,
) -> None:
    table = found.model.terms
    assert np.isfinite(table.standard_errors).all()
    (row,) = (at for at, levels in enumerate(table.levels.tolist()) if levels == [1, -1, 1, -1, -1, -1])
    assert abs(table.coefficients[row] - 0.12) < table.margins[row]
    shares = found.model.shares(row)
    assert list(shares) == ["two:bar"]
    low, high = shares["two:bar"].low, shares["two:bar"].high
    assert low is not None
    assert high is not None
    assert low < 0.12 < high
    assert found.model.significant_regions()[row] == 1
    assert found.model.reached().tolist() == [3, 2, 1, 0, 0, 0]


def test_a_term_that_rests_on_one_part_of_the_configurations_is_not_certain() -> None:
    """One configuration alone shows what A, B and C do together: models made without it do not have the term."""
    without = EVERY[EVERY[:, :3].sum(axis=1) < 3]
    configurations = np.vstack([without[::2], EVERY[-1:]])
    seconds = 0.05 + counts_of(PROGRAM, configurations) @ COST
    terms = learn_hybrid(runs_of(configurations, plain=seconds), TAINTS).model.terms
    (row,) = (at for at, levels in enumerate(terms.levels.tolist()) if levels == [1, 1, 1, -1, -1, -1])
    assert terms.coefficients[row] != 0
    assert terms.margins[row] > abs(terms.coefficients[row])


@pytest.mark.parametrize("base", [0, 21, 63])
def test_regions_and_the_rest_sum_to_the_whole_at_any_base(found: LearnedModel, base: int) -> None:
    model = found.model.relative_to(EVERY[base])
    interactions = model.terms.degrees > 1
    for row in np.flatnonzero(interactions & (np.abs(model.terms.coefficients) > 1e-9)).tolist():
        shares = model.shares(row)
        assert sum(one.value for one in shares.values()) == pytest.approx(model.terms.coefficients[row])
    steps = found.model.between(EVERY[base], EVERY[40])
    assert steps.terms.coefficients.sum() == pytest.approx(found.model.predict(EVERY[40:41])[0])


def test_the_error_is_that_of_configurations_held_back(runs: CountedSample, found: LearnedModel) -> None:
    assert found.quality.error is not None
    assert found.quality.error < 5
    assert found.quality.checked == found.configurations == 40
    assert runs.plain is not None
    few = replace(runs, configurations=runs.configurations[:4], counts=runs.counts[:4], plain=runs.plain[:4])
    told = learn_hybrid(few, TAINTS)
    assert (told.quality.error, told.quality.checked) == (None, 0)


def test_what_is_packed_comes_back_the_same(found: LearnedModel) -> None:
    again = unpack(SPACE, pack(found))
    assert (again.quality.error, again.configurations, again.quality.checked) == (
        found.quality.error,
        found.configurations,
        found.quality.checked,
    )
    for one, other in (
        (found.model.terms, again.model.terms),
        (found.model.local["two:bar"], again.model.local["two:bar"]),
    ):
        assert one.levels.tolist() == other.levels.tolist()
        assert one.coefficients == pytest.approx(other.coefficients)
        assert one.standard_errors == pytest.approx(other.standard_errors)
    assert list(again.model.regions) == list(found.model.regions)


def test_options_that_come_later_change_nothing_of_what_is_packed(found: LearnedModel) -> None:
    wider = OptionSpace((*SPACE.options, Option("LATER", (False, True))))
    again = unpack(wider, pack(found)).model
    rows = np.pad(EVERY, ((0, 0), (0, 1)), constant_values=1)
    assert again.predict(rows) == pytest.approx(found.model.predict(EVERY))
    assert again.reached().tolist() == [*found.model.reached().tolist(), 0]

"""The best and worst configuration of a model: the ones that brute force finds, also under constraints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.linear import learn
from analytics.influence.located import LocatedModel, TermModel
from analytics.influence.models import fit
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.optimum import Optimum, optimum
from tests.analytics.strategies import every_configuration, measured, partitions

SWITCHES = tuple(Option(f"O{number}", (False, True)) for number in range(16))


@st.composite
def spaces(draw: st.DrawFn) -> OptionSpace:
    """Two to seven options of two to four levels."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=7))
    return OptionSpace(tuple(Option(f"O{number}", tuple(range(size))) for number, size in enumerate(sizes)))


@st.composite
def constrained(draw: st.DrawFn, space: OptionSpace) -> ValidConfigurations:
    """The configurations without some combinations of levels, one option perhaps fixed."""
    every = ValidConfigurations.unconstrained(space)
    combination = st.dictionaries(st.integers(0, len(space.options) - 1), st.just(1), min_size=1, max_size=3)
    forbidden = draw(st.lists(combination, max_size=3))
    fixed = draw(st.dictionaries(st.integers(0, len(space.options) - 1), st.integers(0, 1), max_size=2))
    return every.without(forbidden).holding(fixed)


def term_rows(space: OptionSpace, rng: np.random.Generator, count: int) -> IntArray:
    """Different random terms of one to three options, the intercept first."""
    rows = np.full((count, len(space.options)), UNTOUCHED, dtype=np.int8)
    for row in rows[1:]:
        for at in rng.choice(len(space.options), rng.integers(1, min(4, len(space.options))), replace=False):
            row[at] = rng.integers(1, space.sizes[at])
    return np.unique(rows, axis=0)


def best_value(model: TermModel, rows: IntArray, *, largest: bool) -> float | None:
    """The best predicted value by brute force, None where none is predicted."""
    values = model.predict(rows) if len(rows) else np.array([])
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    return float(values.max() if largest else values.min())


def check(model: TermModel, valid: ValidConfigurations, found: Optimum | None, *, largest: bool) -> None:
    """The value found is the one of brute force, of a valid configuration."""
    every = every_configuration(valid.space)
    wanted = best_value(model, every[valid.allows(every)], largest=largest)
    if wanted is None or found is None:
        assert found is None
        assert wanted is None
        return
    assert found.is_proven
    assert valid.allows(found.configuration[np.newaxis]).all()
    assert model.predict(found.configuration[np.newaxis])[0] == pytest.approx(found.value, rel=1e-12)
    assert found.value == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), largest=st.booleans(), undetermined=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_learned_models_have_the_optimum_of_brute_force(
    data: st.DataObject, *, largest: bool, undetermined: bool, seed: int
) -> None:
    """By listing and by the solver alike, also where the measured configurations leave terms undetermined."""
    space = data.draw(spaces())
    valid = data.draw(constrained(space))
    rng = np.random.default_rng(seed)
    levels = term_rows(space, rng, 12)
    seen = every_configuration(space)
    if undetermined:
        seen = rng.permutation(seen)[: max(2, len(levels) - 2)]
    values = rng.normal(10, 3, len(seen))
    model = LocatedModel(learn(space, levels, seen, values), {})
    for listed in (0, 1 << 16):
        check(model, valid, optimum(model, valid, largest=largest, listed=listed), largest=largest)


def test_what_is_predicted_is_found_where_most_terms_are_undetermined() -> None:
    """The solver has found nothing feasible in narrow rows of large and tiny factors."""
    space = OptionSpace(tuple(Option(f"O{at}", tuple(range(size))) for at, size in enumerate((3, 2, 2, 4))))
    valid = ValidConfigurations.unconstrained(space).without([{0: 1}])
    for seed in range(200):
        rng = np.random.default_rng(seed)
        levels = term_rows(space, rng, 12)
        seen = rng.permutation(every_configuration(space))[: max(2, len(levels) - 2)]
        model = LocatedModel(learn(space, levels, seen, rng.normal(10, 3, len(seen))), {})
        check(model, valid, optimum(model, valid, listed=0), largest=False)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), largest=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_models_composed_of_regions_have_the_optimum_of_brute_force(
    data: st.DataObject, *, largest: bool, seed: int
) -> None:
    """What falls into a subspace that was never measured is no candidate."""
    space = data.draw(spaces())
    valid = data.draw(constrained(space))
    parts = data.draw(st.lists(partitions(space), min_size=1, max_size=3))
    rng = np.random.default_rng(seed)
    seen = rng.permutation(every_configuration(space))[: rng.integers(1, 20)]
    values = rng.uniform(0, 5, (len(parts), max(part.n_subspaces for part in parts)))
    times = np.stack([own[part.assign(seen)] for own, part in zip(values, parts, strict=True)])
    model = fit(measured(space, parts, seen, times[:, :, np.newaxis]))
    for listed in (0, 1 << 16):
        check(model, valid, optimum(model, valid, largest=largest, listed=listed), largest=largest)


def test_sixteen_switches_under_constraints_have_the_optimum_of_brute_force() -> None:
    space = OptionSpace(SWITCHES)
    every = ValidConfigurations.unconstrained(space)
    valid = every.without([{0: 1, 1: 1}, {2: 1, 3: 0, 4: 1}, {5: 0, 6: 0}]).holding({7: 1})
    rng = np.random.default_rng(70_001)
    levels = term_rows(space, rng, 60)
    seen = rng.integers(0, 2, (300, 16)).astype(np.int8)
    model = LocatedModel(learn(space, levels, seen, rng.normal(10, 3, 300)), {})
    for largest in (False, True):
        check(model, valid, optimum(model, valid, largest=largest), largest=largest)


def test_options_without_influence_stay_at_their_reference() -> None:
    space = OptionSpace(SWITCHES)
    levels = np.full((2, 16), UNTOUCHED, dtype=np.int8)
    levels[1, 3] = 1
    seen = np.eye(16, dtype=np.int8)
    model = LocatedModel(learn(space, levels, seen, 5.0 - 2.0 * seen[:, 3]), {})
    for listed in (0, 1 << 16):
        found = optimum(model, ValidConfigurations.unconstrained(space), listed=listed)
        assert found is not None
        assert np.flatnonzero(found.configuration).tolist() == [3]

"""The Pareto front: exactly what brute force leaves, under constraints and in both directions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.errors import InfluenceError
from analytics.influence.linear import learn
from analytics.influence.located import LocatedModel
from analytics.influence.pareto import pareto_front
from tests.analytics.influence.test_optimum import constrained, spaces, term_rows
from tests.analytics.strategies import every_configuration


@settings(max_examples=40, deadline=None)
@given(data=st.data(), up=st.tuples(st.booleans(), st.booleans()), seed=st.integers(0, 2**32 - 1))
def test_the_front_is_the_one_of_brute_force(data: st.DataObject, up: tuple[bool, bool], seed: int) -> None:
    space = data.draw(spaces())
    valid = data.draw(constrained(space))
    rng = np.random.default_rng(seed)
    every = every_configuration(space)
    # Whole numbers, so that predictions are often equal.
    models = tuple(
        LocatedModel(learn(space, term_rows(space, rng, 4), every, rng.integers(0, 4, len(every)) * 1.0), {})
        for _ in range(2)
    )
    found = pareto_front((models[0], models[1]), valid, (not up[0], not up[1]))
    rows = every[valid.allows(every)]
    costs = np.array(
        [(-1 if high else 1) * model.predict(rows) for model, high in zip(models, up, strict=True)]
    ).T
    own = found.values * np.where(up, -1.0, 1.0)
    assert valid.allows(found.configurations).all()
    assert (np.diff(own[:, 0]) > 0).all()
    assert (np.diff(own[:, 1]) < 0).all()
    for cost in costs:
        assert (own <= cost + 1e-6).all(axis=1).any(), "something on the front is at least as good"
    for cost in own:
        assert not ((costs < cost - 1e-6).all(axis=1)).any(), "nothing is better in both"


def test_too_many_configurations_are_refused_with_a_remedy() -> None:
    space = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(20)))
    levels = np.where(np.eye(20, dtype=bool), 1, -1).astype(np.int8)
    model = LocatedModel(learn(space, levels, np.eye(20, dtype=np.int8), np.arange(20.0)), {})
    every = ValidConfigurations.unconstrained(space)
    with pytest.raises(InfluenceError, match=r"more than 65536 configurations .* fix some options"):
        pareto_front((model, model), every, (True, True))
    fixed = every.holding(dict.fromkeys(range(10), 1))
    assert len(pareto_front((model, model), fixed, (True, True)).values) == 1

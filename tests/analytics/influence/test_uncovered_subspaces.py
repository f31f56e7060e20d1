"""What was not measured is unknown, never zero."""

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.accuracy import accuracy, reach_globally, reach_locally
from analytics.influence.models import InfluenceModel, fit
from tests.analytics.influence.written_terms import written
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABC"))
INTERACTION = Partition.exhaustive(SPACE, "AB")
SWITCH = Partition.from_formulas(SPACE, ["!C", "C"])


@pytest.fixture
def model() -> InfluenceModel:
    """A region of A and B in which B was never on, and a complete one of C."""
    configurations = SPACE.checked([[0, 0, 0], [1, 0, 1]])
    noise = np.array([0.01, 0.0, -0.01])
    values = np.array([[1.0, 3.0], [0.5, 0.7]])[:, :, np.newaxis] + noise
    return fit(measured(SPACE, [INTERACTION, SWITCH], configurations, values))


def known(model: InfluenceModel) -> dict[str, bool]:
    """Whether each term is determined."""
    table = model.terms
    return dict(zip(written(table), table.determined.tolist(), strict=True))


def test_terms_that_need_an_uncovered_subspace_are_named_undetermined(model: InfluenceModel) -> None:
    """B and its interaction are; A and C are not."""
    assert known(model) == {
        "intercept": True,
        "A [off -> on]": True,
        "B [off -> on]": False,
        "C [off -> on]": True,
        "A [off -> on] × B [off -> on]": False,
    }
    assert np.isnan(model.terms.standard_errors).tolist() == np.isnan(model.terms.coefficients).tolist()
    without = [one.low is None for one in model.terms.estimates()]
    assert without == np.isnan(model.terms.coefficients).tolist()


def test_configurations_in_an_uncovered_subspace_have_no_prediction(model: InfluenceModel) -> None:
    """NaN exactly where B is on."""
    configurations = every_configuration(SPACE)
    assert np.isnan(model.predict(configurations)).tolist() == (configurations[:, 1] == 1).tolist()


def test_from_a_base_in_an_uncovered_subspace_only_terms_of_other_regions_are_known(
    model: InfluenceModel,
) -> None:
    """Every influence of A and B would need a base that nobody measured."""
    assert known(model.relative_to(SPACE.encode([{"B": "on"}])[0])) == {
        "intercept": False,
        "A [off -> on]": False,
        "B [on -> off]": False,
        "C [off -> on]": True,
        "A [off -> on] × B [on -> off]": False,
    }


def test_a_comparison_into_an_uncovered_subspace_is_unknown(model: InfluenceModel) -> None:
    """Between measured ones it is known, whatever else is missing."""
    start, unknown, known_ = model.predict(
        np.stack([SPACE.reference, *SPACE.encode([{"B": "on"}, {"A": "on", "C": "on"}])])
    )
    there = model.between(SPACE.reference, SPACE.encode([{"B": "on"}])[0]).terms
    assert np.isnan(unknown - start)
    assert not there.where(there.degrees > 0).determined.any()
    across = model.between(SPACE.reference, SPACE.encode([{"A": "on", "C": "on"}])[0]).terms
    assert known_ - start == pytest.approx(2.2)
    assert across.where(across.degrees > 0).determined.all()


def test_an_uncovered_subspace_leaves_terms_that_are_zero_anyway_alone() -> None:
    """With A off, B makes no difference to the region: no such term, though A off was never measured."""
    partition = Partition.from_formulas(SPACE, ["!A", "A & !B", "A & B"])
    values = np.array([[[2.0], [5.0]]])
    model = fit(measured(SPACE, [partition], SPACE.checked([[1, 0, 0], [1, 1, 0]]), values))
    assert known(model) == {"intercept": False, "A [off -> on]": False, "A [off -> on] × B [off -> on]": True}
    assert model.terms.coefficients[2] == 3.0


def test_unknown_terms_reach_no_threshold_and_are_counted_apart(model: InfluenceModel) -> None:
    """Neither locally nor globally."""
    known_terms = model.terms.determined
    assert not (reach_locally(model, 0.001) & ~known_terms).any()
    assert not (reach_globally(model, 0.001) & ~known_terms).any()
    configurations = every_configuration(SPACE)
    figures = accuracy(model, configurations, np.ones(8))
    assert (~known_terms).sum() == 2
    assert (figures.uncovered_subspaces, figures.measured, figures.quality.checked) == (2, 8, 4)


def test_the_regions_of_an_unknown_term_say_who_does_not_know_it(model: InfluenceModel) -> None:
    """The region with the uncovered subspace, without a number."""
    shares = model.shares(model.terms.determined.tolist().index(False))
    assert list(shares) == ["R0"]
    assert np.isnan(shares["R0"].value)
    assert shares["R0"].low is None

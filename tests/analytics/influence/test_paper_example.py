"""The example of Velez et al., ICSE 2021, Fig. 2: T = 8 + 15A + 10C + 3AB + 30AC seconds, in three regions."""

import numpy as np
import pytest

from analytics.configurations.covers import greedy_cover
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import UnknownRegionError
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.terms import TermTable
from tests.analytics.influence.written_terms import written
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
PARTITIONS = (
    Partition.from_formulas(SPACE, ["A", "!A"]),
    Partition.from_formulas(SPACE, ["!A", "A & !B", "A & B"]),
    Partition.from_formulas(SPACE, ["!A & !C", "!A & C", "A & !C", "A & C"]),
)
SECONDS = ([2.0, 3.0], [0.0, 1.0, 4.0], [5.0, 15.0, 20.0, 60.0])


@pytest.fixture
def model() -> InfluenceModel:
    """The model from the four configurations that cover all subspaces, one run each."""
    configurations = greedy_cover(SPACE, PARTITIONS)
    assert len(configurations) == 4
    values = np.stack(
        [np.array(own)[part.assign(configurations)] for own, part in zip(SECONDS, PARTITIONS, strict=True)]
    )
    return fit(measured(SPACE, PARTITIONS, configurations, values[:, :, np.newaxis]))


def shown(table: TermTable) -> dict[str, float]:
    """Terms other than 0, as they are written."""
    return {
        term: value for term, value in zip(written(table), table.coefficients.tolist(), strict=True) if value
    }


def switched(model: InfluenceModel, *names: str) -> int:
    """The row of the term in which these options are switched on."""
    return written(model.terms).index(" × ".join(f"{name} [off -> on]" for name in names))


def test_four_of_sixteen_configurations_give_the_global_model(model: InfluenceModel) -> None:
    """In the order of degree and option."""
    assert shown(model.terms) == {
        "intercept": 8,
        "A [off -> on]": 15,
        "C [off -> on]": 10,
        "A [off -> on] × B [off -> on]": 3,
        "A [off -> on] × C [off -> on]": 30,
    }


def test_each_region_has_the_local_model_of_the_paper(model: InfluenceModel) -> None:
    """3 - A; A + 3AB; 5 + 15A + 10C + 30AC."""
    assert shown(model.local_model("R0")) == {"intercept": 3, "A [off -> on]": -1}
    assert shown(model.local_model("R1")) == {"A [off -> on]": 1, "A [off -> on] × B [off -> on]": 3}
    assert shown(model.local_model("R2")) == {
        "intercept": 5,
        "A [off -> on]": 15,
        "C [off -> on]": 10,
        "A [off -> on] × C [off -> on]": 30,
    }


def test_all_sixteen_configurations_are_predicted(model: InfluenceModel) -> None:
    """D never matters."""
    configurations = every_configuration(SPACE)
    a, b, c, _ = configurations.astype(float).T
    assert model.predict(configurations).tolist() == (8 + 15 * a + 10 * c + 3 * a * b + 30 * a * c).tolist()


def test_influences_turn_with_the_base(model: InfluenceModel) -> None:
    """From A and C on, switching both off saves 45 and 40 seconds, of which 30 are the same."""
    terms = shown(model.relative_to(SPACE.encode([{"A": "on", "C": "on"}])[0]).terms)
    assert terms["intercept"] == 63
    assert terms["A [on -> off]"] == -45
    assert terms["C [on -> off]"] == -40
    assert terms["A [on -> off] × C [on -> off]"] == 30


def test_two_configurations_differ_by_their_terms(model: InfluenceModel) -> None:
    """{} -> {A, C}: +15, +10, +30; back: -45, -40, +30. B and D stay out of it."""
    none, both = SPACE.reference, SPACE.encode([{"A": "on", "C": "on"}])[0]
    assert model.predict(np.stack([none, both])).tolist() == [8, 63]
    there = model.between(none, both).terms
    assert shown(there) == {
        "intercept": 8,
        "A [off -> on]": 15,
        "C [off -> on]": 10,
        "A [off -> on] × C [off -> on]": 30,
    }
    back = model.between(both, none).terms
    assert shown(back) == {
        "intercept": 63,
        "A [on -> off]": -45,
        "C [on -> off]": -40,
        "A [on -> off] × C [on -> off]": 30,
    }


def test_a_term_is_the_sum_of_its_regions(model: InfluenceModel) -> None:
    """A: 15 = 15 + 1 - 1; the largest first."""
    shares = model.shares(switched(model, "A"))
    assert [(region, one.value) for region, one in shares.items()] == [("R2", 15), ("R0", -1), ("R1", 1)]


def test_one_run_gives_no_interval(model: InfluenceModel) -> None:
    """Neither an error nor a verdict on zero; the coefficients stand."""
    assert np.isnan(model.terms.standard_errors).all()
    assert np.isnan(model.terms.margins).all()
    assert all(one.low is None and not one.may_be_zero for one in model.terms.estimates())
    assert [one.margin for one in model.shares(switched(model, "A", "C")).values()] == [None]


def test_a_region_that_the_model_does_not_have_is_refused_by_name(model: InfluenceModel) -> None:
    """With its name."""
    with pytest.raises(UnknownRegionError, match="'R9'"):
        model.local_model("R9")


def test_terms_know_their_degree(model: InfluenceModel) -> None:
    """The number of options in them."""
    degrees = model.terms.degrees
    assert [degrees[0], degrees[switched(model, "A", "C")]] == [0, 2]

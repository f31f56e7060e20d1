"""Design matrices of terms, against the models whose terms they are."""

import numpy as np
from hypothesis import given

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.models import fit
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import RegionTimes
from tests.analytics.strategies import every_configuration, noiseless_times

SPACE = OptionSpace((Option("A", (False, True)), Option("L", ("zlib", "lz4", "zstd"))))


def test_a_column_is_on_where_all_levels_of_its_term_are_set() -> None:
    levels = np.array([[-1, -1], [1, -1], [-1, 2], [1, 2]])
    configurations = np.array([[0, 0], [1, 0], [0, 2], [1, 2], [1, 1]])
    assert design_matrix(levels, configurations).tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 0, 1, 0],
        [1, 1, 1, 1],
        [1, 1, 0, 0],
    ]


def test_terms_come_by_degree_and_leave_the_base_level_out() -> None:
    assert terms_up_to(SPACE, 2).tolist() == [[-1, -1], [1, -1], [-1, 1], [-1, 2], [1, 1], [1, 2]]


def test_all_terms_are_as_many_as_configurations_and_independent() -> None:
    every = every_configuration(SPACE)
    matrix = design_matrix(terms_up_to(SPACE, len(SPACE.options)), every)
    assert matrix.shape == (6, 6)
    assert np.linalg.matrix_rank(matrix) == 6


@given(times=noiseless_times())
def test_terms_of_a_composed_model_predict_what_the_model_predicts(times: RegionTimes) -> None:
    model = fit(times)
    every = every_configuration(times.space)
    matrix = design_matrix(model.terms.levels, every)
    np.testing.assert_allclose(matrix @ model.terms.coefficients, model.predict(every), atol=1e-9)
    assert (model.terms.levels[0] == UNTOUCHED).all()

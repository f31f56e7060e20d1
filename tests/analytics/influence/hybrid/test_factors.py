"""Counters that are products of factors."""

import numpy as np
import pytest

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.hybrid.data import CountedSample
from analytics.influence.hybrid.factors import MOST_TERMS, with_factors
from analytics.influence.hybrid.fits import CountFit
from analytics.influence.hybrid.model import CountModel
from analytics.influence.hybrid.patterns import LEAST_SEEN, Patterns
from analytics.influence.hybrid.projections import ExactTables
from analytics.influence.hybrid.relaxed import Columns

# Rows, columns and format multiply; nothing is written where output is off.
SPACE = OptionSpace(
    (
        Option("rows", (1, 10, 100, 1000)),
        Option("columns", (1, 3, 9)),
        Option("format", ("text", "html", "json")),
        Option("output", (True, False)),
        Option("colour", (False, True)),
    )
)
EVERY = ValidConfigurations.unconstrained(SPACE).enumerate(1000)


def cells_written(configurations: IntArray) -> IntArray:
    """A count for each cell of a table, that of its format, of each configuration (n, n_options)."""
    rows, columns, form, off, _ = configurations.T
    sizes = np.array([1, 10, 100, 1000])[rows] * np.array([1, 3, 9])[columns] * np.array([2, 5, 7])[form]
    return np.asarray(sizes * (1 - off))


def sample(size: int, seed: int) -> CountedSample:
    """Configurations of `SPACE` at random with two counters: the cells, and one that never varies."""
    rows = np.random.default_rng(seed).permutation(EVERY)[:size]
    counts = np.column_stack([cells_written(rows), np.full(size, 50)])
    return CountedSample(SPACE, rows, counts, ("table:write", "table:start"))


@pytest.mark.parametrize("seed", range(5))
def test_a_product_of_options_is_told_from_few_of_its_combinations(seed: int) -> None:
    """Half of 144 configurations see half of the 72 combinations that count: all others are told, as terms."""
    model = CountModel(sample(72, seed), None)
    assert [one.method for one in model.fits if np.ptp(one.pattern)] == ["factors"]
    truth = cells_written(EVERY)
    assert model.predict(EVERY)[:, model.runs.names.index("table:write")] == pytest.approx(
        truth, abs=1e-6 * truth.max()
    )


def _fit(runs: CountedSample, held: float) -> CountFit:
    """A fit of the cells that predicts `held` for each run without it."""
    pattern = runs.counts[:, 0].astype(float)
    nothing = np.full((1, len(SPACE.options)), -1, dtype=np.int8)
    everything = frozenset(range(len(SPACE.options)))
    return CountFit(
        np.array([0]), np.array([1.0]), pattern, nothing, np.array([held]), "learned", everything,
        np.full(len(pattern), held), np.ones(len(pattern)),
    )  # fmt: skip


def test_a_counter_of_which_nothing_tells_when_it_counts_stays_a_sum() -> None:
    """It is 0 by the flip of a coin: no table over options says where, and 0 has no logarithm."""
    runs = sample(40, 0)
    coin = np.random.default_rng(1).integers(0, 2, size=40)
    runs = CountedSample(SPACE, runs.configurations, runs.counts * coin[:, np.newaxis], runs.regions)
    fit = _fit(runs, 1.0)
    assert with_factors(SPACE, runs.configurations, [fit], ExactTables(SPACE, runs.configurations)) == (fit,)


def test_a_product_with_more_terms_than_anybody_reads_is_left() -> None:
    """Six options of three levels each have 729 combinations."""
    space = OptionSpace(tuple(Option(name, (1, 2, 3)) for name in "ABCDEF"))
    rows = ValidConfigurations.unconstrained(space).sample(60, np.random.default_rng(0))
    counts = np.prod(rows + 1, axis=1)
    model = CountModel(
        CountedSample(space, rows, np.column_stack([counts, counts * 0 + 7]), ("m:f", "m:g")), None
    )
    assert [len(one.levels) <= MOST_TERMS for one in model.fits] == [True, True]
    assert "factors" not in {one.method for one in model.fits}


def test_a_weight_counts_a_row_so_often() -> None:
    """Least squares by scikit-learn over the same rows, some of them twice."""
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 2, size=(30, 3)).astype(float)
    values = columns @ [3.0, -2.0, 1.0] + rng.normal(size=30)
    weights = rng.integers(1, 3, size=30)
    found = Columns(columns, weights.astype(float)).predictions(values, columns)[:, -1, 0]
    repeated = np.repeat(np.column_stack([np.ones(30), columns]), weights, axis=0)
    solved = np.linalg.lstsq(repeated, np.repeat(values, weights), rcond=None)[0]
    assert found == pytest.approx(np.column_stack([np.ones(30), columns]) @ solved)


@pytest.mark.parametrize("least", LEAST_SEEN)
def test_a_table_has_seen_each_cell_as_often_as_is_asked(least: int) -> None:
    """An option that was on in one of ten runs explains its counter exactly, unless two runs are asked for."""
    rows = np.zeros((10, len(SPACE.options)), dtype=np.int8)
    rows[3, 4] = 1
    counts = np.where(rows[:, 4] == 1, 1000.0, 0.0)
    assert ExactTables(SPACE, rows, least).exact(counts, {4}) == ([(4,)] if least == 1 else [])


def test_an_exact_table_is_held_against_runs_that_it_did_not_see() -> None:
    """On in two runs with a thousand turns and with one: each of them alone would tell the other wrong."""
    rows = np.zeros((10, len(SPACE.options)), dtype=np.int8)
    rows[[3, 4], 4] = 1
    counts = np.zeros(10)
    counts[[3, 4]] = 1000.0, 1.0
    patterns = Patterns(SPACE, rows, np.ones(10))
    everything = frozenset(range(len(SPACE.options)))
    fit = patterns.fit(counts, everything, np.array([0]), np.array([1.0]), least=1)
    assert fit.method == "learned"
    assert patterns.held(fit, least=1)[[3, 4]].tolist() == [1.0, 1000.0]
    assert patterns.held(fit, least=2)[3] < 1000

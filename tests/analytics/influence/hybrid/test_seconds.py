"""Weights, overheads and intervals of the hybrid model."""

import numpy as np
import pytest

from analytics.influence.accuracy import mape
from analytics.influence.errors import InfluenceError
from analytics.influence.hybrid.data import seconds_per_count, uncounted
from analytics.influence.hybrid.model import CountModel, hybrid_model, with_intervals
from analytics.influence.hybrid.weighing import WeightFit
from analytics.influence.times import FloatArray
from tests.analytics.influence.hybrid.programs import EVERY, PROGRAM, TAINTS, counts_of, runs_of, some
from tests.analytics.influence.written_terms import written

PER_COUNT = 1e-3


def seconds_of(rows: np.ndarray, per_module: dict[str, float] | None = None) -> FloatArray:
    """0.05 s and a fixed time per count, or one per module."""
    rates = [(per_module or {}).get(region.partition(":")[0], PER_COUNT) for region, _ in PROGRAM]
    seconds: FloatArray = 0.05 + counts_of(PROGRAM, rows) @ np.array(rates)
    return seconds


def test_one_weight_for_all_is_found_where_one_weight_is_true() -> None:
    """Without noise every time is told exactly, by one weight and the constant."""
    rows = some(24)
    model = hybrid_model(CountModel(runs_of(rows, plain=seconds_of(rows)), TAINTS))
    assert model.predict(EVERY) == pytest.approx(seconds_of(EVERY), rel=1e-6)
    assert model.weights.regions == pytest.approx([PER_COUNT] * 3, rel=1e-6)
    assert model.weights.constant == pytest.approx(0.05, rel=1e-6)
    assert model.weights.variances == (0.0, 0.0, 0.0)


def test_modules_depart_from_the_common_weight_where_times_say_so() -> None:
    """Module two costs five times as much per count: the error with one weight is many times larger."""
    rows = some(32)
    truth = seconds_of(EVERY, {"two": 5 * PER_COUNT})
    runs = runs_of(rows, plain=seconds_of(rows, {"two": 5 * PER_COUNT}))
    model = hybrid_model(CountModel(runs, TAINTS))
    assert mape(model.predict(EVERY), truth) < 0.5
    assert any(model.weights.variances)


def test_what_no_counter_sees_goes_to_single_options() -> None:
    """F costs 0.2 s in code without counters."""
    rows = some(32)
    model = hybrid_model(CountModel(runs_of(rows, plain=seconds_of(rows) + 0.2 * rows[:, 5]), TAINTS))
    assert mape(model.predict(EVERY), seconds_of(EVERY) + 0.2 * EVERY[:, 5]) < 1
    (own,) = np.flatnonzero(model.weights.levels[:, 5] == 1)
    assert model.weights.options[own] == pytest.approx(0.2, rel=0.05)


def test_what_options_do_together_in_a_library_is_theirs_and_not_that_of_counts_that_go_along() -> None:
    """A library takes 0.4 s with D, unless E has a quick way taken; counts know nothing of either."""
    library = 0.4 * EVERY[:, 3] * (1 - EVERY[:, 4])
    truth = seconds_of(EVERY) + library
    rows = some(40)
    mine = [EVERY.tolist().index(row) for row in rows.tolist()]
    model = hybrid_model(CountModel(runs_of(rows, plain=truth[mine]), TAINTS))
    assert mape(model.predict(EVERY), truth) < 1
    terms = {
        tuple(row): value
        for row, value in zip(model.weights.levels.tolist(), model.weights.options, strict=True)
    }
    assert terms[-1, -1, -1, 1, -1, -1] == pytest.approx(0.4, rel=0.05)
    assert terms[-1, -1, -1, 1, 1, -1] == pytest.approx(-0.4, rel=0.05)


def test_the_error_of_leaving_out_is_that_of_fitting_without() -> None:
    """The closed form agrees with fitting anew without each configuration."""
    rng = np.random.default_rng(0)
    counts = rng.uniform(10, 100, size=(12, 3))
    levels = rng.integers(0, 2, size=(12, 2)).astype(float)
    terms = np.array([[1, -1], [-1, 1]], dtype=np.int8)
    seconds = np.full(12, 0.5)
    truth = seconds + rng.uniform(0, 0.1, 12)
    task = WeightFit(counts, ["a", "a", "b"], levels, seconds, truth, levels=terms)
    told = task.with_variances((1.0, 10.0, 0.1)).error
    errors = []
    for at in range(12):
        rest = np.arange(12) != at
        # Counts are fitted as shares of their mean, which is another one without this configuration.
        apart = (counts[rest].sum(axis=1).mean() / counts.sum(axis=1).mean()) ** 2
        without = WeightFit(
            counts[rest], ["a", "a", "b"], levels[rest], seconds[rest], truth[rest], levels=terms
        )
        found = without.with_variances((1.0 * apart, 10.0 * apart, 0.1))
        predicted = found.constant + counts[at] @ found.regions + levels[at] @ found.options
        errors.append(abs(predicted - truth[at]) / truth[at])
    assert told == pytest.approx(100 * float(np.mean(errors)), rel=1e-4)


def test_counting_runs_count_as_times_where_that_helps() -> None:
    """Plain runs with much noise, counting runs with none: corrected, these are used."""
    rows = some(48)
    rng = np.random.default_rng(1)
    truth = seconds_of(rows)
    counts = counts_of(PROGRAM, rows).sum(axis=1)
    noisy = truth * rng.lognormal(0, 0.1, len(rows))
    model = hybrid_model(CountModel(runs_of(rows, plain=noisy, counted=truth + 4e-4 * counts), TAINTS))
    assert model.paired
    # Much noise in the counting runs instead: left aside.
    wild = (truth + 4e-4 * counts) * rng.lognormal(0, 0.8, len(rows))
    assert not hybrid_model(CountModel(runs_of(rows, plain=truth, counted=wild), TAINTS)).paired


def test_the_cost_of_a_count_comes_from_pairs() -> None:
    """Each run is corrected by the pairs of the others; where counting seems to save time, nothing is corrected."""
    counts = np.array([100.0, 200.0, 400.0, 0.0])
    plain = np.array([1.0, 2.0, 3.0, 4.0])
    assert seconds_per_count(plain, plain + 1e-3 * counts, counts) == pytest.approx(1e-3)
    assert uncounted(plain, plain + 1e-3 * counts, counts) == pytest.approx(plain)
    assert seconds_per_count(plain, plain - 0.1, counts) == 0
    assert seconds_per_count(plain, plain, np.zeros(4)) == 0


def test_terms_of_regions_add_up_to_the_whole() -> None:
    """But for the constant and what options do on their own."""
    rows = some(32)
    model = hybrid_model(CountModel(runs_of(rows, plain=seconds_of(rows)), TAINTS))
    local = sum(model.region_terms(name).predict(EVERY) for name in model.counts.runs.names)
    assert local + model.weights.constant == pytest.approx(model.predict(EVERY), rel=1e-9)
    with pytest.raises(InfluenceError, match="nowhere"):
        model.region_terms("nowhere")


def test_intervals_hold_the_truth_at_any_base() -> None:
    """Fig. 2's A x C, 30 counts of one rate each, with 2 % noise; relative to another base the model says the same."""
    rows = some(48)
    noise = np.random.default_rng(2).lognormal(0, 0.02, len(rows))
    seconds = seconds_of(rows) * noise
    model = hybrid_model(CountModel(runs_of(rows, plain=seconds), TAINTS))
    parts = [np.arange(48) % 6 != part for part in range(6)]
    others = [hybrid_model(CountModel(runs_of(rows[one], plain=seconds[one]), TAINTS)) for one in parts]
    made = with_intervals(model, others)
    table = made.regions["two:bar"].terms
    row = written(table).index("A [off -> on] × C [off -> on]")
    assert abs(table.coefficients[row] - 30 * PER_COUNT) <= table.margins[row]
    assert 0 < table.standard_errors[row] < 30 * PER_COUNT * 0.2
    whole = made.whole
    assert whole.predict(EVERY) == pytest.approx(model.predict(EVERY))
    assert whole.relative_to(EVERY[-1]).predict(EVERY) == pytest.approx(model.predict(EVERY))
    untold = with_intervals(model, ()).whole.terms
    assert np.isnan(untold.margins[untold.coefficients != 0]).all()


def test_counts_without_times_make_no_seconds() -> None:
    """And say what to do."""
    with pytest.raises(InfluenceError, match="measure them without counters too"):
        hybrid_model(CountModel(runs_of(some(8)), TAINTS))

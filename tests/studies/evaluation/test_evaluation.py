"""Evaluations on a program whose counts and times are known."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import ElasticNetCV

from analytics.configurations.partitions import Partition
from analytics.influence.errors import InfluenceError
from studies.evaluation.budgets import (
    BudgetRow,
    PairedComparison,
    evaluate_methods,
    paired_comparisons,
    split_program,
)
from studies.evaluation.measured import MeasuredProgram
from studies.evaluation.methods import DESIGNED, HYBRIDS, METHODS
from studies.evaluation.soundness import soundness
from studies.learners.registry import LEARNERS
from studies.learners.trees import Trees
from tests.analytics.influence.hybrid.programs import EVERY, PROGRAM, SPACE, TAINTS, counts_of, runs_of

Rows = tuple[BudgetRow, ...]
Comparisons = tuple[PairedComparison, ...]
BUDGETS = (8, 16)
SINGLES = np.flatnonzero(EVERY.sum(axis=1) == 1)
COVER = np.flatnonzero((EVERY[:, 3:] == 0).all(axis=1))


def measured(*, traced: float = 0.5) -> MeasuredProgram:
    """All 64 configurations; a plain run costs 1 s, a counting one 1.2 s, a profiled one 1.5 s, tracing `traced` s."""
    runs = runs_of(EVERY)
    seconds = 0.05 + 1e-3 * runs.counts.sum(axis=1)
    by_region = 1e-3 * runs.by_region().T
    return MeasuredProgram(
        space=SPACE,
        configurations=EVERY,
        counts=runs.counts,
        regions=runs.regions,
        plain=np.stack([seconds, seconds], axis=1),
        counted=seconds + 1e-5 * runs.counts.sum(axis=1),
        random=np.arange(64),
        designs={"feature-wise": SINGLES, "pair-wise": np.flatnonzero(EVERY.sum(axis=1) <= 2)},
        cover=COVER,
        profiled_regions=("program", *runs.names),
        profiled=np.repeat(np.vstack([np.full((1, 64), 0.05), by_region])[:, COVER, np.newaxis], 2, axis=2),
        plain_costs=np.ones(64),
        counted_costs=np.full(64, 1.2),
        profiled_costs=np.full(8, 1.5),
        analysis_cost=8 * traced,
        candidates=TAINTS,
        partitions={
            "one:main": Partition.exhaustive(SPACE, "A"),
            "one:foo": Partition.exhaustive(SPACE, "AB"),
            "two:bar": Partition.exhaustive(SPACE, "ABC"),
        },
    )


@pytest.fixture(scope="module", autouse=True)
def five_of_each() -> Iterator[None]:
    """Trees and penalties, in place of a hundred: rows are looked at here, the errors of learners in their own tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LEARNERS, "random-forest", Trees(count=5))
        patch.setattr(RandomForestClassifier.__init__, "__defaults__", (5,))
        patch.setitem(GradientBoostingRegressor.__init__.__kwdefaults__, "n_estimators", 5)
        patch.setitem(ElasticNetCV.__init__.__kwdefaults__, "alphas", 5)
        yield


@pytest.fixture(scope="module")
def evaluation() -> Rows:
    """One evaluation for all tests."""
    return evaluate_methods(measured(), BUDGETS, seeds=3, test=12)


@pytest.fixture(scope="module")
def comparisons(evaluation: Rows) -> Comparisons:
    """Its hybrids held against all other methods."""
    return paired_comparisons(evaluation)


def row_of(evaluation: Rows, *wanted: object) -> BudgetRow:
    (found,) = (
        row for row in evaluation if (row.target, row.equal, row.budget, row.method, row.sampling) == wanted
    )
    return found


def test_every_method_has_a_row_at_every_budget(evaluation: Rows) -> None:
    """Designs once, all others per budget by configurations and by two kinds of machine time."""
    assert len(evaluation) == 2 * (len(DESIGNED) + 3 * 2 * len(METHODS))
    assert measured().analysis_cost == 4.0


def test_nobody_learns_from_what_is_tested() -> None:
    """Tests are of no design and no cover; what is left to learn from is all the rest."""
    asked = {*SINGLES, *np.flatnonzero(EVERY.sum(axis=1) <= 2), *COVER}
    for split in split_program(measured(), BUDGETS, seeds=3, test=12):
        assert len(split.test) == 12
        assert not set(split.test) & ({*split.order} | asked)
        assert len(split.order) == 52


def test_the_composed_model_on_its_cover_is_exact(evaluation: Rows) -> None:
    """All 8 subspaces were seen, counts have no noise and profiles none here."""
    for target in ("counts", "time"):
        row = row_of(evaluation, target, "configurations", 8, "composed", "cover")
        assert row.errors == pytest.approx((0, 0, 0), abs=1e-9)
        assert (row.configurations, row.unpredicted) == (8, 0)


def test_a_cover_that_was_not_finished_says_nothing_of_some_and_guesses_when_filled() -> None:
    """4 of 8 subspaces: half of the test configurations are not predicted, and the filled model is wrong on them."""
    found = evaluate_methods(measured(), (4,), seeds=1, test=12)
    published = row_of(found, "counts", "configurations", 4, "composed", "cover")
    filled = row_of(found, "counts", "configurations", 4, "composed, filled", "cover")
    assert 0.2 < published.unpredicted < 0.8
    assert filled.unpredicted == 0
    assert (filled.mean or 0) > 5 > (published.mean or 0)
    assert not any(one.other.startswith("composed (") for one in paired_comparisons(found))


def test_costs_hold_repetitions_counting_and_tracing(evaluation: Rows) -> None:
    """8 configurations: 16 s of plain runs; 8 plain and 8 counting runs and 4 s of tracing for the hybrid."""
    assert row_of(evaluation, "time", "configurations", 8, "linear", "random").seconds == 16
    assert row_of(evaluation, "counts", "configurations", 8, "linear", "random").seconds == pytest.approx(9.6)
    assert row_of(
        evaluation, "time", "configurations", 8, "hybrid", "random and cover"
    ).seconds == pytest.approx(8 + 9.6 + 4)
    untraced = row_of(evaluation, "time", "configurations", 8, "hybrid, all options", "random")
    assert untraced.seconds == pytest.approx(17.6)
    assert (
        row_of(evaluation, "time", "configurations", 8, "composed", "cover").seconds == 8 * 0.5 + 2 * 8 * 1.5
    )


def test_runs_that_refine_the_taints_are_charged_to_whoever_uses_the_analysis() -> None:
    """3 s of counting runs: to the traced hybrid and to the composed model; not to one without tracing or a black box."""
    plain = measured()
    refined = replace(plain, analysis_cost=plain.analysis_cost + 3.0)
    more = {
        (method.name, method.sampling): method.cost(refined, "time", COVER)
        - method.cost(plain, "time", COVER)
        for method in METHODS
    }
    charged = {one for one, seconds in more.items() if seconds}
    assert charged == {
        ("composed", "cover"),
        ("composed, filled", "cover"),
        ("hybrid", "random and cover"),
        ("hybrid, all options", "random and cover"),
    }
    assert {more[one] for one in charged} == {3.0}


def test_equal_minutes_are_spent_and_not_more(evaluation: Rows) -> None:
    """What the hybrid costs at 8, 21.6 s, buys 10 configurations of two plain runs."""
    row = row_of(evaluation, "time", "minutes", 8, "linear", "random")
    assert (row.configurations, row.seconds) == (10, 20)
    for one in evaluation:
        if one.equal == "minutes" and one.errors:
            reference = row_of(
                evaluation, one.target, "configurations", one.budget, "hybrid", "random and cover"
            )
            assert one.seconds <= reference.seconds + 1e-9


def test_what_cannot_pay_for_two_configurations_says_so() -> None:
    """Tracing of 100 s each: at the cost of an untraced hybrid nothing is left for the traced one."""
    found = evaluate_methods(measured(traced=100.0), (8,), seeds=1, test=12)
    row = row_of(found, "counts", "minutes without tracing", 8, "hybrid", "random and cover")
    assert (row.errors, row.reason) == ((), "pays for 0 configurations")
    assert row_of(found, "counts", "minutes", 8, "linear", "random").used_up


def test_paired_comparisons_pair_the_seeds(comparisons: Comparisons) -> None:
    """The hybrid is exact on these counts from 16 configurations on, which no tree is: it wins all three seeds."""
    one = next(
        one
        for one in comparisons
        if (one.target, one.equal, one.budget, one.hybrid, one.other)
        == ("counts", "configurations", 16, "hybrid (random and cover)", "tree (random)")
    )
    assert (one.won, one.lost) == (3, 0)
    assert one.difference < 0
    assert one.p_value == 0.25  # the smallest that three seeds can give


def test_the_same_seed_gives_the_same_rows(evaluation: Rows) -> None:
    """Whatever other budgets there are."""
    again = evaluate_methods(measured(), BUDGETS[:1], seeds=3, test=12)
    assert again == tuple(row for row in evaluation if row.budget in (0, BUDGETS[0]))


def test_without_plain_runs_there_are_counts_alone() -> None:
    """No row of time, and no error."""
    counted = replace(measured(), plain=np.zeros((64, 0)))
    found = evaluate_methods(counted, (8,), seeds=1, test=8)
    assert {row.target for row in found} == {"counts"}


def test_too_little_is_refused() -> None:
    """With the numbers that do not fit; and one plain run, which a hybrid would have none left of."""
    with pytest.raises(InfluenceError, match="60 to test"):
        evaluate_methods(measured(), BUDGETS, seeds=3, test=60)
    with pytest.raises(InfluenceError, match="larger workload"):
        replace(measured(), plain=np.zeros((64, 2)))
    with pytest.raises(InfluenceError, match="a hybrid needs two"):
        replace(measured(), plain=np.ones((64, 1)))


def test_progress_is_told_and_may_end_it() -> None:
    """What the report raises comes through."""

    def stop(_share: float, _words: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_methods(measured(), BUDGETS, seeds=3, test=12, report=stop)


def test_only_hybrids_are_held_against_others(comparisons: Comparisons) -> None:
    """Never with each other."""
    names = {method.name for method in HYBRIDS}
    assert {one.other.partition(" (")[0] for one in comparisons}.isdisjoint(names)


def test_brute_force_tells_recall_spurious_options_and_unsound_statements() -> None:
    """Bar's statement is claimed for A and F, and truly depends on A and C: one of three true pairs is missed."""
    counts = counts_of(PROGRAM, EVERY)
    found, unsound = soundness(
        EVERY,
        {"main": counts[:, [0, 1]], "bar": counts[:, [3]], "constant": counts[:, [0]]},
        {"main": frozenset({0}), "bar": frozenset({0, 5}), "constant": frozenset()},
        frozenset(range(6)),
    )
    assert (found.true, found.missed, found.spurious) == (3, 1, 1)
    assert found.recall == pytest.approx(2 / 3)
    assert unsound == {"bar": {2}}
    assert found.unsound_share == pytest.approx(1 / 3)


def test_options_that_did_not_vary_are_not_judged() -> None:
    """C stands at its reference: neither missed nor spurious."""
    rows = EVERY[EVERY[:, 2] == 0]
    found, _ = soundness(
        rows, {"bar": counts_of(PROGRAM, rows)[:, [3]]}, {"bar": frozenset({0, 2})}, frozenset({0, 1})
    )
    assert (found.true, found.missed, found.spurious) == (1, 0, 0)
    assert soundness(rows, {}, {}, frozenset())[0].recall == 1

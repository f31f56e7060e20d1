"""Approaches side by side, on systems whose truth is known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.evaluation import ApproachRow, ApproachSettings
from analytics.influence.accuracy import OverheadCorrection, accuracy
from analytics.influence.design import terms_up_to
from analytics.influence.errors import InfluenceError
from analytics.influence.linear import learn
from analytics.influence.located import LocatedModel
from analytics.influence.models import fit
from analytics.influence.times import FloatArray
from studies.evaluation import splits
from studies.evaluation.approaches import evaluate_approaches
from studies.evaluation.measured_systems import GivenModel, MeasuredSystem
from studies.learners.registry import LEARNERS
from tests.analytics.comprex import read_system

SPACE = OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(8)))
QUICK = ApproachSettings(
    samplings=("feature-wise",), sizes=(20,), learners=("linear", "cart"), seeds=3, test=50
)


def seconds_of(configurations: IntArray) -> FloatArray:
    """Two options and their interaction, exactly."""
    first, second = configurations[:, 0], configurations[:, 1]
    values: FloatArray = 10.0 + 5 * first + 3 * second + 20 * first * second
    return values


def system_of(configurations: IntArray) -> MeasuredSystem:
    """These configurations, each measured twice."""
    values = seconds_of(configurations)
    executions = np.full(len(values), 2)
    return MeasuredSystem(
        ValidConfigurations.unconstrained(SPACE), configurations, values, executions, values
    )


EVERYTHING = system_of(ValidConfigurations.unconstrained(SPACE).enumerate(256))


def row(rows: Sequence[ApproachRow], sampling: str, learner: str) -> ApproachRow:
    """The row of an approach."""
    (found,) = [one for one in rows if (one.sampling, one.learner) == (sampling, learner)]
    return found


def test_a_row_tells_error_size_and_cost_of_an_approach() -> None:
    found = evaluate_approaches(EVERYTHING, QUICK)
    assert (found.measured, found.valid, found.test, found.testable, found.seeds) == (256, 256, 50, 248, 3)
    alone = row(found.rows, "feature-wise", "linear")
    # Eight configurations; two of them take 15 and 13 seconds, six take 10; each ran twice.
    assert (alone.wanted, alone.missing, alone.configurations, alone.executions) == (8, 0, 8, 16)
    assert alone.seconds_once == 15 + 13 + 6 * 10
    assert alone.machine_seconds == 2 * (15 + 13 + 6 * 10)
    assert len(alone.errors) == 3
    assert alone.error == pytest.approx(sorted(alone.errors)[1])
    # 1 % of the median of 10, 13, 15 and 38 seconds.
    assert list(found.thresholds) == pytest.approx([0.14])
    assert [count for _, count in alone.terms] == [9]
    tree = row(found.rows, "random-20", "cart")
    assert tree.terms == ()
    assert (tree.interpretable, tree.local) == (False, False)


def test_a_learner_that_can_tell_the_truth_has_no_error_and_another_has() -> None:
    found = evaluate_approaches(EVERYTHING, replace(QUICK, sizes=(100,), learners=("linear", "stepwise")))
    assert row(found.rows, "random-100", "stepwise").error == pytest.approx(0, abs=1e-6)
    linear = row(found.rows, "random-100", "linear")
    assert (linear.error or 0) > 5
    # Who tells the truth recommends the best configuration, and orders all but equal ones; the other orders less well.
    right = row(found.rows, "random-100", "stepwise")
    assert right.regret == pytest.approx(0, abs=1e-6)
    assert 0.95 < (right.rank_correlation or 0) <= 1
    assert (linear.rank_correlation or 0) < (right.rank_correlation or 0)
    assert len(linear.regrets) == len(linear.errors)


def test_no_approach_trains_on_what_it_is_tested_on(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[set[bytes]] = []
    tested: list[set[bytes]] = []

    @dataclass(frozen=True)
    class Spy:
        """Remembers what it is given."""

        def fit(self, configurations: IntArray, *_: Any) -> "Spy":
            """Remember the training set."""
            trained.append({one.tobytes() for one in configurations})
            return self

        def predict(self, configurations: IntArray) -> FloatArray:
            """Remember the test set."""
            tested.append({one.tobytes() for one in configurations})
            return np.ones(len(configurations))

    monkeypatch.setattr(splits, "LEARNERS", {**LEARNERS, "cart": Spy()})
    settings = replace(
        QUICK,
        samplings=("pair-wise", "t-wise-2", "distance-20", "exhaustive"),
        sizes=(20, 100),
        learners=("cart",),
    )
    evaluate_approaches(EVERYTHING, settings)
    assert len(trained) == 6 * 3
    assert all(not train & test for train, test in zip(trained, tested, strict=True))
    assert {len(train) for train in trained[-3:]} == {206}
    # All approaches of a seed are tested on the same, and seeds on different sets.
    assert len({frozenset(test) for test in tested}) == 3


def test_sizes_that_nobody_asked_for_fit_what_is_left() -> None:
    """50 and 200, or half of what is left where neither fits."""
    usual = replace(QUICK, sizes=None, samplings=())
    assert {one.sampling for one in evaluate_approaches(EVERYTHING, usual).rows} == {
        "random-50",
        "random-200",
    }
    few = system_of(ValidConfigurations.unconstrained(SPACE).enumerate(256)[:80])
    assert {one.sampling for one in evaluate_approaches(few, usual).rows} == {"random-15"}


def test_samples_by_distance_have_the_sizes_of_random_ones_and_another_draw_for_each_seed() -> None:
    settings = replace(QUICK, samplings=("distance", "diversified-distance", "distance-30"), sizes=(10, 20))
    found = evaluate_approaches(EVERYTHING, replace(settings, learners=("linear",))).rows
    assert [one.sampling for one in found] == [
        *("random-10", "random-20", "distance-10", "distance-20"),
        *("diversified-distance-10", "diversified-distance-20", "distance-30"),
    ]
    for one in found:
        assert one.configurations == one.wanted == int(one.sampling.rpartition("-")[2])
        assert len(set(one.errors)) == 3


def test_a_plackett_burman_design_is_charged_with_its_configurations() -> None:
    """8 options need 12 rows; the first is the reference."""
    design = row(
        evaluate_approaches(EVERYTHING, replace(QUICK, samplings=("plackett-burman",))).rows,
        "plackett-burman",
        "linear",
    )
    assert (design.wanted, design.missing, design.executions) == (12, 0, 24)
    # Linear effects and an interaction, each balanced over the rows: 3 with both options on, 3 with each alone.
    assert design.seconds_once == 12 * 10 + 6 * 5 + 6 * 3 + 3 * 20


def test_the_same_seeds_give_the_same_rows() -> None:
    quick = replace(QUICK, samplings=("feature-wise", "distance", "diversified-distance"))
    one, other = evaluate_approaches(EVERYTHING, quick), evaluate_approaches(EVERYTHING, quick)
    assert [row.errors for row in one.rows] == [row.errors for row in other.rows]


def test_a_sampling_whose_configurations_were_never_measured_gets_no_error() -> None:
    some = system_of(ValidConfigurations.unconstrained(SPACE).enumerate(256)[100:])
    found = evaluate_approaches(some, replace(QUICK, sizes=(20, 120)))
    alone = row(found.rows, "feature-wise", "")
    assert (alone.wanted, alone.missing, alone.errors) == (8, 7, ())
    assert alone.reason == "7 of its 8 configurations were never measured"
    assert row(found.rows, "random-20", "linear").errors
    assert row(found.rows, "random-120", "").reason == (
        "120 configurations are asked for, 106 are left beside the test set"
    )


def test_a_sampling_that_lacks_one_in_ten_is_taken_with_the_number_of_those_missing() -> None:
    every = ValidConfigurations.unconstrained(SPACE).enumerate(256)
    found = evaluate_approaches(
        system_of(np.delete(every, 3, axis=0)), replace(QUICK, samplings=("pair-wise",))
    )
    pairs = row(found.rows, "pair-wise", "linear")
    assert (pairs.wanted, pairs.missing, pairs.configurations, len(pairs.errors)) == (37, 1, 36, 3)


def test_a_sampling_that_leaves_too_few_to_test_on_gets_no_error() -> None:
    """Of two samplings the second one."""
    settings = replace(QUICK, samplings=("feature-wise", "pair-wise"), test=220)
    found = evaluate_approaches(EVERYTHING, settings)
    assert found.testable == 248
    assert row(found.rows, "feature-wise", "linear").errors
    assert row(found.rows, "pair-wise", "").reason == (
        "it asks for 37 of 256 measured configurations, which leaves 219 for test sets of 220"
    )


def test_progress_is_told_and_may_end_the_evaluation() -> None:
    told: list[float] = []

    def stop(share: float, _words: str) -> None:
        told.append(share)
        if share > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_approaches(EVERYTHING, QUICK, report=stop)
    assert told == [0, 0.25, 0.5]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"test": 2}, "at least 5 to test on"),
        ({"test": 256}, "some more to learn from"),
        ({"seeds": 0}, "one seed"),
    ],
)
def test_an_evaluation_that_cannot_be_is_refused_with_numbers(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InfluenceError, match=words):
        evaluate_approaches(EVERYTHING, replace(QUICK, **change))


def test_unknown_names_and_values_of_zero_are_refused() -> None:
    with pytest.raises(ConfigurationError):
        evaluate_approaches(EVERYTHING, replace(QUICK, samplings=("guessed",)))
    with pytest.raises(InfluenceError):
        evaluate_approaches(EVERYTHING, replace(QUICK, learners=("guessed",)))
    with pytest.raises(InfluenceError, match=r"configuration 1 has the value 0\.0"):
        replace(EVERYTHING, values=np.where(np.arange(256) == 1, 0.0, 1.0))


def test_a_composed_model_stands_beside_the_others_on_the_same_test_sets(reference_data: Path) -> None:
    """Velez et al., ICSE 2021, Table III: Lucene 8.0 % as profiled, 3.2 % corrected, forest on 200 random ones 0.3 %."""
    published = read_system(reference_data / "comprex" / "lucene")
    model = fit(published.times)
    system = MeasuredSystem(
        ValidConfigurations.unconstrained(published.times.space),
        published.configurations,
        published.truth,
        np.full(len(published.truth), 5),
        published.truth,
    )
    drawn = tuple(one for one in published.corrections if one.name.startswith("random"))
    given = [
        GivenModel("profiled", name, model, published.times.configurations, 130, None, 1.0, corrections)
        for name, corrections in (("composed", ()), ("composed, corrected", drawn))
    ]
    settings = ApproachSettings(sizes=(50, 200), learners=("random-forest", "stepwise"), seeds=3)
    found = evaluate_approaches(system, settings, given)
    original, corrected = found.rows[-2:]
    whole = accuracy(model, published.configurations, published.truth, published.corrections)
    assert original.error == pytest.approx(whole.quality.error, rel=0.05)
    assert corrected.mean == pytest.approx(whole.mape_corrected_mean, rel=0.05)
    assert len(corrected.errors) == 3 * len(drawn)
    assert original.local
    assert original.configurations == 26
    # Table II: 26.7 minutes for 50 random configurations, each once.
    assert row(found.rows, "random-50", "stepwise").seconds_once == pytest.approx(26.7 * 60, rel=0.02)
    assert (row(found.rows, "random-200", "random-forest").error or 9) < 0.6
    assert (row(found.rows, "random-200", "stepwise").error or 0) > 1
    # The appendix of the same paper: 7.9 % stepwise, from the same 17 configurations.
    assert 5 < (row(found.rows, "feature-wise", "stepwise").error or 0) < 15
    assert row(found.rows, "pair-wise", "").reason == "39 of its 154 configurations were never measured"


def test_options_that_never_varied_are_held_at_their_level() -> None:
    """Of eight options two stand still, one of them away from its reference."""
    every = ValidConfigurations.unconstrained(SPACE).enumerate(256)
    still = system_of(every[(every[:, 6] == 0) & (every[:, 7] == 1)])
    found = evaluate_approaches(still, replace(QUICK, samplings=("feature-wise", "pair-wise"), test=20))
    assert found.fixed == (("o6", "off"), ("o7", "on"))
    assert (found.measured, found.valid) == (64, 64)
    alone = row(found.rows, "feature-wise", "linear")
    assert (alone.wanted, alone.missing, alone.configurations, len(alone.errors)) == (6, 0, 6, 3)
    assert row(found.rows, "pair-wise", "linear").wanted == 1 + 6 + 15
    assert evaluate_approaches(EVERYTHING, QUICK).fixed == ()


def test_a_model_made_of_everything_is_marked_as_tested_on_what_it_was_made_from() -> None:
    model = fit_everything()
    given = GivenModel(
        "all", "composed", model, EVERYTHING.configurations, 256, None, 0.1, (OverheadCorrection("c", 0, 1),)
    )
    last = evaluate_approaches(EVERYTHING, QUICK, [given]).rows[-1]
    assert last.seen
    assert len(last.errors) == 3
    assert not last.reason
    assert not any(one.seen for one in evaluate_approaches(EVERYTHING, QUICK).rows)


def fit_everything() -> LocatedModel:
    """A model of every configuration, with all terms of at most two options."""
    return LocatedModel(learn(SPACE, terms_up_to(SPACE, 2), EVERYTHING.configurations, EVERYTHING.values), {})

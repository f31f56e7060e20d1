"""Cost that moved while the sum around it stayed is no finding; what made the sum larger is one."""

import numpy as np
import pytest

from analytics.findings import CostDomain, Finding, cost_domains, find_moves, list_findings
from tests.analytics.findings.changes import change

AT = 60


def domain(levels: list[float], steps: list[float], *, noise: float = 0.02, seed: int = 1) -> CostDomain:
    """Series of 120 revisions with these levels; from `AT` on each costs more by its step."""
    rng = np.random.default_rng(seed)
    after = np.arange(120) >= AT
    level = np.array(levels)[:, None] + np.array(steps)[:, None] * after
    costs = np.asarray(level * (1.0 + noise * rng.normal(size=level.shape)))
    return CostDomain("module a", tuple(range(1, len(levels) + 1)), np.arange(120), costs)


def found(domains: list[CostDomain], *relatives: float) -> list[Finding]:
    """The findings where the first series changed at `AT` by these shares."""
    changes = [change(at, (AT - 1, AT), relative) for at, relative in enumerate(relatives, 1)]
    return list(list_findings(changes, find_moves(changes, domains)))


def test_what_one_series_lost_and_another_got_is_a_cost_shift() -> None:
    (one,) = found([domain([10.0, 10.0, 30.0], [2.0, -2.0, 0.0])], 0.2, -0.2)
    assert one.verdict == "cost shift"
    assert one.move is not None
    assert (one.move.domain, one.move.sources, one.move.targets) == ("module a", (2,), (1,))
    assert one.move.share == pytest.approx(0.04, abs=0.005)
    assert abs(one.move.left) <= 2 * one.move.error
    assert {change.series for change in one.changes} == {1, 2}


def test_what_many_gave_a_little_of_is_a_cost_shift() -> None:
    """None of them shows it by itself."""
    (one,) = found([domain([10.0, *[2.0] * 10], [1.5, *[-0.15] * 10], noise=0.06)], 0.15)
    assert one.verdict == "cost shift"


def test_what_two_gave_to_one_is_a_cost_shift_of_all_three() -> None:
    (one,) = found([domain([10.0, 10.0, 10.0], [4.0, -2.0, -2.0])], 0.4, -0.2, -0.2)
    assert one.move is not None
    assert (set(one.move.sources), one.move.targets) == ({2, 3}, (1,))
    assert len(one.changes) == 3


@pytest.mark.parametrize("steps", [[2.0, 0.0, 0.0], [2.0, -1.0, 0.0], [2.0, 2.0, 0.0], [1.0, -2.0, 0.0]])
def test_what_moved_the_sum_is_told(steps: list[float]) -> None:
    relatives = [step / 10.0 for step in steps if step]
    assert {one.verdict.value for one in found([domain([10.0, 10.0, 10.0], steps)], *relatives)} == {"told"}


def test_a_series_that_is_new_took_over_from_another() -> None:
    """It has no history before, so nothing is told of it; what the other lost is no improvement all the same."""
    taken = domain([10.0, 0.0, 10.0], [-3.0, 3.0, 0.0])
    (one,) = found([taken], -0.3)
    assert one.move is not None
    assert (one.verdict, one.move.targets) == ("cost shift", (2,))


def test_a_sum_that_stayed_as_a_share_of_the_whole_stayed() -> None:
    """The machine became slower where cost moved: every sum grew, and no share did."""
    moved = domain([10.0, 10.0], [2.0, -2.0])
    slower = 1.0 + 0.3 * (np.arange(120) >= AT)
    whole = np.multiply(100.0, slower, dtype=np.float64)
    costs = moved.costs * slower
    alone = CostDomain("module a", (1, 2), moved.positions, costs)
    assert {one.verdict.value for one in found([alone], 0.56)} == {"told"}
    shared = CostDomain("module a", (1, 2), moved.positions, costs, whole)
    assert {one.verdict.value for one in found([shared], 0.56)} == {"cost shift"}


def test_a_regression_is_no_shift_because_it_leaves_others_a_smaller_share() -> None:
    slower = domain([10.0, 10.0], [3.0, 0.0])
    whole = np.asarray(slower.costs.sum(axis=0) + 25.0, dtype=np.float64)
    (one,) = found([CostDomain("module a", (1, 2), slower.positions, slower.costs, whole)], 0.3)
    assert one.verdict == "told"


def test_few_regressions_beside_noise_pass_for_shifts() -> None:
    """Of 200 regressions of 5 % among 20 series at most one, and nine of ten are told."""
    verdicts = []
    for seed in range(200):
        some = domain([10.0] * 20, [0.5] + [0.0] * 19, noise=0.02, seed=seed)
        verdicts.append(found([some], 0.05)[0].verdict.value)
    assert verdicts.count("cost shift") <= 1
    assert verdicts.count("told") >= 180


def test_nearly_all_moves_are_recognised() -> None:
    """Of 200 moves of 5 % between two of 20 series at least 95 %."""
    shifts = 0
    for seed in range(200):
        some = domain([10.0] * 20, [0.5, -0.5] + [0.0] * 18, noise=0.02, seed=seed)
        shifts += found([some], 0.05)[0].verdict == "cost shift"
    assert shifts >= 190


def test_domains_are_the_classes_modules_and_packages_of_several_regions_and_the_program() -> None:
    keys = ["a.b:C.m", "a.b:C.n", "a.b:f", "a.d:g", "x:h"]
    found = list(cost_domains(keys, [1, 2, 3, 4, 5], np.arange(3), np.ones((5, 3))))
    assert [(one.name, one.series) for one in found] == [
        ("the class a.b:C", (1, 2)),
        ("the module a.b", (1, 2, 3)),
        ("the package a", (1, 2, 3, 4)),
        ("the program", (1, 2, 3, 4, 5)),
    ]
    assert [None if one.whole is None else one.whole[0] for one in found] == [5.0, 5.0, 5.0, None]


def test_a_caller_with_what_it_calls_is_a_domain_across_modules() -> None:
    keys = ["a.b:f", "a.c:g", "a.d:h", "x:i"]
    called = {"a.b:f": {"a.c:g", "a.d:h", "not.measured:j"}, "x:i": {"elsewhere:k"}}
    found = list(cost_domains(keys, [1, 2, 3, 4], np.arange(3), np.ones((4, 3)), called))
    assert [(one.name, one.series) for one in found] == [
        ("a.b:f with what it calls", (1, 2, 3)),
        ("the program", (1, 2, 3, 4)),
    ]


def test_cost_that_moved_between_what_one_function_calls_moved_within_that_function() -> None:
    """Their modules hold nothing else, and the noise of the whole program hides that it stayed."""
    moved = domain([10.0, 10.0, 10.0], [0.0, 2.0, -2.0])
    noise = domain([100.0] * 60, [0.0] * 60, noise=0.2, seed=5)
    keys = ["a:f", "b:g", "c:h", *(f"m{at}:f" for at in range(60))]
    costs = np.vstack([moved.costs, noise.costs])
    numbers = list(range(63))
    for called, verdict in (({}, "told"), ({"a:f": ["b:g", "c:h"]}, "cost shift")):
        changes = [change(1, (AT - 1, AT), 0.2)]
        domains = list(cost_domains(keys, numbers, moved.positions, costs, called))
        (one,) = list_findings(changes, find_moves(changes, domains))
        assert one.verdict == verdict


def test_what_others_are_too_noisy_to_tell_is_a_possible_move_and_not_told() -> None:
    """One of them scatters by as much as what moved, whether it did take part or not."""
    rng = np.random.default_rng(8)
    calm = domain([10.0, 10.0, 10.0], [0.5, 0.0, 0.0])
    noisy = 10.0 * (1.0 + 0.3 * rng.normal(size=(1, 120)))
    unsure = CostDomain("module a", (1, 2, 3, 4), calm.positions, np.vstack([calm.costs, noisy]))
    (one,) = found([unsure], 0.05)
    assert one.verdict == "possible move"
    assert one.possible is not None
    assert (one.possible.domain, one.possible.partners[0]) == ("module a", 4)
    assert 0.1 < one.possible.probability < 0.5
    (told,) = found([calm], 0.05)
    assert (told.verdict, told.possible) == ("told", None)


def test_a_candidate_is_no_possible_move() -> None:
    noisy = domain([10.0] * 4, [0.5, 0.0, 0.0, 0.0], noise=0.3)
    changes = [change(1, (AT - 1, AT), 0.05, is_candidate=True)]
    assert find_moves(changes, [noisy]).possible == {}
    assert [one.verdict for one in list_findings(changes)] == ["candidate"]

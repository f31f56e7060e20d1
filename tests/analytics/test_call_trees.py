"""Call trees sum up, and their differences have the intervals of Welch's test."""

import pytest
from scipy import stats

from analytics.call_paths import CallPaths
from analytics.call_trees import WHOLE, below, call_tree


def _run(walk: float, read: float, rest: float = 1.0) -> tuple[CallPaths, float]:
    return CallPaths.folded({("main", "walk"): walk, ("main", "walk", "read"): read, ("main",): 2.0}), rest


def test_a_frame_takes_its_own_time_and_that_of_all_that_it_calls() -> None:
    nodes = call_tree([[_run(3.0, 4.0), _run(5.0, 6.0)]])
    shown = [(node.region, node.depth, node.times, node.own, node.difference) for node in nodes]
    assert shown == [
        (WHOLE, 0, (12.0,), (1.0,), None),
        ("main", 1, (11.0,), (2.0,), None),
        ("walk", 2, (9.0,), (4.0,), None),
        ("read", 3, (5.0,), (5.0,), None),
    ]


def test_what_is_cut_is_time_of_the_whole_call() -> None:
    paths = CallPaths(nodes=((-1, "main", 2.0),), cut_seconds=0.5)
    (root, main) = call_tree([[(paths, 1.0)]])
    assert (root.times, root.own, main.times) == ((3.5,), (1.5,), (2.0,))


def test_differences_have_the_interval_of_welch() -> None:
    first, second = [3.0, 3.2, 2.9], [5.0, 5.5, 5.1, 4.7]
    nodes = call_tree([[_run(one, 0.0) for one in first], [_run(one, 0.0) for one in second]])
    walk = next(node for node in nodes if node.region == "walk")
    expected = stats.ttest_ind(second, first, equal_var=False).confidence_interval(0.95)
    assert walk.difference is not None
    assert (walk.difference.low, walk.difference.high) == pytest.approx((expected.low, expected.high))


def test_what_a_short_call_does_after_the_last_look_widens_what_is_said_of_its_paths() -> None:
    """Calls of 1.7 and 1.2 ms are both seen once, at 1 ms: nothing says that the function in them takes as long."""
    seen = CallPaths.folded({("pack",): 0.001})
    whole, pack = call_tree([[(seen, 0.0007)] * 3, [(seen, 0.0002)] * 3])
    assert whole.difference is not None
    assert pack.difference is not None
    assert (whole.difference.low, whole.difference.high) == pytest.approx((-0.0005, -0.0005))
    assert (pack.difference.low, pack.difference.high) == pytest.approx((-0.0005, 0.0005))
    # Of a long call, where the function in question takes little of it, hardly anything is left to say.
    long = CallPaths.folded({("pack",): 0.001, ("other",): 0.099})
    pack = call_tree([[(long, 0.0007)] * 3, [(long, 0.0002)] * 3])[-1]
    assert pack.difference is not None
    assert pack.region == "pack"
    assert pack.difference.high == pytest.approx(0.0005 / 99)


def test_what_never_varies_has_no_doubt_and_one_run_no_interval() -> None:
    same = call_tree([[_run(3.0, 4.0)] * 2, [_run(3.0, 4.0)] * 2])
    assert all(node.difference and (node.difference.value, node.difference.margin) == (0, 0) for node in same)
    single = call_tree([[_run(3.0, 4.0)], [_run(4.0, 4.0)] * 2])
    assert all(node.difference and node.difference.margin is None for node in single)


def test_a_path_of_one_side_alone_is_half_as_wide_as_it_takes() -> None:
    other = CallPaths.folded({("main", "parse"): 3.0, ("main",): 2.0})
    nodes = call_tree([[_run(3.0, 4.0)], [(other, 1.0)]])
    parse = next(node for node in nodes if node.region == "parse")
    assert (parse.times, parse.only_in, parse.width) == ((0.0, 3.0), 1, 1.5)
    assert [node.region for node in nodes if node.only_in == 0] == ["walk", "read"]
    assert nodes[0].width == pytest.approx(sum(sum(node.own) / 2 for node in nodes))


def test_below_a_frame_stand_its_callers_and_all_that_it_calls() -> None:
    nodes = call_tree([[(CallPaths.folded({("a", "b", "c"): 1.0, ("a", "d"): 2.0}), 0.0)]])
    (wanted,) = [at for at, node in enumerate(nodes) if node.region == "b"]
    assert {nodes[at].region for at in below(nodes, [wanted])} == {WHOLE, "a", "b", "c"}

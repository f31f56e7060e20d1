"""Call paths are a tree: callers first, nothing twice, no time lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from analytics.call_paths import MOST_NODES, CallPaths

STACKS = st.dictionaries(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(tuple), st.floats(0, 10), max_size=20
)


@given(STACKS)
def test_folding_keeps_the_time_of_every_region(seconds: dict[tuple[str, ...], float]) -> None:
    paths = CallPaths.folded(seconds)
    for region in "abcd":
        expected = sum(took for stack, took in seconds.items() if stack[-1] == region)
        held = sum(took for _, key, took in paths.nodes if key == region)
        assert held == pytest.approx(expected)
    assert paths.cut_seconds == 0
    assert CallPaths.model_validate_json(paths.model_dump_json()) == paths


def test_a_region_that_calls_itself_is_one_node() -> None:
    paths = CallPaths.folded({("main", "walk", "walk"): 1.0, ("main", "walk", "walk", "walk", "read"): 2.0})
    assert paths.nodes == ((-1, "main", 0.0), (0, "walk", 1.0), (1, "read", 2.0))


def test_of_too_many_paths_those_that_took_least_are_cut_and_said() -> None:
    stacks: dict[tuple[str, ...], float] = {
        ("main", f"f{at}"): float(at + 1) for at in range(MOST_NODES + 10)
    }
    paths = CallPaths.folded(stacks)
    assert len(paths.nodes) == MOST_NODES
    assert paths.cut_seconds == sum(range(1, 12))
    assert sum(took for *_, took in paths.nodes) + paths.cut_seconds == sum(stacks.values())


@pytest.mark.parametrize(
    ("nodes", "fault"),
    [
        (((0, "a", 1.0),), "before its caller"),
        (((-1, "a", 1.0), (-1, "a", 2.0)), "repeats 'a'"),
        (((-1, "a", -1.0),), "greater than or equal to 0"),
        (((-1, "", 1.0),), "at least 1"),
        (((-1, "a", float("nan")),), "finite"),
    ],
)
def test_what_is_no_tree_of_times_is_refused(nodes: tuple[tuple[int, str, float], ...], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        CallPaths(nodes=nodes)

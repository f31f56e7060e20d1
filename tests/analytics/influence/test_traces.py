"""Time of a trace by the features under way."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.influence.traces import Features, Span, edges, interaction_times

FEATURES = st.frozensets(st.sampled_from("abc"), max_size=2)
MOMENTS = st.integers(0, 12)


@st.composite
def spans(draw: st.DrawFn) -> list[Span]:
    """Spans of two threads with whole ends: some nested, some interleaved, some of no length."""
    drawn = draw(st.lists(st.tuples(st.integers(0, 1), MOMENTS, MOMENTS, FEATURES), max_size=12))
    return [Span(thread, min(one, other), max(one, other), of) for thread, one, other, of in drawn]


def _times(*given: tuple[float, float, str]) -> dict[str, float]:
    found = interaction_times(edges(Span(0, start, end, frozenset(of)) for start, end, of in given))
    return {"".join(sorted(features)): time for features, time in found.items()}


def test_time_in_nested_regions_belongs_to_the_interaction() -> None:
    assert _times((0, 4, "f"), (1, 3, "b")) == {"f": 2, "bf": 2}


def test_the_order_of_nesting_does_not_matter() -> None:
    assert _times((0, 4, "b"), (1, 3, "f")) == {"b": 2, "bf": 2}


def test_interleaved_regions_interact_while_both_are_open() -> None:
    assert _times((0, 4, "f"), (2, 6, "b")) == {"f": 2, "bf": 2, "b": 2}


def test_a_feature_inside_of_itself_counts_once() -> None:
    assert _times((0, 4, "f"), (1, 3, "f")) == {"f": 4}


def test_time_outside_of_features_belongs_to_the_rest_of_the_program() -> None:
    assert _times((0, 9, ""), (1, 3, "f")) == {"": 7, "f": 2}


def test_time_outside_of_all_regions_is_nowhere() -> None:
    assert _times((0, 1, "f"), (3, 4, "f")) == {"f": 2}


def test_threads_do_not_interact_and_add_up() -> None:
    two = [Span(1, 0, 4, frozenset("f")), Span(2, 1, 3, frozenset("b")), Span(2, 3, 4, frozenset("f"))]
    assert interaction_times(edges(two)) == {frozenset("f"): 5, frozenset("b"): 2}


def _over_grid(given: list[Span]) -> Counter[Features]:
    """Brute force: which features are under way in each whole interval."""
    times: Counter[Features] = Counter()
    for thread in (0, 1):
        for moment in range(12):
            under_way = [
                one for one in given if one.thread == thread and one.start <= moment and one.end > moment
            ]
            if under_way:
                times[frozenset().union(*(one.features for one in under_way))] += 1
    return times


@given(spans())
def test_attribution_agrees_with_brute_force_over_a_grid(drawn: list[Span]) -> None:
    assert interaction_times(edges(drawn)) == _over_grid(drawn)


@given(spans(), st.randoms(use_true_random=False))
def test_the_order_of_spans_in_the_file_does_not_matter(drawn: list[Span], random: object) -> None:
    mixed = list(drawn)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert interaction_times(edges(mixed)) == interaction_times(edges(drawn))


@given(spans())
def test_times_of_all_interactions_add_up_to_the_covered_time(drawn: list[Span]) -> None:
    covered = {(one.thread, moment) for one in drawn for moment in range(int(one.start), int(one.end))}
    assert sum(interaction_times(edges(drawn)).values()) == pytest.approx(len(covered))


@given(spans(), st.floats(0.001, 1000))
def test_scaling_the_clock_scales_the_times(drawn: list[Span], factor: float) -> None:
    scaled = [Span(one.thread, one.start * factor, one.end * factor, one.features) for one in drawn]
    expected = {features: time * factor for features, time in interaction_times(edges(drawn)).items()}
    assert interaction_times(edges(scaled)) == pytest.approx(expected)

"""What is measured next, from the state alone: ends and middle first, checks now and then, limits at the end."""

from dataclasses import replace

import pytest

from analytics.histories.active_sampling import (
    CHECKED,
    SamplingState,
    StopReason,
    StopRule,
    next_measurement,
    usual_rule,
)
from analytics.histories.gaps import SuggestionReason
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings, NoisePolicy

VERSIONS = tuple(range(20))
RULE = usual_rule(len(VERSIONS))


def state(**values: float) -> SamplingState:
    """The state after versions v0, v1, ... were measured with these values."""
    measured = {int(name[1:]): value for name, value in values.items()}
    settings = HistorySettings(noise=NoisePolicy.KNOWN, known_noise=0.001, noise_floor=0.001)
    points = (
        Measurements.of(sorted(measured), [measured[one] for one in sorted(measured)]) if measured else None
    )
    return SamplingState(
        versions=VERSIONS,
        sessions=dict.fromkeys(measured, 1),
        candidates=[one for one in VERSIONS if one not in measured],
        fitted=None if points is None else fit(points, settings),
        per_code=[1] * len(measured),
    )


def chosen(known: SamplingState, rule: StopRule = RULE) -> tuple[int, SuggestionReason]:
    """The version and the reason of a choice."""
    found = next_measurement(known, rule)
    assert not isinstance(found, StopReason)
    return found.position, found.reason


def test_both_ends_and_the_middle_come_first() -> None:
    assert chosen(state()) == (0, SuggestionReason.FIRST)
    assert chosen(state(v0=1.0)) == (19, SuggestionReason.LAST)
    assert chosen(state(v0=1.0, v19=1.0)) == (9, SuggestionReason.MIDDLE)


def test_the_nearest_neighbour_stands_in_for_a_version_that_failed() -> None:
    assert chosen(replace(state(), failed={0, 1})) == (2, SuggestionReason.FIRST)
    assert next_measurement(replace(state(), failed=VERSIONS), RULE) is StopReason.NOTHING_RUNS


def test_then_the_bracket_of_a_step_is_halved() -> None:
    assert chosen(state(v0=1.0, v9=1.0, v19=1.5)) == (14, SuggestionReason.HIDDEN_STEP)


def test_a_check_takes_the_version_with_the_fewest_sessions_and_the_most_revisions() -> None:
    known = replace(state(v0=1.0, v9=1.0, v19=1.0), repeatable={0: 1, 9: 3, 19: 3})
    assert chosen(known) == (9, SuggestionReason.CHECK)
    again = replace(known, sessions={0: 1, 9: 2, 19: 1})
    assert chosen(again) == (19, SuggestionReason.CHECK)


def test_one_session_in_eight_is_a_check_and_of_few_versions_none() -> None:
    known = replace(state(v0=1.0, v9=1.0, v19=1.5), repeatable={0: 1}, per_code=[2, 1, 1])
    assert chosen(known)[1] is SuggestionReason.HIDDEN_STEP
    assert chosen(replace(known, per_code=[2] + [1] * CHECKED))[1] is SuggestionReason.CHECK
    few = replace(known, versions=VERSIONS[-5:], per_code=[1])
    assert chosen(replace(few, sessions=dict.fromkeys(VERSIONS[-5:], 1)))[1] is not SuggestionReason.CHECK


@pytest.mark.parametrize("known", [state(), state(v0=1.0, v9=1.0, v19=1.5)])
def test_count_and_budget_end_it_wherever_it_stands(known: SamplingState) -> None:
    assert next_measurement(replace(known, measured=3), StopRule(most=3)) is StopReason.COUNT
    late = replace(known, seconds=50.0, next_seconds=20.0)
    assert next_measurement(late, StopRule(budget=60.0)) is StopReason.BUDGET


def test_a_flat_history_without_long_gaps_ends_by_the_rule() -> None:
    flat = state(v0=1.0, v3=1.0, v6=1.0, v9=1.0, v12=1.0, v15=1.0, v19=1.0)
    assert next_measurement(flat, RULE) is StopReason.GAIN

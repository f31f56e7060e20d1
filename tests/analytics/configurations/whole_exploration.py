"""Exploring a program that can be traced at once, to the end."""

from collections.abc import Callable, Iterable

from analytics.configurations.decisions import Decision
from analytics.configurations.exploring import Exploration, next_configuration
from analytics.configurations.options import IntArray
from analytics.configurations.validity import Completes


def explore(
    trace: Callable[[IntArray], Iterable[Decision]],
    state: Exploration,
    valid: Completes | None = None,
    budget: int | None = None,
) -> Exploration:
    """Trace until every subspace was seen or `budget` configurations were executed."""
    while budget is None or len(state.executed) < budget:
        configuration = next_configuration(state, valid)
        if configuration is None:
            break
        state = state.traced(configuration, trace(configuration))
    return state

"""Exploring a program that can be traced at once, to the end."""

from collections.abc import Callable, Iterable

from analytics.configurations.options import IntArray
from analytics.configurations.validity import Completes
from analytics.whitebox.decisions import Decision
from analytics.whitebox.exploration import Exploration, next_configuration


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

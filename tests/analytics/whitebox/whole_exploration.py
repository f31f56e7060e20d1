"""Exploring a program that can be traced at once, to the end."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.decisions import Decision
from analytics.whitebox.exploration import Exploration, next_configuration


def with_run(state: Exploration, configuration: IntArray, decisions: Iterable[Decision]) -> Exploration:
    """The state after one more run."""
    run = tuple(int(level) for level in configuration)
    return replace(state, executed=(*state.executed, run), decisions=state.decisions | frozenset(decisions))


def explore(
    trace: Callable[[IntArray], Iterable[Decision]],
    state: Exploration,
    valid: ValidConfigurations | None = None,
    budget: int | None = None,
) -> Exploration:
    """Trace until every subspace was seen or `budget` configurations were executed."""
    while budget is None or len(state.executed) < budget:
        configuration = next_configuration(state, valid)
        if configuration is None:
            break
        state = with_run(state, configuration, trace(configuration))
    return state

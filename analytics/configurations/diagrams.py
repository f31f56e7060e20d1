"""Decision diagrams over options, layer by layer: in which order options are decided, and which nodes there are."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.options import IntArray

State = TypeVar("State", bound=Hashable)
MAX_NODES = 1 << 17


def layered(
    sizes: Sequence[int], start: State, decide: Callable[[int, int, State], State | None]
) -> tuple[IntArray, ...]:
    """The layers of the diagram over options with `sizes` levels; see `ValidConfigurations`.

    A node is what is still to be satisfied, at first `start`; `decide` gives what is left of it once the option at a place
    has a level, None where nothing valid is. Raises `FeatureModelError` where the diagram becomes too large.
    """
    layers: list[IntArray] = []
    nodes = {start: 0}
    for place, size in enumerate(sizes):
        after: dict[State, int] = {}
        table = np.full((len(nodes), size), -1, dtype=np.int64)
        for state, row in nodes.items():
            for level in range(size):
                rest = decide(place, level, state)
                if rest is not None:
                    table[row, level] = after.setdefault(rest, len(after))
        after = after or {start: 0}  # nothing is valid: one node that no level reaches
        table[table < 0] = len(after)
        layers.append(table)
        if sum(map(len, layers)) > MAX_NODES:
            raise FeatureModelError(f"the valid configurations need more than {MAX_NODES} nodes")
        nodes = after
    return tuple(layers)


_ROUNDS = 40


def close_order(n: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """The numbers 0 to n - 1 in an order that keeps the members of each edge close; few rounds, no randomness.

    Each round moves every number to the mean of the centres of its edges (FORCE: Aloul, Markov and Sakallah, GLSVLSI
    2003). The order with the smallest sum of spans is kept, the given one among equals.
    """
    wide = [np.unique(edge) for edge in edges if len(set(edge)) > 1]
    if not wide:
        return list(range(n))
    members, lengths = np.concatenate(wide), np.array([*map(len, wide)])
    starts = np.cumsum(lengths) - lengths
    counts = np.bincount(members, minlength=n)
    places = np.arange(n, dtype=np.float64)
    best, least = list(range(n)), _span(places[members], starts)
    for _ in range(_ROUNDS):
        of_edges = np.add.reduceat(places[members], starts) / lengths
        pulls = np.bincount(members, np.repeat(of_edges, lengths), minlength=n)
        centres = np.where(counts > 0, pulls / np.maximum(counts, 1), places)
        order = np.argsort(centres, kind="stable")
        places = np.empty(n)
        places[order] = np.arange(n)
        span = _span(places[members], starts)
        if span < least:
            best, least = order.tolist(), span
    return best


def _span(places: np.ndarray, starts: np.ndarray) -> float:
    """The sum of the spans of edges whose members' places begin at `starts`."""
    return float((np.maximum.reduceat(places, starts) - np.minimum.reduceat(places, starts)).sum())

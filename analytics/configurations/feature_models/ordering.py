"""In which order a decision diagram decides options: those under one condition near each other."""

from collections.abc import Sequence

import numpy as np

_ROUNDS = 40


def close_order(n: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """The numbers 0 to n - 1 in an order that keeps the members of each edge close; few rounds, no randomness.

    Each round moves every number to the mean of the centres of its edges (FORCE: Aloul, Markov and Sakallah, GLSVLSI
    2003). The order with the smallest sum of spans is kept, the given one among equals.
    """
    wide = [np.unique(edge) for edge in edges if len(set(edge)) > 1]
    places = np.arange(n, dtype=np.float64)
    best, least = list(range(n)), _span(places, wide)
    for _ in range(_ROUNDS if wide else 0):
        pulls = np.zeros(n)
        counts = np.zeros(n)
        for edge in wide:
            pulls[edge] += places[edge].mean()
            counts[edge] += 1
        centres = np.where(counts > 0, pulls / np.maximum(counts, 1), places)
        order = np.argsort(centres, kind="stable")
        places = np.empty(n)
        places[order] = np.arange(n)
        span = _span(places, wide)
        if span < least:
            best, least = order.tolist(), span
    return best


def _span(places: np.ndarray, edges: Sequence[np.ndarray]) -> float:
    return float(sum(np.ptp(places[edge]) for edge in edges))

"""Time of a trace by the features whose code ran, as VaRA attributes it.

A span is one stay in the code of some features. Where spans of several features overlap in one thread, the time
belongs to the interaction of all of them and to none of them alone: foo in [0, 4] and bar in [1, 3] give foo 2,
(foo, bar) 2 and bar 0. An interaction is a set, so neither order nor a feature inside of itself matters. Threads
are told apart, and their times add up.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

Features = frozenset[str]


class Span(NamedTuple):
    """A stay of one thread in the code of `features` from `start` to `end`; no features: the rest of the program."""

    thread: Hashable
    start: float
    end: float
    features: Features


class Edge(NamedTuple):
    """A span's begin (`step` 1) or end (`step` -1), `at` a time in the trace's unit."""

    thread: Hashable
    at: float
    features: Features
    step: int


def edges(spans: Iterable[Span]) -> Iterator[Edge]:
    """Begin and end of each span, thread by thread and in order of time; the order of equal times is left open."""
    threads: dict[Hashable, list[Edge]] = {}
    for thread, start, end, features in spans:
        own = threads.setdefault(thread, [])
        own += (Edge(thread, start, features, 1), Edge(thread, end, features, -1))
    for own in threads.values():
        yield from sorted(own, key=attrgetter("at"))


def interaction_times(ordered: Iterable[Edge]) -> dict[Features, float]:
    """The time with exactly these features under way, in the unit of `at`, summed over threads.

    `ordered` holds each thread's edges in one piece, in order of time, as `edges` gives them. The empty set stands
    for time inside of spans without features only; time outside of all spans is nowhere. Sets without time are
    left out. Memory grows with what is open at once and with the number of sets, not with the number of edges.
    """
    times: dict[Features, float] = {}
    for _, own in groupby(ordered, key=attrgetter("thread")):
        _add_thread(times, own)
    return {features: time for features, time in times.items() if time > 0}


def _add_thread(times: dict[Features, float], ordered: Iterable[Edge]) -> None:
    open_spans = 0
    stays: Counter[str] = Counter()
    active: Features = frozenset()
    before = 0.0
    for _, at, features, step in ordered:
        if open_spans > 0 and at > before:
            times[active] = times.get(active, 0.0) + at - before
        before = at
        open_spans += step
        changed = False
        for feature in features:
            stays[feature] += step
            # At one moment a span may end before it begins: the count is negative for no time at all.
            changed |= stays[feature] in (0, 1)
            if not stays[feature]:
                del stays[feature]
        if changed:
            active = frozenset(feature for feature, count in stays.items() if count > 0)

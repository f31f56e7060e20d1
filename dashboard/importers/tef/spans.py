"""The spans of one trace: which end belongs to which begin, and a store on disk, since memory may not hold them all."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from analytics.influence.traces import Edge, Features
from dashboard.importers.source import GoOn

Thread = tuple[str, str]
_Key = tuple[str, str | None]
_TOGETHER = 20_000
_EDGES = 50_000  # read in well under a second


class Begin(NamedTuple):
    """A begin event: its number in the file, from 0, its time, and what it says of the region."""

    number: int
    at: float
    name: str
    identity: str | None
    is_feature: bool


class OpenSpans:
    """The begin events without an end so far, thread by thread.

    An end with an identity closes the latest begin with it; one with a name alone the latest of that name; one with
    neither the latest of all.
    """

    def __init__(self) -> None:
        self.count = 0
        self._begins: dict[Thread, dict[int, Begin]] = {}
        # The numbers of begins by what an end may name; closed ones stay in the lists until met.
        self._by_key: dict[Thread, dict[_Key, list[int]]] = {}

    def begin(self, thread: Thread, begin: Begin) -> None:
        """Open a span."""
        self._begins.setdefault(thread, {})[begin.number] = begin
        by_key = self._by_key.setdefault(thread, {})
        for key in (("identity", begin.identity), ("name", begin.name)):
            by_key.setdefault(key, []).append(begin.number)
        self.count += 1

    def end(self, thread: Thread, identity: str | None, name: str | None) -> Begin | None:
        """Close a span and return its begin; None where there is none."""
        begins = self._begins.get(thread, {})
        if identity is None and name is None:
            number = next(reversed(begins), None)
        else:
            key = ("name", name) if identity is None else ("identity", identity)
            by_key = self._by_key.get(thread, {})
            numbers = by_key.get(key, [])
            # Closed ones are met here, and dropped.
            while numbers and numbers[-1] not in begins:
                numbers.pop()
            number = numbers.pop() if numbers else None
            if number is None:
                by_key.pop(key, None)
        if number is None:
            return None
        self.count -= 1
        begin = begins.pop(number)
        if not begins:
            # Nothing is left for what stayed in the lists: drop it, or it would grow with the file.
            del self._begins[thread], self._by_key[thread]
        return begin

    def left(self) -> Iterator[tuple[Thread, Begin]]:
        """What was never closed."""
        for thread, begins in self._begins.items():
            for begin in begins.values():
                yield thread, begin


class SpanStore:
    """Spans by thread, in the trace's unit, from the trace's first event on.

    Complete events stand in a file in the order of their ends, and an unmatched begin is known at the end alone: so
    spans are sorted by time, which SQLite does on disk. `go_on` is called while edges are handed out.
    """

    def __init__(self, go_on: GoOn) -> None:
        # The empty name: a file that SQLite deletes by itself when it is closed.
        self._connection = sqlite3.connect("")
        self.close = self._connection.close
        self._go_on = go_on
        self._waiting: list[tuple[int, float, float, int, bool]] = []
        self._threads: dict[Thread, int] = {}
        self._names: dict[str, int] = {}
        self._connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
            "CREATE TABLE span (thread INTEGER, began REAL, ended REAL, name INTEGER, is_feature INTEGER)"
        )

    @property
    def n_names(self) -> int:
        """How many names of regions there are."""
        return len(self._names)

    def add(self, thread: Thread, start: float, end: float, name: str, *, is_feature: bool) -> None:
        """Keep a span."""
        place = self._threads.setdefault(thread, len(self._threads))
        name_id = self._names.setdefault(name, len(self._names))
        self._waiting.append((place, start, end, name_id, is_feature))
        if len(self._waiting) >= _TOGETHER:
            self._write()

    def names(self, *, features_only: bool) -> list[str]:
        """The names of those spans, in the order of their first one."""
        self._write()
        rows = self._connection.execute(
            "SELECT DISTINCT name FROM span WHERE is_feature >= ?", (features_only,)
        )
        used = {name for (name,) in rows}
        return [name for name, place in self._names.items() if place in used]

    def has_features(self) -> bool:
        """Whether any span says that it is of a feature."""
        self._write()
        return bool(self._connection.execute("SELECT 1 FROM span WHERE is_feature LIMIT 1").fetchone())

    def extent(self) -> float:
        """From the first begin to the last end of all spans; 0 without any."""
        self._write()
        first, last = self._connection.execute("SELECT min(began), max(ended) FROM span").fetchone()
        return 0.0 if first is None else last - first

    def edges(self, features: dict[str, Features], *, features_only: bool) -> Iterator[Edge]:
        """Begins and ends thread by thread in order of time; `features` says what each name stands for."""
        self._write()
        meaning = {place: features.get(name, frozenset()) for name, place in self._names.items()}
        rows = self._connection.execute(
            "SELECT thread, began AS at, name, 1 FROM span WHERE is_feature >= :only "
            "UNION ALL SELECT thread, ended, name, -1 FROM span WHERE is_feature >= :only ORDER BY 1, 2",
            {"only": features_only},
        )
        while some := rows.fetchmany(_EDGES):
            self._go_on()
            for thread, at, name, step in some:
                yield Edge(thread, at, meaning[name], step)

    def _write(self) -> None:
        self._connection.executemany("INSERT INTO span VALUES (?, ?, ?, ?, ?)", self._waiting)
        self._waiting.clear()

"""The events of a trace out of its JSON, token by token: nothing is built that is not needed, however deep it goes."""

from collections.abc import Iterator
from typing import Any

import ijson

from dashboard.importers.tef.text import TraceText

MAX_DEPTH = 256
_OPENS = frozenset({"start_map", "start_array"})
_CLOSES = frozenset({"end_map", "end_array"})
_EVENT_KEYS = frozenset({"name", "cat", "ph", "ts", "dur", "pid", "tid", "ID", "UUID"})
_ARGUMENT_KEYS = frozenset({"ID", "UUID"})
# What ijson raises for text that is no JSON, and for numbers that Python refuses.
NO_JSON = (ijson.JSONError, ValueError, ArithmeticError)


class TraceEvents:
    """The events of a trace; iterate once.

    An event is a dict of those plain values that matter, `args` within it likewise; what stands in place of an event
    comes as it is, or as None where it is a list. `units` collects the values of `timestampUnit`, which may stand
    behind the events. Iterating raises `NO_JSON` and what the text raises.
    """

    def __init__(self, text: TraceText) -> None:
        self.units: set[Any] = set()
        self._text = text
        # The depth of the list of events: the array form is nothing else.
        self._base = 1 if text.is_array else 2

    def __iter__(self) -> Iterator[Any]:
        depth = 0
        keys = [""] * (MAX_DEPTH + 2)
        event: dict[str, Any] | None = None
        for kind, value in ijson.basic_parse(self._text):
            if kind == "map_key":
                keys[depth] = value
            elif kind in _OPENS:
                depth += 1
                if depth > MAX_DEPTH:
                    raise ValueError(f"nested deeper than {MAX_DEPTH}")
                if depth == self._base + 1 and self._in_events(keys):
                    event = {} if kind == "start_map" else None
            elif kind in _CLOSES:
                depth -= 1
                if depth == self._base and self._in_events(keys):
                    self._text.event_ended()
                    yield event
            elif depth == self._base and self._in_events(keys):
                yield value
            else:
                self._keep(event, keys, depth, value)
            if depth < self._base:
                self._text.event_ended()

    def _in_events(self, keys: list[str]) -> bool:
        return self._base == 1 or keys[1] == "traceEvents"

    def _keep(self, event: dict[str, Any] | None, keys: list[str], depth: int, value: Any) -> None:
        """Keep a plain value where it matters."""
        if depth == 1 and keys[1] == "timestampUnit":
            self.units.add(value)
        elif event is None or not self._in_events(keys):
            return
        elif depth == self._base + 1:
            if keys[depth] in _EVENT_KEYS:
                event[keys[depth]] = value
        elif depth == self._base + 2 and keys[depth - 1] == "args" and keys[depth] in _ARGUMENT_KEYS:
            event.setdefault("args", {})[keys[depth]] = value

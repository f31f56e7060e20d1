"""The events of a trace out of its JSON, token by token: nothing is built that is not needed, however deep it goes.

Lines of the tracer between the events are taken out, and an array that a dying program left open is closed.
"""

import re
from collections.abc import Iterator
from typing import IO, Any

import ijson

from dashboard.importers.errors import SourceError

MAX_DEPTH = 256
_OPENS = frozenset({"start_map", "start_array"})
# What is no plain value, and by how much it goes deeper.
_STRUCTURE = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1, "map_key": 0}
_EVENT_KEYS = frozenset({"name", "cat", "ph", "ts", "dur", "pid", "tid", "ID", "UUID"})
_ARGUMENT_KEYS = frozenset({"ID", "UUID"})
# What ijson raises for text that is no JSON, and for numbers that Python refuses.
NO_JSON = (ijson.JSONError, ValueError, ArithmeticError)
# What a tracer writes into its output when it cannot follow. No string of JSON holds a line break, so what ends
# with one stands outside of strings.
_LOST = re.compile(rb"Lost (\d{1,18}) events[ \t]{0,8}\r?\n")
_LOST_LAST = re.compile(rb"Lost (\d{1,18}) events\s*\Z")
# Python refuses to read such a number, and the parser written in C does not survive that.
_TOO_LONG = re.compile(rb"\d{400}")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HELD = 4096  # longer than any such line
_MAX_EVENT = 64 << 20
# The parser names the whole way to each value before anybody sees how deep it goes: brackets alone would take tens of seconds
# in pieces of the usual 64 kB.
_PIECE = 8192


class TraceText:
    """A stream of bytes for a JSON parser, which reads it piece by piece.

    `is_array` tells the array form, whose closing bracket may be missing, from the object form. `lost` counts the
    events that the tracer says it lost. Reading raises `SourceError` for absurd numbers, and where 64 MB hold no end of
    an event, as marked by `event_ended`: nothing else bounds the memory for one event.
    """

    def __init__(self, file: str, stream: IO[bytes]) -> None:
        self.lost = 0
        self._file = file
        self._stream = stream
        self._held = stream.read(_HELD).removeprefix(_BYTE_ORDER_MARK)
        self.is_array = self._held.lstrip().startswith(b"[")
        self._ended = False
        self._in_event = 0

    def event_ended(self) -> None:
        """Say that the parser handed out an event."""
        self._in_event = 0

    def read(self, size: int = -1) -> bytes:
        """About `size` bytes; none at the end, or where none are asked for."""
        if size == 0:
            return b""
        while not self._ended:
            part = self._stream.read(max(size, _HELD))
            self._in_event += len(part)
            text = _LOST.sub(self._note, self._held + part)
            if self._in_event > _MAX_EVENT:
                problem = f"holds no event in {_MAX_EVENT >> 20} MB"
                raise SourceError(self._file, problem, "Check that it is a trace")
            if _TOO_LONG.search(text):
                problem = "holds a number of more than 400 digits"
                raise SourceError(self._file, problem, "Check that it is a trace")
            if not part:
                self._ended = True
                end = _LOST_LAST.sub(self._note, text)
                bare = end.rstrip()
                if not self.is_array or bare.endswith(b"]"):
                    return end
                # A program that died leaves the array form without its bracket.
                return bare.removesuffix(b",") + b"]"
            self._held = text[-_HELD:]
            if len(text) > _HELD:
                return text[:-_HELD]
        return b""

    def _note(self, match: re.Match[bytes]) -> bytes:
        self.lost += int(match[1])
        return b"\n"


def trace_events(text: TraceText, units: set[Any]) -> Iterator[Any]:
    """The events of a trace.

    An event is a dict of those plain values that matter, `args` within it likewise; what stands in place of an event
    comes as it is, or as None where it is a list. `units` takes the values of `timestampUnit`, which may stand behind
    the events. Iterating raises `NO_JSON` and what the text raises.
    """
    place = "item" if text.is_array else "traceEvents.item"
    kept = {f"{place}.{key}": (key, False) for key in _EVENT_KEYS}
    kept |= {f"{place}.args.{key}": (key, True) for key in _ARGUMENT_KEYS}
    depth = 0
    event: dict[str, Any] | None = None
    for prefix, kind, value in ijson.parse(text, buf_size=_PIECE):
        is_plain = kind not in _STRUCTURE
        depth += _STRUCTURE.get(kind, 0)
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH}")
        if prefix == place and kind in _OPENS:
            event = {} if kind == "start_map" else None
        elif prefix == place and kind != "map_key":
            yield value if is_plain else event
        elif prefix == "timestampUnit" and is_plain:
            units.add(value)
        elif prefix in kept and is_plain and event is not None:
            key, is_argument = kept[prefix]
            (event.setdefault("args", {}) if is_argument else event)[key] = value
        if depth < 2 or prefix == place:
            text.event_ended()

"""Reading the events of a trace, one by one, into spans.

Trace Event Format: the definition by Google ("Trace Event Format"), and what VaRA makes of it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from dashboard.importers.errors import Faults
from dashboard.importers.numbers import is_number
from dashboard.importers.source import ImportSource
from dashboard.importers.tef.spans import Begin, OpenSpans, SpanStore, Thread
from dashboard.importers.tef.trace_json import NO_JSON, TraceEvents, TraceText

FEATURE = "Feature"  # the category of VaRA's regions
MAX_OPEN = 100_000
MAX_NAMES = 10_000
_LISTED = 20
_FARTHEST = 10**30


@dataclass(slots=True)
class TraceSummary:
    """What a trace says beside its spans; `units` as the file writes them, usually one or none."""

    events: int = 0
    lost: int = 0
    unmatched: list[str] = field(default_factory=list)
    n_unmatched: int = 0
    others: Counter[str] = field(default_factory=Counter)
    units: frozenset[str] = frozenset()
    # Whether the file was read to its end: only then is an absent unit known to be absent.
    is_whole: bool = False

    def note_unmatched(self, words: str) -> None:
        """Count an event without its counterpart; the first ones are listed."""
        self.n_unmatched += 1
        if self.n_unmatched <= _LISTED:
            self.unmatched.append(words)

    def remarks(self, file: str) -> list[str]:
        """What of the trace is left out or in doubt, in words."""
        found = [f"{file}, {words}: left out." for words in self.unmatched]
        if (unlisted := self.n_unmatched - len(self.unmatched)) > 0:
            found.append(f"{file}: {unlisted} more events without their counterpart are left out.")
        if self.lost:
            found.append(
                f"{file}: the tracer lost {self.lost} events. Times may be too small or in the wrong region."
            )
        if self.others:
            kinds = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(self.others.items())[:8])
            found.append(f"{file}: passed over events that are no stays in regions ({kinds}).")
        return found

    def as_json(self) -> dict[str, Any]:
        """The summary as the batch of an import keeps it."""
        return {
            "events": self.events,
            "lost_events": self.lost,
            "unmatched_events": self.n_unmatched,
            "unmatched": self.unmatched,
            "other_events": dict(self.others),
            "timestamp_unit": sorted(self.units),
        }


def read_events(source: ImportSource, file: str, store: SpanStore, faults: Faults) -> TraceSummary:
    """Fill `store` with the spans of a trace. Faults name the event by its index from 0, as it stands in the file."""
    reader = _EventReader(file, store, faults)
    summary = reader.summary
    with source.stream(file) as stream:
        text = TraceText(file, stream)
        events = TraceEvents(text)
        try:
            for event in events:
                reader.take(event)
                if reader.is_too_large():
                    return summary
        except NO_JSON as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            problem = f"is no JSON after event {summary.events - 1}: {lines[0][:80]}"
            faults.add(file, problem, "Write the trace again, or cut it behind an event")
            return summary
    reader.finish()
    summary.lost = text.lost
    summary.units = frozenset(map(str, events.units))
    summary.is_whole = True
    return summary


class _EventReader:
    """Turns event after event into spans."""

    def __init__(self, file: str, store: SpanStore, faults: Faults) -> None:
        self.summary = TraceSummary()
        self._file = file
        self._store = store
        self._faults = faults
        self._open = OpenSpans()
        self._first: Decimal | int | None = None

    def take(self, event: object) -> None:
        index = self.summary.events
        self.summary.events += 1
        if not isinstance(event, dict):
            self._fault(index, "", "is no event", "Write an object", str(event))
            return
        phase = event.get("ph")
        if phase not in ("B", "E", "X"):
            if isinstance(phase, str) and phase:
                self.summary.others[_plain(phase)[:8]] += 1
            else:
                self._fault(index, "ph", "the kind of event is missing", "Write B, E or X", str(phase or ""))
            return
        at = self._moment(index, event)
        thread = self._thread(index, event)
        if at is None or thread is None:
            return
        if phase == "E":
            self._end(index, event, at, thread)
            return
        name = event.get("name")
        if not isinstance(name, str) or not name.strip():
            self._fault(index, "name", "the name is missing", "Write the region's name", str(name or ""))
        elif phase == "B":
            self._open.begin(thread, Begin(index, at, name, _identity(event), _is_feature(event)))
        elif "dur" not in event:  # still running when the tracer stopped
            self.summary.note_unmatched(_unended(index, name, thread))
        elif (length := self._duration(index, event)) is not None:
            self._store.add(thread, at, at + length, name, is_feature=_is_feature(event))

    def finish(self) -> None:
        for thread, begin in self._open.left():
            self.summary.note_unmatched(_unended(begin.number, begin.name, thread))

    def is_too_large(self) -> bool:
        """Whether reading on would only fill the memory; notes why."""
        if self._open.count > MAX_OPEN:
            problem = f"has more than {MAX_OPEN} regions open at once"
            self._faults.add(self._file, problem, "Check that regions end")
        elif self._store.n_names > MAX_NAMES:
            problem = f"has more than {MAX_NAMES} regions of different names"
            self._faults.add(self._file, problem, "Trace features, not every function")
        else:
            return False
        return True

    def _end(self, index: int, event: Mapping[str, Any], at: float, thread: Thread) -> None:
        given = event.get("name")
        name = given if isinstance(given, str) and given else None
        begin = self._open.end(thread, _identity(event), name)
        if begin is None:
            self.summary.note_unmatched(
                f"event {index}: {name or 'a region'!r} ends in thread {thread[1]} of process {thread[0]} and "
                "never began"
            )
        elif at < begin.at:
            problem = f"ends before it begins in event {begin.number}"
            self._fault(index, "ts", problem, "Correct the times", str(event["ts"]))
        else:
            self._store.add(thread, begin.at, at, begin.name, is_feature=begin.is_feature)

    def _moment(self, index: int, event: Mapping[str, Any]) -> float | None:
        """The event's time since the first one: clocks since 1970 have more digits than a float."""
        at = self._number(index, event, "ts")
        if at is None:
            return None
        if self._first is None:
            self._first = at
        return float(at - self._first)

    def _duration(self, index: int, event: Mapping[str, Any]) -> float | None:
        length = self._number(index, event, "dur")
        if length is not None and length < 0:
            self._fault(index, "dur", "is negative", "Correct it", str(event["dur"]))
            return None
        return None if length is None else float(length)

    def _number(self, index: int, event: Mapping[str, Any], key: str) -> Decimal | int | None:
        value: Any = event.get(key)
        if isinstance(value, str) and len(value) < 60 and is_number(value.strip()):
            value = Decimal(value.strip())
        if (
            isinstance(value, int | Decimal)
            and not isinstance(value, bool)
            and -_FARTHEST < value < _FARTHEST
        ):
            return value
        problem = "the number is missing" if value is None else "is no number in range"
        self._fault(index, key, problem, "Write a number", "" if value is None else str(value)[:80])
        return None

    def _thread(self, index: int, event: Mapping[str, Any]) -> Thread | None:
        given = (event.get("pid"), event.get("tid"))
        if all(isinstance(part, str | int | Decimal) for part in given):
            return _plain(str(given[0])[:80]), _plain(str(given[1])[:80])
        missing = "pid" if given[0] is None else "tid"
        self._fault(index, missing, "process or thread is missing", "Write pid and tid", "")
        return None

    def _fault(self, index: int, key: str, problem: str, remedy: str, value: str) -> None:
        place = f"traceEvents/{index}/{key}".removesuffix("/")
        self._faults.add(self._file, problem, remedy, column=place, value=value)


def _unended(index: int, name: str, thread: Thread) -> str:
    return f"event {index}: {name!r} begins in thread {thread[1]} of process {thread[0]} and never ends"


def _plain(text: str) -> str:
    """The text, with characters that no database stores written as escapes."""
    return text if text.isprintable() else repr(text)


def _identity(event: Mapping[str, Any]) -> str | None:
    arguments = event.get("args")
    for holder in (arguments if isinstance(arguments, dict) else {}, event):
        for key in ("ID", "UUID"):
            if (value := holder.get(key)) is not None:
                return str(value)[:80]
    return None


def _is_feature(event: Mapping[str, Any]) -> bool:
    category = event.get("cat")
    return isinstance(category, str) and FEATURE in (part.strip() for part in category.split(","))

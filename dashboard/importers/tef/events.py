"""Reading the events of a trace, one by one, into spans.

Trace Event Format: the definition by Google ("Trace Event Format"), and what VaRA makes of it.
"""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from analytics import units
from dashboard.importers.errors import Faults, FileFaults
from dashboard.importers.numbers import is_number
from dashboard.importers.source import ImportSource
from dashboard.importers.tef.spans import Begin, OpenSpans, SpanStore, Thread
from dashboard.importers.tef.trace_json import NO_JSON, TraceText, trace_events

SECONDS = {unit: units.SECONDS[unit] for unit in ("s", "ms", "us", "µs", "μs", "ns")}
FEATURE = "Feature"  # the category of VaRA's regions
MAX_OPEN = 100_000
MAX_NAMES = 10_000
_LISTED = 20
_FARTHEST = 10**30


class TraceReading:
    """Turns a trace, event after event, into spans, and keeps what it says beside them.

    Only where the file was read to its end is an absent unit known to be absent.
    """

    def __init__(self, file: str, store: SpanStore, faults: Faults) -> None:
        self._units: frozenset[str] = frozenset()
        self._is_whole = False
        self._events = 0
        self._lost = 0
        self._unmatched: list[str] = []
        self._n_unmatched = 0
        self._others: Counter[str] = Counter()
        self._file = file
        self._store = store
        self._faults = FileFaults(file, faults)
        self._open = OpenSpans()
        self._first: Decimal | int | None = None

    def read(self, source: ImportSource) -> None:
        """Fill the store with the spans of the trace. Faults name the event by its index from 0, as it stands in the file."""
        with source.stream(self._file) as stream:
            text = TraceText(self._file, stream)
            units: set[Any] = set()
            try:
                for event in trace_events(text, units):
                    self._take(event)
                    # Reading on would only fill the memory.
                    if self._open.count > MAX_OPEN:
                        problem = f"has more than {MAX_OPEN} regions open at once"
                        self._faults.add(problem, "Check that regions end")
                        return
                    if self._store.n_names > MAX_NAMES:
                        problem = f"has more than {MAX_NAMES} regions of different names"
                        self._faults.add(problem, "Trace features, not every function")
                        return
            except NO_JSON as error:
                lines = str(error).strip().splitlines() or [type(error).__name__]
                problem = f"is no JSON after event {self._events - 1}: {lines[0][:80]}"
                self._faults.add(problem, "Write the trace again, or cut it behind an event")
                return
        for thread, begin in self._open.left():
            self._note_unmatched(begin.number, begin.name, "begins", thread, "never ends")
        self._lost = text.lost
        self._units = frozenset(map(str, units))
        self._is_whole = True

    def remarks(self) -> list[str]:
        """What of the trace is left out or in doubt, in words."""
        remarks = [f"{self._file}, {words}: left out." for words in self._unmatched]
        if (unlisted := self._n_unmatched - len(self._unmatched)) > 0:
            remarks.append(f"{self._file}: {unlisted} more events without their counterpart are left out.")
        if self._lost:
            doubt = "Times may be too small or in the wrong region."
            remarks.append(f"{self._file}: the tracer lost {self._lost} events. {doubt}")
        if self._others:
            kinds = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(self._others.items())[:8])
            remarks.append(f"{self._file}: passed over events that are no stays in regions ({kinds}).")
        return remarks

    def seconds_per_unit(self, unit: str | None) -> float:
        """Seconds per unit of the trace's times; `unit` is what the import says, and nothing is guessed."""
        if not self._is_whole:
            return 1.0
        if len(self._units) > 1:
            both = ", ".join(sorted(self._units))
            self._faults.add("says two units", "Keep one timestampUnit", value=both)
            return 1.0
        own = next(iter(self._units), None)
        if own is None and unit is None:
            problem = "does not say the unit of its times (timestampUnit; displayTimeUnit only tells viewers)"
            self._faults.add(problem, "Give --time-unit us, or s, ms, ns")
        elif own is not None and own not in SECONDS:
            problem, remedy = "is no unit of time", "Write s, ms, us or ns"
            self._faults.add(problem, remedy, column="timestampUnit", value=own)
        elif own is not None and unit is not None and SECONDS[own] != SECONDS[unit]:
            problem = f"says another unit than --time-unit {unit}"
            remedy = "Leave --time-unit away, or correct the file"
            self._faults.add(problem, remedy, column="timestampUnit", value=own)
        return SECONDS.get(own or unit or "", 1.0)

    def as_json(self) -> dict[str, Any]:
        """What the batch of an import keeps of the trace."""
        return {
            "events": self._events,
            "lost_events": self._lost,
            "unmatched_events": self._n_unmatched,
            "unmatched": self._unmatched,
            "other_events": dict(self._others),
            "timestamp_unit": sorted(self._units),
        }

    def _take(self, event: object) -> None:
        index = self._events
        self._events += 1
        if not isinstance(event, dict):
            self._fault(index, "", "is no event", "Write an object", str(event))
            return
        phase = event.get("ph")
        if phase not in ("B", "E", "X"):
            if isinstance(phase, str) and phase:
                self._others[_plain(phase)[:8]] += 1
            else:
                self._fault(index, "ph", "the kind of event is missing", "Write B, E or X", str(phase or ""))
            return
        time = self._number(index, event, "ts")
        if time is not None and self._first is None:
            self._first = time
        place = (event.get("pid"), event.get("tid"))
        if not all(isinstance(part, str | int | Decimal) for part in place):
            missing = "pid" if place[0] is None else "tid"
            self._fault(index, missing, "process or thread is missing", "Write pid and tid", "")
        elif time is not None and self._first is not None:
            thread = (_plain(str(place[0])[:80]), _plain(str(place[1])[:80]))
            # Since the first event: clocks since 1970 have more digits than a float.
            self._take_span(index, event, float(time - self._first), thread)

    def _take_span(self, index: int, event: Mapping[str, Any], at: float, thread: Thread) -> None:
        """Take an event that begins, ends or is a span."""
        name, category = event.get("name"), event.get("cat")
        is_feature = isinstance(category, str) and FEATURE in map(str.strip, category.split(","))
        if event["ph"] == "E":
            name = name if isinstance(name, str) and name else None
            begin = self._open.end(thread, _identity(event), name)
            if begin is None:
                self._note_unmatched(index, name or "a region", "ends", thread, "never began")
            elif at < begin.at:
                problem = f"ends before it begins in event {begin.number}"
                self._fault(index, "ts", problem, "Correct the times", str(event["ts"]))
            else:
                self._store.add(thread, begin.at, at, begin.name, is_feature=begin.is_feature)
        elif not isinstance(name, str) or not name.strip():
            self._fault(index, "name", "the name is missing", "Write the region's name", str(name or ""))
        elif event["ph"] == "B":
            self._open.begin(thread, Begin(index, at, name, _identity(event), is_feature))
        elif "dur" not in event:  # still running when the tracer stopped
            self._note_unmatched(index, name, "begins", thread, "never ends")
        elif (length := self._number(index, event, "dur")) is None:
            return
        elif length < 0:
            self._fault(index, "dur", "is negative", "Correct it", str(event["dur"]))
        else:
            self._store.add(thread, at, at + float(length), name, is_feature=is_feature)

    def _note_unmatched(self, index: int, name: str, does: str, thread: Thread, lacks: str) -> None:
        """Count an event without its counterpart; the first ones are listed."""
        self._n_unmatched += 1
        if self._n_unmatched <= _LISTED:
            where = f"in thread {thread[1]} of process {thread[0]}"
            self._unmatched.append(f"event {index}: {name!r} {does} {where} and {lacks}")

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

    def _fault(self, index: int, key: str, problem: str, remedy: str, value: str) -> None:
        place = f"traceEvents/{index}/{key}".removesuffix("/")
        self._faults.add(problem, remedy, column=place, value=value)


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

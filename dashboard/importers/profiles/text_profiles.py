"""Profiles as text: collapsed stacks of perf, py-spy and async-profiler, and what callgrind writes."""

import re
from collections.abc import Iterator

from dashboard.importers.profiles.stacks import SAMPLES, Frame, Stack, StackProfile, summed
from dashboard.importers.records import MetricRecord

_LINE = re.compile(r"(?P<stack>\S.*?) (?P<count>\d+)")
# py-spy: the function, then its file with the line; async-profiler: how the code ran.
_WITH_FILE = re.compile(r"(?P<name>.+?) \((?P<file>[^()]+?)(?::\d+)?\)")
_MODE = re.compile(r"_\[[a-z0-9]\]$")
_CALLGRIND = re.compile(r"(?:# callgrind format|version: \d+|creator: \S|events: \S)")
_COMPRESSED = re.compile(r"\((?P<number>\d+)\)(?: (?P<name>.*))?")
_HEADER = re.compile(r"^(?P<key>events|positions|summary|totals): *(?P<value>.+)$", re.MULTILINE)
_COST = re.compile(r"[-+*\d]")
# What a line names, and whether it is of the function whose costs follow, not of one that it calls.
_NAMES = {
    **dict.fromkeys(("fl", "fi", "fe"), ("file", True)),
    **dict.fromkeys(("cfl", "cfi"), ("file", False)),
    "fn": ("function", True),
    "cfn": ("function", False),
}
_EVENTS = {"Ir": MetricRecord("instructions", "", "count")}


def is_collapsed(text: str) -> bool:
    """Whether each line is a stack, its functions between semicolons, and a count, and one at least has a caller."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and ";" in text and all(map(_LINE.fullmatch, lines))


def collapsed(text: str) -> StackProfile:
    """Stacks with the number of samples in each, as `stackcollapse-perf.pl`, `py-spy -f raw` and async-profiler write them."""
    if not text.endswith("\n"):
        raise ValueError("the last line has no end: it may be cut")

    def stacks() -> Iterator[tuple[Stack, float]]:
        for line in filter(str.strip, text.splitlines()):
            found = _LINE.fullmatch(line)
            if found is None:
                raise ValueError(f"the line {line[:60]!r}")
            frames = []
            for part in filter(None, found["stack"].split(";")):
                told = _WITH_FILE.fullmatch(part)
                frames.append(Frame(told["name"], told["file"]) if told else Frame(_MODE.sub("", part)))
            yield tuple(frames), float(found["count"])

    return StackProfile(summed(stacks()), SAMPLES)


def is_callgrind(text: str) -> bool:
    """Whether it begins as callgrind's files do, and names a function."""
    return _CALLGRIND.match(text) is not None and "\nevents: " in f"\n{text}" and "\nfn=" in text


def callgrind(text: str) -> StackProfile:
    """What `valgrind --tool=callgrind` writes: the cost of each function itself, by the first event; no stacks."""
    header = {found["key"]: found["value"] for found in _HEADER.finditer(text)}
    positions = len(header.get("positions", "line").split())
    names: dict[tuple[str, str], str] = {}
    costs: list[tuple[Stack, float]] = []
    told = {"file": "", "function": ""}
    is_call = False
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and key in _NAMES:
            kind, is_own = _NAMES[key]
            name = _uncompressed(names, kind, value)
            told |= {kind: name} if is_own else {}
        elif equals and key == "calls":
            is_call = True
        elif _COST.match(line):
            # Behind a call stands what it took with all that it called.
            if not is_call:
                cells = line.split()[positions:]
                frame = Frame(told["function"], "" if told["file"] == "???" else told["file"])
                costs.append(((frame,), float(cells[0]) if cells else 0.0))
            is_call = False
    total = (header.get("totals") or header.get("summary") or "").split()
    if not total:
        raise ValueError("it does not tell its total: it is not complete")
    if float(total[0]) != sum(cost for _, cost in costs):
        raise ValueError(f"its functions do not sum up to its total of {total[0]}: it is not complete")
    event = header["events"].split()[0]
    metric = _EVENTS.get(event, MetricRecord(event[:40], "", "count"))
    return StackProfile(summed(costs), metric, has_paths=False)


def _uncompressed(names: dict[tuple[str, str], str], kind: str, value: str) -> str:
    """A name, which is written once behind its number, and by this number afterwards."""
    found = _COMPRESSED.fullmatch(value)
    if found is None:
        return value
    if found["name"] is not None:
        names[kind, found["number"]] = found["name"]
    return names[kind, found["number"]]

"""Profiles as JSON: speedscope, cpuprofile of Chrome and Node, the Firefox profiler, and recordings of the JVM."""

from collections.abc import Iterator
from typing import Any

from analytics.units import SECONDS
from dashboard.importers.profiles.stacks import (
    SAMPLES,
    Allowance,
    Frame,
    Stack,
    StackProfile,
    seconds,
    summed,
)
from dashboard.importers.records import MetricRecord

Document = dict[str, Any]
_SPEEDSCOPE_UNITS = {"nanoseconds": "ns", "microseconds": "us", "milliseconds": "ms", "seconds": "s"}
# What V8 writes where no function of the program runs.
_IDLE = {"(root)", "(idle)"}


def speedscope(document: Document, allowance: Allowance) -> StackProfile:
    """Sampled and evented profiles of one unit in a file of speedscope."""
    frames = [Frame(one["name"], one.get("file") or "") for one in document["shared"]["frames"]]
    units = {one["unit"] for one in document["profiles"]}
    if len(units) != 1:
        raise ValueError(f"the units {', '.join(sorted(units))}: give a file for each")
    (unit,) = units

    def stacks() -> Iterator[tuple[Stack, float]]:
        for one in document["profiles"]:
            if one["type"] == "sampled":
                for stack, weight in zip(one["samples"], one["weights"], strict=True):
                    yield tuple(frames[place] for place in stack), float(weight)
            else:
                yield from _evented(one, frames, allowance)

    factor = SECONDS[_SPEEDSCOPE_UNITS[unit]] if unit in _SPEEDSCOPE_UNITS else 1.0
    metric = seconds("wall") if unit in _SPEEDSCOPE_UNITS else SAMPLES
    if unit == "bytes":
        metric = MetricRecord("memory", "bytes", "none")
    return StackProfile(summed((stack, value * factor) for stack, value in stacks()), metric)


def _evented(profile: Document, frames: list[Frame], allowance: Allowance) -> Iterator[tuple[Stack, float]]:
    """The stacks between the events of a profile, at each of which a function begins or ends."""
    opened: list[Frame] = []
    before = float(profile["startValue"])
    for event in profile["events"]:
        if event["at"] > before and opened:
            yield allowance.joined((), tuple(opened)), event["at"] - before
        before = float(event["at"])
        frame = frames[event["frame"]]
        if event["type"] == "O":
            opened.append(frame)
        elif not opened or opened.pop() != frame:
            raise ValueError(f"the end of {frame.name}, which did not begin last")


def cpuprofile(document: Document, allowance: Allowance) -> StackProfile:
    """What `node --cpu-prof` and Chrome's panel write: microseconds between samples, without those that ran nothing."""
    nodes = {one["id"]: one for one in document["nodes"]}
    parents = {child: one["id"] for one in document["nodes"] for child in one.get("children", ())}
    paths: dict[int, Stack] = {}

    def path_of(place: int) -> Stack:
        if place not in paths:
            call = nodes[place]["callFrame"]
            above = path_of(parents[place]) if place in parents else ()
            name = call["functionName"] or f"(anonymous, line {call['lineNumber'] + 1})"
            own = () if name in _IDLE else (Frame(name, call["url"].removeprefix("file://")),)
            paths[place] = allowance.joined(above, own)
        return paths[place]

    for place in nodes:  # from above downwards: no stack is too deep for recursion
        path_of(place)
    each = zip(document["samples"], document["timeDeltas"], strict=True)
    times = ((path_of(place), max(delta, 0) * 1e-6) for place, delta in each)
    return StackProfile(summed((stack, time) for stack, time in times if stack), seconds("wall"))


def firefox(document: Document, allowance: Allowance) -> StackProfile:
    """A profile of Firefox, samply or perf, as Gecko writes it or as the profiler keeps it: samples times their interval."""
    interval = float(document["meta"]["interval"]) * 1e-3

    def columns(table: Any) -> dict[str, list[Any]]:
        """The columns of a table, which Gecko writes row by row under a schema; missing cells are None."""
        if "schema" not in table:
            return {key: one for key, one in table.items() if isinstance(one, list)}
        rows = table["data"]
        return {
            key: [row[at] if at < len(row) else None for row in rows] for key, at in table["schema"].items()
        }

    def stacks() -> Iterator[tuple[Stack, float]]:
        shared = document.get("shared", {})
        for thread in document["threads"]:
            texts = thread.get("stringTable") or thread.get("stringArray") or shared["stringArray"]
            samples, table, frames = (columns(thread[key]) for key in ("samples", "stackTable", "frameTable"))
            if "location" in frames:
                names = [texts[place] for place in frames["location"]]
            else:
                functions = columns(thread.get("funcTable") or shared["funcTable"])["name"]
                names = [texts[functions[place]] for place in frames["func"]]
            called = [Frame(names[frame]) for frame in table["frame"]]
            known = {
                place: _stack_of(place, table["prefix"], called, allowance)
                for place in {one for one in samples["stack"] if one is not None}
            }
            weights = samples.get("weight") or [1] * len(samples["stack"])
            for stack, weight in zip(samples["stack"], weights, strict=True):
                if stack is not None:
                    yield known[stack], weight * interval

    return StackProfile(summed(stacks()), seconds("wall"))


def _stack_of(place: int, prefixes: list[int | None], called: list[Frame], allowance: Allowance) -> Stack:
    """The stack that ends at a place of a table, where each names the one that it is called from, which stands before it."""
    inside_out: list[Frame] = []
    at: int | None = place
    while at is not None:
        allowance.spend()
        inside_out.append(called[at])
        above = prefixes[at]
        if above is not None and not 0 <= above < at:
            raise ValueError(f"the stack {at}, which is called from {above}")
        at = above
    return tuple(reversed(inside_out))


def jfr(document: Document) -> StackProfile:
    """What `jfr print --json --events jdk.ExecutionSample` prints: a sample for each event."""

    def stacks() -> Iterator[tuple[Stack, float]]:
        for event in document["recording"]["events"]:
            trace = event["values"].get("stackTrace")
            if event["type"] not in ("jdk.ExecutionSample", "jdk.NativeMethodSample") or trace is None:
                continue
            methods = [one["method"] for one in reversed(trace["frames"])]
            yield (
                tuple(Frame(f"{one['type']['name'].replace('/', '.')}.{one['name']}") for one in methods),
                1.0,
            )

    return StackProfile(summed(stacks()), SAMPLES)

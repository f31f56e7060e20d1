"""Whatever a trace holds: records or a told refusal, and no memory that grows with the file."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics.influence.traces import Span, edges, interaction_times
from dashboard.importers.errors import ImporterError
from dashboard.importers.source import open_source
from dashboard.importers.tef import events as events_module
from dashboard.importers.tef import read as read_source
from tests.dashboard.importers.tef_sample import NESTED, Event, events, read, seconds, trace

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
UNIT = {"time-unit": ("s",)}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["name", "cat", "ph", "ts", "dur", "pid", "tid", "args", "ID", "id"])


@st.composite
def odd_events(draw: st.DrawFn) -> list[Any]:
    """Sound events, mixed, some with other values, some replaced."""
    drawn: list[Any] = draw(st.permutations(events(NESTED)))
    return [
        draw(ANYTHING)
        if draw(st.integers(0, 9)) == 0
        else {**event, **draw(st.dictionaries(KEYS, ANYTHING, max_size=2))}
        for event in drawn
    ]


def _told(folder: Path, content: str | bytes, name: str = "trace.json") -> None:
    """Reading ends with records or with an error of the importers that says something."""
    with suppress(ImporterError):
        assert read(folder, {name: content}, UNIT).records.runs


@given(odd_events())
@QUIET
def test_odd_events_are_read_or_told(tmp_path: Path, drawn: list[Any]) -> None:
    _told(tmp_path, json.dumps({"traceEvents": drawn}))


@given(content=ANYTHING, unit=ANYTHING, wrapped=st.booleans())
@QUIET
def test_any_json_is_read_or_told(tmp_path: Path, content: Any, unit: Any, *, wrapped: bool) -> None:
    _told(tmp_path, json.dumps({"traceEvents": content, "timestampUnit": unit} if wrapped else content))


@given(st.integers(0, 900), st.integers(0, 900), st.binary(max_size=4))
@QUIET
def test_a_cut_or_damaged_trace_is_read_or_told(tmp_path: Path, cut: int, at: int, noise: bytes) -> None:
    content = trace(events(NESTED)).encode()[:cut]
    _told(tmp_path, content[:at] + noise + content[at:])


@given(st.integers(0, 400), st.integers(1, 255))
@QUIET
def test_a_damaged_gzip_file_is_read_or_told(tmp_path: Path, at: int, bits: int) -> None:
    content = bytearray(gzip.compress(trace(events(NESTED)).encode(), mtime=0))
    content[at % len(content)] ^= bits
    _told(tmp_path, bytes(content), "trace.json.gz")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"traceEvents":' + '[{"args":' * 100_000,
        '[{"ph":"B","ts":' + "9" * 100_000 + "}]",
        '[{"ph":"X","ts":1e99999999999,"dur":1,"pid":1,"tid":1,"name":"a"}]',
        '[{"ph":"B","ts":1,"pid":1,"tid":1,"name":"' + "a" * 1_000_000 + '"}]',
        '[{"ph":"X","ts":0,"dur":1,"pid":1,"tid":1,"name":"\\u0000"}]',
        '[{"ph":"X","ts":0,"dur":1,"pid":1,"tid":1,"name":"' + "a" * 2001 + '"}]',
    ],
)
def test_hostile_text_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(ImporterError):
        read(tmp_path, text, UNIT)


def _endless(name: str) -> Iterator[bytes]:
    yield b"["
    for number in range(3000):
        yield json.dumps(events([(number, "B", name.format(number), number)])[0]).encode() + b","


@pytest.mark.parametrize("name", ["a", "a{}"])
def test_regions_that_never_end_are_refused_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(events_module, "MAX_OPEN", 1000)
    path = tmp_path / "trace.json"
    path.write_bytes(b"".join(_endless(name)))
    with pytest.raises(ImporterError, match="regions open at once"), open_source(path, lone=True) as source:
        read_source(source, UNIT)


SPANS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(0, 20), st.sampled_from(["a", "b", "c"])),
    min_size=1,
    max_size=10,
)


@given(drawn=SPANS, complete=st.booleans())
@QUIET
def test_a_written_trace_says_what_its_spans_say(
    tmp_path: Path, drawn: list[tuple[int, int, int, str]], *, complete: bool
) -> None:
    spans = [
        Span(thread, min(one, two), max(one, two), frozenset({name})) for thread, one, two, name in drawn
    ]
    expected = interaction_times(edges(spans))
    if not expected:
        return
    found = read(tmp_path, trace(list(_written(spans, complete=complete)), "s"))
    assert seconds(found) == pytest.approx({"*".join(sorted(of)): time for of, time in expected.items()})


def _written(spans: list[Span], *, complete: bool) -> Iterator[Event]:
    rows: list[tuple[float, int, Event]] = []
    for number, (thread, start, end, features) in enumerate(spans):
        base = {"name": next(iter(features)), "cat": "Feature", "pid": 1, "tid": thread}
        if complete:
            rows.append((end, 0, {**base, "ph": "X", "ts": start, "dur": end - start}))
            continue
        arguments = {"args": {"ID": number}}
        rows += [
            (start, 0, {**base, "ph": "B", "ts": start, **arguments}),
            (end, 1, {**base, "ph": "E", "ts": end, **arguments}),
        ]
    for _, _, event in sorted(rows, key=lambda row: row[:2]):
        yield event


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for size in (2_000, 8_000):
        path = tmp_path / f"{size}.json"
        steps = ((at, "BE"[at % 2], "foo", at // 2) for at in range(size))
        with path.open("w") as stream:
            stream.write("[")
            for step in steps:
                stream.write(json.dumps(events([step])[0]) + ",\n")
        tracemalloc.start()
        with open_source(path, lone=True) as source:
            found = read_source(source, UNIT)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert seconds(found) == {"foo": size / 2}
    assert peaks[1] < 1.5 * peaks[0]

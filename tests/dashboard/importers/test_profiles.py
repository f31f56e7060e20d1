"""Profiles of every kind become a run with self values and call paths; what is cut or foreign is refused with its remedy."""

import gzip
import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.importers.errors import ImporterError, InvalidSetting, SourceError
from dashboard.importers.profiles import read
from dashboard.importers.profiles.profilers import PROFILERS, profilers_of
from dashboard.importers.records import Imported
from dashboard.importers.registry import formats_told
from dashboard.importers.source import open_source

FOLDER = Path(__file__).parent / "profile_samples"
# py-spy and Node wrote theirs; the others are written by hand after the formats' documents.
FILES = {
    "speedscope": "speedscope.json",
    "cpuprofile": "node.cpuprofile",
    "Firefox": "firefox.json",
    "JFR": "jfr.json",
    "collapsed stacks": "collapsed.txt",
    "callgrind": "callgrind.out",
    "pprof": "cpu.pprof",
}
QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)


def take(path: Path, **chosen: str) -> Imported:
    with open_source(path, lone=True) as source:
        return read(source, {name: (value,) for name, value in chosen.items()})


def own(found: Imported) -> dict[str, float]:
    """The self value of each region."""
    table = found.records.region_measurements
    return {
        found.records.regions[at].key: float(value)
        for at, value in zip(table.region, table.value, strict=True)
    }


def test_every_profiler_has_a_sample() -> None:
    assert set(FILES) == {one.name for one in PROFILERS}
    assert set(FILES.values()) == {file.name for file in FOLDER.iterdir()}


@pytest.mark.parametrize("name", FILES)
def test_its_file_is_told_by_it_and_by_no_other(name: str) -> None:
    content = (FOLDER / FILES[name]).read_bytes()
    assert [one.name for one in profilers_of(content)[1]] == [name]
    with open_source(FOLDER / FILES[name], lone=True) as source:
        assert formats_told(source) == ["profile"]


@pytest.mark.parametrize("name", FILES)
def test_self_values_and_call_paths_sum_up_to_the_run(name: str) -> None:
    found = take(FOLDER / FILES[name])
    (run,) = found.records.runs
    assert run.kind == "profiled"
    total = pytest.approx(float(found.records.measurements.value[0]))
    assert sum(own(found).values()) == total
    for record in found.records.call_paths:
        assert sum(seconds for _, _, seconds in record.paths.nodes) == total
        assert {key for _, key, _ in record.paths.nodes} == {one.key for one in found.records.regions}
    assert bool(found.records.call_paths) == (found.records.metrics[0].unit == "s")


def test_values_have_the_unit_of_their_file() -> None:
    assert own(take(FOLDER / "cpu.pprof")) == pytest.approx({"main.go:work": 0.03, "main.go:main": 0.01})
    assert [one.clock for one in take(FOLDER / "cpu.pprof").records.metrics] == ["cpu"]
    assert own(take(FOLDER / "firefox.json")) == pytest.approx({"main": 0.002, "work": 0.004})
    assert own(take(FOLDER / "jfr.json")) == {"org.example.Sums.sum": 2.0, "org.example.Sums.main": 1.0}
    counted = take(FOLDER / "callgrind.out")
    assert own(counted) == {"sums.c:main": 15.0, "sums.c:sum": 60.0}
    assert [(one.quantity, one.clock) for one in counted.records.metrics] == [("instructions", "count")]


def test_samples_become_times_by_their_period_and_clock() -> None:
    plain = take(FOLDER / "collapsed.txt")
    assert [one.quantity for one in plain.records.metrics] == ["samples"]
    timed = take(FOLDER / "collapsed.txt", period="0.02", clock="wall")
    assert own(timed) == pytest.approx({key: 0.02 * count for key, count in own(plain).items()})
    assert timed.records.call_paths
    with pytest.raises(InvalidSetting, match=r"--clock: nothing tells the clock of the samples"):
        take(FOLDER / "collapsed.txt", period="0.02")
    with pytest.raises(InvalidSetting, match=r"--period: the file tells time in s, not samples"):
        take(FOLDER / "cpu.pprof", period="0.02")


@pytest.mark.parametrize("name", FILES)
def test_a_cut_file_is_refused(name: str, tmp_path: Path) -> None:
    """At the end of a line of stacks it says less, and that is true."""
    content = (FOLDER / FILES[name]).read_bytes()
    for end in range(1, len(content) - 2, max(1, len(content) // 20)):
        if name == "collapsed stacks" and content[:end].endswith(b"\n"):
            continue
        (tmp_path / "profile").write_bytes(content[:end])
        with pytest.raises(SourceError) as refused:
            take(tmp_path / "profile")
        assert refused.value.fault.remedy


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@QUIET
def test_any_change_is_read_or_told(name: str, tmp_path: Path, data: st.DataObject) -> None:
    content = (FOLDER / FILES[name]).read_bytes()
    start = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.binary(max_size=4) | st.sampled_from([b"-1", b"null", b"[]", b"x", b"9" * 20]))
    (tmp_path / "profile").write_bytes(
        content[:start] + new + content[start + data.draw(st.integers(0, 9)) :]
    )
    try:
        found = take(tmp_path / "profile")
    except ImporterError as error:
        assert str(error)  # noqa: PT017 -- either is right
    else:
        assert all(value >= 0 for value in own(found).values())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"hello\n", "is not supported, or not complete"),
        (b"FLR\0\0\2", "is a recording of the JVM: write it by jfr print --json"),
        (b"main;work 0\n", "holds no sample"),
    ],
)
def test_other_content_is_refused_with_a_remedy(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "profile").write_bytes(content)
    with pytest.raises(SourceError, match=words):
        take(tmp_path / "profile")


def varint(number: int) -> bytes:
    """A number as protocol buffers write it."""
    low, high = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])


def field(number: int, content: bytes | int) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def packed(more: bytes) -> bytes:
    """A profile of pprof with one function, and `more`, packed."""
    texts = b"".join(field(6, one) for one in (b"", b"cpu", b"nanoseconds", b"main"))
    plain = field(1, field(1, 1) + field(2, 2)) + texts + field(5, field(1, 1) + field(2, 3)) + more
    return gzip.compress(plain, 1)


LINE = field(4, field(1, 1))
# Few bytes that stand for very many: lines of a place times places of a sample, empty texts, calls within calls.
SMALL = {
    "inlined": packed(
        field(4, field(1, 1) + LINE * 4_000) + field(2, field(1, b"\1" * 200_000) + field(2, 5))
    ),
    "texts": packed(field(4, field(1, 1) + LINE) + b"\x32\0" * (20 << 20)),
    "places": packed(field(4, field(1, 1) + LINE) + field(2, field(1, b"\1" * (40 << 20)) + field(2, 5))),
    "cpuprofile": json.dumps(
        {
            "nodes": [
                {"id": n, "callFrame": {"functionName": "f", "url": "", "lineNumber": 0}, "children": [n + 1]}
                for n in range(12_000)
            ],
            "samples": [0],
            "timeDeltas": [1],
        }
    ).encode(),
    "firefox": json.dumps(
        {
            "meta": {"interval": 1},
            "threads": [
                {
                    "stringTable": ["f"],
                    "samples": {"stack": list(range(20_000))},
                    "stackTable": {"prefix": [None, *range(19_999)], "frame": [0] * 20_000},
                    "frameTable": {"location": [0]},
                }
            ],
        }
    ).encode(),
    "speedscope": json.dumps(
        {
            "shared": {"frames": [{"name": "f"}]},
            "profiles": [
                {
                    "type": "evented",
                    "unit": "seconds",
                    "startValue": 0,
                    "events": [{"type": "O", "at": n, "frame": 0} for n in range(20_000)],
                }
            ],
        }
    ).encode(),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_does_not_unpack_to_very_much(name: str, tmp_path: Path) -> None:
    (tmp_path / "profile.txt").write_bytes(SMALL[name])
    begin = time.process_time()
    with pytest.raises(SourceError) as refused:
        take(tmp_path / "profile.txt")
    assert time.process_time() - begin < 15
    assert refused.value.fault.remedy


def test_a_deep_stack_is_read(tmp_path: Path) -> None:
    stack = ";".join(f"f{n}" for n in range(2_000))
    nodes = [
        {"id": n, "callFrame": {"functionName": f"f{n}", "url": "", "lineNumber": 0}, "children": [n + 1]}
        for n in range(2_000)
    ]
    (tmp_path / "collapsed.txt").write_text(f"{stack} 3\n", encoding="utf-8")
    (tmp_path / "node.json").write_text(
        json.dumps({"nodes": nodes, "samples": [1_999], "timeDeltas": [1_000]}), encoding="utf-8"
    )
    assert list(own(take(tmp_path / "collapsed.txt"))) == ["f1999"]
    assert list(own(take(tmp_path / "node.json"))) == ["f1999"]

"""A program can write anything into its result: what no database or page could hold is refused before it is stored."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dashboard.importers.limits import LONGEST
from probe.functions import LONGEST_SOURCE
from runner import results
from runner.results import ProbeResult, ResultUnreadable, read_result

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {"wall_seconds": 1.0, "cpu_seconds": 1.0}
REGION = {"seconds": 1.0, "lines": {"3": 1.0}}
FUNCTION = {
    "key": "tiny:run", "module": "tiny", "qualified_name": "run", "file": "tiny.py", "first_line": 1,
    "last_line": 3, "body_hash": "0" * 64, "source": "def run(): ...",
}  # fmt: skip
TRACE: dict[str, Any] = {
    "version": 1, "options": ["fast"], "sites": [], "decisions": [], "steps": [], "read": 0, "functions": {}, "unfollowed": {}, "cut": False,
}  # fmt: skip

SITE = {
    "region": "tiny:run", "file": "tiny.py", "line": 1, "column": 0, "kind": "if", "text": "", "writes": "",
    "reads": [], "until": 1,
}  # fmt: skip


def with_profile(**parts: Any) -> dict[str, Any]:
    """A result with a profile of one region."""
    whole = {**PLAIN, "sampling_seconds": 0.0, "ticks": 1, "program_seconds": 0.0}
    return {
        "profile": {**whole, "regions": {"tiny:run": REGION}, "functions": {"tiny:run": FUNCTION}, **parts}
    }


def with_counts(*row: Any, region: str = "tiny:run") -> dict[str, Any]:
    """A result that counted one thing."""
    return {"counts": {"version": 1, "regions": {region: [row]}}}


def with_function(**parts: Any) -> dict[str, Any]:
    """A result with a profile whose function stands elsewhere."""
    return with_profile(functions={"tiny:run": {**FUNCTION, **parts}})


def read(folder: Path, parts: dict[str, Any]) -> ProbeResult:
    """Read a result with these parts."""
    file = folder / "result.json"
    whole = {"version": 1, "status": "ok", "interpreter": {}, "plain": PLAIN, **parts}
    file.write_text(json.dumps(whole), encoding="utf-8")
    return read_result(file, ("fast",))


@pytest.mark.parametrize(
    "parts",
    [
        {},
        with_profile(),
        with_counts(3, 0, "turn", 2**62),
        {"trace": TRACE},
        {"reads": ["fast"]},
        with_function(source="'\\\\u0000'"),
    ],
)
def test_what_the_probe_writes_is_read(tmp_path: Path, parts: dict[str, Any]) -> None:
    assert read(tmp_path, parts).model_dump(mode="json", include=set(parts)).keys() == parts.keys()


HOSTILE = {
    "a time whose sum is none": {"plain": {"wall_seconds": 1e308, "cpu_seconds": 1.0}},
    "the region that stands for the rest": with_profile(regions={"program": REGION}),
    "a region without a name": with_profile(regions={"": REGION}),
    "a region of a very long name": with_profile(regions={"x" * 401: REGION}),
    "a million regions": with_profile(regions=dict.fromkeys(map(str, range(100_001)), REGION)),
    "a line before the first": with_profile(regions={"a": {"seconds": 1.0, "lines": {"-5": 1.0}}}),
    "paths whose sum is none": with_profile(paths={"nodes": [[-1, "a", 1e308]], "cut_seconds": 1e308}),
    "a function before the first line": with_function(first_line=-1),
    "a function after the last line": with_function(last_line=2**31),
    "a function with a long digest": with_function(body_hash="0" * 65),
    "a function of a very long source": with_function(source="x" * 65_537),
    "a negative count": with_counts(1, 0, "call", -5),
    "a count of many digits": with_counts(1, 0, "call", 10**300),
    "a count of a line before the first": with_counts(-1, 0, "call", 5),
    "counts of a hundred thousand places in one region": {
        "counts": {"version": 1, "regions": {"a": [[1, 0, "call", 1]] * 100_001}}
    },
    "more places counted than a program has": {
        "counts": {"version": 1, "regions": dict.fromkeys(map(str, range(11)), [[1, 0, "call", 1]] * 99_999)}
    },
    "interpreters by the thousand": {"interpreter": dict.fromkeys(map(str, range(1000)), "")},
    "a count of nothing known": with_counts(1, 0, "<b>", 5),
    "counts in a region of a long name": with_counts(1, 0, "call", 5, region="x" * 401),
    "a decision at no site": {"trace": {**TRACE, "decisions": [[9, 1, 1]]}},
    "a step before the first site": {"trace": {**TRACE, "steps": [[-1, 1]]}},
    "a decision by an option beyond the last": {
        "trace": {**TRACE, "sites": [SITE], "decisions": [[0, 2, 0]]}
    },
    "a step of a negative taint": {"trace": {**TRACE, "sites": [SITE], "steps": [[0, -1]]}},
    "values of an option beyond the last": {"trace": {**TRACE, "read": 2}},
    "a flow from an option beyond the last": {
        "trace": {**TRACE, "sites": [SITE], "flows": [[0, "", [[0, "", 2, []]], [], 0]]}
    },
    "a flow at no site": {"trace": {**TRACE, "flows": [[0, "", [], [], 1]]}},
    "a flow through no site": {
        "trace": {**TRACE, "sites": [SITE], "flows": [[0, "", [], [[0, "", 1, [7]]], 0]]}
    },
    "a trace of an option that is none": {"trace": {**TRACE, "options": ["slow"]}},
    "an option read that is none": {"reads": ["slow"]},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_cannot_be_is_refused(tmp_path: Path, what: str) -> None:
    with pytest.raises(ResultUnreadable, match="that is not ours"):
        read(tmp_path, HOSTILE[what])


def test_a_trace_within_its_options_and_sites_is_read(tmp_path: Path) -> None:
    flows = [[0, "", [[0, "", 1, [0]]], [], 1]]
    told = read(tmp_path, {"trace": {**TRACE, "sites": [SITE], "decisions": [[0, 1, 0]], "flows": flows}})
    assert told.trace
    assert told.trace.decisions == ((0, 1, 0),)


def test_counts_whose_sum_no_database_holds_are_refused(tmp_path: Path) -> None:
    rows = [[line, 0, "call", 2**62] for line in (1, 2)]
    with pytest.raises(ResultUnreadable, match="more was counted than can be"):
        read(tmp_path, {"counts": {"version": 1, "regions": {"tiny:run": rows}}})


def test_no_text_of_a_result_holds_a_nul(tmp_path: Path) -> None:
    """A source text that writes one as an escape stays as it is."""
    told = read(tmp_path, {"message": "one\0two\0\0", **with_function(source="'\\u0000\0'")})
    assert told.message == "one\ufffdtwo\ufffd\ufffd"
    assert told.profile
    assert told.profile.functions["tiny:run"].source == "'\\u0000\ufffd'"


GREEDY = """
import resource, sys
from pathlib import Path
from runner.results import ResultUnreadable, read_result
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    read_result(Path(sys.argv[1]), ())
except ResultUnreadable as error:
    print(error)
"""


def test_a_result_of_escapes_alone_costs_no_more_memory_than_its_size(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(b"\\" * (60 << 20))
    words = [sys.executable, "-c", GREEDY, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Invalid JSON" in done.stdout, done.stderr


def test_what_is_read_is_no_longer_than_what_the_tables_hold() -> None:
    """The runner knows no table; an import is held to the same lengths."""
    assert {
        "key": LONGEST["region key"], "module": LONGEST["region package"], "qualified_name": LONGEST["region name"],
        "file": LONGEST["file"], "body_hash": LONGEST["digest"], "source": LONGEST_SOURCE,
    } == results._LONGEST  # fmt: skip

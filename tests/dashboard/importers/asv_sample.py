"""A small folder of asv results of our own making, in both formats: two machines, two versions of a benchmark."""

import gzip
import json
from pathlib import Path
from typing import Any

BENCHMARKS: dict[str, Any] = {
    "bench_sort.Sort.time_sort": {
        "code": "def time_sort(self, kind, size): sort(self.data, kind)",
        "name": "bench_sort.Sort.time_sort",
        "param_names": ["kind", "size"],
        "params": [["<class 'int'>", "'stable'"], ["10", "1000"]],
        "type": "time",
        "unit": "seconds",
        "version": "b" * 64,
    },
    "bench_sort.peakmem_load": {
        "code": "def peakmem_load(): load()",
        "name": "bench_sort.peakmem_load",
        "param_names": [],
        "params": [],
        "type": "peakmemory",
        "unit": "bytes",
        "version": "c" * 64,
    },
    "bench_sort.track_ratio": {
        "code": "def track_ratio(): return ratio()",
        "name": "bench_sort.track_ratio",
        "param_names": [],
        "params": [],
        "type": "track",
        "unit": "percent",
        "version": "d" * 64,
    },
    "version": 2,
}
PARAMS = [["<class 'int'>", "'stable'"], ["10", "1000"]]
COLUMNS = [
    "result",
    "params",
    "version",
    "started_at",
    "duration",
    "stats_ci_99_a",
    "stats_ci_99_b",
    "stats_q_25",
    "stats_q_75",
    "stats_number",
    "stats_repeat",
    "samples",
    "profile",
]
COMMITS = [f"{number:x}".rjust(2, "a") + "0123456789" * 4 for number in range(16)]
DAY = 86_400_000

Files = dict[str, Any]


def machine(name: str) -> dict[str, Any]:
    """What `asv machine` writes."""
    return {"arch": "x86_64", "cpu": "Example 9", "machine": name, "os": "Linux", "ram": "8000", "version": 1}


def result(
    number: int, *, machine_name: str = "oak", environment: str = "virtualenv-py3.11", factor: float = 1.0
) -> Any:
    """A result file of format 2, of the revision with this number."""
    values = [0.001 * factor, 0.1 * factor, None, float("nan")]
    sort = [
        values,
        PARAMS,
        "b" * 64,
        1_600_000_000_000,
        2.5,
        [0.0009 * factor, float("-inf"), None, None],
        [0.0011 * factor, float("inf"), None, None],
        [0.00095 * factor, 0.098 * factor, None, None],
        [0.00105 * factor, 0.102 * factor, None, None],
        [100, 2, None, None],
        [10, 4, None, None],
    ]
    return {
        "commit_hash": COMMITS[number][:40],
        "date": 1_600_000_000_000 + number * DAY,
        "env_name": environment,
        "env_vars": {},
        "params": {**machine(machine_name), "python": "3.11"},
        "python": "3.11",
        "requirements": {},
        "result_columns": COLUMNS,
        "results": {
            "bench_sort.Sort.time_sort": sort,
            "bench_sort.peakmem_load": [[4096.0], [], "c" * 64, 1_600_000_000_000, 0.1],
            "bench_sort.track_ratio": [None, [], "d" * 64],
        },
        "durations": {"<build>": 12.0},
        "version": 2,
    }


def old_result(number: int) -> Any:
    """A result file of format 1, of the revision with this number."""
    stats = {"ci_99": [0.0009, 0.0011], "q_25": 0.00095, "q_75": 0.00105, "repeat": 10, "number": 100}
    return {
        "commit_hash": COMMITS[number][:40],
        "date": 1_600_000_000_000 + number * DAY,
        "params": {**machine("oak"), "python": "3.11"},
        "python": "3.11",
        "env_name": "virtualenv-py3.11",
        "requirements": {},
        "benchmark_version": {"bench_sort.Sort.time_sort": "a" * 64},
        "profiles": {},
        "results": {
            "bench_sort.Sort.time_sort": {
                "result": [0.001, 0.1, None, None],
                "params": PARAMS,
                "stats": [stats, stats, None, None],
            },
            "bench_sort.peakmem_load": 4096,
            "bench_gone.time_gone": {"result": 0.5},
            "bench_gone.track_failed": None,
        },
        "version": 1,
    }


def folder(revisions: int = 3) -> Files:
    """The files of a folder: `revisions` of format 2 on one machine, one on another, one old one."""
    files: Files = {
        "benchmarks.json": BENCHMARKS,
        "oak/machine.json": machine("oak"),
        "elm/machine.json": machine("elm"),
        f"oak/{COMMITS[0][:8]}-virtualenv-py3.11.json": old_result(0),
        f"elm/{COMMITS[1][:8]}-virtualenv-py3.11.json": result(1, machine_name="elm", factor=3.0),
    }
    for number in range(1, revisions + 1):
        files[f"oak/{COMMITS[number][:8]}-virtualenv-py3.11.json"] = result(number)
    # Copies without shared parts: a test changes one place alone.
    return {name: json.loads(json.dumps(content)) for name, content in files.items()}


def stepped() -> Files:
    """A folder whose benchmarks take twice as long from the ninth revision on."""
    files = folder(1)
    for number in range(2, 16):
        factor = (2.0 if number >= 9 else 1.0) * (1 + 0.001 * (number % 3))
        files[f"oak/{number}.json"] = result(number, factor=factor)
    return files


def write(files: Files, path: Path) -> Path:
    """Write the files below `path`; bytes and texts as they are, anything else as JSON. Returns `path`."""
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, bytes | str) else json.dumps(content)
        raw = text.encode() if isinstance(text, str) else text
        file.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return path

"""How long a large folder of asv results takes: import, fits and change points, on SQLite and PostgreSQL.

Of the size of NumPy's published results, made up from a fixed seed, or those results themselves where they lie in
`../shared/data/asv`. Each step is a command in a process of its own; its peak memory is what the system reports of it
and of its children. Processor seconds, of a command and its pool, are what to compare where other programs run. The same
folder again changes nothing.

Where the time goes for NumPy's results on SQLite, in shares of the processor time. The import: reading the files 60 %, half of
it in a second process, writing the points 20 %, series and revisions 7 %, starting Python and its libraries 10 %. Fits and changes:
searches 54 %, fits 16 %, reading points 7 %, slow drifts 6 %. PostgreSQL's server takes as much again as the import for its points.

    python benchmarks/bench_asv.py [FOLDER]
"""

import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.servers import postgresql  # noqa: E402 -- found by the line above
from tools.suite import bytecode  # noqa: E402 -- as above

PUBLISHED = ROOT.parent / "shared" / "data" / "asv" / "numpy-bench-results.tar.xz"
BENCHMARKS, COMBINATIONS = 250, 14
# Revisions measured in each of three environments.
ENVIRONMENTS = {"oak": 800, "elm": 500, "ash": 80}
DAY = 86_400_000


def write_folder(
    folder: Path,
    shape: tuple[int, int] = (BENCHMARKS, COMBINATIONS),
    environments: Mapping[str, int] = ENVIRONMENTS,
) -> None:
    """Write made-up results: levels with 1 % noise, and a step of up to 50 % in every third history.

    `shape`: benchmarks, and series of each; `environments`: the revisions measured in each.
    """
    rng = np.random.default_rng(20190711)
    params = [[f"'kind{number}'" for number in range(shape[1])]]
    names = [f"bench_{number:03d}.Suite.time_it" for number in range(shape[0])]
    entry = {
        "type": "time",
        "unit": "seconds",
        "param_names": ["kind"],
        "params": params,
        "version": "1" * 64,
    }
    listed = {name: {"name": name, "code": "pass", **entry} for name in names} | {"version": 2}
    (folder / "benchmarks.json").write_text(json.dumps(listed))
    levels = rng.lognormal(-8, 2, size=shape)
    for machine, revisions in environments.items():
        (folder / machine).mkdir()
        about = {
            "machine": machine,
            "arch": "x86_64",
            "cpu": "made up",
            "os": "Linux",
            "ram": "1",
            "version": 1,
        }
        (folder / machine / "machine.json").write_text(json.dumps(about))
        where = rng.integers(0, 3 * revisions, size=levels.shape)
        sizes = rng.uniform(0.5, 1.5, size=levels.shape)
        for number in range(revisions):
            values = levels * np.where(number >= where, sizes, 1.0) * rng.normal(1, 0.01, size=levels.shape)
            _write_result(folder / machine, about, names, params, (number, values))


def _write_result(
    folder: Path,
    about: dict[str, object],
    names: list[str],
    params: list[list[str]],
    measured: tuple[int, np.ndarray],
) -> None:
    number, values = measured
    commit = f"{number:040x}"[::-1]
    columns = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b"]
    columns += ["stats_q_25", "stats_q_75", "stats_number", "stats_repeat"]
    results = {
        name: [
            row.tolist(),
            params,
            "1" * 64,
            0,
            1.0,
            *((row * factor).round(9).tolist() for factor in (0.99, 1.01, 0.995, 1.005)),
            [10] * len(row),
            [10] * len(row),
        ]
        for name, row in zip(names, values, strict=True)
    }
    document = {
        "commit_hash": commit,
        "date": 1_500_000_000_000 + number * DAY,
        "env_name": "virtualenv-py3.11",
        "params": about,
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "result_columns": columns,
        "results": results,
        "durations": {},
        "version": 2,
    }
    (folder / f"{commit[:8]}-virtualenv-py3.11.json").write_text(json.dumps(document))


def folders(given: Path | None) -> Iterator[tuple[str, Path]]:
    """The folder asked for; else the made-up one and, where they are at hand, the published results."""
    if given is not None:
        yield given.name, given
        return
    with tempfile.TemporaryDirectory() as made:
        write_folder(Path(made))
        yield "made up", Path(made)
    if PUBLISHED.exists():
        with tempfile.TemporaryDirectory() as unpacked:
            with tarfile.open(PUBLISHED) as archive:
                archive.extractall(unpacked, filter="data")
            yield "NumPy's", Path(unpacked) / "results"


def measure(folder: Path, database: str, var: Path) -> None:
    """Print seconds and peak memory of each step on an empty database."""
    environment = {
        **os.environ,
        **bytecode(os.environ),
        "DATABASE_URL": database,
        "PERFATLAS_VAR": str(var),
        "PERFATLAS_SECRET_KEY": "only-for-this-benchmark-0123456789-0123456789-0123",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    _seconds(environment, "migrate", "-v0")
    # What runs for the first time compiles its modules, which takes two seconds: no installation does so each time.
    for name in ("import", "fit"):
        _seconds(environment, name, "--help")
    steps = {
        "import": ("import", "asv", str(folder), "--system", "Suite"),
        "fits and change points": ("fit", "Suite", "--processes", "2"),
        "the same folder again": ("import", "asv", str(folder), "--system", "Suite"),
    }
    total = 0.0
    for words, command in steps.items():
        used = _processor_seconds()
        seconds = _seconds(environment, *command)
        used = _processor_seconds() - used
        total += seconds if words != "the same folder again" else 0.0
        # Linux counts in kilobytes, over all children so far: the largest of them.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        figures = f"{seconds:7.1f} s, of processors {used:7.1f} s"
        print(f"  {words:<24} {figures}, largest process so far {peak:6.0f} MB", flush=True)
    print(f"  {'import, fits, changes':<24} {total:7.1f} s   (asked: below 30 s, 512 MB)", flush=True)


def _processor_seconds() -> float:
    """What all commands so far and their children took of the processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds(environment: dict[str, str], *command: str) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command], env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - start


def main() -> None:
    """Measure each folder on both databases."""
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for title, folder in folders(given):
        with tempfile.TemporaryDirectory() as var:
            print(f"{title} results, SQLite", flush=True)
            measure(folder, f"sqlite:///{var}/db.sqlite3", Path(var))
        with tempfile.TemporaryDirectory() as var, postgresql() as server:
            print(f"{title} results, PostgreSQL", flush=True)
            base, _, name = server.rpartition("/")
            # A name that the server is rid of at the end.
            _create_database(base, f"test_{name}")
            measure(folder, f"{base}/test_{name}", Path(var))


def _create_database(server: str, name: str) -> None:
    import psycopg  # noqa: PLC0415 -- SQLite alone needs none
    from psycopg import sql  # noqa: PLC0415 -- as above

    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


if __name__ == "__main__":
    main()

"""How often two revisions are told to differ where they do not, how much of what differs is told, and how long the page takes.

Simulated series of which nothing changed, in groups as a system has them: benchmarks measured once at 34 revisions, the two
compared next to each other or 17 apart; and configurations whose runs alone tell the noise. Noise of single series is up to
several times larger or smaller than 2 %. A comparison is wrong if it tells any difference. Then one series in twenty becomes
slower. Nothing in `analytics.revision_differences` was chosen with these seeds. Rules were looked at under the kinds in
`noise_kinds.TUNED` and `HELD_OUT` and those of runs below, under seeds 1 and 2.

    python -m benchmarks.bench_two_revisions [SERIES [COMPARISONS]]
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analytics.changepoints.changes import FALSE_ALARM_RATE
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings, NoisePolicy
from analytics.revision_differences import ComparedSeries, revision_differences
from benchmarks.noise_kinds import HELD_OUT, NOISE, TUNED, Kind

Values = NDArray[np.float64]
SEED = 20261124
POINTS, NEAR, FAR = 34, (16, 17), (8, 25)
BENCHMARK = HistorySettings(noise=NoisePolicy.BEYOND_REPETITIONS)
# Single runs of a configuration, of standard deviation one.
RUNS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Values]] = {
    "Gaussian": lambda rng, shape: rng.normal(size=shape),
    "Student t, 3 degrees": lambda rng, shape: rng.standard_t(3, size=shape) / np.sqrt(3.0),
    "lognormal": lambda rng, shape: np.exp(rng.normal(size=shape)) / 2.16,
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "bimodal": lambda rng, shape: rng.normal(size=shape) + 3.0 * (rng.random(shape) < 0.2),
    "one outlier in 20": lambda rng, shape: (
        rng.normal(size=shape) + 25.0 * rng.random(shape) * (rng.random(shape) < 0.05)
    ),
}
SIZES = (0.05, 0.10, 0.20)


def benchmarks_of(
    kind: Kind, series: int, ends: tuple[int, int], rng: np.random.Generator
) -> list[ComparedSeries]:
    """Benchmarks measured once at each revision."""
    found = []
    for _ in range(series):
        values = np.exp(kind(rng, POINTS) * np.exp(rng.normal(0.0, 0.7)))
        found.append(
            ComparedSeries(Measurements.of(np.arange(POINTS), values), *ends, BENCHMARK, "benchmark")
        )
    return found


def configurations_of(
    kind: str, series: int, design: tuple[int, int], rng: np.random.Generator, slower: float = 0.0
) -> list[ComparedSeries]:
    """Configurations that were run several times at each revision; one in twenty becomes `slower` in the middle."""
    revisions, runs = design
    found, places = [], np.arange(revisions)
    middle = revisions // 2
    for number in range(series):
        size = NOISE * np.exp(rng.normal(0.0, 0.7))
        values = np.exp(size * RUNS[kind](rng, (revisions, runs)))
        if number % 20 == 0:
            values[middle:] *= 1.0 + slower
        spreads = values.std(axis=1, ddof=1)
        measured = Measurements.of(places, np.median(values, axis=1), np.full(revisions, runs), spreads)
        found.append(ComparedSeries(measured, middle - 1, middle, HistorySettings(), "configuration"))
    return found


def wrong(made: Callable[[np.random.Generator], list[ComparedSeries]], comparisons: int, cell: str) -> str:
    """`2/40 (0.1), 1`: comparisons that tell a difference where there is none, series told of 1,000, and builds that would fail."""
    any_told = told = series = failed = 0
    for number in range(comparisons):
        rng = np.random.default_rng([SEED, number, *cell.encode()])
        found = revision_differences(made(rng))
        any_told += bool(found.differs.any())
        told += int(found.differs.sum())
        series += len(found.differs)
        # What the client's `compare --fail-on confirmed` fails on.
        is_sure = found.false_discovery_rate <= FALSE_ALARM_RATE
        failed += bool((found.differs & is_sure & (found.absolute > 0)).any())
    return f"{any_told}/{comparisons} ({1000 * told / series:.2f}), {failed}"


def report_wrong(series: int, comparisons: int) -> None:
    """Comparisons of revisions between which nothing changed."""
    sys.stdout.write(
        f"comparisons of {series} unchanged series that tell any difference (series told of 1,000), and that fail a build\n"
        f"{'benchmarks, measured once':28}{'neighbours':>20}{'17 apart':>20}\n"
    )
    for name, kind in {**TUNED, **HELD_OUT}.items():
        cells = [
            wrong(partial(benchmarks_of, kind, series, ends), comparisons, f"{name} {ends}")
            for ends in (NEAR, FAR)
        ]
        sys.stdout.write(f"{name:28}{cells[0]:>20}{cells[1]:>20}\n")
        sys.stdout.flush()
    designs = ((2, 3), (2, 5), (26, 3), (26, 2))
    heads = "".join(f"{f'{revisions} x {runs} runs':>20}" for revisions, runs in designs)
    sys.stdout.write(f"{'configurations':28}{heads}\n")
    for name in RUNS:
        cells = [
            wrong(partial(configurations_of, name, series, one), comparisons, f"{name} {one}")
            for one in designs
        ]
        sys.stdout.write(f"{name:28}{''.join(f'{cell:>20}' for cell in cells)}\n")
        sys.stdout.flush()


def report_told(series: int) -> None:
    """What of changes is told where one series in twenty changed, what of the told is noise, and which intervals hold."""
    sys.stdout.write(
        "one configuration in twenty slower: told, of the told noise, intervals that hold the size\n"
    )
    for revisions, runs in ((2, 3), (2, 5), (26, 3), (26, 5)):
        cells = []
        for size in SIZES:
            rng = np.random.default_rng([SEED, revisions, runs, round(1000 * size)])
            found = revision_differences(configurations_of("Gaussian", series, (revisions, runs), rng, size))
            true = np.arange(series) % 20 == 0
            told, holds = found.differs, (found.low[true] <= size) & (size <= found.high[true])
            noise = (told & ~true).sum() / max(told.sum(), 1)
            cells.append(f"{size:.0%}: {told[true].mean():.0%}, {noise:.0%}, {holds.mean():.0%}")
        sys.stdout.write(f"{f'{revisions} x {runs} runs':14}{'   '.join(cells)}\n")


def fill(series: int, revisions: int) -> None:
    """Store a system of so many benchmarks, each measured at all revisions; one in twenty steps by 20 % in the middle."""
    from dashboard import models  # noqa: PLC0415 -- Django is set up first

    system = models.System.objects.create(slug="many", name="Many", visible=True)
    batch = models.Batch.objects.create(system=system, format="asv", digest="d", state="visible")
    order = models.Order.objects.create(system=system, name="releases")
    made = models.Revision.objects.bulk_create(
        models.Revision(system=system, name=str(n)) for n in range(revisions)
    )
    models.OrderPosition.objects.bulk_create(
        models.OrderPosition(order=order, revision=one, position=at) for at, one in enumerate(made)
    )
    where = {
        "workload": models.Workload.objects.create(system=system, name="all"),
        "environment": models.Environment.objects.create(digest="e", name="made up"),
        "metric": models.Metric.objects.create(quantity="time", unit="s", clock="wall"),
        "subject_kind": "benchmark",
    }
    rows = models.Series.objects.bulk_create(
        models.Series(system=system, subject=f"bench_{n}", identity=str(n), **where) for n in range(series)
    )
    values = np.exp(NOISE * np.random.default_rng(SEED).normal(size=(series, revisions)))
    values[::20, revisions // 2 :] *= 1.2
    points = (
        models.Point(series=one, revision=at, batch=batch, n=10, median=value, spread=0.01)
        for one, own in zip(rows, values, strict=True)
        for at, value in zip(made, own.tolist(), strict=True)
    )
    models.Point.objects.bulk_create(points, batch_size=5000)


def page_times(series: int, revisions: int) -> Iterator[str]:
    """The page of a system of so many series: the first look, looks that are kept, and the number of queries."""
    import django  # noqa: PLC0415 -- the database is named first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from dashboard.access import Principal, access_to  # noqa: PLC0415
    from dashboard.pages.lens import Lens  # noqa: PLC0415
    from dashboard.pages.two_revisions import page  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    fill(series, revisions)
    access = access_to(Principal.operator(), "many")
    first: list[tuple[float, float]] = []
    kept: list[tuple[float, float]] = []
    queries = 0
    for at in range(revisions // 2, revisions // 2 + 8):
        lens = Lens(since=str(at - 1), revision=str(at))
        for taken in (first, kept):
            start, busy = time.perf_counter(), time.process_time()
            with CaptureQueriesContext(connection) as asked:
                page.show(access, lens=lens)
            taken.append((time.perf_counter() - start, time.process_time() - busy))
            queries = max(queries, len(asked))
    for name, taken in (("first look at a pair", first), ("the same pair again", kept)):
        middle, far = np.quantile(taken, [0.5, 0.95], axis=0)
        yield f"  {name}: p50 {middle[0]:.2f} s, p95 {far[0]:.2f} s; of the processor {middle[1]:.2f} and {far[1]:.2f} s"
    yield f"  queries: {queries} at most; peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


def main() -> None:
    """Run all of it."""
    given = [int(one) for one in sys.argv[1:3]]
    series, comparisons = given + [300, 40][len(given) :]
    report_wrong(series, comparisons)
    report_told(4000)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "PERFATLAS_VAR": folder,
            "PERFATLAS_SECRET_KEY": "a-key-for-benches-only-0123456789-0123456789-0123",
            "DATABASE_URL": f"sqlite:///{Path(folder) / 'bench.sqlite3'}",
        }
        sys.stdout.write("the page of 3,500 series over 300 revisions, SQLite\n")
        for line in page_times(3500, 300):
            sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()

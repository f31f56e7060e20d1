"""Repetitions as needed on real histories: how many of 10 runs are made, and whether the same changes are found.

Nobody publishes single runs of a history. So two stand-ins, of data in `../shared/data` that no rule was made with:

- *neighbours*: the values of ten neighbouring revisions of a long history stand for ten runs of one: real noise, with whatever
  changes among the ten. True are the changes that all ten show.
- *redrawn*: releases whose mean and relative deviation of five runs are published: ten runs are drawn of them, normal. True are
  the changes of the published means.

A job holds one history, and its runs come in blocks of random order. A change is found within two revisions; F1 is over all
histories of a source. Fixed numbers of runs are beside it.

    python -m benchmarks.bench_repetitions_replay [histories of each source]
"""

import json
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from analytics.changepoints import find_change_points
from analytics.histories.measurements import FloatArray, Measurements
from analytics.repetitions import USUAL_RULE
from benchmarks.bench_repetitions import job
from dashboard.importers import spl_conqueror
from dashboard.importers.settings import NO_SETTINGS
from studies.measured_histories import read_measured_histories
from studies.papers.tables import read_records
from studies.replay.scoring import matches

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
HISTORIES = 40
# A history of fewer stand-in revisions tells too few changes.
SHORTEST = 20
MOST, FIXED = USUAL_RULE.most, (3, 4, 5, 10)
NEAR = 2
SEED = 20_265

# A history: the runs of each revision (revisions, 10), and its true changes.
History = tuple[FloatArray, list[int]]


def changes(runs: list[FloatArray]) -> list[int]:
    """Return the first revisions of the new levels, by the medians of runs."""
    spreads = [one.std(ddof=1) if len(one) > 1 else np.nan for one in runs]
    points = Measurements.of(
        range(len(runs)), [np.median(one) for one in runs], [len(one) for one in runs], spreads
    )
    return [one.bracket_after for one in find_change_points(points).changes]


def neighbours(values: FloatArray, rng: np.random.Generator) -> History | None:
    """Ten successive values as the runs of one revision, in random order; None for too short a history."""
    revisions = len(values) // MOST
    if revisions < SHORTEST:
        return None
    runs = rng.permuted(values[: revisions * MOST].reshape(revisions, MOST), axis=1)
    return runs, changes(list(runs))


def long_histories(limit: int) -> Iterator[tuple[str, list[FloatArray]]]:
    """The values of long histories, by source: those that are measured at most revisions."""
    for name in ("xz", "lrzip"):
        if (path := DATA / "ase19" / f"{name}.csv.gz").is_file():
            found = [one.values for one in read_measured_histories(path).values()]
            yield name, found[:: max(1, len(found) // limit)]
    path = DATA / "asv" / "numpy-bench-results.tar.xz"
    if path.is_file():
        long = [one for one in _numpy(path) if len(one) >= SHORTEST * MOST]
        yield "NumPy", long[:: max(1, len(long) // limit)]


def _numpy(path: Path) -> list[FloatArray]:
    """Each benchmark with its parameters on one machine and environment, by date."""
    histories: dict[tuple[str, str, str, str, int], list[tuple[int, float]]] = defaultdict(list)
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.name.endswith(".json") or "-" not in Path(member.name).name:
                continue
            file = archive.extractfile(member)
            document = json.load(file) if file else {}
            columns = document.get("result_columns", [])
            where = Path(member.name).parent.name, document.get("env_name", "")
            for name, row in document.get("results", {}).items():
                told = dict(zip(columns, row, strict=False))
                for at, value in enumerate(told.get("result") or []):
                    if value is not None and np.isfinite(value) and value > 0:
                        key = (*where, name, str(told.get("version")), at)
                        histories[key].append((document["date"], value))
    return [np.array([value for _, value in sorted(one)]) for one in histories.values()]


def redrawn(folder: Path, limit: int, rng: np.random.Generator) -> list[History]:
    """Ten runs of each release, drawn by the published mean and deviation of its five; some configurations."""
    records = read_records(folder, lambda source: spl_conqueror.read(source, NO_SETTINGS))
    metric = next(
        at for at, one in enumerate(records.metrics) if one.quantity in {"performance", "throughput"}
    )
    place: Mapping[str, int] = {str(name): at for name, at in records.orders[0].places.items()}
    table, by_configuration = records.measurements, defaultdict(list)
    for at in np.flatnonzero((table.metric == metric) & ~np.isnan(table.deviation)).tolist():
        run = records.runs[table.run[at]]
        by_configuration[run.configuration].append(
            (place[str(run.revision)], table.value[at], table.deviation[at])
        )
    told = [np.array(sorted(one)) for _, one in sorted(by_configuration.items())]
    told = [one for one in told if len(one) >= 10 and (one[:, 1] > 0).all()]
    found = []
    for one in told[:: max(1, len(told) // limit)]:
        means, deviations = one[:, 1], one[:, 2]
        points = Measurements.of(range(len(one)), means, np.full(len(one), 5), deviations)
        truth = [change.bracket_after for change in find_change_points(points).changes]
        drawn = means[:, None] + deviations[:, None] * rng.normal(size=(len(one), MOST))
        found.append((np.maximum(drawn, 0.01 * means[:, None]), truth))
    return found


def report(source: str, histories: list[History], rng: np.random.Generator) -> None:
    """Print the share of runs that are made and F1, as needed and for fixed numbers."""
    made, places = 0, defaultdict(list)
    for runs, _ in histories:
        times, of = job(runs, USUAL_RULE, rng)
        made += len(times)
        places["as needed"].append(changes([times[of == cell] for cell in range(len(runs))]))
        for number in FIXED:
            places[f"{number} each"].append(changes(list(runs[:, :number])))
    total = sum(runs.size for runs, _ in histories)
    true = sum(len(truth) for _, truth in histories)
    cells = [f"{source:14}{len(histories):>6}{total // MOST:>8}{true:>8}{100 * (1 - made / total):>9.0f} %"]
    for name in ("as needed", *(f"{number} each" for number in FIXED)):
        found = places[name]
        matched = sum(matches(truth, own, NEAR) for (_, truth), own in zip(histories, found, strict=True))
        both = true + sum(map(len, found))
        cells.append(f"{2 * matched / both:>11.2f}" if both else f"{'-':>11}")
    print("".join(cells), flush=True)


def main() -> None:
    """Print one row for each source."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else HISTORIES
    rng = np.random.default_rng(SEED)
    heads = ["as needed", *(f"{number} each" for number in FIXED)]
    print(
        f"{'':14}{'hist.':>6}{'cells':>8}{'changes':>8}{'saved':>11}"
        + "".join(f"{head:>11}" for head in heads)
    )
    print("neighbours")
    for source, found in long_histories(limit):
        histories = [one for values in found if (one := neighbours(values, rng)) is not None]
        report(source, histories, rng)
    print("redrawn")
    for folder in sorted((DATA / "performance-evolution").glob("*/")):
        if histories := redrawn(folder, limit, rng):
            report(folder.name, histories, rng)


if __name__ == "__main__":
    main()

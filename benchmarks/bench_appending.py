"""How long it takes to store the fit of a history again when one more revision was measured: from the database to the row that lists read.

Made up from a fixed seed, on SQLite: a history with a step of 8 % (standard deviation) every 150 revisions or so, and eight
siblings of one level. Each time the order gets a revision and the history a point. Processor time of one thread, beside that of the
first fit of the same process, which reads, fits and searches all.

    python -m benchmarks.bench_appending [revisions ...]
"""

import sys
import time
from datetime import UTC, datetime, timedelta

import numpy as np
from django.core.management import call_command

from benchmarks.own_database import FOLDER  # first: it sets Django up
from dashboard.models import (
    Batch,
    Environment,
    Metric,
    Order,
    Point,
    Revision,
    Series,
    System,
    Workload,
)
from dashboard.services.histories.fits import fit_series
from dashboard.services.metrics import seconds

SIZES = (200, 800, 5_000)
SIBLINGS, APPENDED = 8, 20


def made_up(system: System, size: int) -> list[Series]:
    """The history and its siblings in a new system; nothing is measured."""
    where = {
        "workload": Workload.objects.create(system=system, name="all"),
        "environment": Environment.objects.get_or_create(digest="bench", name="bench")[0],
        "metric": seconds(Metric.Clock.WALL),
    }
    return Series.objects.bulk_create(
        Series(
            system=system,
            subject_kind=Series.SubjectKind.BENCHMARK,
            subject=f"b{number}",
            identity=f"{size} {number}",
            **where,
        )
        for number in range(1 + SIBLINGS)
    )


def report(size: int) -> None:
    """Make a system of so many revisions, and print a line about what is measured after them."""
    system = System.objects.create(slug=f"of-{size}", name=f"of {size}", visible=True)
    began = datetime(2016, 1, 1, tzinfo=UTC)
    revisions = Revision.objects.bulk_create(
        Revision(system=system, name=f"r{at}", released_at=began + timedelta(hours=at))
        for at in range(size + APPENDED)
    )
    order = Order.objects.create(system=system, name="dates")
    batch = Batch.objects.create(system=system, format="asv", digest="", state=Batch.State.VISIBLE)
    series = made_up(system, size)
    rng = np.random.default_rng(4)
    logs = rng.normal(0, 0.02, (len(series), len(revisions)))
    logs[0] += np.cumsum(rng.normal(0, 0.08, len(revisions)) * (rng.random(len(revisions)) < 1 / 150))
    values = np.exp(logs)

    def measured(start: int, end: int, some: list[Series]) -> float:
        """How long the first one's fit takes, after these revisions came and were measured."""
        order.positions.bulk_create(
            order.positions.model(order=order, revision=revisions[at], position=at)
            for at in range(start, end)
        )
        Point.objects.bulk_create(
            Point(series=of, revision=revisions[at], batch=batch, n=1, median=row[at])
            for of, row in zip(some, values.tolist(), strict=False)
            for at in range(start, end)
        )
        started_at = time.process_time()
        fit_series(system_id=system.pk, series_ids=[series[0].pk])
        return time.process_time() - started_at

    first = measured(0, size, series)
    taken = [measured(at, at + 1, series[:1]) for at in range(size, size + APPENDED)]
    middle, slow = np.median(taken) * 1e3, np.quantile(taken, 0.95) * 1e3
    print(
        f"{size:>6} revisions: first {first * 1e3:7.1f} ms; appended: median {middle:6.1f}, 95 % {slow:6.1f} ms"
    )


def main() -> None:
    """Report all sizes."""
    call_command("migrate", verbosity=0)
    for size in [int(one) for one in sys.argv[1:]] or SIZES:
        report(size)
    FOLDER.cleanup()


if __name__ == "__main__":
    main()

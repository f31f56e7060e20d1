"""Points of histories: what the end-to-end runs of a configuration say at each revision.

Whoever writes, invalidates or restores runs calls `update_points` in the same transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median, stdev

from django.db import connection, transaction
from django.db.models import F, Q

from dashboard.models import Batch, Configuration, Measurement, Point, Run, Series, System
from dashboard.services.identities import series_identity

# Histories whose points are written together, in well under a second.
TOGETHER = 100


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """The ids of what makes a configuration's history one curve."""

    configuration_id: int
    workload_id: int
    environment_id: int
    metric_id: int


def identity_of(series: Series) -> str:
    """The identity of a series row."""
    return series_identity(
        system_id=series.system_id,
        subject_kind=series.subject_kind,
        subject=series.subject,
        workload_id=series.workload_id,
        environment_id=series.environment_id,
        benchmark_version=series.benchmark_version,
        metric_id=series.metric_id,
    )


def keys_of_batches(batches: Collection[int]) -> frozenset[SeriesKey]:
    """The histories that the end-to-end runs of these batches belong to."""
    found = (
        Measurement.objects.filter(run__batch_id__in=batches, run__kind=Run.Kind.PLAIN)
        .values_list("run__configuration_id", "run__workload_id", "run__environment_id", "metric_id")
        .distinct()
    )
    return frozenset(SeriesKey(*row) for row in found)


def update_points(*, system: System, keys: Collection[SeriesKey], unseen: Collection[int] = ()) -> int:
    """Write the points of these histories anew from all visible, valid runs; returns how many were written.

    A point holds the median, the sample standard deviation and the number of the measurements at one revision.
    A history begins with its second revision: one revision alone makes no series. Call it in the transaction that
    wrote, invalidated or restored the runs. Runs of batches in `unseen` count although nobody sees them yet.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("points move in the transaction that moves their runs")
    ordered = sorted(keys, key=lambda key: (key.configuration_id, key.workload_id, key.environment_id))
    return sum(
        _update(system, ordered[start : start + TOGETHER], unseen)
        for start in range(0, len(ordered), TOGETHER)
    )


def _update(system: System, keys: Sequence[SeriesKey], unseen: Collection[int]) -> int:
    measured = _measured(keys, unseen)
    several = {key for key, revisions in measured.items() if sum(map(bool, revisions.values())) > 1}
    ids = _series(system, keys, several)
    points = []
    emptied = []
    for key, one in ids.items():
        for revision, valid in measured[key].items():
            if valid:
                points.append(_point(one, revision, valid))
            else:
                emptied.append((one, revision))
    for one, revision in emptied:
        Point.objects.filter(series_id=one, revision_id=revision).delete()
    Point.objects.bulk_create(
        points,
        update_conflicts=True,
        unique_fields=["series", "revision"],
        update_fields=["batch", "n", "median", "spread"],
    )
    moved = {point.series_id for point in points} | {one for one, _ in emptied}
    Series.objects.filter(pk__in=moved).update(data_version=F("data_version") + 1)
    return len(points)


def _measured(
    keys: Sequence[SeriesKey], unseen: Collection[int]
) -> dict[SeriesKey, dict[int, list[tuple[float, int]]]]:
    """For each key and revision the valid measurements with their batches; none left where all are invalid."""
    rows = Measurement.objects.filter(
        Q(run__batch__state=Batch.State.VISIBLE) | Q(run__batch_id__in=unseen),
        run__configuration_id__in={key.configuration_id for key in keys},
        run__kind=Run.Kind.PLAIN,
    ).values_list(
        "run__configuration_id",
        "run__workload_id",
        "run__environment_id",
        "metric_id",
        "run__revision_id",
        "run__batch_id",
        "run__status",
        "run__invalid_reason",
        "value",
    )
    found: dict[SeriesKey, dict[int, list[tuple[float, int]]]] = {key: {} for key in keys}
    for *key, revision, batch, status, invalid_reason, value in rows:
        revisions = found.get(SeriesKey(*key))
        if revisions is not None:
            valid = revisions.setdefault(revision, [])
            if status == Run.Status.OK and not invalid_reason:
                valid.append((value, batch))
    return found


def _series(
    system: System, keys: Sequence[SeriesKey], several: Collection[SeriesKey]
) -> dict[SeriesKey, int]:
    """The ids of the series of those keys that have one; made for keys in `several`."""
    subjects = dict(
        Configuration.objects.filter(pk__in={key.configuration_id for key in keys}).values_list(
            "pk", "identity"
        )
    )
    rows = {}
    for key in keys:
        row = Series(
            system=system,
            subject_kind=Series.SubjectKind.CONFIGURATION,
            subject=subjects[key.configuration_id],
            workload_id=key.workload_id,
            environment_id=key.environment_id,
            metric_id=key.metric_id,
        )
        row.identity = identity_of(row)
        rows[key] = row
    identities = [row.identity for row in rows.values()]
    ids = dict(Series.objects.filter(identity__in=identities).values_list("identity", "pk"))
    made = [row for key, row in rows.items() if row.identity not in ids and key in several]
    ids |= {row.identity: row.pk for row in Series.objects.bulk_create(made)}
    return {key: ids[row.identity] for key, row in rows.items() if row.identity in ids}


def _point(series_id: int, revision_id: int, measured: Sequence[tuple[float, int]]) -> Point:
    values = [value for value, _ in measured]
    return Point(
        series_id=series_id,
        revision_id=revision_id,
        batch_id=max(batch for _, batch in measured),
        n=len(values),
        median=median(values),
        spread=stdev(values) if len(values) > 1 else None,
    )

"""Points of histories: what the end-to-end runs of a configuration say at each revision.

Whoever writes, invalidates or restores runs calls `update_points` in the same transaction.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from dashboard.models import Batch, Configuration, Measurement, Point, Run, Series, System
from dashboard.selectors.machine_speed import REFERENCE_SQUARE, adjusted_values
from dashboard.services.bulk_inserts import insert
from dashboard.services.identities import CurveContext, identified

# What a `SeriesKey` holds, of a measurement.
_KEY = ("run__workload_id", "run__environment_id", "metric_id", "run__configuration_id")
_COLUMNS = ("series_id", "revision_id", "batch_id", "n", "median", "spread", "adjustment")
# Histories whose points are written together, in well under a second.
TOGETHER = 100


@dataclass(frozen=True, slots=True)
class SeriesKey(CurveContext):
    """The ids of what makes a configuration's history one curve."""

    configuration_id: int


@dataclass(frozen=True, slots=True)
class _Value:
    """One measurement: of one execution, or published for `n` of them with their deviation where it is known.

    `square` is of `REFERENCE_SQUARE`, of the reference runs `program`.
    """

    value: float
    batch_id: int
    deviation: float | None
    n: int
    square: float | None
    program: str


_Measured = dict[SeriesKey, dict[int, list[_Value]]]


def keys_of_batches(batches: Collection[int]) -> frozenset[SeriesKey]:
    """The histories that the end-to-end runs of these batches belong to."""
    return keys_of(Measurement.objects.filter(run__batch_id__in=batches))


def keys_of(measurements: QuerySet[Measurement]) -> frozenset[SeriesKey]:
    """The histories that those of the measurements belong to that are end to end."""
    rows = measurements.filter(run__kind=Run.Kind.PLAIN).values_list(*_KEY).distinct()
    return frozenset(SeriesKey(*row) for row in rows)


def update_points(*, system: System, keys: Collection[SeriesKey], unseen: Collection[int] = ()) -> int:
    """Write the points of these histories anew from all visible, valid runs; returns how many were written.

    A point holds the median, the sample standard deviation and the number of the executions at one revision, adjusted for
    the machine's speed (`adjusted_values`) where that helps. Of a
    measurement that stands for several executions, the published value and deviation take their place.
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
    ids, new = _series(system, keys, several)
    points, moved = [], set()
    for key, one in ids.items():
        adjusted = _adjusted(measured[key])
        for revision, valid in measured[key].items():
            if valid:
                raw, level = (_median(some) for some in (valid, adjusted[revision]))
                points.append(
                    Point(
                        series_id=one,
                        revision_id=revision,
                        batch_id=max(value.batch_id for value in valid),
                        n=sum(value.n for value in valid),
                        median=level,
                        spread=_spread(adjusted[revision]),
                        adjustment=level / raw - 1 if raw != level else 0.0,
                    )
                )
            else:
                Point.objects.filter(series_id=one, revision_id=revision).delete()
            moved.add(one)
    # A new series has no points that could be in the way: this is four times as quick.
    fresh = [point for point in points if point.series_id in new]
    insert(Point, _COLUMNS, [tuple(getattr(point, column) for column in _COLUMNS) for point in fresh])
    Point.objects.bulk_create(
        [point for point in points if point.series_id not in new],
        update_conflicts=True,
        unique_fields=["series", "revision"],
        update_fields=["batch", "n", "median", "spread", "adjustment"],
    )
    Series.objects.filter(pk__in=moved).update(data_version=F("data_version") + 1)
    return len(points)


def _measured(keys: Sequence[SeriesKey], unseen: Collection[int]) -> _Measured:
    """For each key and revision the valid measurements with their batches; none left where all are invalid."""
    rows = Measurement.objects.filter(
        Q(run__batch__state=Batch.State.VISIBLE) | Q(run__batch_id__in=unseen),
        run__configuration_id__in={key.configuration_id for key in keys},
        run__kind=Run.Kind.PLAIN,
    ).values_list(
        *_KEY,
        "run__revision_id",
        "run__batch_id",
        "run__status",
        "run__invalid_reason",
        "value",
        "deviation",
        "n",
        REFERENCE_SQUARE,
        "run__reference_program",
    )
    found: _Measured = {key: {} for key in keys}
    for *key, revision, batch, status, invalid_reason, value, deviation, n, square, program in rows:
        revisions = found.get(SeriesKey(*key))
        if revisions is not None:
            valid = revisions.setdefault(revision, [])
            if status == Run.Status.OK and not invalid_reason:
                valid.append(_Value(value, batch, deviation, n, square, program))
    return found


def _adjusted(revisions: dict[int, list[_Value]]) -> dict[int, list[_Value]]:
    """The measurements of one series by revision, without what the machine's speed did to them."""
    rows = [(revision, one) for revision, valid in revisions.items() for one in valid]
    values = adjusted_values(
        [one.value for _, one in rows],
        [one.square if one.n == 1 else None for _, one in rows],
        [one.program for _, one in rows],
        [revision for revision, _ in rows],
    )
    found: dict[int, list[_Value]] = {}
    for (revision, one), value in zip(rows, values, strict=True):
        found.setdefault(revision, []).append(one if value == one.value else replace(one, value=value))
    return found


def _median(measured: Sequence[_Value]) -> float:
    return median(one.value for one in measured for _ in range(one.n))


def _series(
    system: System, keys: Sequence[SeriesKey], several: Collection[SeriesKey]
) -> tuple[dict[SeriesKey, int], frozenset[int]]:
    """The ids of the series of those keys that have one, made for keys in `several`; and the ids of those made."""
    subjects = dict(
        Configuration.objects.filter(pk__in={key.configuration_id for key in keys}).values_list(
            "pk", "identity"
        )
    )
    kind = Series.SubjectKind.CONFIGURATION
    rows = {}
    for key in keys:
        subject = subjects[key.configuration_id]
        rows[key] = identified(Series(system=system, subject_kind=kind, subject=subject, **key.as_filter()))
    identities = [row.identity for row in rows.values()]
    ids = dict(Series.objects.filter(identity__in=identities).values_list("identity", "pk"))
    made = [row for key, row in rows.items() if row.identity not in ids and key in several]
    ids |= {row.identity: row.pk for row in Series.objects.bulk_create(made)}
    found = {key: ids[row.identity] for key, row in rows.items() if row.identity in ids}
    return found, frozenset(row.pk for row in made)


def _spread(measured: Sequence[_Value]) -> float | None:
    """The sample standard deviation of all executions; None for one alone, or where a part of it is unknown.

    Squares within the measurements and between them add up, as in an analysis of variance.
    """
    if all(one.n == 1 for one in measured):
        return stdev(one.value for one in measured) if len(measured) > 1 else None
    if len(measured) == 1:
        return measured[0].deviation
    n = sum(one.n for one in measured)
    mean = fmean([one.value for one in measured], [one.n for one in measured])
    squares = 0.0
    for one in measured:
        if one.n > 1 and one.deviation is None:
            return None
        squares += (one.n - 1) * (one.deviation or 0.0) ** 2 + one.n * (one.value - mean) ** 2
    return math.sqrt(squares / (n - 1))

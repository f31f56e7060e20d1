"""Histories of terms: each term's influence on the end-to-end time, revision by revision."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from django.db.models import F

from analytics.configurations.identities import key_of
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence import models as influence
from analytics.influence.terms import TermTable
from analytics.influence.times import PROGRAM_REGION, RegionTimes
from dashboard.models import Batch, Measurement, Metric, PerformanceModel, Point, Run, Series, System
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.option_spaces import options_of
from dashboard.services.identities import identity_of
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.curves import CurveContext
from dashboard.services.performance_models.full_factorial import MOST_COMBINATIONS

# Interactions of more options than these are seldom told from noise, and nobody looks through their histories.
HIGHEST_DEGREE = 3


def refresh_term_points(*, system: System, batch: Batch) -> int:
    """Write the points of all term histories that the runs of a batch move; returns how many points there are.

    A term is relative to the reference configuration. It has a history where at least two revisions determine it.
    """
    return refresh_term_points_in(
        system=system, contexts=MeasurementContext.of_runs(Run.objects.filter(batch=batch))
    )


def refresh_term_points_in(*, system: System, contexts: Collection[MeasurementContext]) -> int:
    """Likewise for these contexts, after runs there were stored, marked invalid or restored."""
    space = options_of(system)
    written = 0
    for workload_id, environment_id in {(one.workload_id, one.environment_id) for one in contexts}:
        for clock in (Metric.Clock.CPU, Metric.Clock.WALL):
            written += _refresh(system, space, CurveContext(workload_id, environment_id, seconds(clock).pk))
    return written


def _refresh(system: System, space: OptionSpace, where: CurveContext) -> int:
    if PerformanceModel.objects.filter(
        system=system,
        kind=PerformanceModel.Kind.LEARNED,
        workload_id=where.workload_id,
        environment_id=where.environment_id,
        total_metric_id=where.metric_id,
    ).exists():
        # These histories follow the learned models.
        return 0
    points: dict[str, dict[int, Point]] = {}
    for revision_id, (values, batch_id) in _totals(system, where).items():
        for key, point in _points(space, values, batch_id).items():
            points.setdefault(key, {})[revision_id] = point
    return write_term_points(system, where, points)


def _points(
    space: OptionSpace, values: Mapping[frozenset[tuple[str, str]], list[float]], batch_id: int
) -> dict[str, Point]:
    """The terms of one revision that its runs determine, by key; none where they are not relative to the reference."""
    configurations = space.encode(dict(assignments) for assignments in values)
    varied = np.ptp(configurations, axis=0) > 0
    several = [space.options[column] for column in np.flatnonzero(varied)]
    if configurations[0, ~varied].any() or math.prod(len(one.levels) for one in several) > MOST_COMBINATIONS:
        return {}
    partition = Partition.exhaustive(space, [option.name for option in several])
    table, repetitions = _terms(partition, configurations, list(values.values()))
    return term_points(space, table, repetitions, batch_id)


def _totals(
    system: System, where: CurveContext
) -> dict[int, tuple[dict[frozenset[tuple[str, str]], list[float]], int]]:
    """The valid end-to-end values by revision: by configuration, and the newest batch that they came in."""
    rows = (
        Measurement.objects.filter(
            metric_id=where.metric_id,
            run__workload_id=where.workload_id,
            run__environment_id=where.environment_id,
            run__revision__system=system,
            run__kind=Run.Kind.PLAIN,
            run__status=Run.Status.OK,
            run__invalid_reason="",
            run__batch__state=Batch.State.VISIBLE,
        )
        .order_by("run_id")
        .values_list("run__revision_id", "run__batch_id", "run__configuration__assignments", "value")
    )
    values: dict[int, dict[frozenset[tuple[str, str]], list[float]]] = {}
    batches: dict[int, int] = {}
    for revision_id, batch_id, assignments, value in rows:
        values.setdefault(revision_id, {}).setdefault(frozenset(assignments.items()), []).append(value)
        batches[revision_id] = max(batch_id, batches.get(revision_id, batch_id))
    return {revision_id: (found, batches[revision_id]) for revision_id, found in values.items()}


def _terms(
    partition: Partition, configurations: IntArray, totals: Sequence[Sequence[float]]
) -> tuple[TermTable, int]:
    """The terms of one revision's totals, and how many repetitions the scarcest configuration has."""
    longest = max(len(values) for values in totals)
    values = np.zeros((1, len(totals), longest))
    ran = np.zeros((len(totals), longest), dtype=bool)
    for row, measured in enumerate(totals):
        values[0, row, : len(measured)] = measured
        ran[row, : len(measured)] = True
    times = RegionTimes(
        space=partition.space,
        regions=(PROGRAM_REGION,),
        partitions=(partition,),
        configurations=configurations,
        values=values,
        ran=ran,
        program_region=PROGRAM_REGION,
    )
    return influence.fit(times).terms, int(ran.sum(axis=1).min())


def term_points(space: OptionSpace, table: TermTable, n: int, batch_id: int) -> dict[str, Point]:
    """The determined terms of one revision that have a history, by their key: points from `n` measurements of a batch.

    Of no series and no revision yet. The spread is the error times the root of `n`, so that the error can be had back.
    """
    points = {}
    for row in np.flatnonzero(table.determined & (table.degrees >= 1) & (table.degrees <= HIGHEST_DEGREE)):
        end = np.where(table.levels[row] < 0, table.base, table.levels[row])
        error = float(table.standard_errors[row])
        points[key_of(space, table.base, end)] = Point(
            batch_id=batch_id,
            n=n,
            median=float(table.coefficients[row]),
            spread=None if math.isnan(error) else error * math.sqrt(n),
        )
    return points


def write_term_points(
    system: System,
    where: CurveContext,
    found: Mapping[str, Mapping[int, Point]],
    *,
    revisions: Collection[int] | None = None,
) -> int:
    """Write the points of each term by revision; returns how many points there are.

    All points of these histories are written anew, or only those of `revisions`. A term has a history where at least
    two revisions determine it.
    """
    rows = system.series.filter(
        subject_kind=Series.SubjectKind.TERM,
        workload_id=where.workload_id,
        environment_id=where.environment_id,
        metric_id=where.metric_id,
    )
    known = {row.identity: row for row in rows}
    begun = {row.subject for row in known.values()} if revisions is not None else set()
    kept = {key: points for key, points in found.items() if len(points) > 1 or key in begun}
    old = Point.objects.filter(series_id__in=[row.pk for row in known.values()])
    (old if revisions is None else old.filter(revision_id__in=revisions)).delete()
    series = _series(system, where, kept, known)
    for key, points in kept.items():
        for revision, point in points.items():
            point.series, point.revision_id = series[key], revision
    written = Point.objects.bulk_create([point for points in kept.values() for point in points.values()])
    moved = {row.pk for row in (*known.values(), *series.values())}
    Series.objects.filter(pk__in=moved).update(data_version=F("data_version") + 1)
    return len(written)


def _series(
    system: System, where: CurveContext, keys: Collection[str], known: Mapping[str, Series]
) -> dict[str, Series]:
    """The series of these terms, made where missing."""
    rows = {}
    for key in keys:
        row = Series(
            system=system,
            subject_kind=Series.SubjectKind.TERM,
            subject=key,
            workload_id=where.workload_id,
            environment_id=where.environment_id,
            metric_id=where.metric_id,
        )
        row.identity = identity_of(row)
        rows[key] = known.get(row.identity, row)
    Series.objects.bulk_create([row for row in rows.values() if row.pk is None])
    return rows

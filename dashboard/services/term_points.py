"""Histories of terms: each term's influence on the end-to-end time, revision by revision."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import F

from analytics.configurations.options import IntArray
from analytics.configurations.partitions import Partition
from analytics.influence import models as influence
from analytics.influence.terms import TermTable
from analytics.influence.times import RegionTimes
from dashboard.models import Batch, Measurement, Metric, Point, Run, Series, System
from dashboard.selectors.configurations import key_of
from dashboard.selectors.option_spaces import SystemOptions, options_of
from dashboard.services.exhaustive import MOST_COMBINATIONS, Place, places_of
from dashboard.services.metrics import seconds
from dashboard.services.points import identity_of

_PROGRAM = "program"
# Interactions of more options than these are seldom told from noise, and nobody looks through their histories.
HIGHEST_DEGREE = 3


@dataclass(frozen=True, slots=True)
class _Curves:
    """Where the terms of one curve are measured."""

    workload_id: int
    environment_id: int
    metric_id: int


@dataclass(slots=True)
class _Totals:
    """The values of one revision by configuration, and the newest batch they came in."""

    values: dict[frozenset[tuple[str, str]], list[float]]
    batch_id: int


def refresh_term_points(*, system: System, batch: Batch) -> int:
    """Write the points of all term histories that the runs of a batch move; returns how many points there are.

    A term is relative to the reference configuration. It has a history where at least two revisions determine it.
    """
    return refresh_term_points_at(system=system, places=places_of(Run.objects.filter(batch=batch)))


def refresh_term_points_at(*, system: System, places: Collection[Place]) -> int:
    """Likewise for these places, after runs there were stored, marked invalid or restored."""
    options = options_of(system)
    written = 0
    for workload_id, environment_id in {(place.workload_id, place.environment_id) for place in places}:
        for clock in (Metric.Clock.CPU, Metric.Clock.WALL):
            written += _refresh(system, options, _Curves(workload_id, environment_id, seconds(clock).pk))
    return written


def _refresh(system: System, options: SystemOptions, place: _Curves) -> int:
    found: dict[str, list[Point]] = {}
    for revision_id, totals in _totals(system, place).items():
        for key, point in _points(options, totals).items():
            point.revision_id = revision_id
            found.setdefault(key, []).append(point)
    kept = {key: points for key, points in found.items() if len(points) > 1}
    known = _known(system, place)
    Point.objects.filter(series_id__in=[row.pk for row in known.values()]).delete()
    series = _series(system, place, kept, known)
    for key, points in kept.items():
        for point in points:
            point.series = series[key]
    written = Point.objects.bulk_create([point for points in kept.values() for point in points])
    moved = {row.pk for row in (*known.values(), *series.values())}
    Series.objects.filter(pk__in=moved).update(data_version=F("data_version") + 1)
    return len(written)


def _points(options: SystemOptions, totals: _Totals) -> dict[str, Point]:
    """The terms of one revision that its runs determine, by key; none where they are not relative to the reference."""
    space = options.space
    configurations = options.encode(dict(assignments) for assignments in totals.values)
    varied = np.ptp(configurations, axis=0) > 0
    several = [space.options[column] for column in np.flatnonzero(varied)]
    if configurations[0, ~varied].any() or math.prod(len(one.levels) for one in several) > MOST_COMBINATIONS:
        return {}
    partition = Partition.exhaustive(space, [option.name for option in several])
    table, repetitions = _terms(partition, configurations, list(totals.values.values()))
    points = {}
    for row in np.flatnonzero(table.determined & (table.degrees >= 1) & (table.degrees <= HIGHEST_DEGREE)):
        end = np.where(table.levels[row] < 0, table.base, table.levels[row])
        error = float(table.standard_errors[row])
        points[key_of(space, table.base, end)] = Point(
            batch_id=totals.batch_id,
            n=repetitions,
            median=float(table.coefficients[row]),
            spread=None if math.isnan(error) else error * math.sqrt(repetitions),
        )
    return points


def _totals(system: System, place: _Curves) -> dict[int, _Totals]:
    """The valid end-to-end values by revision."""
    rows = (
        Measurement.objects.filter(
            metric_id=place.metric_id,
            run__workload_id=place.workload_id,
            run__environment_id=place.environment_id,
            run__revision__system=system,
            run__kind=Run.Kind.PLAIN,
            run__status=Run.Status.OK,
            run__invalid_reason="",
            run__batch__state=Batch.State.VISIBLE,
        )
        .order_by("run_id")
        .values_list("run__revision_id", "run__batch_id", "run__configuration__assignments", "value")
    )
    found: dict[int, _Totals] = {}
    for revision_id, batch_id, assignments, value in rows:
        totals = found.setdefault(revision_id, _Totals({}, batch_id))
        totals.values.setdefault(frozenset(assignments.items()), []).append(value)
        totals.batch_id = max(totals.batch_id, batch_id)
    return found


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
        regions=(_PROGRAM,),
        partitions=(partition,),
        configurations=configurations,
        values=values,
        ran=ran,
        program_region=_PROGRAM,
    )
    return influence.fit(times).terms, int(ran.sum(axis=1).min())


def _known(system: System, place: _Curves) -> dict[str, Series]:
    """The series of terms that there are, by identity."""
    rows = Series.objects.filter(
        system=system,
        subject_kind=Series.SubjectKind.TERM,
        workload_id=place.workload_id,
        environment_id=place.environment_id,
        metric_id=place.metric_id,
    )
    return {row.identity: row for row in rows}


def _series(
    system: System, place: _Curves, keys: Collection[str], known: Mapping[str, Series]
) -> dict[str, Series]:
    """The series of these terms, made where missing."""
    rows = {}
    for key in keys:
        row = Series(
            system=system,
            subject_kind=Series.SubjectKind.TERM,
            subject=key,
            workload_id=place.workload_id,
            environment_id=place.environment_id,
            metric_id=place.metric_id,
        )
        row.identity = identity_of(row)
        rows[key] = known.get(row.identity, row)
    Series.objects.bulk_create([row for row in rows.values() if row.pk is None])
    return rows

"""Histories of terms: each term's influence on the end-to-end time, revision by revision."""

import math
from collections.abc import Mapping, Sequence
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
from dashboard.services.exhaustive import MOST_COMBINATIONS
from dashboard.services.metrics import seconds
from dashboard.services.points import identity_of

_PROGRAM = "program"
# Interactions of more options than these are seldom told from noise, and nobody looks through their histories.
HIGHEST_DEGREE = 3


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the terms of one curve are measured."""

    workload_id: int
    environment_id: int
    metric_id: int


def refresh_term_points(*, system: System, batch: Batch) -> int:
    """Write the points of all term histories that the runs of a batch move; returns how many points there are.

    A term is relative to the reference configuration. It has a history where at least two revisions determine it.
    """
    options = options_of(system)
    places = Run.objects.filter(batch=batch).values_list("workload_id", "environment_id").distinct()
    written = 0
    for workload_id, environment_id in places:
        for clock in (Metric.Clock.CPU, Metric.Clock.WALL):
            place = _Place(workload_id, environment_id, seconds(clock).pk)
            written += _refresh(system, batch, options, place)
    return written


def _refresh(system: System, batch: Batch, options: SystemOptions, place: _Place) -> int:
    space = options.space
    found: dict[str, list[tuple[int, float, float | None, int]]] = {}
    for revision_id, values in _totals(system, place).items():
        configurations = options.encode(dict(assignments) for assignments in values)
        varied = [space.options[column] for column in np.flatnonzero(np.ptp(configurations, axis=0))]
        if math.prod(len(option.levels) for option in varied) > MOST_COMBINATIONS:
            continue
        partition = Partition.exhaustive(space, [option.name for option in varied])
        table, repetitions = _terms(partition, configurations, list(values.values()))
        for row in np.flatnonzero(
            table.determined & (table.degrees >= 1) & (table.degrees <= HIGHEST_DEGREE)
        ):
            end = np.where(table.levels[row] < 0, table.base, table.levels[row])
            error = float(table.standard_errors[row])
            spread = None if math.isnan(error) else error * math.sqrt(repetitions)
            key = key_of(space, table.base, end)
            found.setdefault(key, []).append(
                (revision_id, float(table.coefficients[row]), spread, repetitions)
            )
    kept = {key: points for key, points in found.items() if len(points) > 1}
    series = _series(system, place, kept)
    Point.objects.filter(series__in=series.values()).delete()
    points = [
        Point(series=series[key], revision_id=revision, batch=batch, n=n, median=value, spread=spread)
        for key, rows in kept.items()
        for revision, value, spread, n in rows
    ]
    Point.objects.bulk_create(points)
    Series.objects.filter(pk__in=[row.pk for row in series.values()]).update(
        data_version=F("data_version") + 1
    )
    return len(points)


def _totals(system: System, place: _Place) -> dict[int, dict[frozenset[tuple[str, str]], list[float]]]:
    """The valid end-to-end values by revision and configuration."""
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
        .values_list("run__revision_id", "run__configuration__assignments", "value")
    )
    found: dict[int, dict[frozenset[tuple[str, str]], list[float]]] = {}
    for revision_id, assignments, value in rows:
        found.setdefault(revision_id, {}).setdefault(frozenset(assignments.items()), []).append(value)
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


def _series(system: System, place: _Place, keys: Mapping[str, object]) -> dict[str, Series]:
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
        rows[key] = row
    known = {
        row.identity: row
        for row in Series.objects.filter(identity__in=[row.identity for row in rows.values()])
    }
    Series.objects.bulk_create([row for row in rows.values() if row.identity not in known])
    return {key: known.get(row.identity, row) for key, row in rows.items()}

"""Histories of terms: each term's influence on the end-to-end time, revision by revision."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence import models as influence
from analytics.influence.terms import TermTable
from analytics.influence.times import PROGRAM_REGION, RegionTimes
from dashboard.models import Batch, Measurement, Metric, PerformanceModel, Run, System
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.option_spaces import options_of
from dashboard.services.factorial_models import MOST_COMBINATIONS
from dashboard.services.histories.term_series import Curves, TermPoint, term_points, write_term_points
from dashboard.services.metrics import seconds


@dataclass(slots=True)
class _Totals:
    """The values of one revision by configuration, and the newest batch they came in."""

    values: dict[frozenset[tuple[str, str]], list[float]]
    batch_id: int


def refresh_term_points(*, system: System, batch: Batch) -> int:
    """Write the points of all term histories that the runs of a batch move; returns how many points there are.

    A term is relative to the reference configuration. It has a history where at least two revisions determine it.
    """
    return refresh_term_points_at(
        system=system, places=MeasurementContext.of_runs(Run.objects.filter(batch=batch))
    )


def refresh_term_points_at(*, system: System, places: Collection[MeasurementContext]) -> int:
    """Likewise for these places, after runs there were stored, marked invalid or restored."""
    space = options_of(system)
    written = 0
    for workload_id, environment_id in {(place.workload_id, place.environment_id) for place in places}:
        for clock in (Metric.Clock.CPU, Metric.Clock.WALL):
            written += _refresh(system, space, Curves(workload_id, environment_id, seconds(clock).pk))
    return written


def _refresh(system: System, space: OptionSpace, place: Curves) -> int:
    if PerformanceModel.objects.filter(
        system=system,
        kind=PerformanceModel.Kind.LEARNED,
        workload_id=place.workload_id,
        environment_id=place.environment_id,
        total_metric_id=place.metric_id,
    ).exists():
        # These histories follow the learned models.
        return 0
    found: dict[str, dict[int, TermPoint]] = {}
    for revision_id, totals in _totals(system, place).items():
        for key, point in _points(space, totals).items():
            found.setdefault(key, {})[revision_id] = point
    return write_term_points(system, place, found)


def _points(space: OptionSpace, totals: _Totals) -> dict[str, TermPoint]:
    """The terms of one revision that its runs determine, by key; none where they are not relative to the reference."""
    configurations = space.encode(dict(assignments) for assignments in totals.values)
    varied = np.ptp(configurations, axis=0) > 0
    several = [space.options[column] for column in np.flatnonzero(varied)]
    if configurations[0, ~varied].any() or math.prod(len(one.levels) for one in several) > MOST_COMBINATIONS:
        return {}
    partition = Partition.exhaustive(space, [option.name for option in several])
    table, repetitions = _terms(partition, configurations, list(totals.values.values()))
    return term_points(space, table, repetitions, totals.batch_id)


def _totals(system: System, place: Curves) -> dict[int, _Totals]:
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
        regions=(PROGRAM_REGION,),
        partitions=(partition,),
        configurations=configurations,
        values=values,
        ran=ran,
        program_region=PROGRAM_REGION,
    )
    return influence.fit(times).terms, int(ran.sum(axis=1).min())

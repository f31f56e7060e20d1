"""What is read to explain a step: what configurations took before it and after, whole and region by region."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from django.db.models import F

from analytics.step_parts import Cells, Changed, FloatArray, MeasuredLevels, with_common_noise
from dashboard.models import Batch, Metric, Point, RegionMeasurement, Run, System
from dashboard.selectors.batch_manifests import unfinished_batches
from dashboard.selectors.explanations.configurations import StepConfigurations
from dashboard.selectors.histories.counted import counted_amounts
from dashboard.selectors.histories.rows import SeriesContext, SeriesRow
from dashboard.selectors.machine_speed import adjusted_values

# Of more configurations only the runs of those are read that tell the terms of two options.
_MOST_PROFILED = 64
# How variances go with levels: of what a profiler samples as counts do.
_OF_WHOLE_RUNS, _OF_SAMPLES = 2.0, 1.0
# So many measured revisions of a side tell a level better than the runs of the nearest one.
_FEWEST_REVISIONS = 3
# The ids of the revisions that tell the level before a step, and of those that tell it after: the nearest first.
Ends = tuple[tuple[int, ...], tuple[int, ...]]
Pair = tuple[MeasuredLevels, MeasuredLevels]


def point_cells(
    system: System, series: SeriesRow, subjects: Mapping[Changed, str], ends: Ends, *, kind: str
) -> dict[Changed, Pair]:
    """What series took before and after, of those of `subjects` that were measured at both sides. Two queries."""
    known = {subject: changed for changed, subject in subjects.items()}
    exact = series.clock == Metric.Clock.COUNT
    rows = Point.objects.filter(
        series__system=system,
        series__subject_kind=kind,
        series__subject__in=list(known),
        series__workload_id=series.workload_id,
        series__environment_id=series.environment_id,
        series__metric_id=series.metric_id,
        revision_id__in=[*ends[0], *ends[1]],
    ).exclude(batch_id__in=unfinished_batches(system))
    found: dict[Changed, dict[int, MeasuredLevels]] = {}
    for subject, revision, n, value, spread in rows.values_list(
        "series__subject", "revision_id", "n", "median", "spread"
    ):
        scatter = spread if spread is not None else (0.0 if exact else np.nan)
        found.setdefault(known[subject], {})[revision] = MeasuredLevels(
            np.array([value]), np.array([scatter]), n
        )
    pairs = {changed: _pair(sides, ends) for changed, sides in found.items()}
    told = {changed: pair for changed, pair in pairs.items() if pair is not None}
    return told if exact else with_common_noise(told, _OF_WHOLE_RUNS)


def _pair(found: Mapping[int, MeasuredLevels], ends: Ends) -> Pair | None:
    """The levels before and after, of what was measured at revisions; None where nothing was at one side.

    Three revisions or more tell a level by their median, and its noise by their scatter: also what differs from one hour of
    a machine to the next. Of fewer the nearest tells it.
    """
    sides = []
    for end in ends:
        known = [found[revision] for revision in end if revision in found]
        if not known:
            return None
        several = len(known) >= _FEWEST_REVISIONS
        sides.append(
            MeasuredLevels.of(np.stack([one.levels for one in known], axis=1)) if several else known[0]
        )
    return sides[0], sides[1]


@dataclass(frozen=True, slots=True, eq=False)
class RegionCells:
    """What k regions of `keys` took in configurations at both revisions, and all of them `together`."""

    keys: tuple[str, ...]
    cells: Cells
    together: Cells


def profiled_cells(
    system: System, series: SeriesRow, found: StepConfigurations, ends: Ends
) -> RegionCells | None:
    """What profiled runs say of the regions before and after; None where there are none. Three queries.

    Of the two revisions nearest to the step those batches tell in which both were run, where there are such: there runs took turns.
    Times are adjusted by the machine's speed as those of points are.
    """
    metric = Metric.objects.get(pk=series.metric_id)
    told = found.cells if len(found.cells) <= _MOST_PROFILED else found.needed
    known = {found.cells[changed]: changed for changed in told if changed in found.cells}
    runs = Run.objects.filter(
        batch__system=system,
        batch__state=Batch.State.VISIBLE,
        kind=Run.Kind.PROFILED,
        status=Run.Status.OK,
        invalid_reason="",
        workload_id=series.workload_id,
        environment_id=series.environment_id,
        revision_id__in=[*ends[0], *ends[1]],
        configuration__identity__in=list(known),
    ).annotate(square=F("reference_cpu_before") * F("reference_cpu_after"))
    made: dict[Changed, dict[int, list[tuple[Any, ...]]]] = {}
    columns = ("configuration__identity", "revision_id", "pk", "batch_id", "square", "reference_program")
    for identity, revision, *run in runs.order_by("pk").values_list(*columns):
        made.setdefault(known[identity], {}).setdefault(revision, []).append(tuple(run))
    chosen = {changed: _in_turns(by_revision, ends) for changed, by_revision in made.items()}
    wanted = {run[0] for by_revision in chosen.values() for some in by_revision.values() for run in some}
    rows = RegionMeasurement.objects.filter(run_id__in=wanted, metric__unit=metric.unit)
    values: dict[int, dict[int, dict[str, float]]] = {}
    for of_metric, run, region, value in rows.values_list("metric_id", "run_id", "region__key", "value"):
        values.setdefault(of_metric, {}).setdefault(run, {})[region] = value
    if not values:
        return None
    # By the clock of the series where regions have it.
    by_run = values.get(series.metric_id) or max(values.values(), key=len)
    keys = tuple(sorted({region for one in by_run.values() for region in one}))
    cells, together = {}, {}
    for changed, by_revision in chosen.items():
        each, whole = (_pair(levels, ends) for levels in _levels(keys, by_revision, by_run))
        if each is not None and whole is not None:
            cells[changed], together[changed] = each, whole
    if not found.weights.keys() <= cells.keys():
        return None
    return RegionCells(
        keys, with_common_noise(cells, _OF_SAMPLES), with_common_noise(together, _OF_WHOLE_RUNS)
    )


# Runs by revision, each (pk, batch, square, program): the latter two as `adjusted_values` takes them.
_Runs = Mapping[int, Sequence[tuple[Any, ...]]]


def _in_turns(by_revision: _Runs, ends: Ends) -> _Runs:
    """Of the two revisions nearest to the step the runs of those batches that hold both; all where there is no such batch."""
    nearest = [end[0] for end in ends]
    shared = set.intersection(*({run[1] for run in by_revision.get(one, ())} for one in nearest))
    return {
        revision: [run for run in runs if revision not in nearest or not shared or run[1] in shared]
        for revision, runs in by_revision.items()
    }


def _levels(
    keys: Sequence[str], by_revision: _Runs, by_run: Mapping[int, Mapping[str, float]]
) -> tuple[dict[int, MeasuredLevels], dict[int, MeasuredLevels]]:
    """What each region took at each revision at which runs say so, and all regions together."""
    runs = [(revision, *run) for revision, some in by_revision.items() for run in some if run[0] in by_run]
    if not runs:
        return {}, {}
    revisions, _, _, squares, programs = zip(*runs, strict=True)
    totals = [fsum(by_run[run[1]].values()) for run in runs]
    adjusted = adjusted_values(totals, squares, programs, revisions)
    factors = [new / old if old else 1.0 for new, old in zip(adjusted, totals, strict=True)]
    table: FloatArray = np.array([[by_run[run[1]].get(key, 0.0) for run in runs] for key in keys]) * factors
    each, whole = {}, {}
    for revision in dict.fromkeys(revisions):
        own = table[:, np.array(revisions) == revision]
        each[revision] = MeasuredLevels.of(own)
        whole[revision] = MeasuredLevels.of(own.sum(axis=0, keepdims=True))
    return each, whole


def counted_cells(
    system: System, series: SeriesRow, found: StepConfigurations, revisions: tuple[str, str]
) -> RegionCells | None:
    """What was counted of the regions at both revisions, without noise; None where it was not. Four queries a configuration."""
    before, after = revisions
    amounts = {}
    for changed in found.weights:
        identity = found.cells.get(changed, "")
        own = SeriesContext(
            series.kind, identity, series.workload_id, series.environment_id, series.metric_id
        )
        some = counted_amounts(system, own, quantity=series.quantity, revisions=[before, after])
        if before not in some or after not in some:
            return None
        amounts[changed] = (some[before], some[after])
    keys = tuple(sorted({key for pair in amounts.values() for one in pair for key in one}))
    zero = np.zeros(len(keys))
    cells, together = {}, {}
    for changed, pair in amounts.items():
        first, last = (MeasuredLevels(np.array([one.get(key, 0.0) for key in keys]), zero, 1) for one in pair)
        cells[changed] = (first, last)
        sums = [MeasuredLevels(one.levels.sum(keepdims=True), zero[:1], 1) for one in (first, last)]
        together[changed] = (sums[0], sums[1])
    return RegionCells(keys, cells, together)

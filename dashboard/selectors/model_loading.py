"""Loading what an influence model is built from into arrays."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from operator import itemgetter
from typing import cast

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition, partitions_of
from analytics.influence.stored import LearnedModel
from analytics.influence.times import Aggregator, FloatArray, RegionTimes
from dashboard.access import NotFound
from dashboard.models import (
    Configuration,
    Measurement,
    PerformanceModel,
    Region,
    RegionMeasurement,
    RegionPartition,
    Run,
)
from dashboard.selectors.configurations import options_of
from dashboard.selectors.learned_models import hybrid_of, learned_of, measured_of
from dashboard.selectors.model_rows import ModelIdentity
from dashboard.selectors.performance_models import (
    measured_kind,
    model_row,
    others_held,
    valid_runs,
)

# A run, the row of its configuration, and its number among the runs of that one.
_RUN = np.dtype([("run", np.int64), ("row", np.int64), ("repetition", np.int64)])
_ROW = np.dtype([("run", np.int64), ("region", np.int64), ("value", np.float64)])


class NoRegions(NotFound):
    """The program was measured as a whole only: nothing is known of its regions."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """An analysis with its measurements: of regions, or, behind a `learned` model, end to end.

    `names` (n_configurations) are what people call the rows of `configurations` (n_configurations, n_options), blank
    where nothing. `held` is what else the configurations of an exhaustive analysis have in common: {option: label},
    references left out.
    """

    row: ModelIdentity
    space: OptionSpace
    configurations: IntArray
    names: tuple[str, ...]
    held: Mapping[str, str]
    region_times: RegionTimes | None = None
    learned: LearnedModel | None = None
    # Whether end-to-end times of the program as a whole stand for its one region, because none was profiled.
    is_total: bool = False

    @property
    def times(self) -> RegionTimes:
        """What every region took. Raises `NoRegions`."""
        if self.region_times is None:
            raise NoRegions(
                f"{self.row.system_name} {self.row.revision} was measured end to end only: nothing is known of its regions"
            )
        return self.region_times


def load_model(model: PerformanceModel) -> LoadedModel:
    """The measurements that a model is made of; a constant number of queries.

    Visible, valid profiled runs without failure count; of a partitioned analysis only those that came with it, of
    an exhaustive one those whose other options are as in most of them. Where none was profiled the program is one
    region, with its end-to-end times. Of a learned analysis the stored model. Raises `NotFound`, also without runs.
    """
    space = options_of(model.system)
    if model.kind in PerformanceModel.LEARNED_KINDS:
        return _load_learned(model, space)
    kind = measured_kind(model)
    runs, kept_configurations, held = _load_runs(model, kind)
    names, assignments = zip(*kept_configurations, strict=True)
    configurations = space.encode(assignments)
    ran = np.zeros((len(names), runs["repetition"].max() + 1), dtype=bool)
    ran[runs["row"], runs["repetition"]] = True
    regions, partitions = _load_regions(model, space, kind)
    program = next((one.key for one in regions if one.is_program), None)
    times = RegionTimes(
        space=space,
        regions=tuple(one.key for one in regions),
        partitions=partitions,
        configurations=configurations,
        values=_load_values(model, kind, regions, runs, ran.shape),
        ran=ran,
        aggregate_repetitions=cast("Aggregator", model.aggregate_repetitions),
        aggregate_configurations=cast("Aggregator", model.aggregate_configurations),
        program_region=program,
        offset=model.program_region_offset,
        uncovered_is_zero=model.uncovered_is_zero,
    )
    return LoadedModel(
        row=replace(
            _row(model, configurations, ran.sum(axis=1)), regions=len(regions) - (program is not None)
        ),
        space=space,
        configurations=configurations,
        names=names,
        held=held,
        region_times=times,
        is_total=kind == Run.Kind.PLAIN,
    )


def _load_learned(model: PerformanceModel, space: OptionSpace) -> LoadedModel:
    measured = measured_of(model, space)
    if not len(measured.values):
        raise NotFound(f"performance model {model.pk} of {model.system.slug!r} has no valid end-to-end run")
    row = _row(model, measured.configurations, measured.executions)
    if model.kind == PerformanceModel.Kind.HYBRID:
        found, is_current = hybrid_of(model, space)
        regions, configurations = len(found.model.regions), found.configurations
        row = replace(row, configurations=configurations, regions=regions, is_current=is_current)
    else:
        found = learned_of(model, space, measured)
    return LoadedModel(row, space, measured.configurations, measured.names, held={}, learned=found)


def _row(model: PerformanceModel, configurations: IntArray, executions: IntArray) -> ModelIdentity:
    """A model as a row, with the size of what it was made from: configurations, and the executions of each."""
    levels = [len(np.unique(column)) for column in configurations.T]
    return replace(
        model_row(model),
        configurations=len(configurations),
        repetitions=int(np.median(executions)),
        whole_grid=len(np.unique(configurations, axis=0)) == prod(levels),
        varied=sum(many > 1 for many in levels),
    )


def _load_runs(
    model: PerformanceModel, kind: Run.Kind
) -> tuple[NDArray[np.void], list[tuple[str, dict[str, str]]], Mapping[str, str]]:
    """The runs by id, row and repetition; name and assignments of the configuration of each row; and what is held."""
    runs = list(
        valid_runs(model, kind).order_by("batch_id", "repetition").values_list("pk", "configuration_id")
    )
    if not runs:
        raise NotFound(f"performance model {model.pk} of {model.system.slug!r} has no valid profiled run")
    found = Configuration.objects.filter(
        pk__in=valid_runs(model, kind).values("configuration_id")
    ).values_list("name", "identity", "pk", "assignments")
    # By content, not by id: a system and its imported copy give the same sums to the last digit.
    configurations = {
        pk: (name, assignments) for name, _, pk, assignments in sorted(found, key=itemgetter(0, 1))
    }
    outside = {
        pk: frozenset(others_held(model, assignments).items())
        for pk, (_, assignments) in configurations.items()
    }
    (held, _), *_ = Counter(outside[configuration] for _, configuration in runs).most_common(1)
    rows = {pk: row for row, pk in enumerate(pk for pk in configurations if outside[pk] == held)}
    counts: Counter[int] = Counter()
    placed = []
    for run, configuration in runs:
        if configuration in rows:
            placed.append((run, rows[configuration], counts[configuration]))
            counts[configuration] += 1
    return np.array(placed, dtype=_RUN), [configurations[pk] for pk in rows], dict(held)


def _load_values(
    model: PerformanceModel,
    kind: Run.Kind,
    regions: Sequence[Region],
    placed: NDArray[np.void],
    shape: tuple[int, ...],
) -> FloatArray:
    """What was measured by region, row and repetition, 0 where nothing was; `shape` is that of rows and repetitions."""
    runs = valid_runs(model, kind)
    of_regions = RegionMeasurement.objects.filter(run__in=runs, metric_id=model.region_metric_id)
    rows: Iterable[tuple[int, int, float]] = of_regions.values_list("run_id", "region_id", "value")
    if kind == Run.Kind.PLAIN:
        totals = Measurement.objects.filter(run__in=runs, metric_id=model.total_metric_id)
        rows = ((run, regions[0].pk, value) for run, value in totals.values_list("run_id", "value"))
    measured = np.fromiter(rows, dtype=_ROW)
    # Measurements of runs that were left out are left out too.
    run, in_runs = _positions(placed["run"], measured["run"])
    region, in_regions = _positions(np.array([one.pk for one in regions]), measured["region"])
    kept = in_runs & in_regions
    values = np.zeros((len(regions), *shape))
    at = placed[run[kept]]
    values[region[kept], at["row"], at["repetition"]] = measured["value"][kept]
    return values


def _load_regions(
    model: PerformanceModel, space: OptionSpace, kind: Run.Kind
) -> tuple[list[Region], list[Partition]]:
    """The regions of an analysis by key, each with its partition; end-to-end runs tell of the program region alone."""
    if model.kind == PerformanceModel.Kind.FULL_FACTORIAL:
        of_system = Region.objects.filter(system=model.system)
        if kind == Run.Kind.PLAIN:
            regions = list(of_system.filter(is_program=True)[:1])
        else:
            measured = RegionMeasurement.objects.filter(run__in=valid_runs(model, kind))
            found = of_system.filter(pk__in=measured.values("region_id").distinct())
            regions = sorted(found, key=lambda region: region.key)
        if not regions:
            lacking = (
                "region for the program" if kind == Run.Kind.PLAIN else "measured region in its valid runs"
            )
            raise NotFound(f"performance model {model.pk} of {model.system.slug!r} has no {lacking}")
        return regions, [Partition.exhaustive(space, model.options)] * len(regions)
    rows = sorted(
        RegionPartition.objects.filter(model=model).select_related("region"),
        key=lambda row: row.region.key,
    )
    formulas = {row.region.key: row.formulas for row in rows}
    return [row.region for row in rows], list(partitions_of(space, formulas).values())


def _positions(ids: IntArray, wanted: IntArray) -> tuple[IntArray, BoolArray]:
    """Where each wanted id stands in `ids`, and whether it stands there at all."""
    if not len(ids):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=bool)
    order = np.argsort(ids)
    place = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)]
    return place, ids[place] == wanted

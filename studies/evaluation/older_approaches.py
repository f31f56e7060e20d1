"""Models as older white-box approaches make them, from what was measured of the configurations that they chose."""

import time
from dataclasses import replace

import numpy as np

from analytics.configurations.joining import joint_seen
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.models import fit
from analytics.units import SECONDS
from analytics.whitebox.option_reads import ReadingRun, ReadsModel
from analytics.whitebox.static_reach import covering_configurations
from dashboard.models import System
from dashboard.selectors.end_to_end import MeasuredContext
from dashboard.selectors.whitebox.analyses import newest_analysis
from studies.evaluation.measured_systems import GivenModel, MeasuredSystem, profiled_regions


def older_models(system: System, where: MeasuredContext, measured: MeasuredSystem) -> tuple[GivenModel, ...]:
    """The models of the older approaches that have analyzed the revision, each with what its configurations cost."""
    return (*_by_reads(system, where, measured), *_by_source(system, where, measured.valid))


def _by_source(system: System, where: MeasuredContext, valid: ValidConfigurations) -> tuple[GivenModel, ...]:
    """ConfigCrusher: the times of regions, composed by the partitions that the source tells, from the configurations that cover these.

    Those that were never profiled are missing; regions that nothing is told of have one subspace. A region that was split by pairs
    of options has as many of these as the configurations tell apart.
    """
    analysis = newest_analysis(system, where.revision, "static")
    profiled = None if analysis is None else profiled_regions(where)
    if analysis is None or profiled is None:
        return ()
    _, loaded = profiled
    start, times, unit = time.perf_counter(), loaded.times, SECONDS.get(loaded.row.unit)
    partitions = analysis.result.partitions_over(times.space)
    chosen = covering_configurations(times.space, partitions, valid)
    known = [row for row, own in enumerate(times.configurations) if bool((chosen == own).all(axis=1).any())]
    if not known:
        return ()
    rows, ran = times.configurations[known], times.ran[known]
    own = {region: joint_seen(times.space, parts, rows) for region, parts in partitions.items()}
    whole = Partition.exhaustive(times.space, ())
    composed = replace(
        times,
        partitions=tuple(own.get(region, whole) for region in times.regions),
        configurations=rows,
        values=times.values[:, known],
        ran=ran,
    )
    taken = float((composed.values * ran).sum() + times.offset * ran.sum())
    model = fit(composed)
    return (
        GivenModel(
            sampling="configcrusher",
            learner="static",
            model=model,
            configurations=rows,
            executions=int(ran.sum()),
            seconds=None if unit is None else taken * unit,
            training_seconds=time.perf_counter() - start,
            wanted=len(chosen),
        ),
    )


def _by_reads(system: System, where: MeasuredContext, measured: MeasuredSystem) -> tuple[GivenModel, ...]:
    """SPLat: what was measured of each configuration that it ran stands for all that agree with it on what its run read.

    Those that failed or were never measured tell nothing.
    """
    analysis = newest_analysis(system, where.revision, "reads")
    if analysis is None:
        return ()
    start, space = time.perf_counter(), measured.valid.space
    ran = [run for run in analysis.result.counted if run.reads is not None]
    rows = measured.rows_of(space.encode(run.levels for run in ran))
    known = np.flatnonzero(rows >= 0)
    runs = tuple(
        ReadingRun(
            tuple(measured.configurations[rows[at]].tolist()), tuple(map(space.position, ran[at].reads or ()))
        )
        for at in known
    )
    chosen = rows[known]
    seconds, executions = measured.seconds, measured.executions[chosen]
    return (
        GivenModel(
            sampling="splat",
            learner="reads",
            model=ReadsModel(runs, measured.values[chosen]),
            configurations=measured.configurations[chosen],
            executions=int(executions.sum()),
            seconds=None if seconds is None else float(seconds[chosen] @ executions),
            training_seconds=time.perf_counter() - start,
            wanted=len(ran),
            local=False,
        ),
    )

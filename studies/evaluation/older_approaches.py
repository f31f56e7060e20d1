"""Models as older white-box approaches make them, from what was measured of the configurations that they chose."""

import time

import numpy as np

from analytics.whitebox.option_reads import ReadingRun, ReadsModel
from dashboard.models import System
from dashboard.selectors.end_to_end import MeasuredContext
from dashboard.selectors.whitebox.analyses import newest_analysis
from studies.evaluation.measured_systems import GivenModel, MeasuredSystem


def older_models(system: System, where: MeasuredContext, measured: MeasuredSystem) -> tuple[GivenModel, ...]:
    """The models of the older approaches that have analyzed the revision, each with what its configurations cost.

    SPLat: what was measured of each configuration that it ran stands for all that agree with it on what its run read. Those that
    failed or were never measured tell nothing.
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

"""The planned runs of a job, block by block: every cell once in random order, until it needs no more."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from analytics.histories.measurements import FloatArray, IntArray
from dashboard.models import Batch
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.selectors.measuring.repetitions import cell_widths, earlier_times
from dashboard.services.measuring.run_executor import CompletedRuns, RunExecutor
from runner.plans import PlannedRun, plan


def needed_runs(
    executor: RunExecutor, request: MeasuringRequest, completed: CompletedRuns
) -> Iterator[tuple[PlannedRun, float]]:
    """The runs to make, those that were made before an interruption too, with the share of all that is done before each.

    A block is one repetition. What is needed is asked before each of them, of what the earlier ones showed: an
    interrupted job finds the same. Two that are compared, two cells alone or two revisions of a configuration, go on together:
    else the last runs of the noisier one would come one after the other. The share is of the runs that are expected, and never falls.
    """
    rule = request.rule
    names = [revision.identifier for revision in executor.revisions]
    runs = plan(
        executor.configurations, names, repetitions=request.most, seed=request.seed, workload=request.workload
    )
    cells = {completed.cell(run): True for run in runs}
    expected, done, share = len(runs), 0, 0.0
    if rule is not None:
        times = earlier_times(system=executor.job.system, workload=request.workload)
        expected = round(len(cells) * (rule.expected_runs(*times) or rule.most))
    for repetition, block in groupby(runs, key=lambda run: run.repetition):
        if rule is not None and repetition > rule.least:
            made, widths = cell_widths(batch_id=executor.batch.pk, cells=list(cells), before=repetition)
            to_go = together(list(cells), rule.runs_to_go(made, widths), widths)
            cells = dict(zip(cells, (to_go > 0).tolist(), strict=True))
            expected = done + int(to_go.sum())
        for run in block:
            if cells[completed.cell(run)]:
                share = max(share, min(done / max(expected, 1), 1.0))
                yield run, share
                done += 1


def together(cells: Sequence[tuple[str, str]], to_go: IntArray, widths: FloatArray) -> IntArray:
    """How many more runs each cell (revision, configuration) needs (n_cells,) where two that are compared go on together.

    Compared are two cells alone, and two revisions of each configuration. `widths` (n_cells,) are NaN for a cell without any
    time: it stays as it is.
    """
    alone, revisions = len(cells) == 2, {revision for revision, _ in cells}
    groups: dict[object, list[int]] = defaultdict(list)
    for at, cell in enumerate(cells):
        if not np.isnan(widths[at]):
            groups[None if alone else cell[1] if len(revisions) == 2 else cell].append(at)
    shared = to_go.copy()
    for group in groups.values():
        shared[group] = to_go[group].max()
    return shared


def repeating_result(
    batch: Batch, request: MeasuringRequest, made: Collection[tuple[str, str]]
) -> dict[str, Any]:
    """What repeating as needed came to: the most runs there could have been, and the cells, of those made, whose interval is too wide.

    Where some gave no time, it counts these and the others too. Empty for a fixed number of repetitions.
    """
    if request.rule is None:
        return {}
    cells = list(made)
    _, widths = cell_widths(batch_id=batch.pk, cells=cells)
    wide = int(np.count_nonzero(widths > request.half_width))
    result = {"most": request.most * len(cells), "wide": wide, "half_width": request.half_width}
    if untimed := int(np.count_nonzero(np.isnan(widths))):
        result |= {"timed": len(cells) - untimed, "untimed": untimed}
    return result

"""The runs that an evaluation needs, made in an order that spreads noise over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from dashboard.services.evaluating.files import Kind, Record, RecordFile
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.environments import Prepared
from runner.executions import execute
from runner.plans import PlannedRun


@dataclass(frozen=True, slots=True)
class WantedRun:
    """One run that is to be made."""

    row: bytes
    kind: Kind
    repetition: int


def wanted_runs(rows: IntArray, profiled: IntArray, *, repetitions: int) -> tuple[WantedRun, ...]:
    """For each of `rows` (n, n_options) one counting run and `repetitions` plain ones, round after round.

    Those that are `profiled` too (a subset) have as many profiled runs. Each round has its own random order, so that a
    slow quarter of an hour falls on all alike.
    """
    rng = np.random.default_rng(0)
    distinct = list(dict.fromkeys(row.astype(np.int8).tobytes() for row in rows))
    cover = list(dict.fromkeys(row.astype(np.int8).tobytes() for row in profiled))
    rounds: list[list[WantedRun]] = [[WantedRun(row, "counted", 1) for row in distinct]]
    for repetition in range(1, repetitions + 1):
        rounds.append([WantedRun(row, "plain", repetition) for row in distinct])
        rounds[-1] += [WantedRun(row, "profiled", repetition) for row in cover]
    return tuple(run for own in rounds for run in (own[at] for at in rng.permutation(len(own))))


def missing_runs(
    file: RecordFile, wanted: Sequence[WantedRun], configurations: SubjectConfigurations
) -> tuple[WantedRun, ...]:
    """Those of `wanted` that `file` lacks."""
    words = {
        row: configurations.word(np.frombuffer(row, dtype=np.int8)) for row in {run.row for run in wanted}
    }
    return tuple(run for run in wanted if (words[run.row], run.kind, run.repetition) not in file.records)


def make_runs(
    context: JobContext,
    file: RecordFile,
    wanted: Sequence[WantedRun],
    *,
    prepared: Prepared,
    configurations: SubjectConfigurations,
    workload: str,
    held: Sequence[int],
    share: float,
) -> None:
    """Make runs, `share` of the whole job. Raises as `JobContext.check`; what was made stays."""
    for position, run in enumerate(wanted):
        context.progress(share * position / len(wanted), f"{position} of {len(wanted)} runs")
        row = np.frombuffer(run.row, dtype=np.int8)
        execution = execute(
            prepared,
            PlannedRun(
                position,
                prepared.revision.identifier,
                configurations.configuration(row),
                workload,
                run.repetition,
            ),
            profile=run.kind == "profiled",
            mode="count" if run.kind == "counted" else "plain",
            cancelled=context.cancelled,
            held=held,
        )
        context.check()
        if execution.status != "ok":
            context.log(f"{configurations.word(row)}: {execution.status}: {execution.message}")
        file.add(Record.of(execution, run.kind))
        # A job that got on may be resumed; what it got is in the file.
        context.save_checkpoint({"runs": len(file.records)})

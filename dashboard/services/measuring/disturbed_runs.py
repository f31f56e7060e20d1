"""Runs that the machine disturbed: each says how, and those of a measurement are made again while that has bounds."""

from collections import defaultdict
from itertools import zip_longest
from math import ceil

import numpy as np

from analytics.configurations.identities import configuration_identity
from analytics.machine_phases import machine_phases
from analytics.machine_speed import LEAST_TIMES
from dashboard.models import Batch, Measurement, Run
from dashboard.selectors.batch_manifests import manifest_of, save_manifest
from dashboard.selectors.machine_speed import DISTURBED, disturbance_in_words, usual_reference
from dashboard.services.data_versions import bump
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.run_executor import RunExecutor
from dashboard.services.points import keys_of, update_points
from dashboard.services.subjects import assignments_of
from runner.machine_state import machine_state
from runner.plans import PlannedRun

# So many more runs than planned, as a share, are made in place of disturbed ones, in so many rounds.
SHARE_AGAIN, ROUNDS = 0.25, 2


def mark_disturbed(context: JobContext, batch: Batch) -> list[Run]:
    """Say at each run of the batch what disturbed it, and keep the machine's state; returns the plain ones that count.

    The batch keeps what the machine did meanwhile: two speeds, bursts, drift. Raises as `JobContext.check`.
    """
    runs = batch.runs.filter(
        status=Run.Status.OK, reference_cpu_before__gt=0, reference_cpu_after__gt=0
    ).order_by("pk")
    environments = runs.order_by().values_list("environment_id", flat=True).distinct()
    usual = {pk: usual_reference(pk) for pk in environments}
    disturbed, found = [], list(runs.select_related("revision", "configuration"))
    beside = np.array(runs.values_list("reference_cpu_before", "reference_cpu_after"), dtype=float)
    phases = (
        machine_phases(np.sqrt(beside.reshape(-1, 2).prod(axis=1))) if len(found) >= LEAST_TIMES else None
    )
    for at, run in enumerate(found):
        words = disturbance_in_words(run, usual[run.environment_id])
        # A run that says something else, as of the clock, goes on saying it.
        if words and (not run.message or run.message.startswith(DISTURBED)):
            in_burst = phases is not None and phases.burst[at]
            is_slow = phases is not None and phases.slow is not None and phases.slow[at]
            run.message = words + (
                ", in a burst" if in_burst else ", at the slower of two speeds" if is_slow else ""
            )
            disturbed.append(run)
    with context.fenced():
        Run.objects.bulk_update(disturbed, ["message"], batch_size=500)
        states = (*manifest_of(batch).machine[:1], machine_state())
        save_manifest(batch, machine=states, phases={} if phases is None else phases.as_numbers())
    return [run for run in disturbed if run.kind == Run.Kind.PLAIN and not run.invalid_reason]


def measure_again(executor: RunExecutor) -> int:
    """Make disturbed runs of a measurement again, after all that were planned; returns how many runs that took.

    Cells take turns, in random order. Each cell keeps as many runs that count as were planned, or needed: the most disturbed ones
    are marked invalid for those made in their place. When the bounds are reached, what is still disturbed counts, and says so. Raises as `RunExecutor.make`.
    """
    context, batch, request = executor.job.context, executor.batch, executor.request
    configurations = {
        configuration_identity(assignments_of(one, executor.job.subject)): one
        for one in executor.configurations
    }
    plain = batch.runs.filter(kind=Run.Kind.PLAIN)
    planned = plain.filter(repetition__lte=request.most).count()
    later = plain.filter(repetition__gt=request.most)
    for number in range(ROUNDS):
        rng = np.random.default_rng([request.seed, number])
        cells = _replaced(context, batch, request.most)
        turns = ([run for run in turn if run] for turn in zip_longest(*cells))
        disturbed = [turn[at] for turn in turns for at in rng.permutation(len(turn))]
        left = ceil(SHARE_AGAIN * planned) - later.count()
        chosen = disturbed[: max(left, 0)]
        for at, run in enumerate(chosen, start=1):
            cell = batch.runs.filter(revision=run.revision, configuration=run.configuration)
            again = PlannedRun(
                position=planned,
                revision=run.revision.name,
                configuration=configurations[run.configuration.identity],
                workload=request.workload,
                repetition=max(request.most, *cell.values_list("repetition", flat=True)) + 1,
            )
            context.log(f"{executor.in_words(again)}: {run.message}: measured again")
            context.progress(
                1.0, f"{executor.in_words(again)}, {at} of {len(chosen)} runs that are made again"
            )
            executor.make(again, profile=request.profile)
    _replaced(context, batch, request.most)
    return later.count()


def _replaced(context: JobContext, batch: Batch, most: int) -> list[list[Run]]:
    """Mark the most disturbed runs invalid of cells that have more than planned; returns what is disturbed and counts, by cell."""
    disturbed: dict[tuple[int, int], list[Run]] = defaultdict(list)
    for run in mark_disturbed(context, batch):
        disturbed[run.revision_id, run.configuration_id].append(run)
    kept = []
    for (revision, configuration), runs in disturbed.items():
        cell = batch.runs.filter(revision_id=revision, configuration_id=configuration)
        plain = cell.filter(kind=Run.Kind.PLAIN, status=Run.Status.OK)
        counted = plain.filter(invalid_reason="").count()
        planned = plain.filter(repetition__lte=most).count()
        runs.sort(key=_reference_product)
        spare = min(max(counted - planned, 0), len(runs))
        kept.append(runs[: len(runs) - spare])
        for run in runs[len(runs) - spare :]:
            with context.fenced():
                same = cell.filter(repetition=run.repetition)
                same.update(invalid_reason=f"{run.message}: measured again")
                update_points(system=batch.system, keys=keys_of(Measurement.objects.filter(run__in=same)))
                bump(system=batch.system, revisions=[revision])
    return kept


def _reference_product(run: Run) -> float:
    """How disturbed a run was: all its reference times multiplied."""
    product = 1.0
    for taken in (
        run.reference_cpu_before,
        run.reference_cpu_after,
        run.reference_wall_before,
        run.reference_wall_after,
    ):
        product *= taken or 1.0
    return product

"""The plan as a grid: which configuration was measured at which revision, and what waits."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

import numpy as np
from django.db.models import Count, Q

from analytics.configurations.identities import configuration_identity
from analytics.histories.measurements import FloatArray, IntArray
from dashboard.access import Access, NotFound
from dashboard.models import Configuration, Job, Revision, Run, System
from dashboard.selectors.configurations import options_of_several_levels, words
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.job_columns import MeasuringRequest, SubjectCheckpoint
from dashboard.selectors.jobs import MEASURED
from dashboard.selectors.measuring.repetitions import cell_widths
from dashboard.selectors.measuring.rows import GridCell, PlanGrid
from dashboard.selectors.systems import visible_runs

Assigned = frozenset[tuple[str, str]]


class _Cells(defaultdict[tuple[Assigned, str], Counter[str]]):
    """Numbers of runs, by what became of them, for each configuration and revision; and the stored configurations."""

    def __init__(self) -> None:
        super().__init__(Counter)
        # Identity and words by what a configuration differs in.
        self.known: dict[Assigned, tuple[str, str]] = {}
        # How many runs of a batch each cell holds.
        self.made: Counter[tuple[int, Assigned, str]] = Counter()

    def count_runs(self, system: System, batch: int | None, several: Collection[str]) -> None:
        """Add the runs of a system, or of one of its batches."""
        runs = visible_runs(system)
        if batch is not None:
            runs = runs.filter(batch_id=batch)
        stored = Configuration.objects.filter(system=system, pk__in=runs.values("configuration_id"))
        rows = {}
        for pk, identity, name, assignments in stored.values_list("pk", "identity", "name", "assignments"):
            rows[pk] = frozenset(assignments.items())
            self.known[rows[pk]] = (identity, name or words(assignments, several))
        valid = Q(invalid_reason="")
        counted = (
            runs.order_by("batch_id")
            .values_list("batch_id", "configuration_id", "revision__name", "kind")
            .annotate(
                ok=Count("pk", filter=valid & Q(status=Run.Status.OK)),
                failed=Count("pk", filter=valid & ~Q(status=Run.Status.OK)),
                invalid=Count("pk", filter=~valid),
            )
        )
        # A plain and a profiled run of one execution are two rows.
        of_batches: dict[tuple[int, Assigned, str], tuple[int, ...]] = {}
        for number, configuration, revision, _, *counts in counted:
            key = (number, rows[configuration], revision)
            of_batches[key] = tuple(map(max, of_batches.get(key, (0, 0, 0)), counts))
        for key, (ok, failed, invalid) in of_batches.items():
            cell = self[key[1:]]
            # What failed earlier was made good.
            cell["failed"] = failed if ok else cell["failed"] + failed
            cell["ok"] += ok
            cell["invalid"] += invalid
            self.made[key] = ok + failed + invalid

    def add_waiting(self, jobs: Sequence[Job]) -> None:
        """Add the runs that these jobs have planned and not made; of those that repeat as needed, what is expected."""
        requests = [
            (SubjectCheckpoint.model_validate(job.checkpoint).batch, MeasuringRequest.of(job)) for job in jobs
        ]
        names = Revision.objects.in_bulk({pk for _, request in requests for pk in request.revision_ids})
        for batch, request in requests:
            # Jobs that an earlier version queued name their revisions.
            revisions = [names[pk].name for pk in request.revision_ids if pk in names] or request.revisions
            cells = [(frozenset(one.items()), name) for one in request.planned for name in revisions]
            to_go = [max(0, request.most - self.made[batch, *cell]) for cell in cells]
            if request.rule is not None:
                to_go = request.rule.runs_to_go(*_widths(batch, cells)).tolist()
            for cell, left in zip(cells, to_go, strict=True):
                self[cell]["waiting"] += left

    def positioned(self, rows: Sequence[Assigned], columns: Sequence[str]) -> tuple[GridCell, ...]:
        """The cells of these rows and columns, with their positions."""
        row_of = {row: position for position, row in enumerate(rows)}
        column_of = {column: position for position, column in enumerate(columns)}
        return tuple(
            GridCell(
                row_of[row],
                column_of[column],
                *(counts[name] for name in ("ok", "failed", "invalid", "waiting")),
            )
            for (row, column), counts in self.items()
            if row in row_of
        )


def plan_grid(*, access: Access, job_id: int | None = None, most_rows: int = 120) -> PlanGrid:
    """The grid of one measuring job, or of everything that was measured and that jobs which run, wait or are paused have planned.

    Revisions of unmerged branches, which stand in no order, are the last columns.
    Constant number of queries. Raises `NotFound` for a job that is not of the system.
    """
    system = access.system
    jobs = Job.objects.filter(system=system, kind=MEASURED)
    to_come = (*Job.ACTIVE, Job.State.PAUSED)
    chosen = list(jobs.filter(state__in=to_come) if job_id is None else jobs.filter(pk=job_id))
    if job_id is not None and not chosen:
        raise NotFound(f"{access.slug!r} has no measuring job {job_id}")
    cells = _Cells()
    several = options_of_several_levels(system)
    batch = None if job_id is None else SubjectCheckpoint.model_validate(chosen[0].checkpoint).batch
    cells.count_runs(system, batch, several)
    cells.add_waiting([job for job in chosen if job.state in to_come])
    most, wide, untimed, half_width = 0, 0, 0, 0.0
    if job_id is not None and (request := MeasuringRequest.of(chosen[0])).rule is not None:
        _, widths = _widths(batch or 0, list(cells))
        wide, half_width = int((widths > request.half_width).sum()), request.half_width
        untimed = int(np.isnan(widths).sum())
        most = len(cells) * request.most
    rows = sorted({row for row, _ in cells}, key=lambda row: (len(row), sorted(row)))
    at = {name: position for position, name in ordered_revisions(system=system).names.items()}
    columns = sorted({column for _, column in cells}, key=lambda name: (at.get(name, len(at)), name))
    # What was never run has no row in the database, but the same identity as it will have there.
    shown = [
        cells.known.get(row) or (configuration_identity(dict(row)), words(dict(row), several))
        for row in rows[:most_rows]
    ]
    return PlanGrid(
        identities=tuple(identity for identity, _ in shown),
        configurations=tuple(text for _, text in shown),
        revisions=tuple(columns),
        cells=cells.positioned(rows[:most_rows], columns),
        left_out=max(0, len(rows) - most_rows),
        counts=Counter(cell.state for cell in cells.positioned(rows, columns)),
        made=sum(cells.made.values()),
        waiting=sum(counts["waiting"] for counts in cells.values()),
        most=most,
        wide=wide,
        untimed=untimed,
        half_width=half_width,
        is_whole=job_id is not None and chosen[0].state == Job.State.DONE,
    )


def _widths(batch: int, cells: Sequence[tuple[Assigned, str]]) -> tuple[IntArray, FloatArray]:
    """How often each cell was run in a batch, and the half-widths of their intervals."""
    named = [(revision, configuration_identity(dict(row))) for row, revision in cells]
    return cell_widths(batch_id=batch, cells=named)

"""Tracking a program: a job that fits what is known, chooses the next revision, measures it and notes why, until it ends."""

import time
from collections import Counter
from dataclasses import asdict, replace
from typing import Any, ClassVar

from dashboard.access import Access
from dashboard.figures.numbers import percent, plural
from dashboard.models import Revision, Run
from dashboard.selectors.batch_manifests import Confirmation, TrackingStep, manifest_of, save_manifest
from dashboard.selectors.histories.curves import sibling_changes
from dashboard.selectors.histories.next_revisions import MEASURED, unbuildable_revisions
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.job_columns import IntendedRuns, MeasuringRequest
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.disturbed_runs import mark_disturbed
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import order_name
from dashboard.services.tracking.choosing import NOISE, TrackingState, choose, limit_of, stop_rule
from dashboard.services.tracking.confirmation import ConfirmationLoop, reserved_seconds, to_confirm
from dashboard.services.tracking.counted_history import CountedHistory
from dashboard.services.tracking.counted_versions import counted_quantity
from dashboard.services.tracking.tracked_series import (
    SeriesRequest,
    TrackedSeries,
    choosable_revisions,
    versions_in,
)
from runner.environments import Unprepared
from runner.errors import CountingImpossible


class TrackingRequest(SeriesRequest):
    """What is tracked, in the words of the selections of `runner`, and for how long.

    `most` revisions are measured at most (None: as many as the budget
    allows). `stop_at` says when enough is known: "steps", "noise" or a share as "1%" (see `stop_rule`). Without
    `sharing` every revision is measured for itself, also where its code is that of its neighbour. With `counts` each
    version is counted once before, where the subject can be: what changed there is run side by side first.
    """

    kind: ClassVar = "track"
    one_only: ClassVar = "{count} configurations are selected: one is tracked at a time"

    revisions: tuple[str, ...] = ("all",)
    repetitions: int = 3
    most: int | None = None
    stop_at: str = "steps"
    sharing: bool = True
    counts: bool = True

    def as_measuring(self) -> MeasuringRequest:
        """What is chosen from: its own revisions, each as often as they are run."""
        own = {"revisions": self.revisions, "repetitions": self.repetitions}
        return super().as_measuring().model_copy(update=own)


class TrackingLoop:
    """One job's choices, one after the other; the decision log stands in the batch's manifest.

    Every choice is run as often as the request says.
    """

    def __init__(self, series: TrackedSeries, request: TrackingRequest) -> None:
        self._context = series.job.context
        self._series = series
        self._request = request
        self._batch = series.batch
        self._begun = self._begin()
        self._counted: CountedHistory | None = None
        subject = series.job.subject
        if request.counts and subject.counts and subject.is_countable:
            try:
                quantity = counted_quantity(subject)
            except CountingImpossible as error:
                self._context.log(f"without counts: {error}")
            else:
                self._counted = CountedHistory(series, self._begun.versions, quantity)

    def run(self) -> tuple[str, tuple[Confirmation, ...]]:
        """Choose and measure until something ends it, then confirm the changes; says what did, and what of each change.

        Raises as `JobContext.check`.
        """
        job, request = self._series.job, self._request
        if not job.checkpoint.explored:
            if self._counted:
                self._counted.explore(request.budget_seconds, request.most)
                self._context.log(self._counted.in_words())
                # Builds may have shown which revisions are the same program.
                self._begun = self._begin()
            explored = self._explore()
            runs = self._batch.runs.filter(kind=Run.Kind.PLAIN).count()
            # Kept together: what is confirmed does not depend on what its runs show.
            pairs = to_confirm(self.state(), self._counted)
            job.save_checkpoint(explored=explored, confirming=pairs, chosen_runs=runs)
        loop = ConfirmationLoop(self._series, self.state(), self._counted)
        return job.checkpoint.explored, loop.run(request.budget_seconds)

    @property
    def counted(self) -> str:
        """What counting came to, in words; "" where nothing was counted."""
        return self._counted.in_words() if self._counted else ""

    def _explore(self) -> str:
        """Choose and measure until something ends it; says what did."""
        # What is missing of the choice at which this job was interrupted: none is made twice, none forgotten.
        if (interrupted := self._series.job.checkpoint.intended) is not None:
            self._measure(interrupted)
        while True:
            state = self.state()
            choice = choose(state, reserved_seconds(state, self._counted))
            if isinstance(choice, str):
                return choice
            version, chosen = choice
            # How much of the budget or of the count is used up.
            by_time = state.spent / state.rule.budget if state.rule.budget else 0.0
            by_count = len(state.taken) / state.rule.most if state.rule.most else 0.0
            self._context.progress(min(max(by_time, by_count), 1.0), f"{version.title}: {chosen.reason}")
            earlier = self._series.runs(chosen.revision).count()
            intended = replace(chosen, first=earlier + 1, last=earlier + self._request.repetitions)
            self._series.job.save_checkpoint(intended=intended)
            self._measure(intended)

    def state(self) -> TrackingState:
        """What is known now."""
        # The revisions that were tried and never ran, anywhere, and those of which a run failed in this job.
        tried = unbuildable_revisions(system=self._series.job.system, workload=self._request.workload)
        failed = {
            *Revision.objects.filter(pk__in=tried).values_list("name", flat=True),
            *self._batch.runs.exclude(status=Run.Status.OK).values_list("revision__name", flat=True),
        }
        measured = [step for step in manifest_of(self._batch).trail if step.outcome == MEASURED]
        moved = self._counted.timed if self._counted else ()
        place = {one.identifier: at.position for at in self._begun.versions for one in at.revisions}
        brackets = tuple((place[before.first], place[after.first]) for before, after, _ in moved)
        return replace(
            self._begun,
            sibling_changes=(*self._begun.sibling_changes, *brackets),
            sessions=self._series.sessions(),
            failed=failed,
            latest=measured[-1].revision if measured else "",
            taken=[step.seconds for step in measured],
            spent=self._series.job.checkpoint.spent,
        )

    def _measure(self, intended: IntendedRuns) -> None:
        """Make the runs that a choice asks for, and note what came of it."""
        job, started = self._series.job, time.monotonic()
        outcome = self._outcome(intended)
        step = TrackingStep(
            revision=intended.revision,
            reason=intended.reason,
            gain=intended.gain,
            equal=intended.equal,
            seconds=time.monotonic() - started,
            outcome=outcome,
        )
        with self._context.fenced():
            save_manifest(self._batch, trail=(*manifest_of(self._batch).trail, step))
            job.save_checkpoint(spent=job.checkpoint.spent + step.seconds, intended=None)
        self._context.log(f"{intended.title}: {outcome} in {step.seconds:.1f} s; {step.reason}")

    def _outcome(self, intended: IntendedRuns) -> str:
        runs = self._series.runs(intended.revision).filter(repetition__gte=intended.first)
        made = list(runs.values_list("status", flat=True))
        if any(status != Run.Status.OK for status in made):
            return "failed"
        is_built = self._series.job.subject.install.built
        if (
            not made
            and intended.is_new
            and is_built
            and not isinstance(self._series.prepare(intended.revision), Unprepared)
        ):
            # The build may have made the same program as that of a revision that was measured.
            self._begun = self._begin()
            if self._begun.order.codes[intended.revision] in self.state().by_code:
                return "same build"
        for repetition in range(intended.first + len(made), intended.last + 1):
            result = self._series.measure(intended.revision, repetition)
            if isinstance(result, Unprepared):
                return "not built"
            if result.status != "ok":
                return "failed"
        return MEASURED

    def _begin(self) -> TrackingState:
        """What is tracked, before anything was measured; a build may show which revisions are the same program."""
        job, request, own = self._series.job, self._request, self._series.context()
        order = ordered_revisions(system=job.system, order=order_name(job.subject))
        if not request.sharing:
            # No code is taken as the same.
            order = replace(order, revisions=tuple(replace(one, content="") for one in order.revisions))
        versions = versions_in(order, self._series.revisions)
        return TrackingState(
            order=order,
            versions=versions,
            rule=stop_rule(request.stop_at, len(versions), budget=request.budget_seconds, most=request.most),
            sibling_changes=() if own is None else sibling_changes(job.system, {0: own}, order)[0][0],
            stop_at_noise=request.stop_at == NOISE,
        )


def start_tracking(*, access: Access, request: TrackingRequest) -> int:
    """Queue the tracking of a system's subject. Raises as `choosable_revisions`."""
    if request.most is not None and request.most < 1:
        raise RequestInvalid("most", f"{request.most} revisions cannot be measured: write 1 or more")
    limit_of(request.stop_at)
    subject, revisions = choosable_revisions(access, request)
    chosen = request.model_copy(update={"revisions": tuple(one.identifier for one in revisions)})
    title = f"Track {subject.name}: {request.configuration}, {len(revisions)} revisions"
    return enqueue(access, chosen, title=title)


def track(context: JobContext) -> dict[str, Any]:
    """The kind of job that tracks; resumed, it goes on from what is stored."""
    request = TrackingRequest.of(context.job)
    noted = request.model_dump(include={"workload", "configuration", "repetitions"})
    series = TrackedSeries(context, request, trail=(), **noted)
    loop = TrackingLoop(series, request)
    stopped, changes = loop.run()
    mark_disturbed(context, series.batch)
    batch, noise = series.batch, loop.state().session_noise
    # A revision that was measured once more, as a check, counts once.
    outcomes = Counter({step.revision: step.outcome for step in manifest_of(batch).trail}.values())
    with context.fenced():
        save_manifest(batch, stopped=stopped, changes=changes, counted=loop.counted)
    if noise is not None:
        context.log(
            f"the same code, measured at different times, differs by {percent(100 * noise)} (standard deviation)"
        )
    for change in changes:
        context.log(change.sentence)
    context.progress(1.0, f"{plural(outcomes[MEASURED], 'revision')} measured; {stopped}")
    stated = [asdict(change) for change in changes]
    told = {"outcomes": dict(sorted(outcomes.items())), "stopped": stopped, "noise": noise, "changes": stated}
    return {**told, "counted": loop.counted} if loop.counted else told

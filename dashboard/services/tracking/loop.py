"""The loop of a tracking job: fit what is known, choose the next revision, measure it, note why."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from django.db.models import QuerySet

from analytics.histories.stopping import StopRule
from dashboard.access import Principal
from dashboard.models import Batch, Revision, Run
from dashboard.selectors.histories.codes import Bracket
from dashboard.selectors.histories.series import OrderedRevisions
from dashboard.selectors.measuring.next import unbuildable_revisions
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.run_executor import RunExecutor
from dashboard.services.tracking.choosing import Choice, TrackingState, choose
from dashboard.services.tracking.observed_history import CodeVersion, TrackedSeries, sessions
from runner.environments import Unprepared
from runner.plans import PlannedRun


@dataclass(frozen=True, slots=True)
class TrailStep:
    """One choice of a tracking job: the revision, why it was chosen, what was hoped for and what came of it.

    `gain` is how far the mean error of the history should fall, as a share of the level; None for the first ones and for
    checks. `equal` counts further revisions with the same code. `outcome` is measured, failed, not built, or "same build"
    where the build made what that of a measured revision had made.
    """

    revision: str
    reason: str
    gain: float | None
    equal: int
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class TrackingPlan:
    """What is tracked: the stages of an order, what other histories say, how often each is run, and when to stop.

    With `stop_at_noise` the rule's largest standard deviation is that of one session of the same code from another.
    """

    order: OrderedRevisions
    places: Sequence[CodeVersion]
    elsewhere: tuple[Bracket, ...]
    repetitions: int
    rule: StopRule
    stop_at_noise: bool = False


class TrackingLoop:
    """One job's choices, one after the other; the trail stands in the batch's manifest.

    `survey` is asked again where a build told which revisions are the same program.
    """

    def __init__(
        self,
        *,
        context: JobContext,
        course: TrackedSeries,
        executor: RunExecutor,
        batch: Batch,
        survey: Callable[[], TrackingPlan],
    ) -> None:
        self._context = context
        self._course = course
        self._executor = executor
        self._batch = batch
        self._look = survey
        self._survey = survey()

    def run(self) -> str:
        """Measure until something ends it; says what did. Raises as `JobContext.check`."""
        self._finish_interrupted()
        rule = self._survey.rule
        while True:
            known = self.known()
            if self._survey.stop_at_noise:
                rule = replace(rule, largest_sd=known.session_noise)
            choice = choose(known, rule)
            if isinstance(choice, str):
                return choice
            taken = [step["seconds"] for step in self._trail if step["outcome"] == "measured"]
            if stop := rule.spent(len(taken), self._spent, median(taken) if taken else 0.0):
                return stop.value
            self._context.progress(self._share(len(taken)), f"{choice.stage.title}: {choice.reason}")
            self._measure(self._intended(choice, is_new=choice.stage.position not in known.measured))

    def known(self) -> TrackingState:
        """What is known now."""
        survey = self._survey
        return TrackingState(
            order=survey.order,
            places=survey.places,
            sessions=sessions(self._course),
            failed=self._failed(),
            elsewhere=survey.elsewhere,
            latest=next(
                (step["revision"] for step in reversed(self._trail) if step["outcome"] == "measured"), ""
            ),
        )

    @property
    def _trail(self) -> list[dict[str, Any]]:
        trail: list[dict[str, Any]] = self._batch.manifest["trail"]
        return trail

    @property
    def _spent(self) -> float:
        return float(self._context.checkpoint.get("spent", 0.0))

    def _share(self, measured: int) -> float:
        """How much of the budget or of the count is used up."""
        rule = self._survey.rule
        used = (self._spent / rule.budget if rule.budget else 0.0, measured / rule.most if rule.most else 0.0)
        return min(max(used), 1.0)

    def _finish_interrupted(self) -> None:
        """Make what is missing of the choice at which this job was interrupted: none is made twice, none forgotten."""
        intended = self._context.checkpoint.get("intended")
        if intended is not None:
            self._measure(intended)

    def _intended(self, choice: Choice, *, is_new: bool) -> dict[str, Any]:
        """The choice as JSON, with the repetitions that it asks for, kept before anything is run.

        `is_new`: nothing was measured of its code so far.
        """
        earlier = self._runs(choice.revision).count()
        intended = {
            "revision": choice.revision,
            "reason": choice.reason,
            "gain": choice.gain,
            "equal": len(choice.stage.revisions) - 1,
            "title": choice.stage.title,
            "first": earlier + 1,
            "last": earlier + self._survey.repetitions,
            "is_new": is_new,
        }
        self._context.save_checkpoint({**self._context.checkpoint, "intended": intended})
        return intended

    def _measure(self, intended: dict[str, Any]) -> None:
        started = time.monotonic()
        outcome = self._outcome(intended)
        self._note(intended, time.monotonic() - started, outcome)

    def _outcome(self, intended: dict[str, Any]) -> str:
        runs = self._runs(intended["revision"]).filter(repetition__gte=intended["first"])
        made = list(runs.values_list("status", flat=True))
        if any(status != Run.Status.OK for status in made):
            return "failed"
        if not made and intended.get("is_new") and self._is_built_alike(intended["revision"]):
            return "same build"
        for repetition in range(intended["first"] + len(made), intended["last"] + 1):
            run = PlannedRun(
                0, intended["revision"], self._course.configuration, self._course.workload, repetition
            )
            result = self._executor.make(run, profile=False)
            if isinstance(result, Unprepared):
                return "not built"
            if result.status != "ok":
                return "failed"
        return "measured"

    def _is_built_alike(self, revision: str) -> bool:
        """Whether the build of a revision made the same program as that of one that was measured."""
        if not self._course.subject.install.built or isinstance(self._executor.prepare(revision), Unprepared):
            return False
        self._survey = self._look()
        return self._survey.order.codes[revision] in self.known().by_code

    def _note(self, intended: dict[str, Any], taken: float, outcome: str) -> None:
        step = TrailStep(
            revision=intended["revision"],
            reason=intended["reason"],
            gain=intended["gain"],
            equal=intended["equal"],
            seconds=taken,
            outcome=outcome,
        )
        with self._context.fenced():
            self._trail.append(asdict(step))
            self._batch.save(update_fields=["manifest", "written_at"])
            self._context.save_checkpoint(
                {**self._context.checkpoint, "spent": self._spent + taken, "intended": None}
            )
        self._context.log(f"{intended['title']}: {outcome} in {taken:.1f} s; {step.reason}")

    def _runs(self, revision: str) -> QuerySet[Run]:
        return self._batch.runs.filter(
            kind=Run.Kind.PLAIN, revision__name=revision, configuration__identity=self._course.identity
        )

    def _failed(self) -> frozenset[str]:
        """The revisions that were tried and never ran, anywhere, and those of which a run failed in this job."""
        tried = unbuildable_revisions(
            principal=Principal.operator(), slug=self._course.system.slug, workload=self._course.workload
        )
        names = Revision.objects.filter(pk__in=tried).values_list("name", flat=True)
        here = self._batch.runs.exclude(status=Run.Status.OK).values_list("revision__name", flat=True)
        return frozenset(names) | frozenset(here)

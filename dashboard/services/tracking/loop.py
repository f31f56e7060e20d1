"""The loop of a tracking job: fit what is known, choose the next revision, measure it, note why."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median, stdev

from analytics.histories import HistorySettings, Measurements, fit
from analytics.histories.acquisition import suggest
from dashboard.access import Principal
from dashboard.models import Batch, Revision
from dashboard.selectors.measuring.next import reason_in_words, unmeasurable
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.workbench import Workbench
from dashboard.services.tracking.observed_history import Course, Stage, observed
from runner.environments import Unprepared
from runner.plans import PlannedRun

# What is left to measure is not worth it below this mean change of the history, as a share of its level.
LEAST_GAIN = 0.0005


@dataclass(frozen=True, slots=True)
class Choice:
    """A stage to measure and why; `gain` as in `TrailStep`."""

    stage: Stage
    reason: str
    gain: float | None


@dataclass(frozen=True, slots=True)
class TrailStep:
    """One choice of a tracking job: the revision, why it was chosen, what was hoped for and what came of it.

    `gain` is how far the mean error of the history should fall, as a share of the level; None for the first ones.
    `equal` counts further revisions with the same code. `outcome` is measured, failed or not built.
    """

    revision: str
    reason: str
    gain: float | None
    equal: int
    seconds: float
    outcome: str


def choose(
    values: Mapping[int, Sequence[float]], places: Sequence[Stage], hopeless: Collection[int]
) -> Choice | None:
    """The stage to measure next: first both ends and the middle, then whatever tells most; None where none is left.

    `values` are those measured by stage, `hopeless` the stages that cannot be measured: their nearest neighbours stand
    in for them.
    """
    open_places = [place for place in places if place.position not in hopeless]
    last = len(places) - 1
    for wanted, title in ((0, "first"), (last, "last"), (last // 2, "middle")):
        if not open_places:
            return None
        nearest = min(open_places, key=lambda place: abs(place.position - wanted))
        if nearest.position not in values:
            return Choice(nearest, f"the {title} revision that can be built, to begin with", None)
    positions = sorted(values)
    measurements = Measurements.of(
        positions,
        [median(values[position]) for position in positions],
        [len(values[position]) for position in positions],
        spreads=[
            stdev(values[position]) if len(values[position]) > 1 else float("nan") for position in positions
        ],
    )
    fitted = fit(measurements, HistorySettings(length=len(places)))
    found = suggest(fitted, [place.position for place in open_places], count=1)
    if not found:
        return None
    names = {place.position: place.title for place in places}
    return Choice(places[found[0].position], reason_in_words(found[0], names), found[0].expected_gain)


class TrackingLoop:
    """One job's choices, one after the other; the trail stands in the batch's manifest."""

    def __init__(
        self,
        *,
        context: JobContext,
        course: Course,
        bench: Workbench,
        batch: Batch,
        places: Sequence[Stage],
        repetitions: int,
    ) -> None:
        self._context = context
        self._course = course
        self._bench = bench
        self._batch = batch
        self._places = places
        self._repetitions = repetitions

    def run(self, *, budget_seconds: float, most: int | None) -> str:
        """Measure until something ends it; says what did. Raises as `JobContext.check`."""
        spent = float(self._context.checkpoint.get("spent", 0.0))
        while True:
            choice = choose(observed(self._course, self._places), self._places, self._hopeless())
            if choice is None:
                return "nothing is left to measure"
            if choice.gain is not None and choice.gain < LEAST_GAIN:
                return f"what is left would move the history by less than {LEAST_GAIN:.2%} on average"
            if spent >= budget_seconds:
                return "the budget is spent"
            if most is not None and self._measured() >= most:
                return f"{most} revisions are measured, as many as were asked for"
            self._context.progress(min(spent / budget_seconds, 1.0), f"{choice.stage.title}: {choice.reason}")
            started = time.monotonic()
            outcome = self._measure(choice.stage)
            taken = time.monotonic() - started
            spent += taken
            self._note(choice, taken, outcome, spent)

    def _measure(self, stage: Stage) -> str:
        earlier = self._batch.runs.filter(
            revision__name=stage.first, configuration__identity=self._course.identity
        ).count()
        for repetition in range(earlier + 1, self._repetitions + 1):
            run = PlannedRun(0, stage.first, self._course.configuration, self._course.workload, repetition)
            made = self._bench.make(run, profile=False)
            if isinstance(made, Unprepared):
                return "not built"
            if made.status != "ok":
                return "failed"
        return "measured"

    def _note(self, choice: Choice, taken: float, outcome: str, spent: float) -> None:
        step = TrailStep(
            choice.stage.first, choice.reason, choice.gain, len(choice.stage.revisions) - 1, taken, outcome
        )
        with self._context.fenced():
            self._batch.manifest["trail"].append(asdict(step))
            self._batch.save(update_fields=["manifest", "written_at"])
            self._context.save_checkpoint({**self._context.checkpoint, "spent": spent})
        self._context.log(f"{choice.stage.title}: {outcome} in {taken:.1f} s; {step.reason}")

    def _measured(self) -> int:
        return sum(step["outcome"] == "measured" for step in self._batch.manifest["trail"])

    def _hopeless(self) -> set[int]:
        """Stages whose revision was tried and never ran."""
        tried = unmeasurable(
            principal=Principal.operator(), slug=self._course.system.slug, workload=self._course.workload
        )
        names = set(Revision.objects.filter(pk__in=tried).values_list("name", flat=True))
        return {place.position for place in self._places if place.first in names}

"""What is evaluated: the request, checked, and its job queued."""

from typing import ClassVar

from dashboard.access import Access, Permission
from dashboard.models import Job
from dashboard.selectors.job_columns import JobRequest, MeasuringRequest
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid, select
from dashboard.services.subjects import registered_subject, stored_revisions
from runner.subjects import SubjectDefinition

# Random configurations to draw from, beside the test set, for each one of the largest budget.
SPARE = 1.25
LEAST_BUDGET = 5
LEAST_SEEDS = 2
LEAST_TEST = 5
LEAST_REPETITIONS = 2
MOST_BRUTE = 10


class EvaluationRequest(JobRequest):
    """How approaches are held side by side.

    Each of `budgets` is a number of configurations to learn from; `test` configurations are held back for each of
    `seeds` seeds. `brute`: options over which all configurations are counted, to tell what the analysis missed; none:
    that is left out. Without `times` only counts are compared: one run of each configuration is enough.
    """

    kind: ClassVar = "evaluate"
    queue: ClassVar = Job.Queue.MEASURE

    revision: str = "latest"
    workload: str = "regular"
    budgets: tuple[int, ...] = (20, 40, 80)
    seeds: int = 5
    test: int = 200
    repetitions: int = 2
    brute: tuple[str, ...] = ()
    times: bool = True

    @property
    def timed(self) -> int:
        """How many plain runs each configuration has."""
        return self.repetitions if self.times else 0

    @property
    def random(self) -> int:
        """How many random configurations are measured."""
        return self.test + int(SPARE * max(self.budgets))


def start_evaluating(access: Access, request: EvaluationRequest) -> int:
    """Queue the evaluation of a system's subject, for a revision that was analyzed.

    Needs the role editor. Raises `RequestInvalid`, `Refused`, `NotFound`, `Forbidden`.
    """
    access.check(Permission.EDIT)
    system = access.system
    subject = registered_subject(slug=access.slug)
    _check(request, subject)
    known = stored_revisions(slug=access.slug, subject=subject)
    _, revisions = select(
        subject, known, MeasuringRequest(revisions=(request.revision,), workload=request.workload)
    )
    if len(revisions) != 1:
        raise RequestInvalid(
            "revision",
            f"{request.revision!r} means {len(revisions)} revisions: one is evaluated at a time",
        )
    request = request.model_copy(update={"revision": revisions[0].identifier})
    if newest_analysis(system, request.revision) is None:
        raise RequestInvalid(
            "revision",
            f"{request.revision} was not analyzed, and the options that taint a region are not known: run `manage.py analyze {subject.name} --revision {request.revision}` first",
        )
    return enqueue(access, request, title=f"Evaluate {subject.name} {request.revision}: {request.workload}")


def _check(request: EvaluationRequest, subject: SubjectDefinition) -> None:
    """Raise `RequestInvalid` for what cannot be evaluated."""
    if subject.entry.callable is None or not subject.regions:
        raise RequestInvalid("entry", f"{subject.name} cannot be counted: it needs a callable and `regions`")
    if not request.budgets or min(request.budgets) < LEAST_BUDGET:
        raise RequestInvalid(
            "budgets", f"{request.budgets}: write numbers from {LEAST_BUDGET} on, as in 20,40,80"
        )
    if request.seeds < LEAST_SEEDS:
        raise RequestInvalid(
            "seeds", f"{request.seeds} seeds tell nothing of chance: write {LEAST_SEEDS} or more"
        )
    if request.test < LEAST_TEST:
        raise RequestInvalid(
            "test", f"{request.test} test configurations are too few: write {LEAST_TEST} or more"
        )
    if request.times and request.repetitions < LEAST_REPETITIONS:
        raise RequestInvalid(
            "repetitions",
            f"{request.repetitions}: write {LEAST_REPETITIONS} or more, for one of them is a counting run",
        )
    for name in request.brute:
        if name not in subject.options:
            known = ", ".join(subject.options)
            raise RequestInvalid("brute", f"{subject.name} has no option {name!r}: known are {known}")
    if len(set(request.brute)) > MOST_BRUTE:
        raise RequestInvalid(
            "brute", f"{len(request.brute)} options have too many configurations: name at most {MOST_BRUTE}"
        )

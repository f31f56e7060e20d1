"""What a measurement would come to: its selection checked, its runs counted and their time estimated."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from analytics.configurations.distances import distance_based, valid_by_distance
from analytics.evaluation import DIVERSIFIED, DRAWN_SAMPLINGS, RANDOM
from analytics.repetitions import FEWEST
from analytics.whitebox.evidence import OLDER_APPROACHES
from analytics.whitebox.static_reach import covering_configurations
from dashboard.access import Access, Refused
from dashboard.models import Series, System
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.selectors.machines import machines_of
from dashboard.selectors.measuring.repetitions import earlier_times
from dashboard.selectors.measuring.status import configurations_of_series, measuring_refusal
from dashboard.selectors.runs import estimate_seconds, unmeasured
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.subjects import registered_subject, stored_revisions
from runner.errors import SelectionInvalid
from runner.revisions import select_revisions
from runner.selections import SelectedConfiguration
from runner.selections import configurations as select_configurations
from runner.source_revisions import SourceRevision
from runner.subjects import SubjectDefinition

MOST_RUNS = 100_000
# Further runs of each of the two revisions, in each configuration that the history needs.
RUNS_AGAIN = 10
# A comparison of fewer identical runs of each side tells nothing.
LEAST_OF_EACH = 3
# Terms of selector expressions that only what is stored can resolve.
ANALYSIS, STATIC = "analysis", "static"


class RequestInvalid(Refused):
    """A part of a request selects nothing that the subject has; `field` is that part's name in the request."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class RevisionsNotListed(Refused):
    """The source of a subject was never asked for its revisions: a start asks it."""


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """What a measurement comes to before it is started.

    `runs` are timed, `countings` only count. Repeated as needed, `runs` and `repetitions` are the most; `least` runs are made
    of each, 0 for a fixed number, and `expected` in all, None where no earlier run tells. `new_revisions` have no run yet, so their environments are built first;
    `seconds` is for the runs alone, those expected and those that count, None where no run of the workload tells.
    """

    configurations: int
    revisions: int
    repetitions: int
    runs: int
    new_revisions: int
    seconds: float | None
    countings: int = 0
    least: int = 0
    expected: int | None = None


def preview_measuring(*, access: Access, request: MeasuringRequest) -> PlanPreview:
    """What the request comes to. Starts nothing, asks nobody outside.

    Raises as `start_measuring`, and `RevisionsNotListed` where that would ask the subject's source first.
    """
    system = access.system
    subject = registered_subject(slug=access.slug)
    request = expand_selection(system, subject, request)
    listed = stored_revisions(slug=access.slug, subject=subject, ids=request.revision_ids)
    if not listed and not (request.revision_ids and stored_revisions(slug=access.slug, subject=subject)):
        raise RevisionsNotListed(
            f"the revisions of {subject.name} were not listed yet: the start asks its source for them"
        )
    configurations, revisions = select(subject, listed, request)
    cells = len(configurations) * len(revisions)
    if request.aa:
        request = against_itself(request, cells=cells)
    runs, expected = cells * request.most, None
    if (rule := request.rule) is not None:
        each = rule.expected_runs(*earlier_times(system=system, workload=request.workload))
        expected = None if each is None else round(cells * each)
    countings = cells if is_counted(subject, request) else 0
    names = [revision.identifier for revision in revisions]
    return PlanPreview(
        configurations=len(configurations),
        revisions=len(revisions),
        repetitions=request.most,
        runs=runs,
        new_revisions=unmeasured(system=system, revisions=names),
        seconds=estimate_seconds(
            system=system,
            workload=request.workload,
            profile=request.profile,
            runs=runs if expected is None else expected,
            countings=countings,
        ),
        countings=countings,
        least=rule.least if rule else 0,
        expected=expected,
    )


def against_itself(request: MeasuringRequest, *, cells: int) -> MeasuringRequest:
    """The request with the runs of both sides of all comparisons, and nothing else, of its one cell.

    Raises `RequestInvalid`.
    """
    if cells != 1 or request.most < LEAST_OF_EACH:
        raise RequestInvalid(
            "aa",
            "identical runs are those of one configuration and one revision, and of each side at least "
            f"{LEAST_OF_EACH} are compared: select one, with {LEAST_OF_EACH} repetitions or more",
        )
    if request.comparisons < 1:
        raise RequestInvalid("aa", f"{request.comparisons} comparisons tell nothing: write 1 or more")
    runs = 2 * request.most * request.comparisons
    if runs > MOST_RUNS:
        raise RequestInvalid("aa", f"{runs} runs are more than {MOST_RUNS}: make fewer comparisons")
    return request.model_copy(update={"repetitions": runs, "profile": False, "counts": False})


def change_request(*, access: Access, series: SeriesRow, revisions: tuple[int, int]) -> MeasuringRequest:
    """The measurement of the two revisions (ids) around a change of a history. Raises `Refused`: it says what is missing.

    Each repetition runs both, the first one drawn by lot, so that what the machine does meanwhile favours neither.
    """
    if series.kind == Series.SubjectKind.BENCHMARK:
        raise Refused("Its values were imported: the benchmark runs where they came from.")
    if refusal := measuring_refusal(access=access):
        raise Refused(refusal)
    return MeasuringRequest(
        configurations=configurations_of_series(access=access, series=series),
        revision_ids=revisions,
        repetitions=RUNS_AGAIN,
        workload=series.workload,
        profile=series.kind == Series.SubjectKind.REGION,
        of_change=True,
    )


def where_measured(system: System, subject: SubjectDefinition, request: MeasuringRequest) -> str:
    """Which machines may measure the request, as the title of its job says it; "" for this server. Raises `RequestInvalid`."""
    if not request.environment:
        return ""
    if request.aa:
        raise RequestInvalid("environment", "identical runs are compared on this server alone")
    able = [one.machine for one in machines_of(system, subject.digest, request.environment)]
    if not able:
        raise RequestInvalid(
            "environment",
            f"no machine of the environment {request.environment!r} has {subject.name} registered as it is here: "
            "the page Machines tells which there are",
        )
    return f" on {' or '.join(able)}"


def is_counted(subject: SubjectDefinition, request: MeasuringRequest) -> bool:
    """Whether each configuration and revision has one more run that counts."""
    return subject.is_countable and (subject.counts if request.counts is None else request.counts)


def expand_selection(
    system: System, subject: SubjectDefinition, request: MeasuringRequest
) -> MeasuringRequest:
    """The request with the terms that stored analyses and chance resolve replaced by single configurations.

    "analysis" means the configurations that the newest analysis traced to their end, "analysis=REVISION" that of this
    revision, "reads" those of the newest analysis by reads, "static" those that cover the subspaces of the newest analysis by
    source; "random=N" up to N different valid ones, uniformly at random by the request's seed, "distance=N" and
    "diversified-distance=N" by their distance from everything off. Raises `RequestInvalid`.
    """
    resolved: list[str] = []
    for term in (one.strip() for one in request.configurations):
        name, _, value = term.partition("=")
        older = name in OLDER_APPROACHES and name not in subject.options
        if name == ANALYSIS or older:
            analysis = newest_analysis(system, value, name if older else "")
            if analysis is None:
                what = f"revision {value} of {subject.name}" if value else subject.name
                how = f" --approach {name}" if older else ""
                raise RequestInvalid(
                    "configurations", f"{what} was not analyzed yet: run `manage.py analyze{how}` first"
                )
            configurations = SubjectConfigurations.of(system, subject)
            if name == STATIC:
                partitions = analysis.result.partitions_over(configurations.space)
                rows = covering_configurations(configurations.space, partitions, configurations.valid)
                resolved += [configurations.word(row) for row in rows]
            for run in analysis.result.explored:
                levels = {option: label for option, label in run.levels.items() if option in subject.options}
                resolved.append(configurations.word(configurations.row(levels)))
        elif value and name in DRAWN_SAMPLINGS and name not in subject.options:
            if not value.isdecimal() or int(value) < 1:
                raise RequestInvalid(
                    "configurations", f"'{term}': write {name}=N with N from 1, such as {name}=20"
                )
            configurations = SubjectConfigurations.of(system, subject)
            rng = np.random.default_rng(request.seed)
            rows = (
                configurations.valid.sample(int(value), rng)
                if name == RANDOM
                else distance_based(
                    valid_by_distance(configurations.valid), int(value), rng, diversified=name == DIVERSIFIED
                )
            )
            resolved += [configurations.word(row) for row in rows]
        else:
            resolved.append(term)
    return request.model_copy(update={"configurations": tuple(resolved)})


def select(
    subject: SubjectDefinition, revisions: Sequence[SourceRevision], request: MeasuringRequest
) -> tuple[tuple[SelectedConfiguration, ...], tuple[SourceRevision, ...]]:
    """What the request means: its valid configurations, and those of `revisions` that it selects, all of them if by id.

    Raises `RequestInvalid`, and `Refused` for too many runs.
    """
    if request.workload not in subject.workloads:
        known = ", ".join(subject.workloads)
        raise RequestInvalid(
            "workload", f"{subject.name} has no workload {request.workload!r}: known are {known}"
        )
    if request.most < 1:
        raise RequestInvalid("repetitions", f"{request.most} repetitions cannot be run: write 1 or more")
    if (rule := request.rule) is not None and not FEWEST <= rule.least <= rule.most:
        raise RequestInvalid(
            "repetitions",
            f"{rule.least} to {rule.most} repetitions cannot be run: write at least {FEWEST}, and at most no fewer",
        )
    if not 0 < request.half_width < 1:
        raise RequestInvalid(
            "half_width", f"{100 * request.half_width:g} % is no width: write more than 0 and less than 100"
        )
    if request.revision_ids:
        chosen = tuple(revisions)
        if len(chosen) < len(set(request.revision_ids)):
            raise RequestInvalid("revisions", "some of the revisions are not those of the subject any more")
    else:
        with _refusing("revisions"):
            chosen = select_revisions(revisions, request.revisions)
    if not chosen:
        raise RequestInvalid("revisions", "no revision is selected: write all, latest, a..b or names")
    with _refusing("configurations"):
        configurations = select_configurations(subject, request.configurations)
    if request.counts and not subject.is_countable:
        raise RequestInvalid(
            "counts", f"{subject.name} cannot be counted: only the regions of a callable have counters"
        )
    runs = len(configurations) * len(chosen) * request.most
    if runs > MOST_RUNS:
        raise Refused(f"{runs} runs are more than {MOST_RUNS}: select fewer configurations or revisions")
    return configurations, chosen


@contextmanager
def _refusing(field: str) -> Iterator[None]:
    """Name the part of the request that selects nothing. Raises `RequestInvalid`."""
    try:
        yield
    except SelectionInvalid as error:
        raise RequestInvalid(field, str(error)) from error

"""White-box analysis of a program: a job that traces configurations of its own choice until every subspace was seen."""

from dataclasses import asdict
from typing import Any, ClassVar, Literal

from analytics.whitebox.decisions import AS_PUBLISHED, Extensions
from analytics.whitebox.evidence import CheckedPairs, OlderApproach
from analytics.whitebox.uncounted_time import uncounted_time
from dashboard.access import Access, Permission
from dashboard.figures.counts_words import uncounted_sentence
from dashboard.models import Job, WhiteBoxAnalysis
from dashboard.selectors.job_columns import JobRequest, MeasuringRequest
from dashboard.selectors.jobs import ANALYZED
from dashboard.selectors.whitebox.analyses import newest_detail
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid, select
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.subjects import registered_subject, store_revisions
from dashboard.services.whitebox.analysis_loop import AnalysisLoop
from dashboard.services.whitebox.analysis_runs import build_to_sample
from dashboard.services.whitebox.option_reads import ReadsWalk
from dashboard.services.whitebox.run_results import check_any_ran
from dashboard.services.whitebox.static_analysis import analyze_source
from runner.compilers import gcov_of
from runner.subjects import SubjectDefinition

# What is traced where nobody says: its cost is many times that of a measured run.
_SMALL, _REGULAR = "small", "regular"
# All combinations of four switches. With 64, Markdown, sqlparse and markdown-it-py ask for 92, 103 and 86
# configurations, nearly all for a dozen functions; with 16 for 9, 28 and 17, and counts tell what that leaves out.
CAP = 16


# Of the result of an analysis this is kept with its job, too.
_KEPT = {
    "unsampled",
    "unfollowed",
    "excluded",
    "missed_dependencies",
    "residual_variation",
    "recall",
    "pairs",
    "ended",
}


class AnalyzingRequest(JobRequest):
    """What is analyzed, and how far.

    `workload`: blank or "small" for "small" where the subject has that, else "regular". `budget` configurations are
    traced at most, and none is begun after so many `minutes` of runs. `cap`: regions with more subspaces are split
    pair-wise over their options; None for no such limit. `published`: the algorithm as it was published, without a cap
    and without refinement by counts. `counts_only`: nothing is traced, four times `budget` configurations are counted
    at most; so it is with every command. `approach`: an older one instead, which takes `budget` configurations at most.
    """

    kind: ClassVar = ANALYZED
    queue: ClassVar = Job.Queue.MEASURE

    revision: str = "latest"
    workload: str = ""
    budget: int = 100
    cap: int | None = CAP
    minutes: float | None = None
    published: bool = False
    counts_only: bool = False
    approach: OlderApproach | Literal[""] = ""

    @property
    def extensions(self) -> Extensions:
        """What the partitions are made with."""
        return AS_PUBLISHED if self.published else Extensions(cap=self.cap, callers=True)


def start_analyzing(*, access: Access, request: AnalyzingRequest) -> int:
    """Queue the analysis of a system's subject; it is asked first where the revisions come from.

    Needs the role editor. Raises `RequestInvalid`, `Refused`, `Forbidden` and what the runner says
    of the subject and its revisions (`RunnerError`).
    """
    access.check(Permission.EDIT)
    subject = registered_subject(slug=access.slug)
    if not subject.options:
        raise RequestInvalid("options", f"{subject.name} has no options: there is nothing to follow")
    if subject.entry.callable is None:
        _check_command(subject, request)
        request = request.model_copy(update={"counts_only": True})
    elif not subject.regions:
        raise RequestInvalid(
            "regions", f"{subject.name} has no regions: write the packages to follow in subject.toml"
        )
    _check(request)
    workload = request.workload or _SMALL
    if workload == _SMALL and _SMALL not in subject.workloads:
        workload = _REGULAR
    # Pages show the analyses of revisions in order.
    known = [one for one in store_revisions(access=access, subject=subject) if not one.branch]
    _, revisions = select(subject, known, MeasuringRequest(revisions=(request.revision,), workload=workload))
    if len(revisions) != 1:
        raise RequestInvalid(
            "revision",
            f"{request.revision!r} means {len(revisions)} revisions: one is analyzed at a time",
        )
    revision = revisions[0].identifier
    chosen = request.model_copy(update={"revision": revision, "workload": workload})
    how = f" by {request.approach}" if request.approach else ""
    return enqueue(access, chosen, title=f"Analyze {subject.name} {revision}{how}: {workload}")


def uncounted_words(analysis: WhiteBoxAnalysis) -> str:
    """Which share of the time an analysis does not count, as a sentence; empty where it counted nothing."""
    return uncounted_sentence(analysis.result, analysis.workload.name)


def keep_checked_pairs(*, context: JobContext, analysis: WhiteBoxAnalysis, checked: CheckedPairs) -> None:
    """Store with an analysis how its claims hold against all configurations. Raises `LeaseLost`.

    Where it went on meanwhile, or was deleted, nothing is stored: other claims were held against them.
    """
    with context.fenced():
        now = WhiteBoxAnalysis.objects.select_for_update().filter(pk=analysis.pk).first()
        if now is not None and now.result == analysis.result:
            now.result = now.result.model_copy(update={"checked": checked})
            now.data_version += 1
            now.save(update_fields=["result", "data_version"])


def _check(request: AnalyzingRequest) -> None:
    """Raise `RequestInvalid` for what no program can be asked."""
    if request.approach and (request.published or request.counts_only):
        raise RequestInvalid(
            "approach", "an older approach neither counts nor follows taints: leave out the others"
        )
    if request.published and request.counts_only:
        raise RequestInvalid("counts_only", "the published algorithm traces: leave out one of the two")
    if request.budget < 1:
        raise RequestInvalid("budget", f"{request.budget} configurations cannot be traced: write 1 or more")
    if request.minutes is not None and not request.minutes > 0:
        raise RequestInvalid("minutes", f"{request.minutes:g} minutes are too few: write more than 0")
    if request.cap is not None and request.cap < 2:
        raise RequestInvalid("cap", f"a region cannot have at most {request.cap} subspaces: write 2 or more")


def _check_command(subject: SubjectDefinition, request: AnalyzingRequest) -> None:
    """Raise `RequestInvalid` where the functions of a command cannot be counted, `CountingImpossible` where not here."""
    if request.approach:
        raise RequestInvalid(
            "approach", f"{subject.name} is a command: older approaches are for programs in Python"
        )
    if request.published:
        raise RequestInvalid(
            "published", f"{subject.name} is a command, and commands are not traced: leave it out"
        )
    if not subject.can_count_functions:
        raise RequestInvalid(
            "entry",
            f"{subject.name} is a command that is not built: write under install.commands what builds it, from the files of "
            "a folder or a git repository, and gcc puts counters into its functions",
        )
    gcov_of(())


def analyze(context: JobContext) -> dict[str, Any]:
    """The kind of job that analyzes; resumed, it goes on from what is stored."""
    request = AnalyzingRequest.of(context.job)
    job = SubjectJob.begin(context)
    is_command = job.subject.entry.callable is None
    batch = job.batch(request.as_parameters())
    prepared = job.prepared(request.revision, counting=is_command)
    if request.approach == "static":
        return analyze_source(job, batch, prepared, workload=request.workload, cap=request.cap)
    if request.approach:
        walk = ReadsWalk(job, batch, prepared, workload=request.workload)
        return walk.run(request.budget, request.minutes)
    loop = AnalysisLoop(
        job,
        batch,
        prepared,
        workload=request.workload,
        extensions=request.extensions,
        tracing=not request.counts_only,
        plain=build_to_sample(job, prepared.revision) if is_command else "",
    )
    loop.run(request.budget, request.minutes)
    check_any_ran(loop.result)
    detail = newest_detail(job.system, request.revision)
    return {**_kept(loop), "effects": detail.ranked_effects if detail else []}


def _kept(loop: AnalysisLoop) -> dict[str, Any]:
    """What is kept with the job of an analysis."""
    result, pairs = loop.result, loop.result.output_pairs
    uncounted = uncounted_time(result.counted)
    # What every run saw is left out.
    return {
        **asdict(loop.state.coverage),
        "configurations": len(result.runs),
        "counted": len(result.counted),
        "failed": [run.model_dump(mode="json") for run in result.failed],
        "compared": len(pairs),
        "changed": list(result.changed),
        "returned": all(run.returned for pair in pairs for run in pair),
        "unread": list(result.unread),
        "undecided": list(result.undecided),
        "unexecuted_packages": list(result.unexecuted_packages),
        "split": list(result.split),
        "nondeterministic": list(result.nondeterministic_regions),
        "uncounted": asdict(uncounted) if uncounted else None,
        **result.model_dump(mode="json", include=_KEPT),
    }

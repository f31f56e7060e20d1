"""Stored white-box analyses: their chains to decisions, what speaks against them, and the jobs that made them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Q

from analytics.configurations.options import OptionSpace
from analytics.influence.subspaces import WideSubspace, wide_subspaces
from analytics.whitebox.evidence import CheckedPairs, DependencyEvidence
from analytics.whitebox.propagation import Chain, Propagation
from analytics.whitebox.result import WhiteBoxResult
from dashboard.access import Access, NotFound
from dashboard.models import (
    Batch,
    Job,
    PerformanceModel,
    Revision,
    Run,
    System,
    WhiteBoxAnalysis,
)
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.configurations import options_of
from dashboard.selectors.configurations import words as levels_in_words
from dashboard.selectors.jobs import ANALYZED, list_jobs
from dashboard.selectors.loaded_models import load_selected
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail

_STOPPED = frozenset({"cancelled", "failed"})
# What a count of each kind is of, in words.
_COUNTED = {
    "call": "entries",
    "if": "times true",
    "else": "times false",
    "turn": "turns",
    "case": "matches",
    "except": "catches",
    "branch": "times this way",
    "instruction": "instructions",
}
# Beyond this coefficient of variation the paper takes a subspace for not understood.
LIMIT = 1.0


def newest_analysis(system: System, revision: str = "", approach: str = "") -> WhiteBoxAnalysis | None:
    """The newest analysis of a system, or of one of its revisions, by an older `approach` or by none.

    One query, and one more where its result is not kept. For selectors and services.
    """
    rows = WhiteBoxAnalysis.objects.filter(system=system, batch__state=Batch.State.VISIBLE, approach=approach)
    found = rows.filter(revision__name=revision) if revision else rows
    newest = found.order_by("-pk").select_related("revision", "workload", "batch").defer("result").first()
    if newest is not None:
        newest.result = _result(newest.pk, newest.batch.created_at, newest.data_version)
    return newest


@lru_cache(maxsize=4)
def _result(analysis_id: int, _created_at: datetime, _data_version: int) -> WhiteBoxResult:
    result: WhiteBoxResult = WhiteBoxAnalysis.objects.get(pk=analysis_id).result
    return result


def reached_options(system: System, result: WhiteBoxResult) -> dict[str, frozenset[str]]:
    """The options that each region's partitions are over, by region. Two queries where the options are not kept."""
    space = options_of(system)
    return {
        region: frozenset(space.names[position] for part in parts for position in part.options)
        for region, parts in result.partitions_over(space).items()
    }


def analyzed_revisions(system: System) -> tuple[str, ...]:
    """All revisions that were analyzed, the one analyzed last first. One query."""
    rows = WhiteBoxAnalysis.objects.filter(
        system=system, batch__state=Batch.State.VISIBLE, approach=""
    ).order_by("-pk")
    return tuple(dict.fromkeys(rows.values_list("revision__name", flat=True)))


def white_box_detail(*, system: System, revision: str = "") -> WhiteBoxDetail | None:
    """The newest analysis of a system, or of one of its revisions; None where there is none. Four queries at most.

    Raises `NotFound` for a revision that was not analyzed while another one was.
    """
    found = newest_detail(system, revision)
    if found is None and revision:
        analyzed = analyzed_revisions(system)
        if analyzed:
            raise NotFound(f"revision {revision} was not analyzed; analyzed were {', '.join(analyzed)}")
    return found


def region_analysis(*, system: System, region: str, revision: str = "") -> RegionAnalysis | None:
    """What the newest analysis showed of a region; None where nothing was analyzed, or not this revision.

    Raises `NotFound` for an unknown revision. Three queries at most, one more where there is none.
    """
    found = newest_detail(system, revision)
    if found is None and revision and not Revision.objects.filter(system=system, name=revision).exists():
        raise NotFound(f"{system.slug!r} has no revision {revision!r}")
    return None if found is None else RegionAnalysis(found, region)


def newest_detail(system: System, revision: str) -> WhiteBoxDetail | None:
    """The newest analysis of a system, or of one of its revisions; None without one. Four queries at most."""
    row = newest_analysis(system, revision)
    if row is None:
        return None
    weights = count_weights(system) if row.result.effects else {}
    names = row.revision.name, row.workload.name
    key = row.pk, row.batch.created_at, row.data_version
    return _detail(key, names, row.batch.written_at, options_of(system), tuple(weights.items()))


# What follows from a result takes long, too: it stays with the detail once it was asked for.
@lru_cache(maxsize=4)
def _detail(
    key: tuple[int, datetime, int],
    names: tuple[str, str],
    at: datetime,
    space: OptionSpace,
    weights: tuple[tuple[str, float], ...],
) -> WhiteBoxDetail:
    return WhiteBoxDetail(*names, at, _result(*key), space, dict(weights))


def seen_region(analysis: WhiteBoxDetail, name: str) -> RegionAnalysis:
    """The region that `name` means: "module:function", or its end if only one region ends so. Raises `NotFound`."""
    # Of some regions only counts tell that they depend on options.
    seen = sorted(analysis.sites.keys() | analysis.result.partitions.keys())
    fitting = [name] if name in seen else [one for one in seen if one.endswith((f":{name}", f".{name}"))]
    if len(fitting) > 1:
        raise NotFound(f"several regions are called {name!r}: write one of {', '.join(fitting)}")
    if not fitting:
        listed = ", ".join(seen[:20]) + (", ..." if len(seen) > 20 else "")
        raise NotFound(f"nothing was seen in a region {name!r}; seen were {listed or 'none'}")
    return RegionAnalysis(analysis, fitting[0])


def option_chains(region: RegionAnalysis, option: str) -> tuple[Chain, ...]:
    """The chains from an option to decisions of a region, whole ones first; none where no traced run saw any.

    No query. Raises `NotFound` for an option that was not followed.
    """
    result = region.analysis.result
    if option not in result.options:
        raise NotFound(f"there is no option {option!r}; the analysis followed {', '.join(result.options)}")
    return Propagation(result).chains(option, region.key)


def newest_job(*, access: Access) -> Job | None:
    """The newest job that analyzes the system, None without any."""
    return next(
        iter(list_jobs(principal=access.principal, system=access.system, kind=ANALYZED, limit=1)), None
    )


def can_resume(row: Job) -> bool:
    """Whether a job was stopped early and has a checkpoint. No query."""
    return row.state in _STOPPED and bool(row.checkpoint)


def is_modelled(*, system: System, revision: str) -> bool:
    """Whether what the newest analysis of the revision traced was measured since, so that a model has its partitions.

    Where nothing was traced or profiled, as of a command, that a model is made of end-to-end times. All configurations that were traced to their end must have been measured in the batch of one model: one that was
    measured before the analysis went on has the partitions of back then. Those that failed are not asked for again.
    Three queries, one more where nothing was traced.
    """
    newest = newest_analysis(system, revision)
    if newest is None:
        return False
    kind, of_runs = PerformanceModel.Kind.PARTITIONED, Run.Kind.PROFILED
    profiled = Run.objects.filter(revision=newest.revision, kind=Run.Kind.PROFILED)
    if not newest.result.runs and not profiled.exists():
        kind, of_runs = PerformanceModel.Kind.FULL_FACTORIAL, Run.Kind.PLAIN
    models = PerformanceModel.objects.filter(
        revision=newest.revision,
        kind=kind,
        batch__state=Batch.State.VISIBLE,
        # A model that is older has the partitions of an earlier analysis.
        batch_id__gt=newest.batch_id,
    )
    # The model is composed of profiled runs; a run that failed has no profile.
    runs = Run.objects.filter(
        Q(kind=of_runs) | ~Q(status=Run.Status.OK),
        revision=newest.revision,
        batch__in=models.values("batch"),
        invalid_reason="",
    )
    measured: dict[int, list[dict[str, str]]] = defaultdict(list)
    for batch, assignments in runs.values_list("batch_id", "configuration__assignments").distinct():
        measured[batch].append(assignments)
    space = options_of(system)
    wanted = set(map(tuple, space.encode(run.levels for run in newest.result.explored).tolist()))
    return any(wanted <= set(map(tuple, space.encode(one).tolist())) for one in measured.values())


@dataclass(frozen=True, slots=True)
class Spread:
    """The subspaces with a coefficient of variation above `LIMIT`, those that take longest first, of all `checked`."""

    unit: str
    checked: int
    wide: tuple[WideSubspace, ...]


def evidence_in_words(one: DependencyEvidence, space: OptionSpace) -> str:
    """What was counted where: "line 27: 12 turns with A, 14 with A + C"."""
    several = [option.name for option in space.options if len(option.levels) > 2]
    first, second = (levels_in_words(space.differing(levels), several) for levels in one.levels)
    before, after = one.counts
    return f"line {one.line}: {before} {_COUNTED[one.kind]} with {first}, {after} with {second}"


def checked_in_words(checked: CheckedPairs) -> str:
    """How the claims of an analysis hold against all configurations over some options."""
    return (
        f"Held against all {checked.configurations} configurations over {', '.join(checked.options)}: of {checked.true} pairs of "
        f"a function and an option that changes its counts, {checked.right} are told ({100 * checked.recall:.1f} %), "
        f"{checked.proved_right} of them proved by counts. Of {checked.claimed} told pairs {100 * checked.precision:.1f} % are true, "
        f"where telling each option of each function would reach {100 * checked.base_rate:.1f} %."
    )


def subspace_spread(*, system: System, revision: str) -> Spread | None:
    """The check on the measured times of a revision; None where no model has the analysis' partitions."""
    try:
        selected = load_selected(system, Selection(revision=revision))
    except NotFound:
        return None
    if selected.loaded.row.kind != PerformanceModel.Kind.PARTITIONED:
        return None
    checked, wide = wide_subspaces(selected.loaded.times, LIMIT)
    return Spread(selected.loaded.row.unit, checked, wide)

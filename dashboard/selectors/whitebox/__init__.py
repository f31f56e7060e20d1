"""Analyses of a system: which option reaches which region, what nobody reads, what could not be followed."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from analytics.configurations.covers import covered, distinct_partitions
from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition
from dashboard.access import NotFound, Principal, require
from dashboard.models import Job, WhiteBoxAnalysis
from dashboard.selectors.jobs import ANALYZED
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.compared import compared_runs
from dashboard.selectors.whitebox.failures import failed_runs
from dashboard.selectors.whitebox.regions import deciding_regions, left_out_regions
from dashboard.selectors.whitebox.rows import FailedTrace, TracingDetail
from dashboard.selectors.whitebox.stored import analyzed_in, newest_tracing

_CALL = "call"


def tracing(*, principal: Principal, slug: str, revision: str = "") -> TracingDetail | None:
    """The newest analysis of a system, or of one of its revisions; None where there is none. Five queries.

    Raises `NotFound` for an unknown system, and for a revision that was not analyzed while another one was.
    """
    system = require(principal, slug)
    revisions = analyzed_in(system)
    if revision and revisions and revision not in revisions:
        raise NotFound(f"revision {revision} was not analyzed; analyzed were {', '.join(revisions)}")
    row = newest_tracing(system, revision)
    return None if row is None else _detail(row, options_of(system), revisions)


def _detail(row: WhiteBoxAnalysis, space: OptionSpace, revisions: tuple[str, ...]) -> TracingDetail:
    found = row.result
    runs, counted = found["runs"], found.get("counted", ())
    compared, changed = compared_runs(runs, counted)
    result = _result(row)
    subspaces, seen = _subspaces(found, space)
    undecided = _never(found, decisions_only=True)
    unread = _never(found, decisions_only=False)
    return TracingDetail(
        revision=row.revision.name,
        workload=row.workload.name,
        at=row.batch.written_at,
        options=tuple(found["options"]),
        runs=len(runs),
        traced=sum(run["status"] == "ok" for run in runs),
        failed=tuple(_failed(run, space) for run in failed_runs(runs, counted)),
        seconds=sum(run["seconds"] or 0.0 for run in runs),
        counted=len(counted),
        compared=compared,
        changed=tuple(_differing(levels, space) for levels in changed),
        regions=deciding_regions(found),
        left_out=left_out_regions(found),
        unsteady=tuple(sorted({region for region, *_ in found.get("unsteady", ())})),
        idle=tuple(result.get("idle", ())),
        subspaces=subspaces,
        seen=seen,
        unread=unread,
        undecided=tuple(name for name in undecided if name not in unread),
        unfollowed=tuple(sorted(found["unfollowed"].items(), key=lambda one: (-one[1], one[0]))),
        cut=found["cut"],
        ended=str(result.get("ended", "")),
        revisions=revisions,
    )


def _result(row: WhiteBoxAnalysis) -> dict[str, Any]:
    """What its job said in the end, empty where that is not known.

    By the batch that the job remembers: numbers of jobs mean nothing in a batch that was analyzed elsewhere.
    """
    job = Job.objects.filter(system_id=row.system_id, kind=ANALYZED, checkpoint__batch=row.batch_id).first()
    return {} if job is None else job.result


def _failed(run: dict[str, Any], space: OptionSpace) -> FailedTrace:
    """A run that failed, with what differs from the default."""
    return FailedTrace(_differing(run["levels"], space), run["status"], run["message"], run["place"])


def _differing(levels: Mapping[str, str], space: OptionSpace) -> tuple[tuple[str, str], ...]:
    return tuple(space.differing(levels).items())


def _subspaces(found: dict[str, Any], space: OptionSpace) -> tuple[int, int]:
    """How many subspaces there are, equal partitions counted once, and how many a traced run was in."""
    parts = distinct_partitions(
        [
            Partition.from_formulas(space, formulas)
            for partitions in found["partitions"].values()
            for formulas in partitions
        ]
    )
    rows = space.encode(run["levels"] for run in found["runs"] if run["status"] == "ok")
    seen = sum(int(np.count_nonzero(covered(part, rows))) for part in parts)
    return sum(part.n_subspaces for part in parts), seen


def _never(found: dict[str, Any], *, decisions_only: bool) -> tuple[str, ...]:
    """The options that were seen in no decision, or, with steps and arguments, nowhere at all."""
    seen: set[str] = set()
    for site in found["sites"]:
        if not (site["writes"] if decisions_only else site["kind"] == _CALL):
            seen |= {*site["data"], *site["control"]}
    if not decisions_only:
        seen.update(*(options for _, _, options in found["arguments"]))
    return tuple(name for name in found["options"] if name not in seen)

"""What single runs of an analysis showed, in the words of its result."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping

from analytics.whitebox.evidence import CALL, ENTRY, AnalysisRun, StepFlow, TaintedSite
from analytics.whitebox.result import WhiteBoxResult
from analytics.whitebox.step_flows import StepFlows
from dashboard.services.jobs.context import JobError
from runner.executions import Execution
from runner.results import Trace


def result_of_run(execution: Execution, labels: Mapping[str, str]) -> WhiteBoxResult:
    """The result of one traced run of the configuration `labels`, for `with_run`; of one that failed only how it ended."""
    result = WhiteBoxResult.of_options(()).model_copy(update={"runs": (ended_run(execution, labels),)})
    trace = execution.result.trace
    if trace is None:
        return result
    # By the position of a site the taints of values, and those of what led there; any option may be handed over in a call.
    seen = {at: (-1, 0) for at, site in enumerate(trace.sites) if site.kind == CALL}
    for at, data, control in (*((at, taint, 0) for at, taint in trace.steps), *trace.decisions):
        before = seen.get(at, (0, 0))
        seen[at] = before[0] | data, before[1] | control
    decisions, entries = [], []
    for at, data, control in trace.decisions:
        site = trace.sites[at]
        levels = {name: labels[name] for name in sorted(_names(trace, control))}
        if site.kind == ENTRY:
            entries.append((site.region, levels))
        else:
            place = f"{site.file}:{site.line}:{site.column}"
            decisions.append((site.region, place, tuple(sorted(_names(trace, data))), levels))
    sites = [
        TaintedSite(**trace.sites[at].model_dump(), data=_names(trace, data), control=_names(trace, control))
        for at, (data, control) in seen.items()
    ]
    return result.model_copy(
        update={
            "decisions": tuple(decisions),
            "entries": tuple(entries),
            "sites": tuple(sites),
            "flows": _flows(trace, dict(zip(seen, sites, strict=True))),
            "read": _names(trace, trace.read),
            "unfollowed": trace.unfollowed,
            "cut": trace.cut,
        }
    )


def ended_run(execution: Execution, labels: Mapping[str, str]) -> AnalysisRun:
    """How a run ended, with a digest of what it returned, of how much it printed and of the end of that."""
    output = f"{execution.result.returned}\0{execution.outcome.output_bytes}\0{execution.outcome.output}"
    digest = hashlib.sha256(output.encode("utf-8", "replace")).hexdigest()
    plain = execution.result.plain
    children = plain.children_seconds / plain.cpu_seconds if plain and plain.cpu_seconds > 0 else 0.0
    return AnalysisRun(
        levels=dict(labels),
        status=execution.status,
        message=execution.message[:400],
        place=execution.place,
        seconds=execution.outcome.wall_seconds,
        output_digest=digest if execution.status == "ok" else "",
        returned=bool(execution.result.returned),
        children_share=min(children, 1.0),
        uncounted=execution.result.uncounted,
    )


def check_any_ran(result: WhiteBoxResult) -> None:
    """Raise `JobError` where none of the runs came to its end."""
    made = (*result.counted, *result.runs)
    if not any(run.succeeded for run in made):
        first = result.failed[0]
        raise JobError(
            f"none of {len(made)} configurations could be run; the first one: "
            f"{first.message} ({first.place or 'place unknown'})"
        )


def _flows(trace: Trace, sites: dict[int, TaintedSite]) -> StepFlows:
    """The links to the sites, which are given by their position in the trace."""
    came: dict[int, list[StepFlow]] = defaultdict(list)
    for at, called, earlier, under, read in trace.flows:
        if read:
            outside = StepFlow(called=called, place="", caller="", options=_names(trace, read))
            came[at].append(outside)
        for found, decided in ((earlier, False), (under, True)):
            came[at] += [
                StepFlow(
                    called=called,
                    place=sites[step].place,
                    caller=caller,
                    options=_names(trace, taint),
                    calls=tuple(sites[call].place for call in calls if call in sites),
                    decided=decided,
                )
                for step, caller, taint, calls in found
                if step in sites
            ]
    return StepFlows.of(came.get(at, ()) for at in sites)


def _names(trace: Trace, taint: int) -> tuple[str, ...]:
    return tuple(name for at, name in enumerate(trace.options) if taint >> at & 1)

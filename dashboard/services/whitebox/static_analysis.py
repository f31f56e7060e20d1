"""An analysis by the text of a program alone (ConfigCrusher): which options may reach which function; nothing is run."""

import ast
from typing import Any

from analytics.whitebox.evidence import names_of
from analytics.whitebox.result import NOT_REWRITTEN, WhiteBoxResult
from analytics.whitebox.source_flow import SourceFlow
from analytics.whitebox.source_reader import read_module
from analytics.whitebox.static_reach import covering_configurations, options_reaching, static_partitions
from dashboard.models import Batch
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.whitebox.older_results import keep_older_result
from runner.environments import Prepared
from runner.python_sources import PythonModule, python_modules


def analyze_source(
    job: SubjectJob, batch: Batch, prepared: Prepared, *, workload: str, cap: int | None
) -> dict[str, Any]:
    """Read the modules of the revision, store which options reach which region, and tell what the job tells.

    Raises as `JobContext.check`.
    """
    configurations = SubjectConfigurations.of(job.system, job.subject)
    flow, mappings, unread = _flow(job, prepared)
    options = tuple(job.subject.options)
    names = {option: names_of(option, job.subject.sources.get(option, "")) for option in options}
    reaching = options_reaching(flow, names, mappings)
    packages, excluded = job.subject.regions, job.subject.analysis.exclude
    own = {
        region: found
        for region, found in reaching.items()
        if region not in excluded
        and f"{region.partition(':')[0]}.".startswith(tuple(f"{one}." for one in packages))
    }
    partitions = static_partitions(configurations.space, own, cap)
    result = WhiteBoxResult.of_options(options).model_copy(
        update={
            "partitions": {
                region: tuple(part.formulas for part in parts) for region, parts in partitions.items()
            },
            "unfollowed": {f"{NOT_REWRITTEN}{one}": 1 for one in unread},
            "ended": "complete",
        }
    )
    keep_older_result(job, batch, result, "static", revision=prepared.revision.identifier, workload=workload)
    chosen = covering_configurations(configurations.space, partitions, configurations.valid)
    return {
        "regions": len(partitions),
        "functions": len(flow.regions),
        "configurations": len(chosen),
        "valid": configurations.valid.count(),
        "unfollowed": list(unread),
    }


def _flow(job: SubjectJob, prepared: Prepared) -> tuple[SourceFlow, frozenset[str], tuple[str, ...]]:
    """What the modules say, the places that hold all options by their names, and the modules that could not be read."""
    flow, mappings, unread = SourceFlow(), frozenset[str](), []
    job.context.progress(0.5, "reading the source")
    for number, module in enumerate(python_modules(prepared)):
        if isinstance(module, str):
            unread.append(module)
            continue
        job.context.check()
        if not number:
            mappings = _given_options(module, job.subject.entry.callable or "")
        try:
            read_module(flow, module.name, module.text, module.key_at)
        except RecursionError:
            unread.append(f"{module.name} (nested too deeply)")
    return flow, mappings, tuple(unread)


def _given_options(module: PythonModule, entry: str) -> frozenset[str]:
    """The place that holds all options by their names: the first parameter of the entry."""
    name = entry.partition(":")[2]
    return frozenset(
        f"{module.key_at(node.lineno)}:{node.args.args[0].arg}"
        for node in ast.parse(module.text).body
        if isinstance(node, ast.FunctionDef) and node.name == name and node.args.args
    )

"""The chains of a traced program, and their words."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from analytics.whitebox.evidence import CountedEffect
from analytics.whitebox.propagation import Chain, Propagation
from analytics.whitebox.result import WhiteBoxResult
from dashboard.services.whitebox.run_results import result_of_run
from probe.taint.flows import FLOWS
from probe.taint.instrument import install_names
from probe.taint.records import RECORD
from probe.taint.sources import name_sources
from probe.taint.tracing import trace, traced
from runner.results import Trace
from tests.probe.programs import Programs, forget

if TYPE_CHECKING:
    from runner.executions import Execution


def chains_of(
    folder: Path,
    text: str,
    options: Mapping[str, int],
    *,
    moved: Mapping[str, tuple[str, ...]] | None = None,
    refuted: tuple[tuple[str, str, tuple[str, ...]], ...] = (),
    sources: Mapping[str, str] | None = None,
    warm: bool = False,
) -> Propagation:
    """The chains of a traced call of a program, which has run before if it is `warm`.

    `moved` are the functions that each option was seen to change the counts of, `refuted` the decisions that options were seen not to
    change, `sources` where they are read besides the entry.
    """
    install_names()
    forget()
    FLOWS.begin(len(options))
    name_sources(options, sources or {})
    try:
        program = Programs(folder).load(text, rewritten=True)
        if warm:
            traced(program.run, options)
            RECORD.clear()
        traced(program.run, options)
        made = Trace.model_validate_json(json.dumps(trace(tuple(options))))
    finally:
        name_sources({}, {})
    run = SimpleNamespace(
        status="ok",
        message="",
        place="",
        outcome=SimpleNamespace(output_bytes=0, output="", wall_seconds=1.0),
        result=SimpleNamespace(trace=made, returned="", plain=None, uncounted=None),
    )
    seen = result_of_run(cast("Execution", run), dict.fromkeys(options, "on"))
    effects = tuple(
        CountedEffect(region=region, option=option, moved=1, differing=1)
        for option, own in (moved or {}).items()
        for region in own
    )
    counted = {
        "effects": effects,
        "pairs": dict.fromkeys(moved or (), 1),
        "work": dict.fromkeys(made.functions, 1),
        "refuted": refuted,
        "sources": dict(sources or {}),
    }
    return Propagation(WhiteBoxResult.of_options(options).with_run(seen).model_copy(update=counted))


def lines(chain: Chain) -> list[str]:
    """The steps in words; the first line of a chain that begins in the middle is "?"."""
    return [*([] if chain.from_read else ["?"]), *(f"{step.kind}: {step.text}" for step in chain.steps)]

"""A traced call: its options are marked, it runs, and what was recorded becomes JSON."""

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..functions import SourceFiles  # noqa: TID252 - the probe runs under another name
from ..instrumented import InstrumentedCode  # noqa: TID252
from ..rewriting import RewritingHook  # noqa: TID252
from .blocks import without_our_frames
from .calls import call
from .flows import ENTRY_SITE, FLOWS, Node
from .instrument import NOWHERE, STATES, compiled, install_names
from .lately import Call
from .records import CALL, RECORD, SITES
from .shadows import shadow, union
from .sources import named

TRACE_VERSION = 1
LARGEST_TRACE_BYTES = 32 * 1024 * 1024
# After how many new objects the collector looks for cycles (Python's own number is 700): for each object of the program
# there are some of the tracing, and the program should be searched no more often than when it runs plain.
COLLECTED_AFTER = 100_000


def install(
    packages: Sequence[str], *, weak: bool = True, folders: InstrumentedCode = NOWHERE
) -> RewritingHook:
    """Have the modules of `packages` rewritten from now on; returns the hook. `weak`, `folders`: see `instrument.compiled`."""
    install_names()
    gc.set_threshold(COLLECTED_AFTER, *gc.get_threshold()[1:])
    hook = RewritingHook(packages, partial(compiled, weak=weak, folders=folders), _importing)
    hook.install()
    return hook


@contextmanager
def _importing() -> Iterator[None]:
    """Run an import without control taint: it happens once, so its definitions depend on no option."""
    state = STATES.state
    before, state.control = state.control, 0
    try:
        yield
    finally:
        state.control = before


def marked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `options` whose values carry the taints of their options, in order."""
    made = dict(options)
    for at, name in enumerate(options):
        taint = FLOWS.source(at)
        shadow(made).fields[name] = FLOWS.through(ENTRY_SITE, taint) if taint & named() else taint
    return made


def traced(run: Callable[..., object], options: Mapping[str, Any], *arguments: Any) -> object:
    """Call `run(options, *arguments)` with the options marked; raises what it raises, without our frames."""
    state = STATES.state
    state.control = state.result = state.ambient = 0
    given = marked(options)
    target = call(state, run, 0, (given, *arguments), (0,) * (1 + len(arguments)), -1)
    try:
        return target(given, *arguments)
    except BaseException as error:
        without_our_frames(error)
        raise
    finally:
        # What is imported after it is no part of it.
        state.control = state.result = state.ambient = 0


def trace(options: Sequence[str]) -> dict[str, Any]:
    """Return what was recorded as plain JSON values, cut to `LARGEST_TRACE_BYTES`.

    Decisions are [site, td without tc, tc], steps [site, taint], flows see `_flows`; taints are ints whose bit n stands for the n-th of `options`; `read` joins those of values, also of what was got from a container, without what
    that holds otherwise.
    """
    used = _used_sites()
    number = {site: at for at, site in enumerate(used)}
    files = SourceFiles()
    sites = []
    for site in (SITES[at] for at in used):
        function = files.region_at(site.module, site.file, site.line)
        described = {**vars(site), "region": function.key, "file": function.file, "reads": list(site.reads)}
        described["until"] = site.until or function.last_line
        del described["module"]
        sites.append(described)
    made: dict[str, Any] = {
        "version": TRACE_VERSION,
        "options": list(options),
        "sites": sites,
        "decisions": sorted([number[site], data, control] for site, data, control in RECORD.decisions),
        "steps": [[number[site], taint] for site, taint in enumerate(RECORD.steps) if taint],
        "flows": _flows(number, files),
        "read": union((RECORD.got, FLOWS.handed, *RECORD.steps)) & ((1 << len(options)) - 1),
        "functions": files.functions,
        "unfollowed": dict(sorted(RECORD.unfollowed.items())),
        "cut": False,
    }
    # What explains is left out before what is needed.
    for part in ("flows", "steps"):
        if len(json.dumps(made)) <= LARGEST_TRACE_BYTES:
            return made
        made[part] = []
        made["cut"] = True
    for described in made["functions"].values():
        described["source"] = ""
    return made


def _used_sites() -> list[int]:
    """The sites of decisions and steps, and all that these come from, those of the calls between included."""
    calling = FLOWS.between
    used = (
        {site for site, _, _ in RECORD.decisions}
        | {site for site, taint in enumerate(RECORD.steps) if taint}
        | {
            at
            for at, site in enumerate(SITES)
            if site.kind == CALL and (site.module, site.file, site.line) in calling
        }
    )
    before: dict[int, set[int]] = defaultdict(set)
    for kept in (FLOWS.given, FLOWS.under):
        for node in kept:
            before[node[0]].update(step for step, *_ in FLOWS.before(node, kept))
    todo = [*used]
    while todo:
        more = before[todo.pop()] - used - {ENTRY_SITE}
        used |= more
        todo += more
    # What was kept before the call has gone through its steps then.
    passed = FLOWS.passed
    for site in used:
        RECORD.steps[site] = RECORD.steps[site] or passed.get(site, 0)
    return sorted(used)


def _flows(number: dict[int, int], files: SourceFiles) -> list[list[Any]]:
    """Return [site, line that calls its function, earlier steps, earlier decisions, taint of what came from outside].

    A step is [site, line that calls its function, taint, sites that call], a line "region line", empty where it is not known.
    """
    calling = {(one.module, one.file, one.line): at for at, one in enumerate(SITES) if one.kind == CALL}

    def line(called: Call) -> str:
        place = FLOWS.lines[called]
        if place is None:
            return ""
        of_class = f" {FLOWS.kinds[called[2]].__qualname__}" if called[2] else ""
        return f"{files.region_at(*place).key} {place[2]}{of_class}"

    def described(node: Node, kept: dict[Node, dict[int, int]]) -> list[list[Any]]:
        return [
            [number[site], line(called_at), taint, [number[calling[one]] for one in calls if one in calling]]
            for site, called_at, taint, calls in FLOWS.before(node, kept)
            if site in number
        ]

    nodes = dict.fromkeys((*FLOWS.given, *FLOWS.under, *FLOWS.read))
    return [
        [
            number[node[0]],
            line(node[1:]),
            described(node, FLOWS.given),
            described(node, FLOWS.under),
            FLOWS.read.get(node, 0),
        ]
        for node in nodes
        if node[0] in number
    ]

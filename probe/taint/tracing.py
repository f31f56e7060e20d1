"""A traced call: its options are marked, it runs, and what was recorded becomes JSON."""

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from typing import Any

from ..functions import SourceFiles  # noqa: TID252 - the probe runs under another name
from ..instrumented import InstrumentedCode  # noqa: TID252
from ..rewriting import RewritingHook  # noqa: TID252
from .blocks import without_our_frames
from .callers import CALLS, UNTAINTED
from .calls import call
from .flows import ENTRY_SITE, FLOWS, Node, Place
from .instrument import NOWHERE, STATES, compiled, install_names
from .records import CALL, RECORD, SITES, InstrumentedSite
from .shadows import shadow, union
from .signatures import SIGNATURES
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
    target = call(state, run, 0, (given, *arguments), (0,) * (1 + len(arguments)), -1, 0)
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

    Decisions are [site, td without tc, tc], calls [function that calls, file, line, source text, function that is called, taint of the arguments, tc],
    returns [function that gets a result, line, function that gives it, taint of the result],
    callers [function, class of its receiver, function and line that called it, function and line that had called that one, class of its receiver];
    taints are ints whose bit n stands for the n-th of `options`; `read` joins those of values, also of what was got from a container, without what
    that holds otherwise.
    """
    arguments = _arguments()
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
        "steps": [[number[site], taint] for site, taint in enumerate(_steps()) if taint],
        "flows": _flows(number, files),
        "read": union(
            (RECORD.got, *RECORD.steps, *(taint for _, taints, _ in [*RECORD.links] for taint in taints))
        )
        & ((1 << len(options)) - 1),
        "arguments": arguments,
        "calls": _calls(files),
        "returns": _returns(files),
        "callers": _callers(files),
        "functions": files.functions,
        "unfollowed": dict(sorted(RECORD.unfollowed.items())),
        "cut": False,
    }
    # What explains is left out before what is needed.
    for part in ("flows", "steps", "arguments", "callers", "calls", "returns"):
        if len(json.dumps(made)) <= LARGEST_TRACE_BYTES:
            return made
        made[part] = []
        made["cut"] = True
    for described in made["functions"].values():
        described["source"] = ""
    return made


def _steps() -> list[int]:
    """For each site the taints that went through it, as a value or in a container."""
    return [taint | held for taint, held in zip(RECORD.steps, RECORD.holds, strict=True)]


def _used_sites() -> list[int]:
    """The sites of decisions and steps, those of calls on lines that were seen to call something, and all that these come from."""
    calling = {place for (place, _), _ in [*RECORD.calls.values()]} | {place for place, _ in [*RECORD.passes]}
    calling |= {(one.module, one.file, one.line) for one, _, _ in _passed()}
    calling |= FLOWS.between
    used = (
        {site for site, _, _ in RECORD.decisions}
        | {site for site, taint in enumerate(_steps()) if taint}
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
    noted, passed = _steps(), FLOWS.passed
    for site in used:
        RECORD.steps[site] |= 0 if noted[site] else passed.get(site, 0)
    return sorted(used)


def _flows(number: dict[int, int], files: SourceFiles) -> list[list[Any]]:
    """Return [site, line that calls its function, earlier steps, earlier decisions, taint of what came from outside].

    A step is [site, line that calls its function, taint, sites that call], a line "region line", empty where it is not known.
    """
    calling = {(one.module, one.file, one.line): at for at, one in enumerate(SITES) if one.kind == CALL}

    def line(place: Place | None) -> str:
        return "" if place is None else f"{files.region_at(*place).key} {place[2]}"

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
            line(FLOWS.lines[node[1:]]),
            described(node, FLOWS.given),
            described(node, FLOWS.under),
            FLOWS.read.get(node, 0),
        ]
        for node in nodes
        if node[0] in number
    ]


def _calls(files: SourceFiles) -> list[list[Any]]:
    """Return the calls between functions that were seen to pass a taint or to be under one, those of one line joined."""
    joined: dict[tuple[str, str, int, str, str], list[int]] = {}
    seen: list[tuple[Place, str, int, int]] = [
        (place, files.region_at(*callee).key, 0, taint) for (place, callee), taint in [*RECORD.calls.values()]
    ]
    seen += [(place, SIGNATURES[key].name, taint, 0) for (place, key), taint in [*RECORD.passes.items()]]
    seen += [((one.module, one.file, one.line), name, *taints) for one, name, taints in _passed()]
    for (module, path, line), called, data, control in seen:
        caller = files.region_at(module, path, line)
        lines = caller.source.splitlines()[line - caller.first_line :]
        text = lines[0].strip()[:200] if lines else ""
        taints = joined.setdefault((caller.key, caller.file, line, text, called), [0, 0])
        taints[0] |= data
        taints[1] |= control
    return [[*key, *taints] for key, taints in sorted(joined.items()) if key[0] != key[-1]]


def _passed() -> list[tuple[InstrumentedSite, str, tuple[int, int]]]:
    """Return the calls that were seen to give taints or to be under some: site, name of the function, taints given and control."""
    return [
        (SITES[site], SIGNATURES[key].name, (data, control))
        for number, (site, key, _) in [*CALLS.calls.items()]
        if (data := CALLS.data.get(number, 0)) | (control := CALLS.control.get(number, 0)) and site >= 0
    ]


def _callers(files: SourceFiles) -> list[list[Any]]:
    """Return which call was seen after which: [function, class of its receiver, caller, line], then what had called the caller.

    That is a function and a line, with the class of the caller's own receiver; "?" where it is not known, empty for a call
    without taints.
    """
    # Those of the warm-up alone are no part of what was traced.
    numbers = {number for pair in [*CALLS.before] for number in pair}
    described = {number: _described(number, files) for number in numbers if CALLS.calls[number][0] >= 0}
    found = set()
    for before, number in [*CALLS.before]:
        if number not in described:
            continue
        function, receiver, caller, line = described[number]
        earlier = described.get(before)
        if before == UNTAINTED:
            of_caller: tuple[str, int, str] = "", 0, ""
        elif earlier is None or earlier[0] != caller:
            # A function within the caller was called, or code that is not rewritten has called it.
            of_caller = "?", 0, ""
        else:
            of_caller = *earlier[2:], earlier[1]
        found.add((function, receiver, caller, line, *of_caller))
    return [list(row) for row in sorted(found)]


def _described(number: int, files: SourceFiles) -> tuple[str, str, str, int]:
    """Return the function that a call is of, the class of its receiver, the function that makes it and the line."""
    site, key, receiver = CALLS.calls[number]
    at = SITES[site]
    kind = "" if receiver is None else f"{receiver.__module__}:{receiver.__qualname__}"
    return SIGNATURES[key].name, kind, files.region_at(at.module, at.file, at.line).key, at.line


def _returns(files: SourceFiles) -> list[list[Any]]:
    """Return the results with taints that functions were seen to get from others, those of one line joined."""
    joined: dict[tuple[str, int, str], int] = {}
    for (*_, at), ((module, path, line), taint) in [*RECORD.returns.items()]:
        site = SITES[at]
        given = files.region_at(site.module, site.file, site.line).key
        key = files.region_at(module, path, line).key, line, given
        joined[key] = joined.get(key, 0) | taint
    return [[*key, taint] for key, taint in sorted(joined.items())]


def _arguments() -> list[list[Any]]:
    """Return [function, parameter, taint], the taints of all calls joined."""
    joined: dict[tuple[str, str], int] = {}
    for key, taints, names in (*RECORD.links, *RECORD.held_links):
        signature = SIGNATURES[key]
        split = len(taints) - len(names)
        by_place = zip_longest(signature.parameters, taints[:split], fillvalue=signature.vararg or "")
        known = {*signature.parameters, *signature.keywords}
        named = (
            (name if name in known else signature.kwarg or name, taint)
            for name, taint in zip(names, taints[split:], strict=True)
        )
        for name, taint in (*by_place, *named):
            if isinstance(taint, int) and taint:
                joined[signature.name, name] = joined.get((signature.name, name), 0) | taint
    return [[function, name, taint] for (function, name), taint in sorted(joined.items())]

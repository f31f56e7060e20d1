"""The chain from where an option is read to a region's decision, as the newest analysis saw it."""

from dataclasses import dataclass
from typing import Any

from analytics.whitebox.propagation import Propagation, Step
from dashboard.access import NotFound, Principal, require
from dashboard.selectors.whitebox.regions import counted_options
from dashboard.selectors.whitebox.stored import newest_tracing


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A step of a chain: what `kind` of code it is, where, and its source text; `decides` tells decisions."""

    kind: str
    file: str
    line: int
    text: str
    region: str
    decides: bool = False


@dataclass(frozen=True, slots=True)
class Chains:
    """The chains from `option` to decisions of `region`, shortest first; none where no traced run saw any.

    `traced` counts the configurations that were traced to their end. `cut`: steps were left out for want of space.
    `counted`: counts show that the region depends on the option all the same.
    """

    option: str
    region: str
    revision: str
    workload: str
    traced: int
    chains: tuple[tuple[ChainStep, ...], ...]
    cut: bool
    counted: bool


def chains(*, principal: Principal, slug: str, option: str, region: str, revision: str = "") -> Chains:
    """The chains of the newest analysis of a system, or of one of its revisions. Two queries.

    `region` is a key, "module:function", or its end if only one region ends so. Raises `NotFound`.
    """
    system = require(principal, slug)
    tracing = newest_tracing(system, revision)
    if tracing is None:
        raise NotFound(f"{slug!r} was not analyzed yet: run `manage.py analyze` first")
    found = tracing.result
    if option not in found["options"]:
        raise NotFound(f"there is no option {option!r}; the analysis followed {', '.join(found['options'])}")
    key = _region(found, region)
    steps = _propagation(found).chains(option, key)
    return Chains(
        option=option,
        region=key,
        revision=tracing.revision.name,
        workload=tracing.workload.name,
        traced=sum(run["status"] == "ok" for run in found["runs"]),
        chains=tuple(tuple(_row(step) for step in chain) for chain in steps),
        cut=found["cut"],
        counted=option in counted_options(found).get(key, ()),
    )


def _region(found: dict[str, Any], name: str) -> str:
    # Of some regions only counts tell that they depend on options.
    known: list[str] = sorted({site["region"] for site in found["sites"]} | found["partitions"].keys())
    if name in known:
        return name
    ending = [key for key in known if key.endswith((f":{name}", f".{name}"))]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise NotFound(f"several regions are called {name!r}: write one of {', '.join(ending)}")
    listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    raise NotFound(f"nothing was seen in a region {name!r}; seen were {listed or 'none'}")


def _propagation(found: dict[str, Any]) -> Propagation:
    return Propagation(
        tuple(
            Step(
                region=site["region"],
                file=site["file"],
                line=site["line"],
                kind=site["kind"],
                text=site["text"],
                writes=site["writes"],
                reads=tuple(site["reads"]),
                data=frozenset(site["data"]),
                control=frozenset(site["control"]),
            )
            for site in found["sites"]
        ),
        {(function, name): frozenset(options) for function, name, options in found["arguments"]},
    )


def _row(step: Step) -> ChainStep:
    return ChainStep(step.kind, step.file, step.line, step.text, step.region, step.decides)

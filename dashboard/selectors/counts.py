"""How often measured and traced runs passed each place of a program: configurations by sites."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from analytics.whitebox.dependencies import Site
from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, CountedRun, CountSites, System
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.packed_counts import unpack_counts, unpack_sites

# What the probe says of a counter -> the decision that it belongs to, and which way that went.
_SAID = {
    "call": ("function", "entered"),
    "if": ("if", "true"),
    "else": ("if", "false"),
    "turn": ("loop", "turn"),
    "case": ("match", "case"),
    "except": ("except", "caught"),
}


@dataclass(frozen=True, slots=True, order=True)
class CountSite:
    """A way that a decision of a region can go, or a function's entry; `line` and `column` are the statement's."""

    region: str
    line: int
    column: int
    kind: str
    outcome: str


@dataclass(frozen=True, slots=True, eq=False)
class CountedConfigurations:
    """What was counted in one revision on one workload: the same each time, but where `unsteady` says otherwise.

    `configurations` holds level indices, shape (n, n_options), each row once, ascending; `configuration_ids` their
    keys, in order. `sites` are in order; `counts` has shape (n, n_sites), 0 where a site was not passed. `unsteady`,
    shape (n_sites,), marks those whose count differed between two runs of one configuration: they are no evidence.
    `cpu_seconds`, shape (n,), are those of the counting runs, NaN where none is known.
    """

    revision: str
    workload: str
    space: OptionSpace
    configurations: IntArray
    configuration_ids: tuple[int, ...]
    sites: tuple[CountSite, ...]
    counts: IntArray
    unsteady: BoolArray
    cpu_seconds: FloatArray


def counted_runs(
    *,
    principal: Principal,
    slug: str,
    revision: str = "",
    workload: str = "",
    environment_id: int | None = None,
) -> CountedConfigurations:
    """What runs of a system counted, of the newest run of each configuration; five queries.

    A blank revision or workload: the one with most counted configurations, the newest among equals. Raises
    `NotFound`, also where nothing was counted.
    """
    system = require(principal, slug)
    at: dict[str, str | int] = {}
    if revision:
        at["revision__name"] = revision
    if workload:
        at["workload__name"] = workload
    if environment_id is not None:
        at["environment_id"] = environment_id
    found = CountedRun.objects.filter(batch__system=system, batch__state=Batch.State.VISIBLE, **at)
    rows = list(
        found.order_by("pk").values_list("revision_id", "workload_id", "configuration_id", "batch_id")
    )
    if not rows:
        asked = "".join(f", {name}" for name in (revision, workload) if name)
        raise NotFound(
            f"no run of {slug!r}{asked} was counted: measure a callable with regions, with --counts"
        )
    place = _largest(rows)
    kept = found.filter(revision_id=place[0], workload_id=place[1]).order_by("pk")
    return _counted(system, kept.select_related("revision", "workload", "configuration"))


def _largest(rows: Iterable[tuple[int, int, int, int]]) -> tuple[int, int]:
    """The revision and workload with most configurations, the last one counted among equals."""
    distinct = {(revision, workload, configuration) for revision, workload, configuration, _ in rows}
    sizes = Counter((revision, workload) for revision, workload, _ in distinct)
    last = {(revision, workload): at for at, (revision, workload, *_) in enumerate(rows)}
    return max(sizes, key=lambda place: (sizes[place], last[place]))


def _counted(system: System, rows: Iterable[CountedRun]) -> CountedConfigurations:
    countings = list(rows)
    tables = _tables(countings)
    sites = sorted({_site(one) for table in tables.values() for one in table})
    columns = {site: at for at, site in enumerate(sites)}
    space = options_of(system)
    unsteady = np.zeros(len(sites), dtype=bool)
    counts: dict[int, IntArray] = {}
    took: dict[int, float] = {}
    for one in countings:
        line = np.zeros(len(sites), dtype=np.int64)
        positions, values = unpack_counts(one.counts)
        table = tables[one.batch_id]
        # Two counters at one place that mean the same, such as of two functions on one line, are one.
        np.add.at(line, [columns[_site(table[at])] for at in positions.tolist()], values)
        if one.configuration_id in counts:
            unsteady |= counts[one.configuration_id] != line
        counts[one.configuration_id] = line
        if one.cpu_seconds is not None:
            took[one.configuration_id] = one.cpu_seconds
    assignments = {one.configuration_id: one.configuration.assignments for one in countings}
    encoded = space.encode(assignments[pk] for pk in counts)
    order = np.lexsort(encoded.T[::-1]) if encoded.shape[1] else np.arange(len(encoded))
    ids = list(counts)
    return CountedConfigurations(
        revision=countings[0].revision.name,
        workload=countings[0].workload.name,
        space=space,
        configurations=encoded[order],
        configuration_ids=tuple(ids[at] for at in order.tolist()),
        sites=tuple(sites),
        counts=np.stack([counts[ids[at]] for at in order.tolist()]),
        unsteady=unsteady,
        cpu_seconds=np.array([took.get(ids[at], np.nan) for at in order.tolist()]),
    )


def _tables(countings: list[CountedRun]) -> Mapping[int, list[Site]]:
    """The sites of each batch, of the one revision that all are of."""
    found = CountSites.objects.filter(
        batch_id__in={one.batch_id for one in countings}, revision_id=countings[0].revision_id
    )
    return {one.batch_id: unpack_sites(one.sites) for one in found}


def _site(said: Site) -> CountSite:
    region, line, column, kind = said
    return CountSite(region, line, column, *_SAID[kind])

"""How often counted and traced runs passed each place of a program: packed without pickle, by configuration, and by line."""

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.dependencies import Site
from dashboard.access import NotFound
from dashboard.models import Batch, CountedRun, CountSites, System
from dashboard.selectors.configurations import options_of

BRANCH, INSTRUCTION = "branch", "instruction"
# The kind of a counter -> which way its decision went.
_OUTCOMES = {
    "call": "entered",
    "if": "true",
    "else": "false",
    "turn": "turn",
    "case": "case",
    "except": "caught",
    BRANCH: "way",
    INSTRUCTION: "instructions",
}


def pack_sites(sites: Sequence[Site]) -> bytes:
    """The bytes of a list of sites."""
    return zlib.compress(json.dumps(sites, separators=(",", ":")).encode())


def unpack_sites(packed: bytes | memoryview) -> list[Site]:
    """The sites that `pack_sites` packed."""
    return [
        (region, line, column, kind) for region, line, column, kind in json.loads(zlib.decompress(packed))
    ]


def pack_counts(counts: Mapping[int, int]) -> bytes:
    """The bytes of the counts by position of their site; those at 0 are left out."""
    passed = sorted((at, count) for at, count in counts.items() if count)
    table = np.array(passed, dtype="<i8").reshape(len(passed), 2)
    return zlib.compress(table.T.tobytes())


def unpack_counts(packed: bytes | memoryview) -> tuple[IntArray, IntArray]:
    """The positions that `pack_counts` packed, ascending, and their counts; both int64 of shape (n,)."""
    table = np.frombuffer(zlib.decompress(packed), dtype="<i8").reshape(2, -1)
    return table[0], table[1]


def site_tables(batches: Collection[int]) -> dict[tuple[int, int], list[Site]]:
    """The sites of some batches by batch and revision (ids). One query."""
    return {
        (one.batch_id, one.revision_id): unpack_sites(one.sites)
        for one in CountSites.objects.filter(batch_id__in=batches)
    }


def counts_by_site(run: CountedRun, tables: Mapping[tuple[int, int], Sequence[Site]]) -> Counter[Site]:
    """What a run counted at each site that it passed, by the `site_tables` of its batch."""
    table = tables[run.batch_id, run.revision_id]
    found: Counter[Site] = Counter()
    # Two counters of one kind at one place, such as of two functions on one line, are one.
    for at, count in zip(*(column.tolist() for column in unpack_counts(run.counts)), strict=True):
        found[table[at]] += count
    return found


def counts_by_region(run: CountedRun, tables: Mapping[tuple[int, int], Sequence[Site]]) -> Counter[str]:
    """How often anything was counted in each region of a run, by the `site_tables` of its batch."""
    found: Counter[str] = Counter()
    for (region, *_), count in counts_by_site(run, tables).items():
        found[region] += count
    return found


def extended(known: Sequence[Site], more: Iterable[Site]) -> list[Site]:
    """`known` with those of `more` that are new behind it: positions in it stay what they are."""
    return list(dict.fromkeys([*known, *more]))


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How often a line's decision went one way, or a function was entered.

    `count` is of the configuration that was asked for, None where that one was not counted; `low` and `high` are the
    extremes over all `configurations` that were counted.
    """

    outcome: str
    count: int | None
    low: int
    high: int
    configurations: int


def counted_runs(
    *, system: System, revision: str, workload: str, environment_id: int | None = None
) -> ConfigurationCounts:
    """What runs of a revision on a workload counted, of the newest run of each configuration; three queries.

    Counters whose count differed between two runs of one configuration are no evidence and left out; so is what was
    counted in other units than the newest run: instructions, or calls and branches. In one environment or in all. Raises `NotFound` where nothing was counted.
    """
    found = CountedRun.objects.filter(
        batch__system=system,
        batch__state=Batch.State.VISIBLE,
        revision__name=revision,
        workload__name=workload,
    )
    if environment_id is not None:
        found = found.filter(environment_id=environment_id)
    rows = list(found.order_by("pk").select_related("configuration"))
    if not rows:
        raise NotFound(
            f"no run of {system.slug!r}, {revision}, {workload} was counted: measure a callable with regions, "
            "with --counts"
        )
    space = options_of(system)
    tables = site_tables({one.batch_id for one in rows})
    instructions = {key: in_instructions(table) for key, table in tables.items()}
    newest = instructions[rows[-1].batch_id, rows[-1].revision_id]
    rows = [one for one in rows if instructions[one.batch_id, one.revision_id] == newest]
    sites = sorted({site for one in rows for site in tables[one.batch_id, one.revision_id]})
    differing = np.zeros(len(sites), dtype=bool)
    counts: dict[int, IntArray] = {}
    for one in rows:
        passed = counts_by_site(one, tables)
        line = np.array([passed[site] for site in sites], dtype=np.int64)
        differing |= counts.get(one.configuration_id, line) != line
        counts[one.configuration_id] = line
    took = {one.configuration_id: one.cpu_seconds for one in rows if one.cpu_seconds is not None}
    assignments = {one.configuration_id: one.configuration.assignments for one in rows}
    return ConfigurationCounts(
        space,
        space.encode(assignments[pk] for pk in counts),
        np.stack(list(counts.values()))[:, ~differing],
        list(compress(sites, ~differing)),
        cpu_seconds=np.array([took.get(pk, np.nan) for pk in counts]),
    )


def in_instructions(sites: Sequence[Site]) -> bool:
    """Whether runs with these sites counted instructions, and neither calls nor branches."""
    return any(kind == INSTRUCTION for *_, kind in sites[:1])


def line_outcomes(
    *, system: System, region: str, revision: str, workload: str, levels: Mapping[str, str]
) -> dict[int, tuple[OutcomeCount, ...]]:
    """What was counted on the lines of a region in the configuration that differs by `levels` from the default.

    Empty where nothing was counted of the revision on this workload.
    """
    try:
        counted = counted_runs(system=system, revision=revision, workload=workload)
    except NotFound:
        return {}
    wanted = counted.space.encode([levels])[0]
    rows = np.flatnonzero((counted.configurations == wanted).all(axis=1))
    found: dict[int, list[OutcomeCount]] = {}
    for at, (key, line, number, kind) in enumerate(counted.sites):
        if key == region:
            column = counted.counts[:, at]
            count = int(column[rows[0]]) if len(rows) else None
            # Of a native program the ways out of a line are numbered.
            word = f"{_OUTCOMES[kind]} {number}" if kind == BRANCH else _OUTCOMES[kind]
            outcome = OutcomeCount(word, count, int(column.min()), int(column.max()), len(column))
            found.setdefault(line, []).append(outcome)
    return {line: tuple(outcomes) for line, outcomes in found.items()}

"""How often the decisions of a region went each way, by line, as counted runs tell: these numbers have no noise."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.access import NotFound, Principal, require
from dashboard.selectors.counts import counted_runs
from dashboard.selectors.option_spaces import options_of


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """One way that a line's decision can go, or a function's entry.

    `count` is how often in the configuration that was asked for, None where that one was not counted; `low` and
    `high` are the extremes over all `configurations` that were counted.
    """

    kind: str
    outcome: str
    count: int | None
    low: int
    high: int
    configurations: int


def line_outcomes(
    *, principal: Principal, slug: str, region: str, revision: str, workload: str, levels: Mapping[str, str]
) -> dict[int, tuple[OutcomeCount, ...]]:
    """What was counted on the lines of a region in the configuration that differs by `levels` from the default.

    Empty where nothing was counted of the revision on this workload. Raises `NotFound` for an unknown system.
    """
    system = require(principal, slug)
    try:
        counted = counted_runs(principal=principal, slug=slug, revision=revision, workload=workload)
    except NotFound:
        return {}
    wanted = options_of(system).encode([levels])[0]
    rows = np.flatnonzero((counted.configurations == wanted).all(axis=1))
    found: dict[int, list[OutcomeCount]] = {}
    for at, site in enumerate(counted.sites):
        # What differed between two runs of one configuration is no number to show.
        if site.region == region and not counted.unsteady[at]:
            column = counted.counts[:, at]
            count = int(column[rows[0]]) if len(rows) else None
            found.setdefault(site.line, []).append(
                OutcomeCount(
                    site.kind, site.outcome, count, int(column.min()), int(column.max()), len(column)
                )
            )
    return {line: tuple(outcomes) for line, outcomes in found.items()}

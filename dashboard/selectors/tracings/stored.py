"""What analyses have stored, as it lies in their rows. For selectors, behind their check."""

from typing import Any

from dashboard.models import Batch, System, Tracing
from dashboard.selectors.tracings.rows import DecisionRow, StepRow, TracedIn


def newest_tracing(system: System, **at: Any) -> Tracing | None:
    """The newest analysis of a system that has traced anything, `at` a revision where that is said. One query."""
    found = Tracing.objects.filter(
        system=system, batch__state=Batch.State.VISIBLE, found__has_key="sites", **at
    )
    return found.select_related("revision", "workload", "batch").order_by("-pk").first()


def traced_in(tracing: Tracing) -> TracedIn:
    """Which analysis it is."""
    return TracedIn(
        tracing.revision.name,
        tracing.workload.name,
        sum(run["status"] == "ok" for run in tracing.found["runs"]),
    )


def decisions_in(found: dict[str, Any], region: str) -> tuple[DecisionRow, ...]:
    """The decisions of a region, by place."""
    rows = {
        (site["line"], site["column"]): DecisionRow(
            line=site["line"],
            kind=site["kind"],
            options=tuple(site["data"]),
            under=tuple(name for name in site["control"] if name not in site["data"]),
            text=site["text"],
            file=site["file"],
        )
        for site in found["sites"]
        if site["region"] == region and not site["writes"]
    }
    return tuple(rows[place] for place in sorted(rows))


def steps_in(found: dict[str, Any], region: str) -> tuple[StepRow, ...]:
    """All that was seen in a region, one row per line: of several steps on a line the one that decides."""
    rows: dict[int, StepRow] = {}
    sites = [
        site for site in found["sites"] if site["region"] == region and (site["data"] or site["control"])
    ]
    for site in sorted(sites, key=lambda one: (one["line"], bool(one["writes"]), one["column"])):
        rows.setdefault(
            site["line"],
            StepRow(site["line"], site["kind"], site["text"], site["file"], tuple(site["data"])),
        )
    return tuple(rows[line] for line in sorted(rows))

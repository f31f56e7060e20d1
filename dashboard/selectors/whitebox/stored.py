"""What analyses have stored, as it lies in their rows. For selectors, behind their check."""

from typing import Any

from django.db.models import QuerySet

from dashboard.models import Batch, System, WhiteBoxAnalysis
from dashboard.selectors.whitebox.rows import DecisionRow, StepRow, TracedIn


def tracings_of(system: System, revision: str = "") -> QuerySet[WhiteBoxAnalysis]:
    """The analyses of a system, or of one of its revisions, that have traced anything; the newest first."""
    found = WhiteBoxAnalysis.objects.filter(
        system=system, batch__state=Batch.State.VISIBLE, result__has_key="sites"
    )
    if revision:
        found = found.filter(revision__name=revision)
    return found.order_by("-pk")


def newest_tracing(system: System, revision: str = "") -> WhiteBoxAnalysis | None:
    """The newest of them. One query. For services too."""
    return tracings_of(system, revision).select_related("revision", "workload", "batch").first()


def analyzed_in(system: System) -> tuple[str, ...]:
    """All revisions that were analyzed, the one analyzed last first. One query."""
    return tuple(dict.fromkeys(tracings_of(system).values_list("revision__name", flat=True)))


def traced_in(tracing: WhiteBoxAnalysis) -> TracedIn:
    """Which analysis it is."""
    return TracedIn(
        tracing.revision.name,
        tracing.workload.name,
        sum(run["status"] == "ok" for run in tracing.result["runs"]),
    )


def decisions_in(found: dict[str, Any], region: str) -> tuple[DecisionRow, ...]:
    """The decisions of a region, by place; of several that begin at one place, such as `a and b or c`, all options."""
    places: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for site in found["sites"]:
        if site["region"] == region and not site["writes"]:
            places.setdefault((site["line"], site["column"]), []).append(site)
    return tuple(_decision(places[place]) for place in sorted(places))


def _decision(sites: list[dict[str, Any]]) -> DecisionRow:
    """One row of the sites of one place; the longest text holds the others."""
    whole = max(sites, key=lambda site: len(site["text"]))
    data = dict.fromkeys(name for site in sites for name in site["data"])
    control = dict.fromkeys(name for site in sites for name in site["control"])
    return DecisionRow(
        line=whole["line"],
        kind=whole["kind"],
        options=tuple(data),
        under=tuple(name for name in control if name not in data),
        text=whole["text"],
        file=whole["file"],
    )


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

"""The findings of a system, from the changes that stored fits hold: page by page, and what was filtered with its count."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from django.db.models import Count, Max, Q

from analytics.findings import Finding, Verdict, list_findings
from dashboard.models import HistoryFit, Series, System
from dashboard.selectors.configurations import configuration_names
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import RevisionPlace
from dashboard.selectors.histories.stored_fits import unpack_changes
from dashboard.selectors.history_list.region_costs import region_histories
from dashboard.selectors.history_list.rows import (
    FoundChanges,
    HistoryQuery,
    ListedChange,
    ListedFinding,
    ListedHistory,
)
from dashboard.selectors.machine_speed import reference_histories

# Histories that are listed of one finding, and findings of those that are not told.
_SHOWN = 20
# What is filtered, in the order in which people are told of it.
_FILTERED = tuple(verdict for verdict in Verdict if verdict is not Verdict.TOLD)
_OF_SERIES = (
    "pk",
    "subject_kind",
    "subject",
    "label",
    "environment_id",
    "environment__name",
    "benchmark_version",
    "metric__quantity",
    "metric__unit",
)


def found_changes(system: System, query: HistoryQuery) -> FoundChanges:
    """A page of the findings that the query asks for, and what was filtered. Two queries once it was read.

    Before, seven more; and those of `region_histories`.
    """
    stored = HistoryFit.objects.filter(series__system=system).aggregate(last=Max("pk"), count=Count("pk"))
    found, histories, places = _findings(system, system.data_version, stored["last"], stored["count"])
    words = query.text.lower().split()

    def fits(series: int) -> bool:
        environment, row = histories[series]
        return query.environment_id in {0, environment} and all(word in row.label.lower() for word in words)

    wanted = [
        one
        for one in found
        if (one.is_worse or not query.only_worse) and any(fits(change.series) for change in one.changes)
    ]

    def listed(some: Sequence[Finding]) -> tuple[ListedFinding, ...]:
        return tuple(_listed(one, histories, places) for one in some)

    told = [one for one in wanted if one.verdict is Verdict.TOLD]
    others = [(verdict, [one for one in wanted if one.verdict is verdict]) for verdict in _FILTERED]
    start = (max(query.findings_page, 1) - 1) * query.size
    measured = Series.objects.filter(system=system, points__isnull=False).values("pk").distinct().count()
    return FoundChanges(
        told=listed(told[start : start + query.size]),
        total=len(told),
        filtered=tuple((verdict.value, len(some), listed(some[:_SHOWN])) for verdict, some in others if some),
        unfitted=max(measured - stored["count"], 0),
    )


@lru_cache(maxsize=16)
def _findings(
    system: System, _data_version: int, _newest_fit: int | None, _fitted: int
) -> tuple[tuple[Finding, ...], dict[int, tuple[int, ListedHistory]], dict[int, RevisionPlace]]:
    """All findings; each history that changed with its environment, by series; the revisions by position."""
    order = ordered_revisions(system=system)
    places = order.revisions
    positions = {place.revision_id: place.position for place in places}
    moved = Q(changes__gt=0) | ~Q(packed_drift=b"")
    changed = HistoryFit.objects.filter(moved, series__system=system)
    changes = [
        change
        for series, *columns in changed.values_list("series_id", "packed_changes", "packed_drift")
        for is_slow, packed in enumerate(columns)
        for change in unpack_changes(series, bytes(packed), positions, is_slow=bool(is_slow))
    ]
    names = configuration_names(system)
    of_regions, domains, histories = region_histories(system, order)
    for pk, kind, subject, label, environment_id, *rest in Series.objects.filter(
        fits__in=changed
    ).values_list(*_OF_SERIES):
        name = names.get(subject, subject) if kind == Series.SubjectKind.CONFIGURATION else label or subject
        histories[pk] = (environment_id, ListedHistory(pk, name, *rest))
    references = reference_histories({one.series for one in changes}, positions)
    found = list_findings([*changes, *of_regions], domains, references)
    return found, histories, {place.position: place for place in places}


def _listed(
    finding: Finding, histories: dict[int, tuple[int, ListedHistory]], places: dict[int, RevisionPlace]
) -> ListedFinding:
    shown, move = [], finding.move
    for one in finding.changes[:_SHOWN]:
        before, after = places[one.before], places[one.after]
        error = (one.high - one.low) / 2.0
        change = ListedChange(
            before=before.name,
            after=after.name,
            at=after.released_at,
            relative=one.relative,
            is_worse=one.is_worse,
            certainty=one.certainty,
            is_candidate=finding.verdict is Verdict.CANDIDATE,
            error=error,
            slow_from=before.released_at if one.is_slow else None,
            is_slow=one.is_slow,
        )
        shown.append(replace(histories[one.series][1], last=change))
    return ListedFinding(
        verdict=finding.verdict.value,
        before=places[finding.before].name,
        after=places[finding.after].name,
        at=places[finding.after].released_at,
        histories=len(finding.changes),
        shown=tuple(shown),
        move=move,
        machine=finding.machine,
        moved_from=tuple(histories[one][1].label for one in (move.sources if move else ())),
        moved_to=tuple(histories[one][1].label for one in (move.targets if move else ())),
    )

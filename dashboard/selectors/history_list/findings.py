"""The findings of a system, from the changes that stored fits hold: page by page, and what was filtered with its count."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.db.models import Count, Max, Q, QuerySet

from analytics.findings import Finding, SeriesChange, Verdict, list_findings
from analytics.findings.triage import ChangePlace
from dashboard.access import NotFound
from dashboard.models import HistoryFit, RegionSearch, Series, System, TriagedChange
from dashboard.selectors.configurations import configuration_names
from dashboard.selectors.histories.first_releases import first_releases
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.revisions import newest_place, ordered_revisions, place_of
from dashboard.selectors.histories.series import count_unfitted
from dashboard.selectors.histories.stored_fits import unpack_changes
from dashboard.selectors.history_list.counts_beside import counted_series, with_counts
from dashboard.selectors.history_list.region_searches import found_in_regions
from dashboard.selectors.history_list.rows import (
    FoundChanges,
    HistoryQuery,
    ListedChange,
    ListedFinding,
    ListedHistory,
)
from dashboard.selectors.machine_speed import reference_histories
from dashboard.selectors.triage import (
    STATES,
    UNTOUCHED,
    ChangeKey,
    Triage,
    alone_by_hand,
    joint_triage,
    matched_triage,
    stored_triage,
    triage_of,
)

# What is filtered, in the order in which people are told of it.
_FILTERED = tuple(verdict for verdict in Verdict if verdict is not Verdict.TOLD)
_OF_SERIES = (
    "identity",
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
_Stored = Mapping[str, Sequence[TriagedChange]]  # as `stored_triage` gives it


@dataclass(frozen=True, slots=True, eq=False)
class _Findings:
    """All findings of a system; each history that changed with its environment, by series; the revisions by position.

    `counted` are the series of what is counted. So many regions were searched, and in so many contexts they wait for it.
    """

    found: tuple[Finding, ...]
    histories: Mapping[int, tuple[int, ListedHistory]]
    places: Mapping[int, RevisionPlace]
    order: OrderedRevisions
    counted: tuple[Series, ...]
    searched: int
    waiting: int

    def key(self, change: SeriesChange) -> ChangeKey:
        """A change as pages name it."""
        ends = (self.places[change.before].revision_id, self.places[change.after].revision_id)
        return ChangeKey(self.histories[change.series][1].identity, *ends, change.is_worse, change.is_slow)

    def triage(self, stored: _Stored) -> list[tuple[Triage, ...]]:
        """What people said of each change of each finding; `UNTOUCHED` alone where nobody did."""
        ranks = {position: rank for rank, position in enumerate(self.places)}
        of_revisions = {place.revision_id: ranks[place.position] for place in self.places.values()}
        # Of series that somebody spoke of, all changes and where each is told: by finding and change.
        placed: dict[str, dict[tuple[int, int], ChangePlace]] = {}
        for at, finding in enumerate(self.found if stored else ()):
            for index, one in enumerate(finding.changes):
                if (identity := self.histories[one.series][1].identity) in stored:
                    place = ChangePlace(ranks[one.before], ranks[one.after], one.is_worse, one.is_slow)
                    placed.setdefault(identity, {})[at, index] = place
        said: dict[tuple[int, int], Triage] = {}
        for identity, own in placed.items():
            same = matched_triage(stored[identity], list(own.values()), of_revisions)
            told = list(own)
            said |= {told[index]: triage_of(row) for index, row in same.items()}
        touched = {at for at, _ in said}
        return [
            tuple(said.get((at, index), UNTOUCHED) for index in range(len(finding.changes)))
            if at in touched
            else (UNTOUCHED,)
            for at, finding in enumerate(self.found)
        ]


def found_changes(system: System, query: HistoryQuery) -> FoundChanges:
    """A page of the findings that the query asks for, and what was filtered. Five queries once it was read.

    Before, eight more; and those of `found_in_regions`. Where something is counted those of `with_counts` for each kind. None joins points: all would be read.
    """
    read = _read(system)
    stored = stored_triage(system)
    wanted = [(one, joint_triage(said)) for one, said in _wanted(read, query, stored)]
    positions = {place.name: position for position, place in read.places.items()}

    def listed(some: Sequence[tuple[Finding, Triage]]) -> tuple[ListedFinding, ...]:
        rows = [replace(_listed(one, read, query), triage=how, beside=beside[one.after]) for one, how in some]
        return with_counts(system, rows, read.counted, positions)

    told = [(one, triage) for one, triage in wanted if one.verdict is Verdict.TOLD]
    states = Counter(triage.state for _, triage in told)
    told = [(one, triage) for one, triage in told if _is_shown(triage, query)]
    beside = Counter(one.after for one, _ in told)
    others = [(verdict, [one for one in wanted if one[0].verdict is verdict]) for verdict in _FILTERED]
    start = (max(query.findings_page, 1) - 1) * query.size
    return FoundChanges(
        told=listed(told[start : start + query.size]),
        total=len(told),
        filtered=tuple(
            (verdict.value, len(some), listed(some[: query.shown])) for verdict, some in others if some
        ),
        unfitted=count_unfitted(system=system),
        states=tuple((state, states[state]) for state in STATES if states[state]),
        by_hand=_by_hand(read, system, query, stored),
        regions=read.searched,
        unsearched=read.waiting,
    )


def _by_hand(
    read: _Findings, system: System, query: HistoryQuery, stored: _Stored
) -> tuple[ListedFinding, ...]:
    """What people set and no search finds, the newest first, where the query asks for its history and state."""
    if not any(row.placed_by for rows in stored.values() for row in rows):
        return ()
    found = {triage.triage_id or 0 for said in read.triage(stored) for triage in said}
    placed = alone_by_hand((row for rows in stored.values() for row in rows), found)
    histories = _histories(system, Series.objects.filter(identity__in={key.identity for key, _ in placed}))
    of = {row.identity: (environment, row) for environment, row in histories.values()}
    places = {place.revision_id: place for place in read.places.values()}
    words, listed = query.text.lower().split(), []
    at = place_of(query.revision, places.values()).position if query.revision else None
    newest = sorted(
        (one for one in placed if one[0].after in places), key=lambda one: -places[one[0].after].position
    )
    for key, triage in newest:
        environment, row = of.get(key.identity, (-1, None))
        if row is None or key.before not in places or not _is_shown(triage, query):
            continue
        if at is not None and not places[key.before].position < at <= places[key.after].position:
            continue
        if query.environment_id in {0, environment} and all(word in row.label.lower() for word in words):
            ends = (places[key.before].name, places[key.after].name, places[key.after].released_at)
            size = triage.placed_relative or 0.0
            change = ListedChange(*ends, size, key.is_worse, certainty=None, is_candidate=False)
            shown = (replace(row, last=change),)
            row_of = ListedFinding("by hand", *ends, 1, shown, triage=triage, key=key.text)
            released_in = first_releases(read.order, places[key.before], places[key.after])
            listed.append(replace(row_of, released_in=released_in))
    return tuple(listed)


def named_changes(
    system: System, query: HistoryQuery, key: str, *, beside: bool
) -> tuple[tuple[ChangeKey, int | None], ...]:
    """The changes of the finding with that key, each with the id of what was said of it; for `triage_changes`.

    With `beside` those of all findings at its revision that the query shows, on any page. Raises `NotFound` where a new fit
    tells no such finding.
    """
    read = _read(system)
    wanted = _wanted(read, query, stored_triage(system))
    chosen = next((one for one in wanted if read.key(one[0].first).text == key), None)
    if chosen is None:
        wanted_key = ChangeKey.read(key)
        for row in stored_triage(system, wanted_key.identity).get(wanted_key.identity, ()):
            if row.placed_by and (row.before_id, row.after_id) == (wanted_key.before, wanted_key.after):
                return ((wanted_key, row.pk),)
        raise NotFound("this change is no longer found as it was: load the page again")
    named = [chosen]
    if beside:
        named += [
            (one, said)
            for one, said in wanted
            if one.after == chosen[0].after
            and one is not chosen[0]
            and one.verdict is Verdict.TOLD
            and _is_shown(joint_triage(said), query)
        ]
    return tuple(
        (read.key(change), triage.triage_id)
        for one, said in named
        for change, triage in zip(
            one.changes, said if len(said) > 1 else said * len(one.changes), strict=True
        )
    )


def _is_shown(triage: Triage, query: HistoryQuery) -> bool:
    return query.state in {"all", triage.state} or (not query.state and triage.is_open)


def _wanted(
    read: _Findings, query: HistoryQuery, stored: _Stored
) -> list[tuple[Finding, tuple[Triage, ...]]]:
    """The findings of histories that the query asks for, whatever their verdict and state, with what was said. Raises `NotFound`."""
    words = query.text.lower().split()
    at = place_of(query.revision, read.places.values()).position if query.revision else None

    def fits(series: int) -> bool:
        environment, row = read.histories[series]
        return query.environment_id in {0, environment} and all(word in row.label.lower() for word in words)

    return [
        (one, said)
        for one, said in zip(read.found, read.triage(stored), strict=True)
        if (one.is_worse or not query.only_worse)
        and (at is None or one.before < at <= one.after)
        and any(fits(change.series) for change in one.changes)
    ]


def _read(system: System) -> _Findings:
    """All findings. Three queries once they were read."""
    stored = HistoryFit.objects.filter(series__system=system).aggregate(last=Max("pk"), count=Count("pk"))
    newest = RegionSearch.objects.filter(system=system).aggregate(last=Max("pk"))["last"]
    as_of = stored["last"], stored["count"], newest, newest_place(system)
    return _findings(system, system.data_version, as_of)


@lru_cache(maxsize=16)
def _findings(system: System, _data_version: int, _as_of: tuple[int | None, ...]) -> _Findings:
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
    of_regions = found_in_regions(system, order)
    histories = dict(of_regions.rows) | _histories(system, Series.objects.filter(fits__in=changed))
    references = reference_histories({one.series for one in changes}, positions)
    found = list_findings([*changes, *of_regions.changes], of_regions.moves, references)
    by_position = {place.position: place for place in places}
    counted = tuple(counted_series(system))
    return _Findings(found, histories, by_position, order, counted, of_regions.searched, of_regions.waiting)


def _histories(system: System, series: QuerySet[Series]) -> dict[int, tuple[int, ListedHistory]]:
    """Each of the series with its environment, by id. Two queries."""
    names, found = configuration_names(system), {}
    for identity, pk, kind, subject, label, environment_id, *rest in series.values_list(*_OF_SERIES):
        name = names.get(subject, subject) if kind == Series.SubjectKind.CONFIGURATION else label or subject
        found[pk] = (environment_id, replace(ListedHistory(pk, name, *rest), identity=identity))
    return found


def _listed(finding: Finding, read: _Findings, query: HistoryQuery) -> ListedFinding:
    places, histories = read.places, read.histories
    shown, move, possible = [], finding.move, finding.possible
    for one in finding.changes[: query.shown]:
        before, after = places[one.before], places[one.after]
        step = (before.name, after.name, after.released_at, one.relative, one.is_worse, one.certainty)
        change = ListedChange(
            *step,
            is_candidate=finding.verdict is Verdict.CANDIDATE,
            error=(one.high - one.low) / 2.0,
            slow_from=before.released_at if one.is_slow else None,
            is_slow=one.is_slow,
            of_share=one.of_share,
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
        possible=possible,
        may_have_moved=tuple(histories[one][1].label for one in (possible.partners if possible else ())),
        key=read.key(finding.first).text,
        released_in=first_releases(read.order, places[finding.before], places[finding.after]),
    )

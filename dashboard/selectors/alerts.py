"""Alerts to read: rules and whom they tell, what they ask for among the findings, and how messages got on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from analytics.findings.triage import ChangePlace, same_places
from dashboard.access import Access, NotFound, Permission
from dashboard.models import (
    Alert,
    AlertDelivery,
    AlertRule,
    KnownChange,
    Series,
    System,
    TeamMember,
    TriagedChange,
)
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery, ListedFinding, ListedHistory
from dashboard.selectors.job_columns import JobRequest
from dashboard.selectors.members import accounts_of
from dashboard.selectors.triage import ChangeKey

# Of that many findings, the newest ones, a rule is asked at a time; each with that many histories.
_MOST_FINDINGS, _MOST_HISTORIES = 500, 100_000
KINDS = (Series.SubjectKind.CONFIGURATION, Series.SubjectKind.BENCHMARK, Series.SubjectKind.REGION)


class NoticingRequest(JobRequest):
    """What is new of the job's system."""

    kind: ClassVar = "look for changes to tell"


class DeliveringRequest(JobRequest):
    """Every message that is due."""

    kind: ClassVar = "send alerts"


@dataclass(frozen=True, slots=True)
class WantedFinding:
    """A finding that a rule asks for, with those of its changes that the rule asks for, the largest first.

    `ranks` counts revisions (ids); `after_id` is that of the finding.
    """

    finding: ListedFinding
    changes: tuple[tuple[ChangeKey, ListedHistory], ...]
    after_id: int
    ranks: Mapping[int, int]


def list_rules(*, access: Access) -> tuple[AlertRule, ...]:
    """The rules of a system with whom they tell, by name. Two queries. Needs the role admin. Raises `Forbidden`."""
    access.check(Permission.ADMIN)
    rows = AlertRule.objects.filter(system=access.system)
    return tuple(rows.prefetch_related("recipients__user", "recipients__team"))


def find_rule(*, access: Access, rule_id: int) -> AlertRule:
    """One of these rules, with whom it tells. Raises `NotFound` and `Forbidden`."""
    access.check(Permission.ADMIN)
    rows = AlertRule.objects.filter(system=access.system, pk=rule_id).select_related("system")
    rule = rows.prefetch_related("recipients__user", "recipients__team").first()
    if rule is None:
        raise NotFound("there is no such rule")
    return rule


def list_deliveries(*, access: Access) -> tuple[AlertDelivery, ...]:
    """The messages of a system's rules, the newest first, tests among them. One query. Needs the role admin. Raises `Forbidden`."""
    access.check(Permission.ADMIN)
    return tuple(AlertDelivery.objects.filter(rule__system=access.system))


def list_tests(*, access: Access, most: int = 20) -> tuple[AlertDelivery, ...]:
    """The newest tests of a system's rules, how each got on. One query. Needs the role admin. Raises `Forbidden`."""
    access.check(Permission.ADMIN)
    rows = AlertDelivery.objects.filter(rule__system=access.system, alert=None)
    return tuple(rows.select_related("rule")[:most])


def find_alert(*, access: Access, alert_id: int) -> Alert:
    """One of the alerts of a system. Raises `NotFound`."""
    rows = Alert.objects.filter(rule__system=access.system, pk=alert_id)
    alert = rows.select_related("rule__system", "revision").first()
    if alert is None:
        raise NotFound("there is no such alert")
    return alert


def list_alerts(*, access: Access, most: int | None = 100) -> tuple[tuple[Alert, str], ...]:
    """The alerts of a system, the newest ones or all, with their messages; those told to nobody are among them; each with who spoke of it, "" for nobody.

    Four queries. Needs the role admin. Raises `Forbidden`.
    """
    access.check(Permission.ADMIN)
    rows = Alert.objects.filter(rule__system=access.system).select_related("rule", "revision")
    alerts = rows.prefetch_related("deliveries", "changes")[:most]
    spoken = TriagedChange.objects.filter(system=access.system, closed=False).exclude(said_by="")
    names = ("series_identity", "before_id", "after_id", "is_worse", "is_slow")
    said = {tuple(row[name] for name in names): row["said_by"] for row in spoken.values(*names, "said_by")}
    return tuple(
        (
            one,
            one.acknowledged_by
            or next(
                (
                    by
                    for change in one.changes.all()
                    if (by := said.get(tuple(getattr(change, name) for name in names)))
                ),
                "",
            ),
        )
        for one in alerts
    )


def findings_of(alert: Alert) -> tuple[ListedFinding, ...]:
    """The findings that an alert told, as they are found now, whatever people said of them."""
    known = {
        ChangeKey(row.series_identity, row.before_id, row.after_id, row.is_worse, row.is_slow)
        for row in alert.changes.all()
    }
    system = alert.rule.system
    query = HistoryQuery(state="all", size=_MOST_FINDINGS, shown=_MOST_HISTORIES)
    ids = _ids(system)
    return tuple(
        one
        for one in found_changes(system, query).told
        if not known.isdisjoint(_key(history, ids) for history in one.shown)
    )


def people_of(rule: AlertRule) -> QuerySet[User]:
    """Who gets the messages of a rule now: those who are asked for and still see its system, by name."""
    teams = TeamMember.objects.filter(team__in=rule.recipients.exclude(team=None).values("team"))
    named = Q(pk__in=rule.recipients.exclude(user=None).values("user")) | Q(pk__in=teams.values("user"))
    return accounts_of(rule.system).filter(named)


def has_rules(system: System) -> bool:
    """Whether a rule of the system is on. One query."""
    return AlertRule.objects.filter(system=system, is_on=True).exists()


def due_deliveries() -> QuerySet[AlertDelivery]:
    """The messages whose time has come, the oldest first. For services."""
    waiting = AlertDelivery.objects.filter(state=AlertDelivery.State.WAITING, rule__system__visible=True)
    return waiting.filter(due_at__lte=timezone.now()).order_by("due_at", "pk")


def wanted_findings(rule: AlertRule) -> tuple[WantedFinding, ...]:
    """What a rule asks for among what is told of its system and nobody spoke of yet, the newest first."""
    query = HistoryQuery(state="new", size=_MOST_FINDINGS, shown=_MOST_HISTORIES)
    told = found_changes(rule.system, query).told
    identities = {history.identity for finding in told for history in finding.shown}
    kinds = dict(
        Series.objects.filter(system=rule.system, identity__in=identities).values_list(
            "identity", "subject_kind"
        )
    )
    places = ordered_revisions(system=rule.system).revisions
    ids = _ids(rule.system)
    ranks = {place.revision_id: rank for rank, place in enumerate(places)}
    found = []
    for finding in told:
        changes = tuple(
            (_key(history, ids), history)
            for history in finding.shown
            if _asks_for(rule, history, kinds.get(history.identity, Series.SubjectKind.REGION))
        )
        if changes:
            found.append(WantedFinding(finding, changes, ids[finding.after], ranks))
    return tuple(found)


def _ids(system: System) -> dict[str, int]:
    """The revisions of a system (ids) by name."""
    return {place.name: place.revision_id for place in ordered_revisions(system=system).revisions}


def _asks_for(rule: AlertRule, history: ListedHistory, kind: str) -> bool:
    change = history.last
    return (
        change is not None
        and abs(change.relative) >= rule.smallest
        and (change.certainty is None or change.certainty >= rule.certainty)
        and (change.is_worse or not rule.only_worse)
        and rule.kind in {"", kind}
        and rule.quantity in {"", history.quantity}
        and all(word in history.label.lower() for word in rule.words.lower().split())
    )


def _key(history: ListedHistory, ids: Mapping[str, int]) -> ChangeKey:
    change = history.last
    if change is None:
        raise NotFound("the history shows no change")
    return ChangeKey(history.identity, ids[change.before], ids[change.after], change.is_worse, change.is_slow)


def known_among(
    known: Sequence[KnownChange], keys: Sequence[ChangeKey], ranks: Mapping[int, int]
) -> dict[ChangeKey, KnownChange]:
    """Which of the changes a rule knows already, also where a new fit finds them a few revisions further on or back."""
    found: dict[ChangeKey, KnownChange] = {}
    for identity in {key.identity for key in keys}:
        own = [key for key in keys if key.identity == identity]
        rows = [
            row
            for row in known
            if row.series_identity == identity and {row.before_id, row.after_id} <= ranks.keys()
        ]
        before = [
            ChangePlace(ranks[row.before_id], ranks[row.after_id], row.is_worse, row.is_slow) for row in rows
        ]
        now = [ChangePlace(ranks[key.before], ranks[key.after], key.is_worse, key.is_slow) for key in own]
        found |= {own[index]: rows[at] for index, at in same_places(before, now).items()}
    return found

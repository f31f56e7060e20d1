"""What is new of a system after its histories were fitted: what a rule asks for and does not know yet becomes an alert."""

from collections import defaultdict
from typing import Any

from django.db import transaction
from django.utils import timezone

from dashboard.access import Access
from dashboard.models import Alert, AlertRule, KnownChange
from dashboard.selectors.alerts import (
    WantedFinding,
    known_among,
    wanted_findings,
)
from dashboard.selectors.releases import telling_of
from dashboard.services.alerts.confirmation import begin_measuring, plan_of, time_limit
from dashboard.services.alerts.delivering import deliver_due
from dashboard.services.alerts.messages import subject_of, text_of
from dashboard.services.jobs.context import JobContext

# Of one look at most so many revisions have a message, the newest ones: a history that comes as a whole is no news.
MOST_AT_ONCE = 5


def notice_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that looks for what is new and sends it; repeated, it tells nothing twice."""
    made = notice(access=context.access)
    context.progress(0.5, f"{made} new")
    return {"new": made, **deliver_due(check=context.check)}


def notice(*, access: Access) -> int:
    """Make an alert of each revision with news for a rule, and ask for what is to be measured again; how many there are."""
    rules = AlertRule.objects.filter(system=access.system, is_on=True).select_related("system")
    with telling_of(access.system):
        made = sum(_notice(rule) for rule in rules)
    begin_measuring(access=access)
    return made


def learn_known(rule: AlertRule) -> None:
    """What a rule asks for and is there already is no news: it is known from now on."""
    with transaction.atomic():
        for wanted in _news(rule):
            _keep(rule, None, wanted)


def _notice(rule: AlertRule) -> int:
    with transaction.atomic():
        # Of two looks at one time the second one finds nothing new.
        AlertRule.objects.select_for_update().get(pk=rule.pk)
        news: dict[int, list[WantedFinding]] = defaultdict(list)
        for wanted in _news(rule):
            news[wanted.after_id].append(wanted)
        told = set(rule.alerts.filter(revision__in=news).values_list("revision_id", flat=True))
        # The newest first; what a message told of already says nothing twice, and the rest is known from now on.
        fresh = [revision for revision in news if revision not in told]
        for number, revision in enumerate(fresh):
            alert = None
            if number < MOST_AT_ONCE:
                older = len(fresh) - MOST_AT_ONCE if number == MOST_AT_ONCE - 1 else 0
                alert = Alert(rule=rule, revision_id=revision)
                alert.subject = subject_of(rule, news[revision])
                alert.text = text_of(rule, news[revision], max(older, 0))
                alert.plan = plan_of(rule, news[revision]).model_dump()
                alert.state, alert.decide_by = Alert.State.WAITING, timezone.now() + time_limit()
                alert.save()
            for wanted in news[revision]:
                _keep(rule, alert, wanted)
        for alert in rule.alerts.filter(revision__in=told):
            for wanted in news[alert.revision_id]:
                _keep(rule, alert, wanted)
    return min(len(fresh), MOST_AT_ONCE)


def _news(rule: AlertRule) -> list[WantedFinding]:
    """What a rule asks for and does not know; what it knows is kept where it is now, with what joined it."""
    known = list(rule.known.all())
    fresh, moved = [], []
    for wanted in wanted_findings(rule):
        keys = [key for key, _ in wanted.changes]
        same = known_among(known, keys, wanted.ranks)
        if not same:
            fresh.append(wanted)
            continue
        for key, row in same.items():
            if (row.before_id, row.after_id) != (key.before, key.after):
                row.before_id, row.after_id = key.before, key.after
                moved.append(row)
        alert = next(iter(same.values())).alert
        _keep(rule, alert, wanted, [key for key in keys if key not in same])
    KnownChange.objects.bulk_update(moved, ["before", "after"], batch_size=200)
    return fresh


def _keep(rule: AlertRule, alert: Alert | None, wanted: WantedFinding, keys: list[Any] | None = None) -> None:
    chosen = [key for key, _ in wanted.changes] if keys is None else keys
    KnownChange.objects.bulk_create(
        KnownChange(
            rule=rule,
            alert=alert,
            series_identity=key.identity,
            before_id=key.before,
            after_id=key.after,
            is_worse=key.is_worse,
            is_slow=key.is_slow,
        )
        for key in chosen
    )

"""Writing, changing and testing rules: admins of a system say who is told of what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.db import transaction

from dashboard.access import Access, Permission, Refused
from dashboard.models import AlertRecipient, AlertRule, TeamRole
from dashboard.selectors.alerts import KINDS, DeliveringRequest, find_rule
from dashboard.selectors.members import accounts_of
from dashboard.services import audit
from dashboard.services.alerts.delivering import new_deliveries, parsed_hour
from dashboard.services.alerts.noticing import learn_known
from dashboard.services.alerts.webhooks import checked_webhook, host_of
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.plain_lines import check_line
from dashboard.services.tries import BRAKE_MINUTES, count_try

MOST_RULES = 50
_MOST_TESTS = 10
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class RuleWords:
    """A rule as it is written: percents, names of accounts and teams, times as `22:00`.

    `webhook` None keeps the address that there is; "" takes it away.
    """

    name: str
    smallest_percent: float = 5.0
    certainty_percent: float = 95.0
    only_worse: bool = True
    kind: str = ""
    quantity: str = ""
    words: str = ""
    people: Sequence[str] = ()
    teams: Sequence[str] = ()
    webhook: str | None = None
    shape: str = AlertRule.Shape.JSON.value
    quiet_from: str = ""
    quiet_until: str = ""
    time_zone: str = "UTC"
    is_on: bool = True
    measures_again: bool = True

    @property
    def faults(self) -> dict[str, str]:
        """What of the texts, numbers and choices cannot be, by the field; times and the webhook are looked at later."""
        name = " ".join(self.name.split())
        right = {
            "name": (1 <= len(name) <= _LONGEST_NAME, f"a rule's name has 1 to {_LONGEST_NAME} characters"),
            "smallest_percent": (0 <= self.smallest_percent <= 1000, "the smallest change is 0 to 1000 %"),
            "certainty_percent": (0 <= self.certainty_percent <= 100, "the certainty is 0 to 100 %"),
            "kind": (self.kind in {"", *KINDS}, f"the kind is one of {', '.join(KINDS)}, or blank for all"),
            "shape": (
                self.shape in AlertRule.Shape.values,
                f"a webhook takes one of {', '.join(AlertRule.Shape.values)}",
            ),
        }
        faults = {field: said for field, (is_right, said) in right.items() if not is_right}
        for field, text in (("name", name), ("quantity", self.quantity), ("words", self.words)):
            try:
                check_line(text, "the rule")
            except Refused as error:
                faults[field] = str(error)
        return faults


class RuleRefused(Refused):
    """A rule that cannot be: `faults` are sentences by the fields of `RuleWords`, all that there are."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = faults


def words_of(rule: AlertRule) -> RuleWords:
    """A rule as it was written; of its webhook, a secret, nothing. No query where its recipients were read with it."""
    same = {name: getattr(rule, name) for name in RuleWords.__slots__ if hasattr(rule, name)}
    recipients = list(rule.recipients.all())
    told = {
        "smallest_percent": round(100 * rule.smallest, 9),
        "certainty_percent": round(100 * rule.certainty, 9),
        "people": [one.user.get_username() for one in recipients if one.user],
        "teams": [one.team.name for one in recipients if one.team],
        "quiet_from": f"{rule.quiet_from:%H:%M}" if rule.quiet_from else "",
        "quiet_until": f"{rule.quiet_until:%H:%M}" if rule.quiet_until else "",
        "webhook": None,
    }
    return RuleWords(**same | told)


def write_rule(*, access: Access, words: RuleWords, opened_at: str, rule_id: int | None = None) -> AlertRule:
    """A new rule, or that one changed. What it asks for and is there already is told to nobody.

    `opened_at` is scheme and host under which Perfatlas is open just now. Needs the role admin. Raises `RuleRefused` for what cannot
    be, `Refused` for one rule too many, `NotFound` and `Forbidden`.
    """
    access.check(Permission.ADMIN)
    rule = AlertRule(system=access.system) if rule_id is None else find_rule(access=access, rule_id=rule_id)
    faults = _fill(rule, words)
    rule.opened_at = opened_at[:200]
    if rule_id is None and AlertRule.objects.filter(system=access.system).count() >= MOST_RULES:
        raise Refused(f"a system has at most {MOST_RULES} rules: delete one first")
    people = accounts_of(access.system).filter(username__in=words.people)
    roles = TeamRole.objects.filter(system=access.system, team__name__in=words.teams)
    unknown = {*words.people, *words.teams} - {one.get_username() for one in people}
    unknown -= set(roles.values_list("team__name", flat=True))
    if unknown:
        faults["people"] = f"{min(unknown)!r} has no role here: give them one first"
    if not (words.people or words.teams or words.webhook or rule.webhook):
        faults["people"] = "nobody is told: choose people or teams, or write a webhook"
    if faults:
        raise RuleRefused(faults)
    with transaction.atomic():
        rule.save()
        rule.recipients.all().delete()
        rows = [AlertRecipient(rule=rule, user=one) for one in people]
        rows += [AlertRecipient(rule=rule, team_id=one.team_id) for one in roles]
        AlertRecipient.objects.bulk_create(rows)
        learn_known(rule)
        about = {
            "rule": rule.pk,
            "name": rule.name,
            "people": sorted(words.people),
            "teams": sorted(words.teams),
        }
        about["webhook"] = host_of(rule.webhook)
        audit.record(access.principal, "write alert rule", access.slug, **about)
    return rule


def delete_rule(*, access: Access, rule_id: int) -> str:
    """Take a rule away with its messages; its name. Raises `NotFound` and `Forbidden`."""
    rule = find_rule(access=access, rule_id=rule_id)
    with transaction.atomic():
        audit.record(access.principal, "delete alert rule", access.slug, rule=rule.pk, name=rule.name)
        rule.delete()
    return rule.name


def test_rule(*, access: Access, rule_id: int) -> int:
    """Send a test to everybody whom a rule tells; how many messages are on their way. Raises `Refused`, `NotFound`, `Forbidden`."""
    rule = find_rule(access=access, rule_id=rule_id)
    if count_try(("alert test", access.system.pk)) > _MOST_TESTS:
        raise Refused(f"too many tests: wait {BRAKE_MINUTES} minutes")
    with transaction.atomic():
        rows = new_deliveries(rule, None)
        if not rows:
            raise Refused("the rule tells nobody who still sees the system")
        enqueue(access, DeliveringRequest(), title="Send alerts")
        audit.record(access.principal, "test alert rule", access.slug, rule=rule.pk, messages=len(rows))
    return len(rows)


def _fill(rule: AlertRule, words: RuleWords) -> dict[str, str]:
    """Put what was written into the row; what of it cannot be, by its field, is told and left out."""
    faults = words.faults
    try:
        rule.quiet_from, rule.quiet_until = parsed_hour(words.quiet_from), parsed_hour(words.quiet_until)
        if (rule.quiet_from is None) != (rule.quiet_until is None):
            faults["quiet_from"] = "quiet hours have a beginning and an end, or neither"
    except ValueError:
        faults["quiet_from"] = "quiet hours are written as 22:00"
    try:
        ZoneInfo(words.time_zone)
    except (OSError, ValueError, LookupError):
        zone = words.time_zone[:60]
        faults["time_zone"] = f"there is no time zone {zone!r}: write one as Europe/Berlin"
    rule.name, rule.is_on, rule.only_worse = " ".join(words.name.split()), words.is_on, words.only_worse
    rule.measures_again = words.measures_again
    rule.smallest, rule.certainty = words.smallest_percent / 100, words.certainty_percent / 100
    rule.kind, rule.quantity, rule.words = words.kind, words.quantity.strip()[:40], words.words.strip()[:200]
    rule.shape, rule.time_zone = words.shape, words.time_zone
    try:
        rule.webhook = rule.webhook if words.webhook is None else checked_webhook(words.webhook)
    except Refused as error:
        faults["webhook"] = str(error)
    return faults

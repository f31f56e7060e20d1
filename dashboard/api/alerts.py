"""Alerts: who is told of which changes, what was told, and how each message got on."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from dashboard.access import Permission, access_to
from dashboard.api.callers import caller, writing
from dashboard.api.rows import ApiRow, Id, Page, Paging, Slug, Words
from dashboard.selectors.alerts import find_alert, find_rule, list_alerts, list_deliveries, list_rules
from dashboard.services.alerts.links import acknowledge
from dashboard.services.alerts.messages import rule_text
from dashboard.services.alerts.rules import RuleWords, delete_rule, test_rule, words_of, write_rule
from dashboard.services.alerts.webhooks import LONGEST, host_of

router = Router(tags=["Alerts"])
Names = Annotated[list[Words], Field(max_length=500)]
_RULES = "/systems/{system}/alerts/rules"


class RuleRequest(Schema):
    """A rule as it is to be: what is left out is as in a new one, but for the webhook, which stays as it was."""

    name: Words
    smallest_percent: Annotated[float, Field(ge=0, le=1000)] = 5.0
    certainty_percent: Annotated[float, Field(ge=0, le=100)] = 95.0
    only_worse: bool = True
    measures_again: bool = True
    kind: Words = Field("", description="`configuration`, `benchmark` or `region`; blank asks for all")
    quantity: Words = Field("", description="the metric, as `time`; blank asks for all")
    words: Words = Field("", description="all of them stand in the name of a history")
    people: Names = Field([], description="accounts that have a role in the system")
    teams: Names = Field([], description="teams that have a role in the system")
    webhook: Annotated[str, Field(max_length=LONGEST, pattern=r"^[^\x00-\x1f]*$")] | None = Field(
        None, description="a secret that is never told again; blank takes it away"
    )
    shape: Words = Field("json", description="what the webhook takes: `json`, `slack`, `discord` or `teams`")
    quiet_from: Words = Field("", description="as `22:00`")
    quiet_until: Words = ""
    time_zone: Words = Field("UTC", description="as `Europe/Berlin`")
    is_on: bool = True


class RuleAnswer(ApiRow):
    """A rule: sizes and certainties in percent; of its webhook the host alone, "" for none."""

    rule_id: int
    name: str
    asks: str = Field(description="all of what it asks for, in words")
    smallest_percent: float
    certainty_percent: float
    only_worse: bool
    measures_again: bool
    kind: str
    quantity: str
    words: str
    people: list[str]
    teams: list[str]
    webhook_host: str
    shape: str
    quiet_from: str
    quiet_until: str
    time_zone: str
    is_on: bool


class DeliveryAnswer(ApiRow):
    """One message to an account or to the host of a webhook; a test has no alert.

    `state` is `waiting`, `sent` or `failed`; `reason` says why the last attempt failed.
    """

    delivery_id: int = Field(validation_alias="pk")
    rule_id: int
    alert_id: int | None
    to: str
    state: str
    attempts: int
    made_at: datetime
    due_at: datetime
    ended_at: datetime | None
    reason: str


class AlertAnswer(ApiRow):
    """What a rule told of one revision. `state` is `waiting`, `measuring`, `told` or `withheld`; `spoken_of_by` "" for nobody."""

    alert_id: int
    rule_id: int
    revision: str
    made_at: datetime
    subject: str
    text: str
    state: str
    confirmed: bool
    outcome: str
    spoken_of_by: str


class TestAnswer(ApiRow):
    """How many messages are on their way."""

    messages: int


def _rule_row(rule: Any) -> RuleAnswer:
    about = {"rule_id": rule.pk, "asks": rule_text(rule), "webhook_host": host_of(rule.webhook)}
    return RuleAnswer.model_validate(asdict(words_of(rule)) | about)


def _alert_row(alert: Any, by: str) -> AlertAnswer:
    same = {name: getattr(alert, name) for name in AlertAnswer.model_fields if hasattr(alert, name)}
    about = {"alert_id": alert.pk, "revision": alert.revision.name, "confirmed": alert.is_confirmed}
    return AlertAnswer.model_validate({**same, **about, "spoken_of_by": by})


def _write(request: HttpRequest, system: str, said: RuleRequest, rule_id: int | None) -> RuleAnswer:
    access = access_to(caller(request), system, Permission.ADMIN)
    rule = write_rule(
        access=access,
        words=RuleWords(**said.model_dump()),
        opened_at=request.build_absolute_uri("/"),
        rule_id=rule_id,
    )
    return _rule_row(find_rule(access=access, rule_id=rule.pk))


@router.get(_RULES, response=Page[RuleAnswer], summary="Who is told of which changes")
def alert_rules(request: HttpRequest, system: Slug, paging: Query[Paging]) -> Page[RuleAnswer]:
    """By name. For admins of the system."""
    rows = list_rules(access=access_to(caller(request), system, Permission.ADMIN))
    return paging.of([_rule_row(one) for one in rows], RuleAnswer)


@router.post(_RULES, response={201: RuleAnswer}, summary="Make a rule")
def make_alert_rule(request: HttpRequest, system: Slug, said: RuleRequest) -> Status[RuleAnswer]:
    """What it asks for and is there already is told to nobody. For admins of the system."""
    return Status(201, _write(request, system, said, None))


@router.put(_RULES + "/{rule}", response=RuleAnswer, summary="Change a rule")
def change_alert_rule(request: HttpRequest, system: Slug, rule: Id, said: RuleRequest) -> RuleAnswer:
    """It becomes what is sent, as a whole; its log stays. For admins of the system."""
    return _write(request, system, said, rule)


@router.delete(_RULES + "/{rule}", response={204: None}, summary="Take a rule away")
def delete_alert_rule(request: HttpRequest, system: Slug, rule: Id) -> Status[None]:
    """With its log. For admins of the system."""
    delete_rule(access=access_to(caller(request), system, Permission.ADMIN), rule_id=rule)
    return Status(204, None)


@router.post(_RULES + "/{rule}/test", response={202: TestAnswer}, summary="Send a test of a rule")
def test_alert_rule(request: HttpRequest, system: Slug, rule: Id) -> Status[TestAnswer]:
    """To everybody whom it tells, at once. For admins of the system."""
    access = access_to(caller(request), system, Permission.ADMIN)
    return Status(202, TestAnswer(messages=test_rule(access=access, rule_id=rule)))


@router.get("/systems/{system}/alerts", response=Page[AlertAnswer], summary="What was told")
def alerts(request: HttpRequest, system: Slug, paging: Query[Paging]) -> Page[AlertAnswer]:
    """The newest first, what was told to nobody among them. For admins of the system."""
    access = access_to(caller(request), system, Permission.ADMIN)
    rows = list_alerts(access=access, most=None)
    return paging.of([_alert_row(one, by) for one, by in rows], AlertAnswer)


@router.get(
    "/systems/{system}/alerts/deliveries", response=Page[DeliveryAnswer], summary="How messages got on"
)
def alert_deliveries(request: HttpRequest, system: Slug, paging: Query[Paging]) -> Page[DeliveryAnswer]:
    """The newest first, tests among them. For admins of the system."""
    access = access_to(caller(request), system, Permission.ADMIN)
    return paging.of(list_deliveries(access=access), DeliveryAnswer)


@router.post(
    "/systems/{system}/alerts/{alert}/acknowledge", response=AlertAnswer, summary="Acknowledge an alert"
)
def acknowledge_alert(request: HttpRequest, system: Slug, alert: Id) -> AlertAnswer:
    """Say of all that it told that somebody takes care of it, where nobody said anything yet."""
    access = writing(request, system)
    acknowledge(access=access, alert=find_alert(access=access, alert_id=alert))
    found = find_alert(access=access, alert_id=alert)
    return _alert_row(found, found.acknowledged_by)

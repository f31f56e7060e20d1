"""The page of a system's alerts: rules, a test of each, and how the messages got on."""

from collections.abc import Mapping
from dataclasses import asdict
from math import nan
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.access import Access, Permission, Refused
from dashboard.models import AlertRule
from dashboard.people.system_views import system_view, told
from dashboard.selectors.alerts import KINDS, find_rule, list_alerts, list_rules, list_tests
from dashboard.selectors.members import accounts_of
from dashboard.selectors.teams import list_team_roles
from dashboard.services.alerts.messages import rule_text
from dashboard.services.alerts.rules import (
    RuleRefused,
    RuleWords,
    delete_rule,
    test_rule,
    words_of,
    write_rule,
)
from dashboard.services.alerts.webhooks import host_of
from dashboard.services.mail import mail_refusal
from dashboard.services.public_address import public_url, reach_warning

_SHAPES = (
    (AlertRule.Shape.JSON, "JSON"),
    (AlertRule.Shape.SLACK, "Slack, Mattermost, Rocket.Chat, Google Chat"),
    (AlertRule.Shape.DISCORD, "Discord"),
    (AlertRule.Shape.TEAMS, "Microsoft Teams"),
)
_TEXTS = ("name", "kind", "quantity", "words", "shape", "quiet_from", "quiet_until", "time_zone")
_NUMBERS = {"smallest_percent": "The smallest change", "certainty_percent": "The certainty"}


@system_view(Permission.ADMIN, "GET")
def alerts(request: HttpRequest, access: Access) -> HttpResponse:
    """The rules, and the log."""
    return _page(request, access)


@system_view(Permission.ADMIN, "POST")
def make(request: HttpRequest, access: Access) -> HttpResponse:
    """Write a new rule."""
    return _write(request, access, None)


@system_view(Permission.ADMIN, "GET", "POST")
def change(request: HttpRequest, access: Access, rule_id: int) -> HttpResponse:
    """Show one rule to be changed, or change it."""
    rule = find_rule(access=access, rule_id=rule_id)
    return _write(request, access, rule) if request.method == "POST" else _page(request, access, rule=rule)


@system_view(Permission.ADMIN, "POST")
def delete(request: HttpRequest, access: Access, rule_id: int) -> HttpResponse:
    """Take a rule away."""
    told(request, lambda: f"The rule {delete_rule(access=access, rule_id=rule_id)} tells nobody any more.")
    return redirect("alerts", slug=access.slug)


@system_view(Permission.ADMIN, "POST")
def test(request: HttpRequest, access: Access, rule_id: int) -> HttpResponse:
    """Send a test."""

    def act() -> str:
        many = test_rule(access=access, rule_id=rule_id)
        return f"{many} test{'' if many == 1 else 's'} on the way: the log below says how they get on."

    told(request, act)
    return redirect("alerts", slug=access.slug)


def _write(request: HttpRequest, access: Access, rule: AlertRule | None) -> HttpResponse:
    posted: dict[str, Any] = {name: request.POST.get(name, "").strip() for name in (*_TEXTS, *_NUMBERS)}
    posted |= {name: name in request.POST for name in ("only_worse", "measures_again", "is_on")}
    posted |= {name: request.POST.getlist(name) for name in ("people", "teams")}
    webhook = request.POST.get("webhook", "").strip()
    keeps = rule is not None and not webhook and "no_webhook" not in request.POST
    numbers, faults = dict.fromkeys(_NUMBERS, nan), {}
    for name, words in _NUMBERS.items():
        try:
            numbers[name] = float(posted[name])
        except ValueError:
            # What is no number is refused with all else that cannot be.
            faults[name] = f"{words} is no number"
    try:
        write_rule(
            access=access,
            words=RuleWords(**posted | numbers, webhook=None if keeps else webhook),
            opened_at=request.build_absolute_uri("/"),
            rule_id=None if rule is None else rule.pk,
        )
    except RuleRefused as error:
        faults = {**error.faults, **faults}
        if webhook:
            again = "write the webhook once more: it is a secret, which no page shows"
            faults["webhook"] = f"{faults['webhook']}; {again}" if "webhook" in faults else again
        problem = "the rule is not kept: see what stands at its fields"
        return _page(request, access, rule=rule, problem=problem, posted=posted, faults=faults)
    except Refused as error:
        return _page(request, access, rule=rule, problem=str(error), posted=posted)
    told(request, lambda: f"The rule {posted['name']} is kept.")
    return redirect("alerts", slug=access.slug)


def _page(
    request: HttpRequest,
    access: Access,
    *,
    rule: AlertRule | None = None,
    problem: str = "",
    posted: dict[str, Any] | None = None,
    faults: Mapping[str, str] | None = None,
) -> HttpResponse:
    own = public_url("/", opened_at=request.build_absolute_uri("/"))
    about = {
        "access": access,
        "is_admin": True,
        "tab": "alerts",
        "rules": [(one, rule_text(one), host_of(one.webhook)) for one in list_rules(access=access)],
        "rule": rule,
        "host": host_of(rule.webhook) if rule else "",
        "problem": problem,
        "faults": faults or {},
        "posted": posted or _written(rule),
        "accounts": [(one.get_username(), bool(one.email)) for one in accounts_of(access.system)],
        "teams": [one.team.name for one in list_team_roles(system=access.system)],
        "kinds": KINDS,
        "shapes": _SHAPES,
        "tests": list_tests(access=access),
        "alerts": list_alerts(access=access),
        "mail_refusal": mail_refusal(),
        "warning": reach_warning(own),
    }
    return render(request, "people/alerts.html", about, status=400 if problem else 200)


def _written(rule: AlertRule | None) -> dict[str, Any]:
    """A rule as its form shows it; without one what a new rule begins with."""
    written = asdict(RuleWords(name="") if rule is None else words_of(rule))
    return written | {name: f"{written[name]:.10g}" for name in _NUMBERS}

"""The page on which admins of a system read what was changed in it, and take it away as CSV."""

from datetime import date
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.access import Access, Permission
from dashboard.models import AuditEntry
from dashboard.people.system_views import system_view, whole_number
from dashboard.selectors.audit import (
    CHANGES,
    AuditChange,
    AuditFilter,
    audit_changes,
    audit_choices,
    list_audit,
    whole_audit,
)
from dashboard.services.reports.freezing import csv_text

_HEADS = ("at (UTC)", "who", "what", "from", "more")


@system_view(Permission.ADMIN, "GET")
def audit(request: HttpRequest, access: Access) -> HttpResponse:
    """The entries that fit what was asked for, page by page."""
    asked, wanted, problem = _asked(request)
    start = whole_number(request.GET.get("before", "")) or None
    entries, older = list_audit(access=access, wanted=wanted, before=start)
    changes = [
        [(change.words, _query(change, series)) for change, series in own]
        for own in audit_changes(access=access, entries=entries)
    ]
    actions, people = audit_choices(access=access)
    about = {
        "access": access,
        "is_admin": True,
        "tab": "audit",
        "rows": [(entry, _more(entry), own) for entry, own in zip(entries, changes, strict=True)],
        "asked": asked,
        "problem": problem,
        "actions": actions,
        "people": people,
        "query": urlencode(asked),
        "is_first": start is None,
        "older": urlencode({**asked, "before": older}) if older else "",
    }
    return render(request, "people/audit.html", about, status=400 if problem else 200)


@system_view(Permission.ADMIN, "GET")
def audit_csv(request: HttpRequest, access: Access) -> HttpResponse:
    """All entries that fit, one a row."""
    _, wanted, problem = _asked(request)
    if problem:
        return HttpResponse(problem, "text/plain", 400)
    entries = list(whole_audit(access=access, wanted=wanted))
    rows = (
        (
            f"{entry.at:%Y-%m-%d %H:%M:%S}",
            entry.actor,
            entry.action,
            entry.address,
            "; ".join(filter(None, (_more(entry), *(change.words for change, _ in own)))),
        )
        for entry, own in zip(entries, audit_changes(access=access, entries=entries), strict=True)
    )
    response = HttpResponse(csv_text(_HEADS, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{access.slug}-audit-trail.csv"'
    return response


def _more(entry: AuditEntry) -> str:
    """What an entry says besides: names and values, of lists all of them; nothing of what is blank."""
    told = {
        name: " and ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in entry.details.items()
        # Changes have links of their own.
        if name != CHANGES
    }
    return ", ".join(
        f"{name.replace('_', ' ')}: {value}"
        for name, value in told.items()
        if value is not None and value != ""
    )


def _query(change: AuditChange, series: int | None) -> str:
    """What leads the page of histories to a change; blank where its series is gone."""
    return "" if series is None else urlencode({"series": series, "step": change.after})


def _asked(request: HttpRequest) -> tuple[dict[str, str], AuditFilter, str]:
    """What was asked for, as it was written and as it is looked for, and what is wrong with it."""
    asked = {name: request.GET.get(name, "").strip() for name in ("action", "person", "since", "until")}
    asked = {name: value for name, value in asked.items() if value}
    try:
        days = {name: date.fromisoformat(asked[name]) for name in ("since", "until") if name in asked}
    except ValueError:
        return asked, AuditFilter(), "A day is written as 2026-11-24."
    wanted = AuditFilter(
        asked.get("action", ""), asked.get("person", ""), days.get("since"), days.get("until")
    )
    return asked, wanted, ""

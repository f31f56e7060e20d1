"""What the link in a message opens: the change, and a button that acknowledges it.

As with invitations the address with the secret leads to one without, and the session knows what was opened. Programs that
look at links in mail change nothing: only the button does.
"""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.access import AccessError, Permission, Principal, Refused, access_to
from dashboard.models import Alert
from dashboard.people.system_views import gone, without_secret
from dashboard.selectors.alerts import findings_of
from dashboard.services.alerts.links import account_of, acknowledge, kept_alert, opened_link

_KEPT = "alert"
_GONE = "It was mistyped, has expired, or what it told is gone. Open the list of changes in Perfatlas."


@never_cache
@require_GET
def open_alert(request: HttpRequest, token: str) -> HttpResponse:
    """Look a link up and lead to the page that has no secret in its address."""
    found = opened_link(token)
    if found is None:
        return gone(request, _GONE)
    return without_secret(request, _KEPT, found, "alert")


@never_cache
@require_http_methods(["GET", "POST"])
def alert(request: HttpRequest) -> HttpResponse:
    """The change that was told, for who is signed in or whom the message was sent to."""
    alert_id, user_id = request.session.get(_KEPT, (0, None))
    found = kept_alert(alert_id)
    if found is None:
        return gone(request, _GONE)
    who = request.user if request.user.is_authenticated else account_of(user_id)
    problem = ""
    if who is None:
        return _page(request, found, None, problem)
    try:
        access = access_to(Principal.of_account(who), found.rule.system.slug)
    except AccessError:
        return gone(request, _GONE)
    if request.method == "POST":
        try:
            acknowledge(access=access, alert=found)
            return redirect("alert")
        except (Refused, AccessError) as error:
            problem = str(error)
    return _page(request, found, who, problem, may=access.allows(Permission.EDIT))


def _page(
    request: HttpRequest, found: Alert, who: AbstractUser | None, problem: str, *, may: bool = False
) -> HttpResponse:
    """Who is nobody yet reads nothing of the change but that it is there."""
    about: dict[str, Any] = {"alert": found, "who": who, "problem": problem, "may": may}
    if who is not None:
        findings = findings_of(found)
        about["found"] = bool(findings)
        about["said"] = next((one.triage for one in findings if one.triage.said_by), None)
        about["series"] = findings[0].shown[0].series_id if findings else 0
    return render(request, "people/alert.html", about, status=400 if problem else 200)

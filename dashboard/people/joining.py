"""What an invitation opens: a role for the account that is signed in, or for a new one.

The secret stands in the address only until it is looked up; then the session, on the server, knows the invitation. So it
gets into no `next`, no `Referer`, and not into the history of a page that stays open.
"""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import BaseUserCreationForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.access import Refused
from dashboard.models import Invitation
from dashboard.people.system_views import gone, without_secret
from dashboard.services.invitations import accept_invitation, kept_invitation, opened_invitation
from dashboard.services.logins import address_of
from dashboard.services.tries import BRAKE_MINUTES, count_try

_KEPT = "invitation"
_MOST_ACCOUNTS = 20
_GONE_TITLE = "This invitation does not work"
_GONE = "It was mistyped, used, revoked, or has expired. Ask whoever sent it for a new one."


@never_cache
@require_GET
def open_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Look a link up and lead to the page that has no secret in its address."""
    invitation = opened_invitation(secret=token)
    if invitation is None:
        return gone(request, _GONE, _GONE_TITLE)
    return without_secret(request, _KEPT, invitation.pk, "join")


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Accept an invitation that was opened before, signed in or with a new account."""
    invitation = kept_invitation(invitation_id=request.session.get(_KEPT))
    if invitation is None:
        return gone(request, _GONE, _GONE_TITLE)
    if not request.user.is_authenticated:
        return _with_new_account(request, invitation)
    problem = ""
    if request.method == "POST":
        try:
            accept_invitation(user=request.user, invitation_id=invitation.pk)
        except Refused as error:
            problem = str(error)
        else:
            return _joined(request, invitation)
    about = {"invitation": invitation, "problem": problem}
    return render(request, "people/join.html", about, status=400 if problem else 200)


def _with_new_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    form: BaseUserCreationForm[Any] = BaseUserCreationForm(request.POST or None)
    problem = ""
    if request.method == "POST":
        # Names that are taken are told, so that nobody tries out many.
        if count_try(("join", address_of(request))) > _MOST_ACCOUNTS:
            problem = f"Too many tries. Wait {BRAKE_MINUTES} minutes."
            form = BaseUserCreationForm()
        elif form.is_valid():
            try:
                with transaction.atomic():
                    user = form.save()
                    accept_invitation(user=user, invitation_id=invitation.pk)
            except Refused as error:
                problem = str(error)
            else:
                login(request, user, backend="django.contrib.auth.backends.ModelBackend")
                return _joined(request, invitation)
    about = {"invitation": invitation, "form": form, "problem": problem}
    status = 400 if problem or form.errors else 200
    return render(request, "people/join.html", about, status=status)


def _joined(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    request.session.pop(_KEPT, None)
    return redirect(f"/app/s/{invitation.system.slug}/")

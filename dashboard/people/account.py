"""One's own account: password, sign-ins, and tokens for the API."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from dashboard.access import AccessError, Principal, Refused
from dashboard.people.system_views import told, whole_number
from dashboard.selectors.accounts import list_sign_ins
from dashboard.selectors.systems import list_names
from dashboard.selectors.tokens import list_tokens
from dashboard.services.mail import link_refusal
from dashboard.services.passwords import note_new_password
from dashboard.services.sign_ins import end_other_sign_ins, end_sign_in
from dashboard.services.tokens import create_token, revoke_token
from dashboard.services.tries import BRAKE_MINUTES, count_try

_MOST_PASSWORDS = 10
_TOKEN_DAYS = (7, 30, 90, 365)
_SCOPES = (("read", "read"), ("write", "read and write"))


@never_cache
@login_required
@require_GET
def account(request: HttpRequest) -> HttpResponse:
    """Everything of one's own account."""
    return _page(request)


@never_cache
@sensitive_post_parameters()
@login_required
@require_POST
def set_password(request: HttpRequest) -> HttpResponse:
    """Change the password: this browser stays signed in, all others do not."""
    form = _password_form(request)
    if count_try(("own password", request.user.pk)) > _MOST_PASSWORDS:
        return _page(request, problem=f"Too many tries. Wait {BRAKE_MINUTES} minutes.")
    if not form.is_valid():
        return _page(request, form=form)
    user = form.save()
    update_session_auth_hash(request, user)
    note_new_password(
        principal=_principal(request), session_key=request.session.session_key, how="in the account"
    )
    messages.success(request, "The password is changed, and every other browser is signed out.")
    return redirect("account")


@login_required
@require_POST
def end(request: HttpRequest, sign_in_id: int) -> HttpResponse:
    """End one sign-in."""
    try:
        end_sign_in(principal=_principal(request), sign_in_id=sign_in_id)
    except AccessError as error:
        raise Http404(str(error)) from error
    messages.success(request, "That browser is signed out.")
    return redirect("account")


@login_required
@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    """End every sign-in but this one."""
    number = end_other_sign_ins(principal=_principal(request), session_key=request.session.session_key)
    messages.success(request, f"{number} other{'' if number == 1 else 's'} signed out.")
    return redirect("account")


@never_cache
@login_required
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Make a token; this answer alone shows its secret."""
    posted = {name: request.POST.get(name, "").strip() for name in ("name", "scope", "system", "days")}
    try:
        token, secret = create_token(
            principal=_principal(request),
            name=posted["name"],
            scope=posted["scope"],
            system=posted["system"],
            days=whole_number(posted["days"]),
        )
    except (Refused, AccessError) as error:
        return _page(request, token_problem=str(error), posted=posted)
    return _page(request, made={"token": token, "secret": secret})


@login_required
@require_POST
def end_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke a token."""

    def act() -> str:
        revoke_token(principal=_principal(request), token_id=token_id)
        return "The token acts for nobody any more."

    try:
        told(request, act)
    except AccessError as error:
        raise Http404(str(error)) from error
    return redirect("account")


def _page(request: HttpRequest, *, form: Any = None, **about: Any) -> HttpResponse:
    principal = _principal(request)
    is_wrong = bool((form and form.errors) or about.get("problem") or about.get("token_problem"))
    shown = {
        "tab": "account",
        "link_refusal": link_refusal(),
        "form": form or _password_form(request, is_empty=True),
        "sign_ins": list_sign_ins(principal=principal),
        "here": request.session.session_key,
        "tokens": [one for one in list_tokens(principal=principal) if one.state == "living"],
        "systems": list_names(principal=principal),
        "scopes": _SCOPES,
        "days": _TOKEN_DAYS,
        "posted": {"name": "", "scope": "read", "system": "", "days": "90"},
        **about,
    }
    return render(request, "people/account.html", shown, status=400 if is_wrong else 200)


def _password_form(request: HttpRequest, *, is_empty: bool = False) -> Any:
    """Who came by the printed link may have no password yet: then there is none to ask for."""
    user: Any = request.user  # `login_required` lets no stranger come here
    kind = PasswordChangeForm if user.has_usable_password() else SetPasswordForm
    form = kind(user, None if is_empty else request.POST)
    # In the words of the field's label.
    form.error_messages = {**form.error_messages, "password_incorrect": "This is not the present password."}
    return form


def _principal(request: HttpRequest) -> Principal:
    return Principal.of_account(request.user)

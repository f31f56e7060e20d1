"""One's own e-mail address, and a link by e-mail for who forgot their password.

As with invitations an address with a secret leads to one without, and the session knows what was opened. Programs that look at
links in mail change nothing: only the button does.
"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.access import Principal, Refused
from dashboard.people.system_views import gone, told, without_secret
from dashboard.services.addresses import ask_for_address, confirm_address, forget_address, opened_address
from dashboard.services.logins import address_of
from dashboard.services.mail import link_refusal
from dashboard.services.passwords import mail_reset_links

_KEPT = "address"
_GONE = "It was mistyped, used, or is older than a day. Ask for another one in your account."


@never_cache
@login_required
@require_POST
def set_address(request: HttpRequest) -> HttpResponse:
    """Send a link to a new address, or take the present one away."""
    principal = Principal.of_account(request.user)

    def act() -> str:
        if "forget" in request.POST:
            forget_address(principal=principal)
            return "Nothing is sent to you any more."
        address = request.POST.get("address", "").strip()
        ask_for_address(principal=principal, address=address)
        return f"A link is on its way to {address}: open it within a day."

    told(request, act)
    return redirect("account")


@never_cache
@require_GET
def open_address(request: HttpRequest, token: str) -> HttpResponse:
    """Look a link up and lead to the page that has no secret in its address."""
    asked = opened_address(token)
    if asked is None:
        return gone(request, _GONE)
    return without_secret(request, _KEPT, asked, "address")


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def address(request: HttpRequest) -> HttpResponse:
    """The address of a link that was opened, and a button that keeps it."""
    asked = request.session.get(_KEPT)
    if asked is None:
        return gone(request, _GONE)
    if request.method == "GET":
        return render(request, "people/address.html", {"address": asked[2]})
    try:
        kept = confirm_address(principal=Principal.of_account(request.user), asked=tuple(asked))
    except Refused as error:
        about = {"address": asked[2], "problem": str(error)}
        return render(request, "people/address.html", about, status=400)
    del request.session[_KEPT]
    messages.success(request, f"Messages for you go to {kept}.")
    return redirect("account")


@never_cache
@require_http_methods(["GET", "POST"])
def forgot(request: HttpRequest) -> HttpResponse:
    """Ask for a link for a new password. Whoever asks reads the same, whether there is such an account or not."""
    about = {"link_refusal": link_refusal(), "sent": False, "problem": ""}
    if request.method == "POST":
        try:
            mail_reset_links(words=request.POST.get("words", ""), address=address_of(request))
            about["sent"] = True
        except Refused as error:
            about["problem"] = str(error)
    return render(request, "people/forgot.html", about, status=400 if about["problem"] else 200)

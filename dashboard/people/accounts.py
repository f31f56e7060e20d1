"""All accounts, for superusers, and the one-time links by which people set a new password."""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.access import Forbidden, NotFound, Principal, Refused
from dashboard.selectors.accounts import list_accounts
from dashboard.services.passwords import note_new_password, reset_path
from dashboard.services.public_address import public_url, reach_warning


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def accounts(request: HttpRequest) -> HttpResponse:
    """The accounts; a button makes a link for one of them, and this answer alone shows it."""
    principal = Principal.of_account(request.user)
    about: dict[str, object] = {"tab": "accounts"}
    try:
        about["accounts"] = list_accounts(principal=principal)
        if request.method == "POST":
            name = request.POST.get("name", "")
            path = reset_path(principal=principal, username=name)
            address = public_url(path, opened_at=request.build_absolute_uri("/"))
            about["made"] = {"name": name, "address": address, "warning": reach_warning(address)}
    except Forbidden as error:
        raise PermissionDenied(str(error)) from error
    except NotFound as error:
        raise Http404(str(error)) from error
    except Refused as error:
        about["problem"] = str(error)
    return render(request, "people/accounts.html", about, status=400 if "problem" in about else 200)


class _NewPassword(PasswordResetConfirmView):
    """Django's page behind such a link: it takes the secret out of the address before it shows the form."""

    template_name = "people/reset.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: object) -> HttpResponse:
        """Set the password, sign every browser of the account out, and leave a trace."""
        answer: HttpResponse = super().form_valid(form)  # type: ignore[arg-type] # Django hands its own form
        # Also where this browser was signed in: its session ends with the others.
        logout(self.request)
        if self.user is not None:
            note_new_password(principal=Principal.of_account(self.user), session_key=None, how="by a link")
        messages.success(self.request, "The password is set. Sign in with it.")
        return answer


new_password = _NewPassword.as_view()

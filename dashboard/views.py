"""Django's own pages and the gate, through which every request to Dash passes."""

from http import HTTPStatus
from io import BytesIO

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_GET
from werkzeug.test import run_wsgi_app

from dashboard.access import Forbidden, NotFound, Principal, current_principal
from dashboard.bundles import serve_bundle
from dashboard.services.logins import redeem_login_token

# Library code and style sheets: the same for everybody, no login needed.
_PUBLIC = ("_dash-component-suites/", "assets/", "_favicon.ico")


@csrf_protect
def gate(request: HttpRequest, path: str = "") -> HttpResponse:
    """Answer a request to Dash as the signed-in user; refuse it before Dash sees it otherwise."""
    if path.startswith(_PUBLIC):
        return serve_bundle(request, lambda: _call_dash(request))
    user = request.user
    if not user.is_authenticated:
        if path.startswith("_"):
            return JsonResponse({"error": "sign in first"}, status=HTTPStatus.UNAUTHORIZED)
        return redirect_to_login(request.get_full_path())
    if not path.startswith("_"):
        get_token(request)
    principal = Principal(user_id=user.pk, name=user.get_username(), is_superuser=user.is_superuser)
    token = current_principal.set(principal)
    try:
        response = _call_dash(request)
    except NotFound as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.NOT_FOUND)
    except Forbidden as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.FORBIDDEN)
    finally:
        current_principal.reset(token)
    response["Cache-Control"] = "no-store"
    return response


def _call_dash(request: HttpRequest) -> HttpResponse:
    """Call Dash's WSGI application with Django's request and copy its answer. Raises `Http404`."""
    from dash.exceptions import DependencyException  # noqa: PLC0415 -- 1 s of imports that no command needs

    from dashboard.dash_app import dash_app  # noqa: PLC0415 -- likewise

    environ = {**request.META, "wsgi.input": BytesIO(request.body)}
    try:
        body, status, headers = run_wsgi_app(dash_app.server.wsgi_app, environ, buffered=True)
    except (DependencyException, FileNotFoundError) as error:
        raise Http404(f"there is no bundle at {request.path}") from error
    response = HttpResponse(b"".join(body), status=int(status.split(" ", 1)[0]))
    for name, value in headers.items():
        if name.lower() not in {"content-length", "connection"}:
            response[name] = value
    if response.get("Content-Type", "").startswith("text/html"):
        response._csp_update = {"script-src": sorted(set(dash_app.csp_hashes()))}  # type: ignore[attr-defined]  # noqa: SLF001 -- django-csp's documented hook
    return response


@require_GET
def login_by_token(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by the one-time link that `serve` printed."""
    user = redeem_login_token(token=token)
    if user is None:
        raise Http404("this login link was used already or is too old: start `serve` again for a new one")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    response = redirect(settings.LOGIN_REDIRECT_URL)
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_GET
def health(_request: HttpRequest) -> HttpResponse:
    """Say that the web server answers."""
    return HttpResponse("ok\n", content_type="text/plain")

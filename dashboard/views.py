"""Django's own pages and the gate, through which every request to Dash passes."""

import logging
import re
import sys
from html import unescape
from http import HTTPStatus
from io import BytesIO

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views import defaults
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_GET
from markdown import Markdown
from werkzeug.test import run_wsgi_app

from dashboard.access import NotFound, Principal, current_principal
from dashboard.bundles import compress_answer, serve_bundle
from dashboard.outages import RETRY_SECONDS, SILENT, remedy_of
from dashboard.pages.addresses import address, read_address
from dashboard.selectors.saved_views import find_view
from dashboard.selectors.search import DOCUMENTS, KINDS, documents, found_documents, word_anchor
from dashboard.services.logins import redeem_login_token

_log = logging.getLogger(__name__)

# Library code and style sheets: the same for everybody, no login needed.
_PUBLIC = ("_dash-component-suites/", "assets/")
# All that the explorer asks for besides pages. Dash would answer anything else with a page, or has it for developers.
_CALLBACKS = "_dash-update-component"
_CALLS = frozenset({"_dash-layout", "_dash-dependencies", _CALLBACKS})


# What the documents of `docs/` are written in.
_FIRST_CELL = re.compile(r"<tr>\n<td>([^<]*)</td>")
_LONGEST = 100  # letters of a search
_MARKDOWN = ("tables", "fenced_code", "toc", "sane_lists")


@csrf_protect
def gate(request: HttpRequest, path: str = "") -> HttpResponse:
    """Answer a request to Dash as the signed-in user; refuse it before Dash sees it otherwise."""
    if path.startswith(_PUBLIC):
        return serve_bundle(request, lambda: _call_dash(request))
    if path.startswith("_") and path not in _CALLS:
        raise Http404(f"there is nothing at {request.path}")
    if not request.user.is_authenticated:
        if path in _CALLS:
            return JsonResponse({"error": "sign in first"}, status=HTTPStatus.UNAUTHORIZED)
        return redirect_to_login(request.get_full_path())
    principal = Principal.of_account(request.user)
    token = current_principal.set(principal)
    try:
        if path in _CALLS:
            response = compress_answer(request, _call_dash(request))
        else:
            # The same document for every page but the list of systems; what it shows comes by calls.
            get_token(request)
            response = compress_answer(request, _call_dash(request))
            if response.status_code == HTTPStatus.OK and read_address(request.path) is None:
                response.status_code = HTTPStatus.NOT_FOUND
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        # What callbacks raise is shown on the page, so what comes through here is no call of its.
        if path != _CALLBACKS:
            raise
        _log.warning("a call that the explorer does not know: %.200r", error)
        response = JsonResponse({"error": "the explorer knows no such call"}, status=HTTPStatus.BAD_REQUEST)
    finally:
        current_principal.reset(token)
    response["Cache-Control"] = "no-store"
    return response


def _call_dash(request: HttpRequest) -> HttpResponse:
    """Call Dash's WSGI application with Django's request and copy its answer. Raises `Http404`."""
    from dash.exceptions import DependencyException  # noqa: PLC0415 -- 1 s of imports that no command needs

    from dashboard.dash_app import dash_app  # noqa: PLC0415 -- likewise

    # Asked by HEAD, Dash answers 200 without a body for whatever it does not know, too.
    method = "GET" if request.method == "HEAD" else request.method
    # As WSGI has it, each byte a character: Django keeps it decoded.
    path = request.path_info.encode().decode("latin-1")
    environ = {
        **request.META,
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "wsgi.input": BytesIO(request.body),
    }
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


@never_cache
@login_required
@require_GET
def open_saved_view(request: HttpRequest, view_id: int, _name: str = "") -> HttpResponse:
    """Lead from the permalink of a saved view to its page, as it is selected there; its name may have changed."""
    try:
        view = find_view(principal=Principal.of_account(request.user), view_id=view_id)
    except NotFound as error:
        raise Http404(str(error)) from error
    there = address(view.system.slug, view.section, view.key)
    return redirect(f"{there}?{view.query}" if view.query else there)


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
def document(request: HttpRequest, path: str = "") -> HttpResponse:
    """A document of `docs/`, behind every "?", by its path below it, with or without `.md`; images as they are."""
    name = (path or "index").rstrip("/")
    wanted = name if name.endswith((".md", ".png")) else f"{name}.md"
    # Looked up among those that there are: what somebody sent never becomes a path.
    found = next((one for one in DOCUMENTS.rglob("*.*") if str(one.relative_to(DOCUMENTS)) == wanted), None)
    if found is None:
        raise Http404(f"there is no document {path!r}")
    if found.suffix == ".png":
        return HttpResponse(found.read_bytes(), content_type="image/png")
    text = Markdown(extensions=[*_MARKDOWN])
    body = text.convert(found.read_text(encoding="utf-8"))
    if name.removesuffix(".md") == "reference/glossary":
        # Each word has an address of its own.
        body = _FIRST_CELL.sub(
            lambda cell: f'<tr id="{word_anchor(unescape(cell[1]))}">\n<td>{cell[1]}</td>', body
        )
    title = next((token["name"] for token in text.toc_tokens), "Documents")
    # The documents by kind beside it, or what was found of those asked for in its place.
    asked = request.GET.get("q", "").strip()[:_LONGEST]
    shown = {
        "title": title,
        "body": body,
        "here": name.removesuffix(".md"),
        "kinds": [(head, [one for one in documents() if one.kind == kind]) for kind, head in KINDS.items()],
        "asked": asked,
        "found": found_documents(asked, limit=20),
    }
    return render(request, "document.html", shown)


def tell_fault(request: HttpRequest) -> HttpResponse:
    """The page for what nobody caught: 503 where the disk is full or the database away, else 500."""
    if (remedy := remedy_of(sys.exc_info()[1])) is None:
        return defaults.server_error(request)
    # Without what asks the database who reads it.
    text = render_to_string("503.html", {"is_silent": remedy == SILENT})
    return HttpResponse(text, status=HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": RETRY_SECONDS})

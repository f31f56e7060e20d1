"""Reports as plain pages over stored numbers: never Dash, so a share link reaches no callback."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.access import AccessError, Principal, Refused
from dashboard.chart_library import SMALL_LIBRARY, is_drawn_small, whole_library
from dashboard.figures.numbers import table_texts
from dashboard.models import LinkVisit, Report, ShareLink
from dashboard.report_files import report_file, what_ifs_of
from dashboard.selectors.reports import get_report, get_shared_report, shown_in
from dashboard.services.logins import address_of
from dashboard.services.reports.freezing import section_csv
from dashboard.services.reports.share_links import is_password_of, living_share_link, note_visit
from dashboard.services.reports.texts import written_html

# In a session: the links whose password was given.
_OPENED = "opened_links"
_LARGE_FILE = 2_000_000  # bytes: what many mail servers and chats still take without a word
_GONE = "This link does not work: it was mistyped, revoked, or has expired. Ask its sender for a new one."


@require_GET
@cache_control(public=True, max_age=31536000, immutable=True)
def plotly_script(_request: HttpRequest) -> HttpResponse:
    """The whole chart library, for pages with figures that the small one does not draw."""
    return HttpResponse(whole_library(), content_type="text/javascript; charset=utf-8")


def _page(request: HttpRequest, report: Report) -> HttpResponse:
    """A report as a page, which says how large its file is."""
    context = _context(report)
    size = len(report_file(context).encode())
    words = f"{size / 1e6:.1f} MB" if size > 1e5 else f"{size / 1e3:.0f} kB"
    told = {"base": request.path, "file_size": words, "is_large": size > _LARGE_FILE}
    return render(request, "report.html", context | told)


def _file(_request: HttpRequest, report: Report) -> HttpResponse:
    """A report as one HTML file that needs no server."""
    response = HttpResponse(report_file(_context(report)))
    response["Content-Disposition"] = f'attachment; filename="{slugify(report.title) or "report"}.html"'
    return response


def _table(_request: HttpRequest, report: Report, section: int) -> HttpResponse:
    """One table of a report as CSV."""
    sections = shown_in(report).sections
    if not 0 <= section < len(sections):
        raise Http404(f"the report has {len(sections)} tables, none numbered {section}")
    response = HttpResponse(section_csv(sections[section]), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = (
        f'attachment; filename="{slugify(report.title) or "report"}-{section}.csv"'
    )
    return response


def _context(report: Report) -> dict[str, Any]:
    shown = shown_in(report)
    figures = [section.figure for section in shown.sections]
    return {
        "report": report,
        "shown": shown,
        "figures": figures,
        "what_ifs": what_ifs_of(shown.sections),
        "small_library": SMALL_LIBRARY if is_drawn_small(figures) else "",
        # Nothing but text, tables and links is left of what its author wrote.
        "sections": [
            (
                section,
                mark_safe(written_html(section.text)),  # noqa: S308
                table_texts(section.columns, section.rows),
            )
            for section in shown.sections
        ],
    }


def _ask_password(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """The form that stands before a report; once it is filled in, the session on the server remembers the link."""
    problem = ""
    if request.method == "POST":
        try:
            if is_password_of(link, request.POST.get("password", ""), address=address_of(request)):
                request.session[_OPENED] = [*request.session.get(_OPENED, ()), link.pk]
                return _closed(redirect(request.path))
            problem = "This is not its password."
        except Refused as error:
            problem = str(error)
    status = HTTPStatus.FORBIDDEN if problem else HTTPStatus.OK
    response = _closed(render(request, "share_password.html", {"problem": problem}, status=status))
    # Without any referrer browsers send a form as from nowhere, and the check against forged forms refuses it.
    response["Referrer-Policy"] = "strict-origin"
    return response


def _closed(response: HttpResponse) -> HttpResponse:
    """An answer that nobody keeps, and that leads nobody to its address."""
    response["Cache-Control"] = "private, no-store"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


def _views(
    show: Callable[..., HttpResponse], what: str
) -> tuple[Callable[..., HttpResponse], Callable[..., HttpResponse]]:
    """What `show` makes of a report as two views: for whoever holds a living link, and for members of its system."""

    def guarded(request: HttpRequest, report: Report, **part: int) -> HttpResponse:
        return _closed(show(request, report, **part))

    @sensitive_post_parameters("password")
    @require_http_methods(["GET", "POST"])
    def by_link(request: HttpRequest, token: str, **part: int) -> HttpResponse:
        link = living_share_link(token=token)
        if link is None:
            raise Http404(_GONE)
        if link.password and link.pk not in request.session.get(_OPENED, ()):
            return _ask_password(request, link)
        address, program = address_of(request), request.headers.get("User-Agent", "")
        note_visit(link, what=what, address=address, user_agent=program)
        return guarded(request, get_shared_report(report_id=link.report_id), **part)

    @require_GET
    @login_required
    def by_member(request: HttpRequest, report_id: int, **part: int) -> HttpResponse:
        try:
            report = get_report(principal=Principal.of_account(request.user), report_id=report_id)
        except AccessError as error:
            raise Http404(str(error)) from error
        return guarded(request, report, **part)

    return by_link, by_member


# As a page: tables and the file lie below its address.
shared, own = _views(
    _page,
    LinkVisit.What.PAGE,
)
shared_table, own_table = _views(_table, LinkVisit.What.TABLE)
shared_file, own_file = _views(_file, LinkVisit.What.FILE)

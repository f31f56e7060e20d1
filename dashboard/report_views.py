"""Reports as plain pages over stored numbers: never Dash, so a share link reaches no callback."""

from pathlib import Path

import plotly
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.text import slugify
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from dashboard.access import AccessError, Principal
from dashboard.selectors.reports import FrozenReport, get_report, get_shared_report
from dashboard.services.reports.freezing import section_csv
from dashboard.services.reports.share_links import open_share_link

_GONE = "This link does not work: it was mistyped, revoked, or has expired. Ask its sender for a new one."


@require_GET
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """A report for whoever holds a living link."""
    return _guarded(_page(request, _by_link(token), f"/r/{token}/"))


@require_GET
def shared_table(_request: HttpRequest, token: str, section: int) -> HttpResponse:
    """One table of a shared report as CSV."""
    return _guarded(_table(_by_link(token), section))


@require_GET
def shared_file(request: HttpRequest, token: str) -> HttpResponse:
    """A shared report as one HTML file that needs no server."""
    return _guarded(_file(request, _by_link(token)))


@require_GET
@login_required
def own(request: HttpRequest, report_id: int) -> HttpResponse:
    """A report for members of its system."""
    return _guarded(_page(request, _by_member(request, report_id), f"/reports/{report_id}/"))


@require_GET
@login_required
def own_table(request: HttpRequest, report_id: int, section: int) -> HttpResponse:
    """One table of a report as CSV."""
    return _guarded(_table(_by_member(request, report_id), section))


@require_GET
@login_required
def own_file(request: HttpRequest, report_id: int) -> HttpResponse:
    """A report as one HTML file that needs no server."""
    return _guarded(_file(request, _by_member(request, report_id)))


@require_GET
@cache_control(public=True, max_age=31536000, immutable=True)
def plotly_script(_request: HttpRequest) -> HttpResponse:
    """The chart library, from the installed package."""
    return HttpResponse(_plotly_js(), content_type="text/javascript; charset=utf-8")


def _by_link(token: str) -> FrozenReport:
    report_id = open_share_link(token=token)
    if report_id is None:
        raise Http404(_GONE)
    return get_shared_report(report_id=report_id)


def _by_member(request: HttpRequest, report_id: int) -> FrozenReport:
    principal = Principal.of_account(request.user)
    try:
        return get_report(principal=principal, report_id=report_id)
    except AccessError as error:
        raise Http404(str(error)) from error


def _page(request: HttpRequest, report: FrozenReport, base: str) -> HttpResponse:
    return render(request, "report.html", _context(report) | {"base": base})


def _file(request: HttpRequest, report: FrozenReport) -> HttpResponse:
    inlined = {name: _static(name) for name in ("report.css", "report.js")}
    context = _context(report) | {
        "css": inlined["report.css"],
        "script": inlined["report.js"],
        "plotly": _plotly_js() if report.shown.sections else "",
    }
    response = HttpResponse(render_to_string("report_file.html", context, request))
    response["Content-Disposition"] = f'attachment; filename="{slugify(report.title) or "report"}.html"'
    return response


def _table(report: FrozenReport, section: int) -> HttpResponse:
    sections = report.shown.sections
    if not 0 <= section < len(sections):
        raise Http404(f"the report has {len(sections)} tables, none numbered {section}")
    response = HttpResponse(section_csv(sections[section]), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = (
        f'attachment; filename="{slugify(report.title) or "report"}-{section}.csv"'
    )
    return response


def _context(report: FrozenReport) -> dict[str, object]:
    figures = [section.figure for section in report.shown.sections]
    return {"report": report, "figures": figures}


def _guarded(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "private, no-store"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


def _plotly_js() -> str:
    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def _static(name: str) -> str:
    return (Path(__file__).resolve().parent.parent / "static" / name).read_text(encoding="utf-8")

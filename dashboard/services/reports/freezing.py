"""Freezing a view as a report, and its forms for taking away."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.db import transaction

from dashboard import __version__
from dashboard.access import Access, Permission, Principal, Refused
from dashboard.models import Report
from dashboard.selectors.reports import FrozenView, ReportSection, get_report
from dashboard.services import audit
from dashboard.services.plain_lines import check_line

# What a cell begins with that a spreadsheet takes for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def store_report(*, access: Access, view: str, address: str, frozen: FrozenView, title: str = "") -> int:
    """Keep a frozen view; later data never changes it. Returns the report's id.

    Needs the role editor. Raises `Refused` for a title that is too long.
    """
    access.check(Permission.EDIT)
    system, principal = access.system, access.principal
    check_line(title, "the title")

    title = title.strip() or frozen.title
    limit = 200
    if len(title) > limit:
        raise Refused(f"the title has {len(title)} characters: shorten it to {limit}")
    with transaction.atomic():
        report = Report.objects.create(
            system=system,
            title=title,
            view=view,
            payload=replace(frozen, address=address).as_payload(),
            data_version=system.data_version,
            software_version=__version__,
            author_id=principal.user_id,
        )
        audit.record(principal, "freeze report", access.slug, report=report.pk)
    return report.pk


def delete_report(*, principal: Principal, report_id: int) -> None:
    """Remove a report with its links. Needs the role editor."""
    report = get_report(principal=principal, report_id=report_id, permission=Permission.EDIT)
    with transaction.atomic():
        audit.record(principal, "delete report", report.system.slug, report=report_id, title=report.title)
        report.delete()


def section_csv(section: ReportSection) -> str:
    """A stored section's numbers as CSV."""
    return csv_text(section.columns, section.rows)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV: comma, header, UTF-8, full precision.

    A text that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (columns, *rows):
        writer.writerow(
            [f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell for cell in row]
        )
    return out.getvalue()

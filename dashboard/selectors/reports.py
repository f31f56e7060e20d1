"""Reports and their links, to read."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import Report, ShareLink, System
from dashboard.selectors.frozen_views import FrozenView, read_payload


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One link of a report; its token is not known any more."""

    link_id: int
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    opened_count: int
    is_living: bool


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One report in a list."""

    report_id: int
    title: str
    view: str
    author: str
    created_at: datetime
    newer_data: bool
    links: tuple[LinkRow, ...]


@dataclass(frozen=True, slots=True)
class FrozenReport:
    """A report as it was frozen."""

    report_id: int
    system_name: str
    system_slug: str
    title: str
    view: str
    shown: FrozenView
    author: str
    created_at: datetime
    data_version: int
    software_version: str
    newer_data: bool


def list_reports(*, system: System) -> tuple[ReportRow, ...]:
    """All reports of a system, newest first. Two queries."""
    reports = Report.objects.filter(system=system).select_related("author").defer("payload")
    links: dict[int, list[LinkRow]] = {}
    for link in ShareLink.objects.filter(report__system=system).select_related("created_by"):
        links.setdefault(link.report_id, []).append(link_row(link))
    return tuple(
        ReportRow(
            report_id=report.pk,
            title=report.title,
            view=report.view,
            author=report.author.get_username() if report.author else "operator",
            created_at=report.created_at,
            newer_data=system.data_version > report.data_version,
            links=tuple(links.get(report.pk, ())),
        )
        for report in reports
    )


def link_row(link: ShareLink) -> LinkRow:
    """The row of a stored link as it is now."""
    return LinkRow(
        link_id=link.pk,
        created_by=link.created_by.get_username() if link.created_by else "operator",
        created_at=link.created_at,
        expires_at=link.expires_at,
        revoked_at=link.revoked_at,
        opened_count=link.opened_count,
        is_living=link.revoked_at is None and link.expires_at > timezone.now(),
    )


def get_report(*, principal: Principal, report_id: int) -> FrozenReport:
    """One report for a member of its system. Raises `NotFound`."""
    report = _load(report_id)
    access_to(principal, report.system.slug)
    return _frozen(report)


def get_shared_report(*, report_id: int) -> FrozenReport:
    """One report for whoever holds a living link: the caller has checked the link."""
    return _frozen(_load(report_id))


def _load(report_id: int) -> Report:
    report = Report.objects.select_related("system", "author").filter(pk=report_id).first()
    if report is None:
        raise NotFound("there is no such report")
    return report


def _frozen(report: Report) -> FrozenReport:
    return FrozenReport(
        report_id=report.pk,
        system_name=report.system.name,
        system_slug=report.system.slug,
        title=report.title,
        view=report.view,
        shown=read_payload(report.title, report.payload),
        author=report.author.get_username() if report.author else "operator",
        created_at=report.created_at,
        data_version=report.data_version,
        software_version=report.software_version,
        newer_data=report.system.data_version > report.data_version,
    )

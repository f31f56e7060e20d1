"""Reports: views that were frozen, with their numbers."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from dashboard.api.callers import caller, reading
from dashboard.api.rows import ApiRow, Id, Page, Paging, Slug
from dashboard.selectors.reports import get_report, list_reports, shown_in

router = Router(tags=["Reports"])


class ReportAnswer(ApiRow):
    """A report: of which view, and when it was frozen."""

    report_id: int = Field(validation_alias="pk")
    title: str
    view: str
    created_at: datetime
    software_version: str


class ReportSectionAnswer(ApiRow):
    """A part of a report: what it tells, and the numbers behind it; `figure` is what plotly draws.

    Or the author's own `text`, in Markdown, alone.
    """

    finding: str
    explanation: str
    columns: list[str]
    rows: list[list[str | float | int | None]]
    figure: dict[str, Any] | None
    text: str


class ReportDetailAnswer(ReportAnswer):
    """A report with the facts about its data, and its sections."""

    facts: list[tuple[str, str]]
    sections: list[ReportSectionAnswer]


@router.get("/systems/{system}/reports", response=Page[ReportAnswer], summary="Reports of a system")
def reports(request: HttpRequest, system: Slug, paging: Query[Paging]) -> Page[ReportAnswer]:
    """The newest first."""
    return paging.of(list_reports(system=reading(request, system).system), ReportAnswer)


@router.get("/reports/{report}", response=ReportDetailAnswer, summary="One report")
def report(request: HttpRequest, report: Id) -> ReportDetailAnswer:
    """What it showed when it was frozen: later data never change it."""
    found = get_report(principal=caller(request), report_id=report)
    shown = shown_in(found)
    about = ReportAnswer.model_validate(found).model_dump()
    sections = [ReportSectionAnswer.model_validate(one) for one in shown.sections]
    return ReportDetailAnswer.model_validate(
        {**about, "pk": found.pk, "facts": shown.facts, "sections": sections}
    )

"""Reports and their links, to read, and how a frozen view lies in the column `Report.payload`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Prefetch, Window
from django.db.models.functions import RowNumber
from pydantic import TypeAdapter

from analytics.influence.frozen import FrozenModel
from dashboard.access import NotFound, Permission, Principal, access_to
from dashboard.models import LinkVisit, Report, ShareLink, System

_ABSENT = "there is no such report"
SHOWN_VISITS = 20
Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class FrozenOption:
    """An option with its levels in words; it can be set where the model speaks of it."""

    name: str
    levels: tuple[str, ...]
    is_varied: bool


@dataclass(frozen=True, slots=True)
class FrozenWhatIf:
    """A model to try configurations with, by a script alone; configurations hold a level for each of `options`.

    `says` is a sentence with `{}` in the place of the number, which is shown in the first of `scales` (unit, factor) that fits.
    `order` and `layers` are those of `ValidConfigurations`, none where everything is valid.
    """

    says: str
    scales: tuple[tuple[str, float], ...]
    options: tuple[FrozenOption, ...]
    start: tuple[int, ...]
    model: FrozenModel
    order: tuple[int, ...] = ()
    layers: tuple[tuple[tuple[int, ...], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One part of a report: a finding, its figure, and the numbers behind it.

    `figure` is plotly's JSON form; `columns` are table heads with their units; `rows` hold numbers and texts. One that is its
    author's own `text`, in Markdown, has none of them. Below the figure stands its `what_if`.
    """

    finding: str
    explanation: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    figure: dict[str, Any] | None = None
    text: str = ""
    what_if: FrozenWhatIf | None = None


@dataclass(frozen=True, slots=True)
class FrozenView:
    """What a view showed: the facts about its data, its sections, and the query string of the live view."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[ReportSection, ...]
    address: str = ""

    def as_payload(self) -> dict[str, Any]:
        """The JSON to store; the title stands in a column of its own."""
        payload = asdict(self)
        del payload["title"]
        return payload


_FROZEN_VIEW = TypeAdapter(FrozenView)


def shown_in(report: Report) -> FrozenView:
    """The view that a report froze, as `FrozenView.as_payload` wrote it."""
    return _FROZEN_VIEW.validate_python({**report.payload, "title": report.title})


def list_reports(*, system: System) -> tuple[Report, ...]:
    """All reports of a system, newest first, with their authors and links. Two queries."""
    links = Prefetch("links", ShareLink.objects.select_related("created_by"))
    reports = Report.objects.filter(system=system).select_related("author").defer("payload")
    return tuple(reports.prefetch_related(links))


def last_visits(*, system: System) -> Mapping[int, Sequence[LinkVisit]]:
    """For each link (id) of a system's reports that was opened, its last visits, the newest first. One query."""
    place = Window(RowNumber(), partition_by="link_id", order_by="-id")
    rows = LinkVisit.objects.filter(link__report__system=system).annotate(place=place)
    found: dict[int, list[LinkVisit]] = {}
    for visit in rows.filter(place__lte=SHOWN_VISITS).order_by("-pk"):
        found.setdefault(visit.link_id, []).append(visit)
    return found


def get_report(*, principal: Principal, report_id: int, permission: Permission = Permission.VIEW) -> Report:
    """One report, with its system and author, for a member of its system. Raises `NotFound`, `Forbidden`."""
    report = get_shared_report(report_id=report_id)
    try:
        access_to(principal, report.system.slug, permission)
    except NotFound:
        # Whoever may not see the system learns neither its address nor that there is such a report.
        raise NotFound(_ABSENT) from None
    return report


def get_shared_report(*, report_id: int) -> Report:
    """One report for whoever holds a living link: the caller has checked the link. Raises `NotFound`."""
    report = Report.objects.select_related("system", "author").filter(pk=report_id).first()
    if report is None:
        raise NotFound(_ABSENT)
    return report

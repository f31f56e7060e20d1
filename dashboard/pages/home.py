"""The list of systems, and what to do where there is none."""

from datetime import UTC, datetime

from dash import html

from dashboard.access import acting
from dashboard.figures.numbers import count
from dashboard.pages.components import Piece, attributes, command, empty_state, page
from dashboard.pages.components_text import ago, listing, plural
from dashboard.pages.frame_addresses import Place, address
from dashboard.pages.frame_lens import Lens
from dashboard.selectors.systems import Measured, SystemRow, list_systems


def layout(_place: Place, _lens: Lens) -> html.Article:
    """The systems that the person may see."""
    systems = list_systems(principal=acting())
    if not systems:
        return page("No system yet", None, _nothing())
    now = datetime.now(UTC)
    rows: list[Piece] = [_row(system, now) for system in systems]
    runs = sum(system.measured.runs for system in systems)
    subtitle = f"{plural(runs, 'run')} of {listing([system.name for system in systems])}"
    return page(
        plural(len(systems), "system"),
        subtitle,
        html.Div(rows, className="system-list", **attributes(role="list")),
    )


def _row(system: SystemRow, now: datetime) -> html.Div:
    link = html.A(
        [
            html.Div(
                [
                    html.H2(system.name, className="system-name"),
                    html.P(_shape(system), className="system-shape"),
                ],
                className="system-what",
            ),
            html.Div(_figures(system.measured), className="system-figures"),
            html.Div(
                ago(system.measured.at, now), className="system-when", title=_moment(system.measured.at)
            ),
        ],
        href=address(system.slug),
        className="system-row",
        **attributes(data_row="true"),
    )
    return html.Div(link, role="listitem")


def _shape(system: SystemRow) -> str:
    parts = [plural(system.options, "option")]
    if system.regions:
        parts.append(plural(system.regions, "region"))
    if system.description:
        parts.insert(0, system.description.partition("\n")[0])
    return " · ".join(parts)


def _figures(measured: Measured) -> list[Piece]:
    numbers = (
        (measured.configurations, "configuration"),
        (measured.revisions, "revision"),
        (measured.runs, "run"),
    )
    shown: list[Piece] = [
        html.Span([html.Span(count(n), className="figure"), " ", word if n == 1 else f"{word}s"])
        for n, word in numbers
    ]
    if measured.failed:
        shown.append(html.Span(f"{count(measured.failed)} failed", className="warn"))
    return shown


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else ""


def _nothing() -> html.Div:
    return empty_state(
        "Bring a system in",
        "A system is a program with options, measured over configurations and revisions. Import a bundle of "
        "measurements, measure a program of your own, or start with the demo.",
        command("python manage.py import bundle PATH --system NAME"),
        command("python manage.py measure SUBJECT"),
        command("make demo"),
    )

"""The list of systems, and what to do where there is none."""

from datetime import UTC, datetime

from dash import MATCH, Input, Output, callback, html

from dashboard.access import Access, Principal, access_to, acting
from dashboard.figures.histories_words import revision_text
from dashboard.figures.influences_words import at_text
from dashboard.figures.numbers import GAP, count, estimate_text, number, percent, plural, scale_for
from dashboard.pages import ids
from dashboard.pages.addresses import address
from dashboard.pages.components.blocks import (
    DOCS,
    Piece,
    attributes,
    card,
    cards,
    command,
    import_link,
    link,
    page,
)
from dashboard.pages.components.text import ago
from dashboard.selectors.histories.history import latest_value
from dashboard.selectors.overview import ModelSummary, model_summary
from dashboard.selectors.releases import telling_of
from dashboard.selectors.systems import SystemRow, list_systems

_NOTHING = ("–", "")
_NO_MODEL = ("–", "no model")
# What was told last of a system's data of a version, by its key: the next list begins with it.
_told_last: dict[tuple[int, int], tuple[tuple[str, str], ...]] = {}
_MOST_KEPT = 1_000
_HEADS = ("System", "What it takes", "Model error", "Measured", "Last")


def layout(principal: Principal) -> html.Article:
    """The systems that the person may see; the models' numbers follow one by one."""
    systems = list_systems(principal=principal)
    if not systems:
        return page(
            "No system yet",
            "A system is a program with options, measured over configurations and revisions.",
            _ways_in(),
        )
    now = datetime.now(UTC)
    heads: list[Piece] = [html.Span(head) for head in _HEADS]
    head = html.Div(heads, className="system-row system-heads", **attributes(aria_hidden="true"))
    rows: list[Piece] = [_row(row, now) for row in systems]
    runs = sum(row.measured.runs for row in systems)
    return page(
        plural(len(systems), "system"),
        f"{plural(runs, 'run')} in all",
        html.Div([head, *rows], className="system-list", **attributes(role="list")),
        actions=[import_link()],
    )


def _ways_in() -> html.Div:
    """What to do where there is no system yet: the three ways to one."""
    ways = cards(
        card(
            "Measure a program of yours",
            html.P(
                "One of these, typed at the terminal of the machine that measures: it runs the program, reads its help and "
                "tries its options."
            ),
            command(".venv/bin/python manage.py init ../mine --command 'xz'"),
            command(".venv/bin/python manage.py init ../mine --package sqlparse"),
            command(".venv/bin/python manage.py init ../mine --git ADDRESS"),
            html.P("Then measure what it wrote:"),
            command(".venv/bin/python manage.py measure ../mine --configurations feature-wise"),
            more=link("How to", f"{DOCS}how-to/measure-your-own-program"),
            wide=True,
        ),
        card(
            "Import measurements",
            html.P(
                "A table of configurations and times (CSV), results of airspeed velocity, SPL Conqueror, trace events, a bundle, and more."
            ),
            import_link(),
            command(".venv/bin/python manage.py import --list"),
            more=link("How to", f"{DOCS}how-to/import-csv"),
        ),
        card(
            "Look around first",
            html.P("Three systems that were measured on real programs: stop the server, then"),
            command("make demo"),
            more=link("Ten minutes", f"{DOCS}tutorial/ten-minutes"),
        ),
    )
    return html.Div(ways, className="ways-in")


@callback(Output(ids.home_model(MATCH), "children"), Input(ids.home_model(MATCH), "id"))
def show_model(wanted: dict[str, str]) -> list[html.Div]:
    """What a system takes and its model's error, for its row; the next list has them at once."""
    access = access_to(acting(), wanted["slug"])
    with telling_of(access.system):
        told = _told(access)
    _told_last[access.system.pk, access.system.data_version] = told
    while len(_told_last) > _MOST_KEPT:
        _told_last.pop(next(iter(_told_last)), None)
    return [_cell(*one) for one in told]


def _told(access: Access) -> tuple[tuple[str, str], ...]:
    """Value and note of the two cells; without a model the latest value of its history."""
    system = access.system
    summary = model_summary(system)
    if summary is not None:
        return _takes(summary), _error(summary)
    found = latest_value(system=system)
    if found is None:
        return _NOTHING, _NO_MODEL
    latest, unit = found[0], found[1].unit
    value = number(latest.median, unit=unit)
    what = found[1].label if found[1].kind == "benchmark" else "measured"
    return (value, _noted(f"{what} at {revision_text(latest.revision)}", unit)), _NO_MODEL


def _row(row: SystemRow, now: datetime) -> html.Div:
    system, measured = row.system, row.measured
    told = _told_last.get((system.pk, system.data_version))
    parts = [system.description.partition("\n")[0].rstrip(".")] if system.description else []
    alone = measured.configurations == 1 and row.options > 0
    if row.options or not row.histories:
        parts.append(plural(row.options, "option") + (", not varied" if alone else ""))
    if row.regions:
        parts.append(f"{plural(row.regions, 'region')} over all revisions")
    varied = plural(measured.configurations, "configuration")
    if row.histories:
        varied = plural(row.histories, "history", "histories")
    shape = f"{varied}, {plural(measured.revisions, 'revision')}"
    runs: list[Piece] = ["values, no single runs" if row.histories else plural(measured.runs, "run")]
    if measured.failed:
        runs += [", ", html.Span(f"{count(measured.failed)} failed", className="warn")]
    row_link = html.A(
        [
            html.Div(
                [
                    html.H2(system.name, className="system-name"),
                    html.P(" · ".join(parts), className="system-note"),
                ]
            ),
            html.Div(
                [_cell(*one) for one in told or [(html.Div(className="skeleton-line"), "")] * 2],
                id=ids.home_model(system.slug),
                className="system-model",
            ),
            _cell(shape, html.Span(runs)),
            html.Div(
                ago(measured.at, now),
                className="system-when",
                title=f"{measured.at:%Y-%m-%d %H:%M} UTC" if measured.at else "",
            ),
        ],
        href=address(system.slug),
        className="system-row",
        **attributes(data_row="true"),
    )
    return html.Div(row_link, role="listitem")


def _cell(value: Piece, note: Piece) -> html.Div:
    return html.Div([html.Div(value, className="numeral"), html.Div(note, className="system-note")])


def _error(summary: ModelSummary) -> tuple[str, str]:
    """The mean error of the model, and over how many configurations that is; the corrected one, where there is one."""
    accuracy = summary.report.accuracy
    if not accuracy.quality.checked:
        return "–", "not checked"
    note = f"mean of {plural(accuracy.quality.checked, 'configuration')}"
    if accuracy.mape_corrected_mean is not None:
        note += f"; {percent(accuracy.mape_corrected_mean)} corrected"
    return percent(accuracy.quality.error), note


def _takes(summary: ModelSummary) -> tuple[str, str]:
    unit = summary.model.unit
    told = estimate_text(summary.influences.base_time, unit)
    values, default = summary.measured.values, summary.default_measured
    if not len(values):
        return told, _noted(f"{at_text(summary.influences.base)}, the model says", unit)
    low, high = float(values.min()), float(values.max())
    scale = scale_for([high], unit)
    if default is None:
        note = f"over {plural(len(values), 'configuration')}"
    else:
        note = f"{number(default, unit=unit, scale=scale)} by default"
    between = number(high, unit=unit, scale=scale)
    if len(values) > 1:
        between = f"{number(low, unit=unit, scale=scale).partition(GAP)[0]} – {between}"
    return between, _noted(f"{note} at {revision_text(summary.model.revision)}", unit)


def _noted(note: str, unit: str) -> str:
    """A note below a value, which says so where nobody told the value's unit."""
    return note if unit else f"{note}, unknown unit"

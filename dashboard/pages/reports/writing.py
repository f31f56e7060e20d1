"""Writing a report of several views: a title and a text, and beside it what would be published now."""

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html
from dash.exceptions import PreventUpdate

from dashboard.access import Access, Refused, role_refusal
from dashboard.pages.addresses import REPORTS, VIEWS, address
from dashboard.pages.components.blocks import Content, action, card, code, empty_state, help_tip, link, page
from dashboard.pages.components.text import sentence
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.reports import ReportSection
from dashboard.selectors.saved_views import list_views
from dashboard.services.reports.texts import LONGEST_TEXT, compose, publish, written_html

# Ids. The first two stand also in `static/dash/writing.js`.
_TITLE = "report-title"
_TEXT = "report-text"
_PREVIEW = "report-preview"
_FAULTS = "report-faults"
_PUBLISH = "report-publish"
_ASKED = "report-asked"
_SAID = "report-said"
_EXAMPLE = "# What changed\n\nThe model errs by {{ error }}.\n\n{{ view:Slow terms }}\n"
_NAMES = (
    ("{{ view:NAME }}", "alone on a line: the figure and the numbers of a saved view"),
    ("{{ influence A*B }}", "what a term adds"),
    ("{{ prediction A*B }}", "the time of a configuration; of the default without one"),
    ("{{ region KEY }}", "the time of a region"),
    ("{{ error }}", "the error of the model"),
    ("{{ level 2.6.0 }}", "the level of a history; the newest without a revision"),
    ("{{ change 2.6.0 }}", "a change at a revision; the last without one"),
    ("{{ error @ NAME }}", "any of them, for what a saved view selects"),
)


def layout(access: Access) -> html.Article:
    """The form, and the preview beside it."""
    return page(
        "Write a report of several views",
        "Its figures and numbers are those of the moment when it is published; later measurements do not change them.",
        html.Div([html.Div([_form(access), _help(access)]), html.Div(id=_PREVIEW)], className="writing"),
        actions=[
            help_tip(
                "Markdown, in which views and numbers are named. What cannot be put in is told at its line.",
                "how-to/write-a-report",
            ),
            action("All reports", href=address(access.slug, REPORTS), quiet=True),
        ],
    )


def _form(access: Access) -> html.Section:
    """The form; what stands in it is kept as long as the browser's tab is open."""
    kept = {"persistence": f"{access.principal.user_id}:{access.slug}", "persistence_type": "session"}
    return card(
        "Text",
        dmc.TextInput(id=_TITLE, label="Title", debounce=400, inputProps={"maxLength": 200}, **kept),
        dmc.Textarea(
            id=_TEXT,
            label="Text in Markdown",
            placeholder=_EXAMPLE,
            autosize=True,
            minRows=14,
            maxRows=30,
            debounce=400,
            mt="sm",
            inputProps={"maxLength": LONGEST_TEXT},
            **kept,
        ),
        html.Div(id=_FAULTS, role="status"),
        html.Div(
            action("Publish", id_=_PUBLISH, refusal=role_refusal(access)),
            className="links",
        ),
        dcc.Store(id=_ASKED),
        html.Div(id=_SAID, role="status"),
    )


def _help(access: Access) -> html.Section:
    views = [html.Li(code(f"{{{{ view:{one.name} }}}}")) for one in list_views(access=access)]
    return card(
        "What can be put in",
        html.Dl(
            [html.Div([html.Dt(code(name)), html.Dd(said)]) for name, said in _NAMES], className="bindings"
        ),
        html.H3("Saved views", className="card-title"),
        html.Ul(views, className="visit-list")
        if views
        else html.P(
            [
                "None yet: save one on its page, then it is among the ",
                link("views", address(access.slug, VIEWS)),
                ".",
            ]
        ),
    )


@system_callback(
    Output(_PREVIEW, "children"), Output(_FAULTS, "children"), Input(_TITLE, "value"), Input(_TEXT, "value")
)
def preview(access: Access, title: str | None, text: str | None) -> tuple[Content, Content]:
    """The report as it would be published now, and what stands against that."""
    if not (text or "").strip():
        return empty_state(
            "Nothing written yet", "What you write is shown here as it would be published."
        ), None
    try:
        shown, problems = compose(access=access, title=title or "", text=text or "")
    except Refused as error:
        return None, html.P(sentence(error), className="field-error")
    parts: list[Any] = [html.H2(shown.title or "Without a title", className="card-title")]
    parts += [_part(section) for section in shown.sections]
    faults = [html.Li(f"Line {one.line}: {one.said}.", className="field-error") for one in problems]
    return html.Section(parts, className="card preview"), html.Ul(
        faults, className="visit-list"
    ) if faults else None


def _part(section: ReportSection) -> Any:
    """A part of the preview: text, or a finding with its figure."""
    if section.text:
        # As the report itself draws it. Blank lines would end a block of HTML; a line's end can be written as a sign.
        written = written_html(section.text).replace("\n\n", "\n&#10;")
        return dcc.Markdown(written, dangerously_allow_html=True, link_target="_blank")
    figure = None
    if section.figure:
        drawn = dcc.Graph(
            figure=go.Figure(section.figure), config={"displayModeBar": False, "responsive": True}
        )
        figure = html.Div(drawn, role="img", title=section.finding, className="preview-paper")
    return html.Div(
        [
            html.H3(section.finding, className="figure-finding"),
            html.P(section.explanation, className="quiet"),
            figure,
        ]
    )


@system_callback(
    Output(_SAID, "children"),
    Input(_ASKED, "data"),
    prevent_initial_call=True,
)
def publish_now(access: Access, asked: Mapping[str, Any] | None) -> Content:
    """Publish what stands there; what is wrong with it stands below the button."""
    if not asked:
        raise PreventUpdate
    try:
        report_id = publish(access=access, title=str(asked["title"]), text=str(asked["text"]))
    except Refused as error:
        return html.P(sentence(error), className="field-error")
    shown = link("Open it", f"/reports/{report_id}/", target="_blank")
    return html.P(
        [
            "Published. ",
            shown,
            ". Links to it are made on the page ",
            link("Reports", address(access.slug, REPORTS)),
            ".",
        ]
    )


clientside_callback(
    ClientsideFunction("writing", "asked"),
    Output(_ASKED, "data"),
    Input(_PUBLISH, "n_clicks"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("writing", "said"),
    Output(_SAID, "children", allow_duplicate=True),
    Input(_TEXT, "value"),
    State(_ASKED, "data"),
    prevent_initial_call=True,
)

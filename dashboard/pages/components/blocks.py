"""What pages are built of: a page, cards, figures with a table twin, and states without data.

Looks live in `static/css`; what they do without a callback (table twin, keyboard, links) in `static/dash`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlencode

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.figures.theme import blank
from dashboard.pages.components.saving import figure_menu
from dashboard.pages.components.static import FigureTable
from dashboard.pages.ids import FigureIds

Piece: TypeAlias = Component | str | int | float | None
Content: TypeAlias = Piece | Sequence[Piece]

DOCS = "/docs/"
# Letters of a value that always fits beside its name.
_SHORT = 18
# Made once: nobody changes it.
_BLANK = blank()
_GRAPH: Any = {"displayModeBar": False, "responsive": True, "doubleClick": "reset", "showTips": False}


def attributes(**named: str) -> Any:
    """Attributes whose names hold hyphens: `attributes(aria_label="Close", data_twin="card")`."""
    return {name.replace("_", "-"): value for name, value in named.items()}


def page(
    sentence: Content, subtitle: Content = None, *content: Piece, actions: Sequence[Component] = ()
) -> html.Article:
    """A page: what it found as a sentence, what that stands on as subtitle, then its content.

    Give an `html.Span(id=...)` as sentence where a callback fills it in.
    """
    below = None if subtitle is None else html.P(subtitle, className="page-subtitle")
    text = html.Div([html.H1(sentence, className="page-sentence"), below], className="page-head-text")
    beside = html.Div(list(actions), className="page-actions") if actions else None
    return html.Article([html.Header([text, beside], className="page-head"), *content], className="page")


def figure_card(
    parts: FigureIds,
    *,
    help_: Component | None = None,
    controls: Sequence[Component] = (),
    height: int = 360,
    rows: bool = False,
    scrolls: bool = False,
    titled: bool = True,
) -> html.Section:
    """A figure with its finding as title, its axes as subtitle, and its numbers as a table behind the key `t`.

    Callbacks fill `parts.finding`, `.axes`, `.table` (children) and `.graph` (figure); the graph's own height rules when
    the figure's layout sets one. Until the first answer a skeleton stands in its place. With `rows` callbacks also fill
    `parts.rows`, which lie over the figure (`influences.parts.figure_rows`). One that `scrolls` can be reached by
    keyboard. Who hears the page is told the finding and the axes of the picture; the numbers are in the table. A menu saves
    picture and numbers. Where it is not `titled`, the page's own title says the finding: the picture is saved with it all the same.
    """
    graph = dcc.Graph(
        id=parts.graph,
        figure=_BLANK,
        config=_GRAPH,
        style={"minHeight": f"{height}px"},
        className="figure-graph",
    )
    twin = html.Button(
        "Table",
        type="button",
        className="quiet-button twin-button",
        title="Show the numbers as a table (t)",
        **attributes(aria_pressed="false", data_twin="toggle"),
    )
    titles: list[Piece] = [
        html.H2(id=parts.finding, className=f"figure-finding{'' if titled else ' visually-hidden'}"),
        html.P(id=parts.axes, className="figure-axes"),
    ]
    tools: list[Piece] = [*controls, help_, twin, figure_menu()]
    told = attributes(aria_labelledby=parts.finding, aria_describedby=parts.axes)
    picture = html.Div(graph, role="img", **told)
    over = html.Div(id=parts.rows, className="figure-rows") if rows else None
    by_keyboard: Any = {"tabIndex": 0, "role": "group", **told} if scrolls else {}
    head = [html.Div(titles, className="figure-titles"), html.Div(tools, className="figure-tools")]
    return html.Section(
        [
            html.Div(head, className="figure-head"),
            html.Div(
                [picture, over], className="figure-body", style={"minHeight": f"{height}px"}, **by_keyboard
            ),
            FigureTable(parts.table),
        ],
        id=parts.card,
        className="card figure-card chooses" if rows else "card figure-card",
        **attributes(data_twin="card", aria_labelledby=parts.finding),
    )


def card(
    title: Content, *content: Piece, more: Component | None = None, wide: bool = False, look: str = "card"
) -> html.Section:
    """A small card with a quiet title and, at its right, a link to where there is more; `look` is its class."""
    head = html.Div([html.H2(title, className="card-title"), more], className="card-head")
    return html.Section([head, *content], className=f"{look} card-wide" if wide else look)


def import_link(system: str = "") -> html.A:
    """The way to the import page, into the system called `system` where that is given."""
    return html.A(
        "Import data",
        href=f"/import/?{urlencode({'system': system})}" if system else "/import/",
        className="button button-quiet",
    )


def cards(*content: Piece) -> html.Div:
    """Cards side by side as far as the screen is wide."""
    return html.Div(list(content), className="cards")


def facts(rows: Sequence[tuple[Content, Content]]) -> html.Dl:
    """Names and values, one pair a line; short values stay on one line."""
    pairs = [
        html.Div(
            [html.Dt(name), html.Dd(value, className="numeral" if len(str(value)) <= _SHORT else "")],
            className="fact",
        )
        for name, value in rows
    ]
    return html.Dl(pairs, className="facts")


def link(text: Content, href: str, *, quiet: bool = False, **others: Any) -> html.A:
    """A link inside the explorer or to the docs; inside, the page changes without a reload."""
    return html.A(text, href=href, className="quiet-link" if quiet else "link", **others)


def action(
    text: str,
    *,
    href: str | None = None,
    id_: str | dict[str, Any] = "",
    quiet: bool = False,
    look: str = "button",
    refusal: str = "",
    title: str = "",
    disabled: bool = False,
) -> Component:
    """A link where it leads somewhere, a button where it does something; a `refusal` disables it and says why."""
    name = f"{look} button-quiet" if quiet else look
    if href is not None:
        return html.A(text, href=href, className=name)
    return html.Button(
        text,
        id=id_,
        type="button",
        className=name,
        title=refusal or title,
        disabled=disabled or bool(refusal),
    )


def lens_button(
    text: Content,
    change: Mapping[str, str | None],
    *,
    look: str = "choice",
    pressed: bool | None = None,
    name: str = "",
    title: str = "",
    disabled: bool = False,
    data: Mapping[str, str] | None = None,
) -> html.Button:
    """A button that changes the lens; in `change` None removes a selection. `static/dash/explorer.js` does it.

    `pressed` tells whether the lens holds the change now, `name` stands for the text to those who hear the page, `data`
    are further attributes.
    """
    more = {"data_lens": json.dumps(change), **(data or {})}
    if pressed is not None:
        more["aria_pressed"] = str(pressed).lower()
    if name:
        more["aria_label"] = name
    return html.Button(
        text, type="button", className=look, title=title, disabled=disabled, **attributes(**more)
    )


def neighbour_buttons(
    revisions: Sequence[str], now: str, texts: tuple[str, str], *, titled: bool = False
) -> tuple[html.Button, html.Button]:
    """Buttons to the revision before and after `now`, as `[` and `]` do; `titled` names it to the mouse."""
    at = revisions.index(now) if now in revisions else 0

    def step(to: int, text: str, word: str) -> html.Button:
        exists = 0 <= to < len(revisions)
        return lens_button(
            text,
            {"revision": revisions[to] if exists else now},
            look="quiet-button",
            name=f"{word} revision",
            title=revisions[to] if titled and exists else "",
            disabled=not exists,
            data={"data_step": word},
        )

    return step(at - 1, texts[0], "previous"), step(at + 1, texts[1], "next")


def help_tip(text: str, docs: str = "") -> html.Details:
    """A "?" that opens two sentences and a link to a page of the docs (`docs` as in "explanation/influence-models")."""
    reference: list[Piece] = (
        [" ", html.A("Read more", href=f"{DOCS}{docs}", className="link")] if docs else []
    )
    button = html.Summary("?", className="help-button", **attributes(aria_label="What is this?"))
    panel = html.Div(html.P([text, *reference], className="help-text"), className="menu-panel menu-panel-end")
    return html.Details([button, panel], className="menu", **attributes(data_menu="true"))


def labelled(label: str, *content: Piece) -> html.Div:
    """A control, or several, behind their label."""
    return html.Div([html.Span(label, className="control-label"), *content], className="control")


def chip(text: Content, *, title: str = "") -> html.Span:
    """A small label: a state, an option, a count."""
    return html.Span(text, className="chip", title=title)


def code(text: str) -> html.Code:
    """A name of the program's own: an option, a region, a command."""
    return html.Code(text, className="code")


def command(text: str) -> html.Pre:
    """A command to type, with a button that copies it."""
    copy = dcc.Clipboard(content=text, className="copy", title="Copy")
    return html.Pre([html.Code(text), copy], className="command")


def progress_bar(title: str, part: float) -> html.Progress:
    """How much of the job called `title` is done."""
    return html.Progress(value=str(part), max="1", **attributes(aria_label=f"Progress of {title}"))


def failure_list(rows: Sequence[Sequence[Piece]]) -> html.Div:
    """What failed or was left out, one below the other: each with its name, the reason and more of it."""
    return html.Div([html.Div(list(row), className="failure") for row in rows], className="failure-list")


def skeleton(lines: int = 3) -> html.Div:
    """What stands where something is being loaded: grey lines."""
    content = [html.Div(className="skeleton-line") for _ in range(lines)]
    return html.Div(content, className="skeleton", **attributes(aria_busy="true", aria_label="Loading"))


def empty_state(
    title: Content, text: Content = None, *content: Piece, act: Component | None = None
) -> html.Div:
    """What stands where there is nothing yet: what would be here and how it comes here."""
    return _state("empty", title, text, *content, act)


def failed_state(
    title: Content, text: Content = None, *, act: Component | None = None, whole: bool = False
) -> html.Div:
    """What stands where something went wrong: what, and what to do; never a traceback. `whole`: for a whole page."""
    return html.Div(_state("failed", title, text, act, whole=whole), role="alert")


def _state(kind: str, title: Content, text: Content, *content: Piece, whole: bool = False) -> html.Div:
    below = None if text is None else html.P(text, className="state-text")
    head = (html.H1 if whole else html.H2)(title, className="state-title")
    return html.Div([head, below, *content], className=f"state state-{kind}")

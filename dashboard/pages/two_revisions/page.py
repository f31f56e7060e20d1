"""The page that compares two revisions: what differs beyond its noise, the most relevant first, and what does not."""

from collections.abc import Mapping
from typing import Any, get_args

import dash_mantine_components as dmc
from dash import Input, Output, State, dcc, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.numbers import count, plural
from dashboard.figures.two_revisions_words import TOLD, sentence, subtitle
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, TWO_REVISIONS, address
from dashboard.pages.components.blocks import (
    Content,
    Piece,
    action,
    card,
    empty_state,
    failed_state,
    help_tip,
    lens_button,
    page,
    skeleton,
)
from dashboard.pages.components.call_trees import filled, tree_card, tree_outputs, unsampled
from dashboard.pages.components.revisions import revision_line
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import browser_callback, lens_callback, system_callback
from dashboard.pages.two_revisions import ids as own
from dashboard.pages.two_revisions import sources as two_sources  # noqa: F401 -- its callback is registered with it
from dashboard.pages.two_revisions.choosing import filters, picker, revision_choices, steps
from dashboard.pages.two_revisions.table import differences_csv, differences_table
from dashboard.selectors.call_trees import NoCallPaths, revisions_tree
from dashboard.selectors.history_list.stored import is_suite
from dashboard.selectors.two_revisions.choosing import chosen_pair
from dashboard.selectors.two_revisions.compared import compare_revisions
from dashboard.selectors.two_revisions.histories import difference_histories
from dashboard.selectors.two_revisions.rows import ComparedRevisions, RevisionDifference, Told

_SHOWN = 25
_HELP = (
    "A difference is that of the medians at both revisions, as points of histories are. Its noise is what repetitions scatter; "
    "of benchmarks also what neighbouring revisions differ by. Those come first that differ most at least, by their intervals."
)


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The page for one system; callbacks fill it from the lens."""
    try:
        pair = chosen_pair(system=access.system, before=lens.since, after=lens.revision)
    except NotFound:
        measure = action("Measure revisions", href=address(access.slug, MEASURE))
        text = "Here two revisions stand side by side, once something was measured at both."
        return page(
            "Compare two revisions", None, empty_state("Two measured revisions are needed", text, act=measure)
        )
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        html.Div(
            [
                html.Div([picker(access, own.BEFORE, "Before", pair[0]), html.Div(id=own.BEFORE_SAID)]),
                html.Div(id=own.STEPS, className="two-steps"),
                html.Div([picker(access, own.AFTER, "After", pair[1]), html.Div(id=own.AFTER_SAID)]),
            ],
            className="card two-pair",
        ),
        html.Div(id=own.MESSAGE),
        html.Div(
            [
                html.Div(id=own.TOLD, className="choices two-told"),
                html.Div(filters(lens), className="controls"),
                card("Series", html.Div(skeleton(8), id=own.ROWS), wide=True),
                dmc.Pagination(id=own.PAGES, total=1, value=1, className="suite-pages", hideWithOnePage=True),
                html.Div(id=own.SOURCES, className="two-sources"),
                dcc.Download(id=own.EXPORTED),
                # A suite's benchmarks were not sampled, and the library that draws takes a second to come.
                None if is_suite(access.system) else tree_card(own.TREE),
            ],
            id=own.BODY,
        ),
        actions=[help_tip(_HELP, "how-to/compare-two-revisions")],
    )


@lens_callback(Input(own.TEXT, "value"), Input(own.KIND, "value"))
def filter_rows(lens: Lens, text: str | None, kind: str | None) -> Lens:
    """Keep what the list is filtered by; it begins on its first page."""
    changed = lens.setting(find=(text or "").strip(), kind=kind or "")
    return lens if changed == lens else changed.setting(page="")


@lens_callback(Input(own.PAGES, "value"))
def turn_page(lens: Lens, number: int) -> Lens:
    """Keep the page of the list."""
    return lens.setting(page=str(number) if number > 1 else "")


@system_callback(
    output={
        "page": (
            Output(own.SENTENCE, "children"),
            Output(own.SUBTITLE, "children"),
            Output(own.MESSAGE, "children"),
            Output(own.BODY, "hidden"),
        ),
        "pair": (
            Output(own.BEFORE, "value"),
            Output(own.AFTER, "value"),
            Output(own.BEFORE_SAID, "children"),
            Output(own.AFTER_SAID, "children"),
            Output(own.STEPS, "children"),
        ),
        "choices": (Output(own.BEFORE, "data"), Output(own.AFTER, "data")),
        "list": (
            Output(own.TOLD, "children"),
            Output(own.ROWS, "children"),
            Output(own.COUNT, "children"),
            Output(own.PAGES, "total"),
            Output(own.PAGES, "value"),
        ),
    },
    inputs={"lens": Input(ids.LENS, "data")},
)
def show(access: Access, *, lens: Lens) -> dict[str, Any]:
    """Everything on the page; both revisions are compared once."""
    system = access.system
    try:
        before, after = chosen_pair(system=system, before=lens.since, after=lens.revision)
        found = compare_revisions(system=system, before=before, after=after)
    except NotFound as error:
        act = action("Compare the last two", href=address(access.slug, TWO_REVISIONS))
        problem = failed_state("No such revision", f"{str(error)[:1].upper()}{str(error)[1:]}.", act=act)
        unchanged = {"pair": (no_update,) * 5, "choices": (no_update,) * 2, "list": (no_update,) * 5}
        return {"page": ("Compare two revisions", None, problem, True), **unchanged}
    names = (found.before.name, found.after.name)
    choices = revision_choices(access, keep=names)
    return {
        "page": (sentence(found), subtitle(found), None, False),
        "pair": (
            *names,
            revision_line(found.before, system.host_link),
            revision_line(found.after, system.host_link),
            steps(names),
        ),
        "choices": (choices, choices),
        "list": _listed(access, found, lens),
    }


def _wanted(found: ComparedRevisions, lens: Lens) -> tuple[Told, tuple[RevisionDifference, ...]]:
    """What of all series the address asks for: those that differ, or, where none does, those within their noise."""
    asked = lens.settings.get("told", "")
    told: Told = next((one for one in get_args(Told) if one == asked), "differs")
    if not asked and not found.counts.get(told):
        told = next((one for one in TOLD if found.counts.get(one)), told)
    given = lens.settings
    return told, found.shown(told=told, kind=given.get("kind", ""), text=given.get("find", ""))


def _listed(access: Access, found: ComparedRevisions, lens: Lens) -> tuple[Content, Content, str, int, int]:
    told, rows = _wanted(found, lens)
    buttons: list[Piece] = [
        lens_button(
            f"{count(found.counts[one])} {words}",
            {"told": one, "page": None},
            pressed=one == told,
        )
        for one, words in TOLD.items()
        if found.counts.get(one)
    ]
    pages = max(-(-len(rows) // _SHOWN), 1)
    number = min(max(lens.whole("page") or 1, 1), pages)
    start = (number - 1) * _SHOWN
    shown = rows[start : start + _SHOWN]
    words = plural(len(rows), "series", "series")
    if len(rows) > len(shown):
        words = f"{count(start + 1)} to {count(start + len(shown))} of {words}"
    if not rows:
        return buttons, html.P("No series fits what is chosen.", className="quiet"), "", 1, 1
    histories = difference_histories(system=access.system, compared=found, rows=shown)
    return buttons, differences_table(found, shown, histories, access.slug), words, pages, number


@system_callback(
    *tree_outputs(own.TREE),
    Input(ids.LENS, "data"),
    Input(own.TREE.find, "value"),
    Input(ids.SCHEME, "data"),
)
def show_tree(access: Access, lens: Lens, words: str | None, scheme: str | None) -> tuple[Any, ...]:
    """The flame graph of the difference of one configuration between both revisions."""
    try:
        before, after = chosen_pair(system=access.system, before=lens.since, after=lens.revision)
        tree = revisions_tree(system=access.system, before=before, after=after)
    except NoCallPaths as error:
        return unsampled(error, access.slug, lens, scheme=scheme)
    except NotFound:
        return None, True, *[no_update] * 4
    return filled(tree, access.slug, lens, sides=(before, after), words=words or "", scheme=scheme)


browser_callback("openFrame", Input(own.TREE.figure.graph, "clickData"))


@system_callback(
    Output(own.EXPORTED, "data"),
    Input(own.EXPORT, "n_clicks"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def download(access: Access, _clicks: int | None, lens: Lens) -> Mapping[str, Any]:
    """All rows that the address asks for, not only those of this page, as a file."""
    before, after = chosen_pair(system=access.system, before=lens.since, after=lens.revision)
    found = compare_revisions(system=access.system, before=before, after=after)
    told, rows = _wanted(found, lens)
    name = f"{access.slug}-{found.before.name[:12]}-{found.after.name[:12]}-{told}.csv"
    return {"content": differences_csv(rows), "filename": name, "type": "text/csv"}

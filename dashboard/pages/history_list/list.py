"""All histories of a system, a suite of benchmarks or any other: found by words, filtered, sorted, page by page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast, get_args

import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, ctx, html, no_update

from dashboard.access import Access
from dashboard.figures.histories_words import FILTERED
from dashboard.figures.numbers import count, plural
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import Content, attributes, card, help_tip, link, page, skeleton
from dashboard.pages.components.inputs import filter_select, filter_text, select
from dashboard.pages.components.triage import triage_tools
from dashboard.pages.history_list.findings import filtered_content, findings_content, states_filter
from dashboard.pages.history_list.parts import histories_table, history_address
from dashboard.pages.history_list.words import filtered_texts
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.fitted import list_fitted
from dashboard.selectors.history_list.rows import HistoryQuery, ListedEnvironment, Sorting
from dashboard.selectors.history_list.stored import (
    EVERYTHING,
    environments_of,
    is_suite,
    list_benchmarks,
    siblings,
)
from dashboard.selectors.triage import STATES

# Ids.
TEXT = "suite-text"
ENVIRONMENT = "suite-environment"
SORT = "suite-sort"
WORSE = "suite-worse"
PAGES = "suite-pages"
ROWS = "suite-rows"
FINDINGS = "suite-findings"
FINDING_PAGES = "suite-finding-pages"
FILTERED_BOX = "suite-filtered"
FILTERED_SUMMARY = "suite-filtered-summary"
FILTERED_ROWS = "suite-filtered-rows"
STATES_SHOWN = "suite-finding-states"
COUNT = "suite-count"
_SORTS = {
    "largest": "Largest change",
    "newest": "Newest change",
    "last": "Size of the last change",
    "latest": "Latest value",
    "gap": "Least certain",
    "name": "Name",
}
_VERSION_DIGITS = 8
_HELP = (
    "Least certain is half of the widest 95 % band at any revision, as a share of the value there; of a term, as a share "
    "of what the default configuration takes. Changes of a term are told in such shares, too."
)


def layout(access: Access, lens: Lens) -> html.Article:
    """The list of the system at this address."""
    of_suite = is_suite(access.system)
    query = query_of(lens, _first(of_suite=of_suite))
    environments = environments_of(access.system)
    histories = sum(one.histories for one in environments)
    return page(
        f"{plural(histories, 'history', 'histories')} of benchmarks" if of_suite else "All histories",
        "Each is one benchmark with its parameters, in one environment and one version"
        if of_suite
        else "Of configurations, terms and regions, each by one metric; the least certain gain most by measuring",
        html.Div(_controls(query, environments), className="controls"),
        card(
            "Findings",
            html.Div(id=STATES_SHOWN),
            triage_tools(),
            html.Div(skeleton(4), id=FINDINGS),
            dmc.Pagination(
                id=FINDING_PAGES,
                total=1,
                value=query.findings_page,
                className="suite-pages",
                size="sm",
                hideWithOnePage=True,
            ),
            *map(_filtered, FILTERED),
            wide=True,
        ),
        card("Histories", html.Div(skeleton(8), id=ROWS), wide=True),
        dmc.Pagination(id=PAGES, total=1, value=query.page, className="suite-pages", hideWithOnePage=True),
        actions=[help_tip(_HELP, "explanation/trust#changes")],
    )


def _filtered(why: str) -> html.Details:
    """What is not told for a reason: it may be many lines, so it comes when it is opened."""
    waiting = html.P("Loading …", className="quiet")
    content = [html.Summary(id=_id(FILTERED_SUMMARY, why)), html.Div(waiting, id=_id(FILTERED_ROWS, why))]
    return html.Details(content, id=_id(FILTERED_BOX, why), className="more", hidden=True)


def _id(part: str, why: Any) -> dict[str, Any]:
    return {"type": part, "why": why}


def list_address(slug: str) -> str:
    """Where the list of a system that is no suite stands; that of a suite stands where its histories begin."""
    return address(slug, HISTORIES, EVERYTHING)


def _first(*, of_suite: bool) -> Sorting:
    """How the list is sorted at first."""
    return "largest" if of_suite else "gap"


def _controls(query: HistoryQuery, environments: Sequence[ListedEnvironment]) -> list[Any]:
    """What filters and sorts the list."""
    return [
        filter_text(
            TEXT,
            query.text,
            placeholder="Words of the name or its parameters",
            name="Find histories by words",
            width=300,
        ),
        filter_select(
            ENVIRONMENT,
            [(str(one.environment_id), one.name) for one in environments],
            str(query.environment_id) if query.environment_id else None,
            placeholder="All environments",
            name="Environment",
            width=340,
            searchable=False,
            display=None if len(environments) > 1 else "none",
        ),
        select(
            SORT, tuple(_SORTS.items()), query.sort, size="xs", w=200, **attributes(aria_label="Sorted by")
        ),
        dmc.Checkbox(id=WORSE, checked=query.only_worse, label="Last change for the worse", size="xs"),
        html.Span(id=COUNT, className="control-count", **attributes(aria_live="polite")),
    ]


def query_of(lens: Lens, first: Sorting = "largest") -> HistoryQuery:
    """What the address asks for; what makes no sense there is passed over. `first` sorts where it says nothing."""
    given = lens.settings
    sort = given.get("sort", "")
    environment = given.get("environment_id", "")

    def number(name: str) -> int:
        text = given.get(name, "")
        return max(int(text), 1) if text.isdecimal() and len(text) < 7 else 1

    return HistoryQuery(
        text=given.get("find", ""),
        environment_id=int(environment) if environment.isdecimal() and len(environment) < 10 else 0,
        only_worse=given.get("worse") == "1",
        sort=cast("Sorting", sort) if sort in get_args(Sorting) else first,
        page=number("page"),
        findings_page=number("findings_page"),
        state=state if (state := given.get("state", "")) in {"all", *STATES} else "",
    )


def head_of(access: Access, series_id: int) -> html.Div:
    """Above one history: the way back to the list, and the same benchmark elsewhere."""
    others = siblings(access.system, series_id)
    parts: list[Any] = [link("All histories", address(access.slug, HISTORIES))]
    for row in others:
        version = f", version {row.version[:_VERSION_DIGITS]}" if row.version else ""
        words = f"{row.environment}{version} ({plural(row.measured, 'revision')})"
        parts.append(link(words, history_address(access.slug, row.series_id), quiet=True))
    if others:
        parts.insert(1, html.Span("The same benchmark elsewhere, never on one line:", className="quiet"))
    return html.Div(parts, className="suite-siblings")


@system_callback(
    Output(ids.LENS, "data", allow_duplicate=True),
    inputs={
        "find": Input(TEXT, "value"),
        "environment_id": Input(ENVIRONMENT, "value"),
        "sort": Input(SORT, "value"),
        "worse": Input(WORSE, "checked"),
        "page": Input(PAGES, "value"),
        "findings_page": Input(FINDING_PAGES, "value"),
        "lens": State(ids.LENS, "data"),
    },
    prevent_initial_call=True,
)
def choose(access: Access, lens: Lens, **asked: Any) -> Any:
    """Keep what is asked for in the address; another question begins on its first page."""
    first = _first(of_suite=is_suite(access.system))
    # Turning the pages of one list leaves the other where it is.
    turned = ctx.triggered_id in {PAGES, FINDING_PAGES}
    numbers = {name: asked[name] if turned else 1 for name in ("page", "findings_page")}
    changed = lens.setting(
        find=(asked["find"] or "").strip(),
        environment_id=asked["environment_id"] or "",
        sort="" if asked["sort"] == first else asked["sort"],
        worse="1" if asked["worse"] else "",
        **{name: str(number) if number > 1 else "" for name, number in numbers.items()},
    )
    return no_update if query_of(changed, first) == query_of(lens, first) else changed.data()


@system_callback(
    Output(ROWS, "children"),
    Output(COUNT, "children"),
    Output(PAGES, "total"),
    Output(PAGES, "value"),
    Input(ids.LENS, "data"),
)
def show(access: Access, lens: Lens) -> tuple[Content, Content, int, int]:
    """The page of the list that the address asks for."""
    of_suite = is_suite(access.system)
    query = query_of(lens, _first(of_suite=of_suite))
    listed = list_benchmarks if of_suite else list_fitted
    rows, total, left_out = listed(access.system, query)
    pages = max(-(-total // query.size), 1)
    if query.page > pages:
        query = replace(query, page=pages)
        rows, total, left_out = listed(access.system, query)
    words = plural(total, "history", "histories")
    if not total and (query.environment_id or query.only_worse):
        words = "No history fits what is chosen."
    elif not total:
        words = "No history has all these words." if query.text else "There is no history yet."
    elif total > query.size:
        first = (query.page - 1) * query.size + 1
        words = f"{count(first)} to {count(first + len(rows) - 1)} of {words}"
    if left_out:
        words += f"; {count(left_out)} more are found by words of their configurations"
    table = histories_table(rows, access.slug, "Histories") if rows else None
    return table, words, pages, query.page


@system_callback(
    Output(FINDINGS, "children"),
    Output(FINDING_PAGES, "total"),
    Output(FINDING_PAGES, "value"),
    Output(STATES_SHOWN, "children"),
    Output(_id(FILTERED_SUMMARY, ALL), "children"),
    Output(_id(FILTERED_BOX, ALL), "hidden"),
    Input(ids.LENS, "data"),
    Input(ids.TRIAGE_VERSION, "data"),
)
def show_findings(
    access: Access, lens: Lens, _version: str | None = None
) -> tuple[Content, int, int, Content, list[str], list[bool]]:
    """The page of findings that the address asks for, and how much was filtered."""
    query = query_of(lens)
    found = found_changes(access.system, query)
    pages = max(-(-found.total // query.size), 1)
    if query.findings_page > pages:
        query = replace(query, findings_page=pages)
        found = found_changes(access.system, query)
    texts = filtered_texts(found)
    told = findings_content(found, access)
    hidden = [not text for text in texts]
    return told, pages, query.findings_page, states_filter(found, query), texts, hidden


@system_callback(
    Output(_id(FILTERED_ROWS, ALL), "children"),
    Input(_id(FILTERED_SUMMARY, ALL), "n_clicks"),
    Input(ids.LENS, "data"),
    Input(ids.TRIAGE_VERSION, "data"),
    prevent_initial_call=True,
)
def show_filtered(
    access: Access, clicks: Sequence[int | None], lens: Lens, _version: str | None = None
) -> list[Any]:
    """What was filtered for each reason that somebody has opened."""
    if not any(clicks):
        return [no_update] * len(clicks)
    content = filtered_content(found_changes(access.system, query_of(lens)), access)
    return [content.get(why) if clicked else no_update for why, clicked in zip(FILTERED, clicks, strict=True)]

"""The page of all regions: where time goes at the base, and where options change it."""

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, clientside_callback, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.influences_words import at_text, intervals_text, region_text, term_text
from dashboard.figures.numbers import count
from dashboard.figures.regions_hotspots import (
    hotspots_figure,
    hotspots_finding,
    option_hotspots_figure,
    option_hotspots_finding,
)
from dashboard.pages import ids
from dashboard.pages.addresses import ANALYSIS, REGIONS, address
from dashboard.pages.components import (
    Piece,
    action,
    attributes,
    empty_state,
    figure_card,
    help_tip,
    page,
)
from dashboard.pages.components.text import plural
from dashboard.pages.influences.controls import choice
from dashboard.pages.influences.parts import (
    RowLink,
    figure_rows,
    made_of,
    no_model,
    no_regions,
    no_such_selection,
    selection,
    with_rows,
)
from dashboard.pages.lens import Lens
from dashboard.pages.regions import ids as page_ids
from dashboard.pages.regions import region
from dashboard.pages.regions.tables import MOST_ROWS, hotspots_table, regions_table
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.model_loading import NoRegions
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.performance_models import NoInfluenceModel
from dashboard.selectors.regions import regions
from dashboard.selectors.regions.rows import HOTSPOTS, OPTION_HOTSPOTS, RegionList, RegionRow, filtered
from dashboard.selectors.whitebox.analyses import white_box_detail

_HELP = (
    "Hotspots take most of the time of one configuration. Option hotspots are where an option changes the time: "
    "often other functions, and the ones to look at when an option is too expensive."
)


def layout(access: Access, key: str, lens: Lens) -> html.Article:
    """The list of regions, or the region that the address names."""
    if key:
        return region.layout(access, key, lens)
    try:
        found = regions(system=access.system, selection=Selection())
    except (NoInfluenceModel, NoRegions) as error:
        return _without_times(access, error)
    figure = figure_card(page_ids.HOTSPOTS, height=300, help_=help_tip(_HELP, "explanation/influence-models"))
    table = html.Section(html.Div(id=page_ids.LIST), className="card regions-list")
    body = html.Div(
        [_controls(found, lens), with_rows(figure, page_ids.HOTSPOTS_ROWS), table], id=page_ids.BODY
    )
    return page(
        html.Span(id=page_ids.SENTENCE),
        html.Span(made_of(found.model), id=page_ids.SUBTITLE),
        html.Div(id=page_ids.MESSAGE),
        body,
    )


def _without_times(access: Access, error: NotFound) -> html.Article:
    """What stands where no time of regions is known: what an analysis found, or how times come here."""
    found = white_box_detail(system=access.system)
    if found is not None and found.regions:
        many = plural(len(found.regions), "region")
        text = "Which options reach them is known. What they cost comes with measuring what was traced."
        act = action("See what was found", href=address(access.slug, ANALYSIS))
        return page(f"{many} analyzed, not measured yet", None, empty_state("No times yet", text, act=act))
    if isinstance(error, NoRegions):
        return no_regions("Regions", error)
    return no_model("Regions", access)


def _controls(found: RegionList, lens: Lens) -> html.Div:
    """What chooses the regions; the callback fills in the rest."""
    options = sorted({option for row in found.regions for option in row.options})
    return html.Div(
        [
            html.Div(id=page_ids.KINDS, className="control"),
            dmc.Select(
                id=page_ids.OPTION,
                data=options,
                value=lens.settings.get("option"),
                placeholder="Changed by any option",
                clearable=True,
                searchable=True,
                size="xs",
                w=240,
                **attributes(aria_label="Option that changes the region"),
            ),
            _reached(found, lens),
            dmc.TextInput(
                id=page_ids.SEARCH,
                value=lens.settings.get("search", ""),
                placeholder="Filter by name",
                debounce=250,
                size="xs",
                w=200,
                **attributes(aria_label="Filter regions by name"),
            ),
            html.Span(id=page_ids.COUNT, className="control-count", **attributes(aria_live="polite")),
        ],
        className="controls",
    )


def _reached(found: RegionList, lens: Lens) -> dmc.Select:
    """The option that must reach a region; hidden where no analysis tells of any."""
    reached = sorted({option for row in found.regions for option in row.reached})
    return dmc.Select(
        id=page_ids.REACHED,
        data=reached,
        value=lens.settings.get("reached"),
        placeholder="Reached by any option",
        clearable=True,
        searchable=True,
        size="xs",
        w=220,
        display="block" if reached else "none",
        **attributes(aria_label="Option that reaches the region"),
    )


@system_callback(
    Output(page_ids.MESSAGE, "children"),
    Output(page_ids.BODY, "hidden"),
    Output(page_ids.SENTENCE, "children"),
    Output(page_ids.SUBTITLE, "children"),
    Output(page_ids.KINDS, "children"),
    Output(page_ids.COUNT, "children"),
    *page_ids.HOTSPOTS.outputs,
    Output(page_ids.HOTSPOTS_ROWS, "children"),
    Output(page_ids.LIST, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
)
def show_regions(access: Access, lens: Lens, scheme: str | None) -> tuple[Any, ...]:
    """The regions that the lens selects."""
    try:
        found = regions(system=access.system, selection=selection(lens))
    except NotFound as error:
        return no_such_selection(error), True, "Regions", *[no_update] * 9
    kind = lens.settings.get("kind", HOTSPOTS)
    shown = filtered(
        found.regions,
        kind=kind,
        option=lens.settings.get("option", ""),
        text=lens.settings.get("search", ""),
        reached=lens.settings.get("reached", ""),
    )
    if kind == OPTION_HOTSPOTS:
        figure, finding = (
            option_hotspots_figure(found, shown, scheme=scheme),
            option_hotspots_finding(found, shown),
        )
        largest = [row.largest.influence for row in shown if row.largest is not None]
        axes = f"the largest influence in each region{intervals_text(largest)}"
    else:
        figure, finding = hotspots_figure(found, shown, scheme=scheme), hotspots_finding(found, shown)
        axes = f"self time of each region {at_text(found.base)}"
    return (
        None,
        False,
        _sentence(found),
        made_of(found.model),
        _kinds(kind),
        _count(found, shown),
        finding,
        axes,
        figure,
        hotspots_table(found, shown),
        figure_rows(figure, _links(shown, kind, lens, access.slug)),
        regions_table(found, shown),
    )


clientside_callback(
    ClientsideFunction("explorer", "open"),
    Input(page_ids.HOTSPOTS.graph, "clickData"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("explorer", "openRegion"),
    Input(page_ids.GRID, "selectedRows"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("explorer", "search"), Input(page_ids.SEARCH, "value"), prevent_initial_call=True
)
clientside_callback(
    ClientsideFunction("explorer", "option"), Input(page_ids.OPTION, "value"), prevent_initial_call=True
)
clientside_callback(
    ClientsideFunction("explorer", "reached"), Input(page_ids.REACHED, "value"), prevent_initial_call=True
)


def _sentence(found: RegionList) -> str:
    changed = sum(row.change > 0 for row in found.measured)
    return (
        f"Options change the time of {count(changed)} of "
        f"{plural(len(found.measured), 'region')} of {found.model.system_name}"
    )


def _kinds(kind: str) -> html.Div:
    return html.Div(
        [
            choice("Hotspots", {"kind": None}, pressed=kind != OPTION_HOTSPOTS),
            choice("Option hotspots", {"kind": OPTION_HOTSPOTS}, pressed=kind == OPTION_HOTSPOTS),
        ],
        className="choices",
    )


def _count(found: RegionList, shown: tuple[RegionRow, ...]) -> str:
    listed = sum(not row.is_program for row in shown)
    text = f"{count(listed)} of {plural(len(found.measured), 'region')}"
    return text if len(shown) <= MOST_ROWS else f"{text}, the first {MOST_ROWS} listed"


def _links(shown: tuple[RegionRow, ...], kind: str, lens: Lens, slug: str) -> dict[str, RowLink]:
    def name(row: RegionRow) -> Piece:
        if kind != OPTION_HOTSPOTS or row.largest is None:
            return region_text(row.name)
        return f"{region_text(row.name)}: {term_text(row.largest)}"

    return {
        row.key: RowLink(name(row), address(slug, REGIONS, row.key, lens.but(region=row.key)))
        for row in shown[:20]
    }

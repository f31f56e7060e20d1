"""The page of all regions: where time goes at the base, and where options change it."""

from dataclasses import replace
from typing import Any

from dash import Input, Output, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.influences_words import at_text, intervals_text, region_text, system_text, term_text
from dashboard.figures.numbers import count, plural
from dashboard.figures.regions_hotspots import (
    hotspots_figure,
    hotspots_finding,
    option_hotspots_figure,
    option_hotspots_finding,
)
from dashboard.pages import ids
from dashboard.pages.addresses import ANALYSIS, REGIONS, address
from dashboard.pages.components.blocks import (
    Piece,
    action,
    attributes,
    empty_state,
    figure_card,
    help_tip,
    lens_button,
    page,
)
from dashboard.pages.components.call_trees import filled, tree_card, tree_outputs, unsampled
from dashboard.pages.components.inputs import filter_select, filter_text
from dashboard.pages.influences.parts import (
    RowLink,
    figure_rows,
    made_of,
    no_model,
    no_regions,
    no_such_selection,
    uncounted_note,
)
from dashboard.pages.lens import Lens
from dashboard.pages.regions import ids as page_ids
from dashboard.pages.regions import region
from dashboard.pages.regions.tables import MOST_ROWS, hotspots_table, regions_table
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.call_trees import NoCallPaths, sampled_tree
from dashboard.selectors.model_loading import NoRegions
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.performance_models import NoInfluenceModel
from dashboard.selectors.regions.measured import regions
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
        # No time of regions is known: what an analysis found, or how times come here.
        analysis = white_box_detail(system=access.system)
        if analysis is not None and analysis.regions:
            many = plural(len(analysis.regions), "region")
            text = "Which options reach them is known. What they cost comes with measuring what was traced."
            act = action("See what was found", href=address(access.slug, ANALYSIS))
            return page(
                f"{many} analyzed, not measured yet", None, empty_state("No times yet", text, act=act)
            )
        return no_regions("Regions", error) if isinstance(error, NoRegions) else no_model("Regions", access)
    help_ = help_tip(_HELP, "explanation/trust#influences")
    body = [
        _controls(found, lens),
        figure_card(page_ids.HOTSPOTS, height=300, help_=help_, rows=True),
        tree_card(page_ids.TREE),
        html.Section(html.Div(id=page_ids.LIST), className="card regions-list"),
    ]
    return page(
        html.Span(id=page_ids.SENTENCE),
        html.Span(made_of(found.model), id=page_ids.SUBTITLE),
        html.Div(id=page_ids.MESSAGE),
        html.Div(body, id=page_ids.BODY),
    )


def _controls(found: RegionList, lens: Lens) -> html.Div:
    """What chooses the regions; the callback fills in the rest."""
    changing = sorted({option for row in found.regions for option in row.options})
    reaching = sorted({option for row in found.regions for option in row.reached})
    return html.Div(
        [
            html.Div(id=page_ids.KINDS, className="control"),
            filter_select(
                page_ids.OPTION,
                changing,
                lens.settings.get("option"),
                placeholder="Changed by any option",
                name="Option that changes the region",
                width=240,
            ),
            filter_select(
                page_ids.REACHED,
                reaching,
                lens.settings.get("reached"),
                placeholder="Reached by any option",
                name="Option that reaches the region",
                width=220,
                # Without an analysis no option is known to reach any.
                display="block" if reaching else "none",
            ),
            filter_text(
                page_ids.SEARCH,
                lens.settings.get("search", ""),
                placeholder="Filter by name",
                name="Filter regions by name",
                width=200,
            ),
            html.Span(id=page_ids.COUNT, className="control-count", **attributes(aria_live="polite")),
        ],
        className="controls",
    )


@system_callback(
    Output(page_ids.MESSAGE, "children"),
    Output(page_ids.BODY, "hidden"),
    Output(page_ids.SENTENCE, "children"),
    Output(page_ids.SUBTITLE, "children"),
    Output(page_ids.KINDS, "children"),
    Output(page_ids.COUNT, "children"),
    *page_ids.HOTSPOTS.outputs_with_rows,
    Output(page_ids.LIST, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
)
def show_regions(access: Access, lens: Lens, scheme: str | None) -> tuple[Any, ...]:
    """The regions that the lens selects."""
    try:
        found = regions(system=access.system, selection=lens)
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
    changed = sum(row.change > 0 for row in found.measured)
    measured = plural(len(found.measured), "region")
    listed = f"{count(sum(not row.is_program for row in shown))} of {measured}"
    kinds = [
        lens_button("Hotspots", {"kind": None}, pressed=kind != OPTION_HOTSPOTS),
        lens_button("Option hotspots", {"kind": OPTION_HOTSPOTS}, pressed=kind == OPTION_HOTSPOTS),
    ]
    return (
        uncounted_note(access, found.model),
        False,
        f"Options change the time of {count(changed)} of {plural(len(found.measured), 'measured region')} of {system_text(found.model, lens.revision)}",
        made_of(found.model),
        html.Div(kinds, className="choices"),
        f"{listed}, the first {MOST_ROWS} listed" if len(shown) > MOST_ROWS else listed,
        *_hotspots(found, shown, access.slug, lens, scheme),
        regions_table(found, shown),
    )


def _hotspots(
    found: RegionList, shown: tuple[RegionRow, ...], slug: str, lens: Lens, scheme: str | None
) -> tuple[Any, ...]:
    """The figure of the regions that take most time, or of those that options change most, for its outputs."""
    names: dict[str, Piece] = {row.key: region_text(row.name) for row in shown[:20]}
    if lens.settings.get("kind") == OPTION_HOTSPOTS:
        figure = option_hotspots_figure(found, shown, scheme=scheme)
        finding = option_hotspots_finding(found, shown)
        largest = {row.key: row.largest for row in shown if row.largest is not None}
        axes = f"the largest influence in each region{intervals_text(t.influence for t in largest.values())}"
        names = {
            key: f"{name}: {term_text(largest[key])}" if key in largest else name
            for key, name in names.items()
        }
    else:
        figure, finding = hotspots_figure(found, shown, scheme=scheme), hotspots_finding(found, shown)
        intervals = intervals_text(row.taken for row in shown if row.taken is not None)
        axes = f"self time of each region {at_text(found.base)}{intervals}"
    links = {
        key: RowLink(name, address(slug, REGIONS, key, lens.but(region=key))) for key, name in names.items()
    }
    return finding, axes, figure, hotspots_table(found, shown), figure_rows(figure, links)


@system_callback(
    *tree_outputs(page_ids.TREE),
    Input(ids.LENS, "data"),
    Input(page_ids.TREE.find, "value"),
    Input(ids.SCHEME, "data"),
)
def show_tree(access: Access, lens: Lens, words: str | None, scheme: str | None) -> tuple[Any, ...]:
    """The flame graph of the base."""
    try:
        tree = sampled_tree(system=access.system, selection=replace(lens, compared=""))
    except NoCallPaths as error:
        return unsampled(error, access.slug, lens, change="base", scheme=scheme)
    except NotFound:
        # The page says so.
        return None, True, *[no_update] * 4
    return filled(tree, access.slug, lens, sides=(), words=words or "", scheme=scheme)


browser_callback("openFrame", Input(page_ids.TREE.figure.graph, "clickData"))
browser_callback("open", Input(page_ids.HOTSPOTS.graph, "clickData"))
browser_callback("openRegion", Input(page_ids.GRID, "selectedRows"))
browser_callback("search", Input(page_ids.SEARCH, "value"))
browser_callback("option", Input(page_ids.OPTION, "value"))
browser_callback("reached", Input(page_ids.REACHED, "value"))

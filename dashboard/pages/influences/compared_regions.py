"""Where two compared configurations differ in the code: regions by their difference, and the flame graph of it."""

from typing import Any

from dash import Input, Output, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.influences import interval_text
from dashboard.figures.influences_words import configuration_text, region_text
from dashboard.figures.numbers import number, scale_for
from dashboard.figures.region_differences import (
    MOST,
    differences_axes,
    differences_figure,
    differences_finding,
    differing,
    why_text,
)
from dashboard.pages import ids
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components.blocks import Piece, figure_card, help_tip
from dashboard.pages.components.call_trees import filled, tree_card, tree_outputs, unsampled
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences.parts import RowLink, figure_rows
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.call_trees import NoCallPaths, sampled_tree
from dashboard.selectors.model_loading import NoRegions
from dashboard.selectors.regions.measured import regions
from dashboard.selectors.regions.rows import RegionList

_MOST_ROWS = 60
_HELP = (
    "A bar is by how much longer or shorter a region takes in the compared configuration, itself, by its repetitions in both; "
    "its whisker is the 95 % interval. Beside its name stands the term that changes it most."
)


def compared_regions() -> html.Div:
    """The cards, hidden until two configurations are compared."""
    differing_card = figure_card(
        page_ids.DIFFERING, height=120, help_=help_tip(_HELP, "explanation/call-paths"), rows=True
    )
    cards = [differing_card, tree_card(page_ids.TREE)]
    return html.Div(cards, id=page_ids.COMPARED_REGIONS, hidden=True, className="stacked")


@system_callback(
    Output(page_ids.COMPARED_REGIONS, "hidden"),
    Output(page_ids.DIFFERING.card, "hidden"),
    *page_ids.DIFFERING.outputs_with_rows,
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
)
def show_regions(access: Access, lens: Lens, scheme: str | None) -> tuple[Any, ...]:
    """The regions that differ most; hidden where nothing is compared, or where regions were not measured."""
    unchanged = [no_update] * 5
    if not lens.compared:
        return True, True, *unchanged
    try:
        found = regions(system=access.system, selection=lens)
    except NoRegions:
        return False, True, *unchanged
    except NotFound:
        # The page says so.
        return True, True, *unchanged
    if found.target is None or not differing(found):
        return False, True, *unchanged
    figure = differences_figure(found, scheme=scheme)
    links = {
        row.key: RowLink(
            " · ".join(filter(None, (region_text(row.name), why_text(row)))),
            address(access.slug, REGIONS, row.key, lens.but(region=row.key)),
        )
        for row, _ in differing(found)[:MOST]
    }
    finding, axes = differences_finding(found), differences_axes(found, found.target)
    return False, False, finding, axes, figure, _table(found), figure_rows(figure, links)


def _table(found: RegionList) -> list[Piece]:
    """All regions that differ, with both times."""
    rows = differing(found)
    scale = scale_for([one.value for _, one in rows], found.model.unit)
    columns = (
        Column("name", "region", kind="code", of=lambda one: region_text(one[0].name)),
        Column(
            "between",
            "difference",
            kind="number",
            of=lambda one: number(one[1].value, one[1].margin, scale=scale, signed=True),
        ),
        Column("interval", "interval", of=lambda one: interval_text(one[1], found.model, scale)),
        Column("base", "base", kind="number", of=lambda one: number(one[0].time, scale=scale)),
        Column("target", "compared", kind="number", of=lambda one: number(one[0].target_time, scale=scale)),
        Column("why", "explained", of=lambda one: why_text(one[0])),
    )
    table = plain_table(columns, rows[:_MOST_ROWS], label="Regions that differ")
    return [table, not_shown(len(rows) - _MOST_ROWS, "region", "regions")]


@system_callback(
    *tree_outputs(page_ids.TREE),
    Input(ids.LENS, "data"),
    Input(page_ids.TREE.find, "value"),
    Input(ids.SCHEME, "data"),
)
def show_tree(access: Access, lens: Lens, words: str | None, scheme: str | None) -> tuple[Any, ...]:
    """The flame graph of the difference."""
    if not lens.compared:
        return None, True, *[no_update] * 4
    try:
        tree = sampled_tree(system=access.system, selection=lens)
    except NoCallPaths as error:
        return unsampled(error, access.slug, lens, change="compared", scheme=scheme)
    except NotFound:
        return None, True, *[no_update] * 4
    sides = [configuration_text(one) for one in tree.configurations]
    return filled(tree, access.slug, lens, sides=sides, words=words or "", scheme=scheme)


browser_callback("open", Input(page_ids.DIFFERING.graph, "clickData"))
browser_callback("openFrame", Input(page_ids.TREE.figure.graph, "clickData"))

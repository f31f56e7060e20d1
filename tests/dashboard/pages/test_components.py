"""What pages are built of."""

from typing import Any

from dash import dcc, html, no_update

from dashboard.figures.theme import DARK, LIGHT
from dashboard.pages.components.blocks import (
    action,
    command,
    empty_state,
    failed_state,
    figure_card,
    help_tip,
    page,
)
from dashboard.pages.components.menus import menu, menu_link
from dashboard.pages.components.saving import exact, light_colours
from dashboard.pages.components.sparkline import svg
from dashboard.pages.components.static import at_rest
from dashboard.pages.components.tables import Column, data_table, folded_table, plain_table
from dashboard.pages.ids import FigureIds

ROWS: list[dict[str, Any]] = [
    {"key": "A", "name": "alpha", "value": 0.0152, "text": "15.2 ± 0.3", "unused": "x" * 1000},
    {"key": "B", "name": "beta", "value": -0.001, "text": "−1.0 ± 0.2", "unused": "x" * 1000},
]
COLUMNS = [
    Column("name", "term", kind="code"),
    Column("value", "influence", "ms", kind="number", text="text"),
]


def test_a_figure_card_is_named_by_its_finding_and_has_a_table_twin() -> None:
    parts = FigureIds.of("terms")
    card = figure_card(parts)
    assert getattr(card, "aria-labelledby") == parts.finding
    assert {parts.finding, parts.axes, parts.table} <= set(card)
    assert not card[parts.graph].figure.data


def test_the_picture_of_a_figure_is_told_and_one_that_scrolls_is_reached_by_keyboard() -> None:
    parts = FigureIds.of("plan")
    _, still, _ = figure_card(parts).children
    _, scrolling, _ = figure_card(parts, scrolls=True).children
    picture = still.children[0].to_plotly_json()["props"]
    assert picture["role"] == "img"
    assert picture["aria-labelledby"] == parts.finding
    assert picture["aria-describedby"] == parts.axes
    assert getattr(still, "tabIndex", None) is None
    assert scrolling.tabIndex == 0


def test_a_grid_carries_only_what_its_columns_show() -> None:
    grid = data_table(COLUMNS, ROWS, id_="grid", row_key="key")
    assert [set(row) for row in grid.rowData] == [{"key", "name", "value", "text"}] * 2
    assert [column["headerName"] for column in grid.columnDefs] == ["term", "influence, ms"]


def test_numbers_sort_as_numbers_and_read_as_texts() -> None:
    _, value = data_table(COLUMNS, ROWS, id_="grid").columnDefs
    assert value["field"] == "value"
    assert value["valueFormatter"] == {"function": "params.data.text"}
    assert value["type"] == "rightAligned"


def test_a_plain_table_has_heads_with_units() -> None:
    table = plain_table(COLUMNS, ROWS, label="Terms").children[0].children
    head = table.children[1].children
    assert [cell.children for cell in head.children] == ["term", "influence, ms"]


def test_what_only_stands_there_is_one_component() -> None:
    tree = html.Div([html.A("x", href="/app/"), " and ", None, html.Span(["a", html.B(1)])], className="c")
    assert at_rest(tree).tree == {
        "type": "Div",
        "props": {
            "className": "c",
            "children": [
                {"type": "A", "props": {"href": "/app/", "children": "x"}},
                " and ",
                None,
                {
                    "type": "Span",
                    "props": {"children": ["a", {"type": "B", "props": {"children": 1}}]},
                },
            ],
        },
    }


def test_what_a_callback_reaches_stays_and_what_is_around_it_rests() -> None:
    button = html.Button(html.B("x"), id="b")
    given = html.Section([html.P(1), "text", html.P(2), html.Div(button), dcc.Graph(), "end"], className="s")
    before, holds, graph, end = at_rest(given).children
    assert [one if isinstance(one, str) else one["type"] for one in before.tree] == ["P", "text", "P"]
    assert holds.children.children.tree["type"] == "B"
    assert holds.children.id == "b"
    assert isinstance(graph, dcc.Graph)
    assert end == "end"
    # What was given may be given again.
    assert given.children[3].children is button
    assert isinstance(button.children, html.B)


def test_values_of_several_outputs_stay_several() -> None:
    rows, data = [html.P(1), html.P(2)], [{"value": 1}]
    shown, untouched, text = at_rest((rows, data, "x"))
    assert [one.tree["props"]["children"] for one in shown] == [1, 2]
    assert untouched == data
    assert text == "x"
    assert at_rest({"of": html.P(1), "not": no_update})["not"] is no_update


def test_every_table_can_be_saved_unless_the_page_saves_more_of_it() -> None:
    _, button = plain_table(COLUMNS, ROWS, label="Terms", revision="1.0").children
    assert getattr(button, "data-save") == "csv"
    whole = plain_table(COLUMNS, ROWS, saved_by="export")
    assert len(whole.children) == 1
    assert getattr(whole, "data-saved-by") == "export"


def test_names_stay_apart_in_a_narrow_window() -> None:
    name, other = Column("name", "region", kind="code"), Column("name", "file", kind="code", width=100)
    wide, fixed = data_table((name, other), ROWS, id_="grid").columnDefs
    assert wide["minWidth"] >= 180
    assert "minWidth" not in fixed


def test_a_folded_table_is_saved_as_one() -> None:
    table: Any
    (table,) = folded_table(COLUMNS, ROWS, label="Terms", shown=1, folded=2, summary="1 more")
    assert getattr(table.children[1], "data-save") == "csv"


def test_a_cell_keeps_its_number_with_every_digit() -> None:
    cell = exact("15.2 ms", 0.015212345678901234, "s")
    assert (cell.children, float(cell.value), getattr(cell, "data-unit")) == (
        "15.2 ms",
        0.015212345678901234,
        "s",
    )
    assert exact("–", None, "s") == "–"


def test_every_dark_colour_has_a_light_one() -> None:
    colours = light_colours()
    assert colours[DARK.ink] == LIGHT.ink
    assert set(DARK.series) <= set(colours)


def test_a_page_begins_with_its_sentence() -> None:
    article = page("It takes 47 ms", "measured today", html.P("more"))
    head = article.children[0].children[0].children
    assert (type(head[0]), head[0].children) == (html.H1, "It takes 47 ms")
    assert head[1].children == "measured today"


def test_states_say_what_to_do() -> None:
    empty: Any = empty_state("Nothing yet", act=action("Measure", href="/app/"))
    failed: Any = failed_state("Not shown", "because", act=action("Back", href="/app/"))
    assert empty.children[-1].href == failed.children.children[-1].href == "/app/"
    assert failed.role == "alert"


def test_a_command_can_be_copied() -> None:
    assert command("make demo").children[1].content == "make demo"


def test_help_leads_to_the_docs() -> None:
    text = help_tip("Two sentences.", "explanation/influences").children[1].children
    assert text.children[-1].href.endswith("explanation/influences")


def test_a_sparkline_is_drawn_from_zero_over_the_places() -> None:
    """Half the value stands at half the height; a gap in the order is a gap on the line."""
    assert 'points="0.0,16.0 50.0,2.0 200.0,30.0"' in svg([(2, 0.5), (3, 1.0), (6, 0.0)])
    assert 'points="0.0,2.0"' in svg([(4, 0.1)])


def test_a_menu_is_told_by_its_name() -> None:
    closed: Any = menu("A", [menu_link("Small", "/app/s/small/", here=True)], name="Another system")
    summary, panel = closed.children
    assert getattr(summary, "aria-label") == "Another system"
    assert getattr(panel.children[0], "aria-current") == "true"


def test_a_grid_hides_what_is_only_saved() -> None:
    hidden = Column("unused", "more", only_saved=True)
    first, last = data_table((COLUMNS[0], hidden), ROWS, id_="grid").columnDefs
    assert (first["hide"], last["hide"]) == (False, True)

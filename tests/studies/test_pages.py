"""A reproduced table as people read it."""

from studies.papers.pages import as_json, as_lines, as_page
from studies.papers.tables import Cell, Quantity, ReproducedTable

TABLE = ReproducedTable(
    title="Errors of two approaches",
    source="A. Nobody, On | pipes, 2020, Table I",
    settings=(("seeds", "2"),),
    cells=(
        Cell("tree", "Alpha", "%", Quantity(12.346, 0.5), Quantity(12.0)),
        Cell("tree", "Beta", "%", None, Quantity(1037.2), "no data of Beta"),
        Cell("line", "Alpha", "%", Quantity(3), None, "a | b"),
        Cell("line", "Beta", "%", None, Quantity(2), "no data of Beta"),
    ),
    reading=("They agree.",),
)


def test_ours_stands_beside_the_published_number_with_units_and_notes() -> None:
    """One row per approach, one column per system; equal remarks are one note."""
    lines = list(as_lines(TABLE))
    assert "tree, %  12.35, sd 0.50 (12)  – (1037) [1]" in lines
    assert "line, %  3 [2]                – (2) [1]" in lines
    assert "[1] no data of Beta" in lines
    assert lines[-1] == "They agree."


def test_the_page_names_the_command_and_keeps_pipes_inside_their_cells() -> None:
    """A pipe in a text would else begin a column."""
    page = as_page(TABLE, "manage.py reproduce errors")
    assert page.startswith("# Errors of two approaches\n")
    assert "    manage.py reproduce errors\n" in page
    assert "| line, % | 3 [2] | – (2) [1] |" in page
    assert "2. a | b" in page


def test_json_rounds_nothing() -> None:
    """Machines get what was computed."""
    assert as_json("errors", TABLE)["cells"][0]["ours"] == {"value": 12.346, "spread": 0.5}

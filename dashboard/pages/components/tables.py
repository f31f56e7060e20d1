"""Tables: a grid that sorts and filters for many rows, a plain one for few."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import dash_ag_grid as dag
from dash import html

from dashboard.figures.numbers import count, plural
from dashboard.pages.components.blocks import Content, Piece

_ROW = 34
_HEAD = 38
_THEME = (
    "themeQuartz.withParams({"
    "backgroundColor: 'var(--surface)', foregroundColor: 'var(--ink)', accentColor: 'var(--accent)',"
    "borderColor: 'var(--line)', headerBackgroundColor: 'var(--surface)', headerTextColor: 'var(--ink-soft)',"
    "headerFontWeight: 500, fontFamily: 'inherit', fontSize: 13, headerFontSize: 12, rowHoverColor: 'var(--hover)',"
    "selectedRowBackgroundColor: 'var(--wash)', wrapperBorder: false, columnBorder: false,"
    "menuBackgroundColor: 'var(--surface)', inputBackgroundColor: 'var(--surface)', cellHorizontalPadding: 12,"
    f"headerColumnResizeHandleDisplay: 'none', rowHeight: {_ROW}, headerHeight: {_HEAD}"
    "})"
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the field of a row, its head, its unit, and how its values are written.

    Numbers sort by `field` and are written with `digits` after the point, or as the row's text in the field `text`
    (digits by certainty). `kind` "code" sets a name of the program in the monospaced face.
    """

    field: str
    head: str
    unit: str = ""
    kind: Literal["text", "code", "number"] = "text"
    digits: int = 2
    text: str = ""
    width: int | None = None

    @property
    def title(self) -> str:
        """The head with its unit: `influence, ms`."""
        return f"{self.head}, {self.unit}" if self.unit else self.head


def left_out(number: int, remedy: str = "") -> html.P | None:
    """`and 12 more: see Regions`: stands below a list that leaves some out; nothing where it leaves out none."""
    said = f"and {count(number)} more" + (f": {remedy}" if remedy else "")
    return html.P(said, className="quiet") if number > 0 else None


def not_shown(number: int, one: str = "", many: str = "", *, look: str = "figure-axes") -> html.P | None:
    """`7 more lines are not shown.`: the same as a sentence; nothing where all are shown."""
    what = plural(number, one, many) if one else f"{count(number)} more"
    words = f"{what} {'is' if number == 1 else 'are'} not shown."
    return html.P(words, className=look) if number > 0 else None


def data_table(
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    id_: str | Mapping[str, str],
    select: bool = False,
    row_key: str = "",
    most_rows: int = 12,
) -> dag.AgGrid:
    """A table that sorts, filters and scrolls within `most_rows` rows; only the columns' fields are sent.

    With `select` a click or Enter chooses a row: callbacks read `selectedRows` (whole rows, with `row_key` too).
    """
    fields = {column.field for column in columns} | {column.text for column in columns} | {row_key}
    options: dict[str, Any] = {
        "theme": {"function": _THEME},
        "suppressCellFocus": False,
        "suppressMovableColumns": True,
        "enableCellTextSelection": not select,
        "animateRows": False,
        "localeText": {"noRowsToShow": "Nothing to show"},
    }
    if select:
        options["rowSelection"] = {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True}
    definitions = []
    for column in columns:
        definition: dict[str, Any] = {
            "field": column.field,
            "headerName": column.title,
            "cellClass": f"cell-{column.kind}",
            "headerClass": f"cell-{column.kind}",
            "tooltipField": column.text or column.field,
        }
        if column.width:
            definition |= {"width": column.width, "flex": 0}
        if column.kind == "number":
            # With a true minus sign and thin groups; a dash where there is no value.
            written = f"d3.format(',.{column.digits}f')(params.value).replace('-', '−')"
            shown = f"params.data.{column.text}" if column.text else f"params.value == null ? '–' : {written}"
            definition |= {"filter": "agNumberColumnFilter", "type": "rightAligned"}
            definition["valueFormatter"] = {"function": shown}
        definitions.append(definition)
    return dag.AgGrid(
        id=id_,
        columnDefs=definitions,
        rowData=[{name: row[name] for name in fields if name and name in row} for row in rows],
        defaultColDef={"sortable": True, "resizable": True, "filter": True, "minWidth": 90, "flex": 1},
        dashGridOptions=options,
        className="grid",
        style={"height": f"{_HEAD + _ROW * max(1, min(len(rows), most_rows)) + 3}px"},
        getRowId=f"params.data.{row_key}" if row_key else None,
    )


def plain_table(
    columns: Sequence[Column], rows: Sequence[Mapping[str, Content]], *, label: str = ""
) -> html.Div:
    """A table of a few rows: values are shown as they are given, texts or components."""
    head = html.Tr(
        [html.Th(column.title, scope="col", className=f"cell-{column.kind}") for column in columns]
    )
    body = [
        html.Tr([html.Td(row.get(column.field), className=f"cell-{column.kind}") for column in columns])
        for row in rows
    ]
    caption: list[Piece] = [html.Caption(label, className="visually-hidden")] if label else []
    table = html.Table([*caption, html.Thead(head), html.Tbody(body)], className="plain-table")
    return html.Div(table, className="table-scroll")


def folded_table(
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Content]],
    *,
    label: str,
    shown: int,
    folded: int,
    summary: str,
    remedy: str = "",
) -> list[Piece]:
    """The first `shown` rows as a plain table, those up to `folded` behind `summary`; of the rest only how many."""
    first: list[Piece] = [plain_table(columns, rows[:shown], label=label)]
    if len(rows) <= shown:
        return first
    more = plain_table(columns, rows[shown:folded], label=f"More: {label}")
    rest = left_out(len(rows) - folded, remedy)
    return [*first, html.Details([html.Summary(summary), more, rest], className="more")]

"""Tables: a grid that sorts and filters for many rows, a plain one for few."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import dash_ag_grid as dag
from dash import html

from dashboard.figures.numbers import DisplayScale, count, estimate_text, number, plural
from dashboard.pages.components.blocks import Piece, lens_button
from dashboard.pages.components.saving import saved

_ROW = 34
_HEAD = 38
# Names that begin alike stay apart in a narrow window: the table scrolls instead.
_NAME = 190
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

    A value is the row's key or attribute `field`, or what `of` makes of the row, in the unit of `scale`. Numbers sort by
    it and are written with `digits` after the point, or as the row's text in the field `text` (digits by certainty);
    `kind` "estimate" is that of a grid for an `Estimate`, with a plus where it is `signed`. "code" sets a name of the program in the monospaced face. A grid
    does not show a column that is `only_saved`: it is in the CSV, for a person who looks for more than fits.
    """

    field: str
    head: str
    unit: str = ""
    kind: Literal["text", "code", "number", "estimate"] = "text"
    digits: int = 2
    text: str = ""
    width: int | None = None
    of: Callable[[Any], Any] | None = None
    scale: DisplayScale | None = None
    only_saved: bool = False
    signed: bool = True

    @property
    def title(self) -> str:
        """The head with its unit: `influence, ms`."""
        unit = self.unit or (self.scale.unit if self.scale else "")
        return f"{self.head}, {unit}" if unit else self.head

    @property
    def is_number(self) -> bool:
        """Whether it is sorted and filtered as numbers are."""
        return self.kind in ("number", "estimate")

    @property
    def look(self) -> str:
        """The class of its cells."""
        return "cell-number" if self.is_number else f"cell-{self.kind}"

    def value(self, row: Any) -> Any:
        """The value of a row; None where there is none."""
        value = self.of(row) if self.of else _field(row, self.field)
        return (
            value * self.scale.factor if self.scale and self.kind == "number" and value is not None else value
        )

    def cells(self, row: Any) -> dict[str, Any]:
        """The fields of a grid's row: the value, and the text that is written in its place."""
        value = self.value(row)
        if self.kind == "estimate" and self.scale:
            if value is None:
                return {self.field: None, self.text: "–"}
            bare = self.scale.bare
            text = estimate_text(value, scale=bare)
            if self.signed:
                text = number(value.value, value.margin, scale=bare, signed=True)
            return {self.field: value.value * self.scale.factor, self.text: text}
        return {self.field: value, **({self.text: _field(row, self.text)} if self.text else {})}


def _field(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name)


def left_out(left: int, remedy: str = "") -> html.P | None:
    """`and 12 more: see Regions`: stands below a list that leaves some out; nothing where it leaves out none."""
    said = f"and {count(left)} more" + (f": {remedy}" if remedy else "")
    return html.P(said, className="quiet") if left > 0 else None


def turning(begin: int, shown: int, whole: int, *, most: int, setting: str, one: str) -> html.Div | None:
    """`41 to 80 of 264 regions` with buttons to those before and after, `most` at a time; nothing where all are shown.

    `setting` is that of the page at which the list begins.
    """
    if shown == whole:
        return None
    end = begin + shown
    back = {setting: str(begin - most) if begin > most else None}
    buttons = [
        lens_button("Previous", back, look="quiet-button", disabled=not begin, name=f"Previous {one}s"),
        lens_button(
            "Next", {setting: str(end)}, look="quiet-button", disabled=end >= whole, name=f"Next {one}s"
        ),
    ]
    said = f"{count(begin + 1)} to {count(end)} of {plural(whole, one)}"
    return html.Div([html.Span(said, className="quiet"), *buttons], className="choices")


def not_shown(left: int, one: str = "", many: str = "", *, look: str = "figure-axes") -> html.P | None:
    """`7 more lines are not shown.`: the same as a sentence; nothing where all are shown."""
    what = plural(left, one, many) if one else f"{count(left)} more"
    words = f"{what} {'is' if left == 1 else 'are'} not shown."
    return html.P(words, className=look) if left > 0 else None


def data_table(
    columns: Sequence[Column],
    rows: Sequence[Any],
    *,
    id_: str | Mapping[str, str],
    select: bool = False,
    row_key: str = "",
    most_rows: int = 12,
) -> dag.AgGrid:
    """A table that sorts, filters and scrolls within `most_rows` rows; only the columns' fields are sent.

    With `select` a click or Enter chooses a row: callbacks read `selectedRows` (whole rows, with `row_key` too).
    """
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
    sent, definitions = [*columns, Column(row_key, "")] if row_key else columns, []
    for column in columns:
        definition: dict[str, Any] = {
            "field": column.field,
            "headerName": column.title,
            "cellClass": column.look,
            "headerClass": column.look,
            "tooltipField": column.text or column.field,
            "hide": column.only_saved,
            **({"minWidth": _NAME} if column.kind == "code" and not column.width else {}),
        }
        if column.width:
            definition |= {"width": column.width, "flex": 0}
        if column.is_number:
            # With a true minus sign and thin groups; a dash where there is no value.
            written = f"d3.format(',.{column.digits}f')(params.value).replace('-', '−')"
            shown = f"params.data.{column.text}" if column.text else f"params.value == null ? '–' : {written}"
            definition |= {"filter": "agNumberColumnFilter", "type": "rightAligned"}
            definition["valueFormatter"] = {"function": shown}
        definitions.append(definition)
    return dag.AgGrid(
        id=id_,
        columnDefs=definitions,
        rowData=[{name: cell for column in sent for name, cell in column.cells(row).items()} for row in rows],
        defaultColDef={"sortable": True, "resizable": True, "filter": True, "minWidth": 90, "flex": 1},
        dashGridOptions=options,
        className="grid",
        style={"height": f"{_HEAD + _ROW * max(1, min(len(rows), most_rows)) + 3}px"},
        getRowId=f"params.data.{row_key}" if row_key else None,
    )


def plain_table(
    columns: Sequence[Column], rows: Sequence[Any], *, label: str = "", revision: str = "", saved_by: str = ""
) -> html.Div:
    """A table of a few rows: values are shown as they are given, texts or components; `saving.exact` for a number in full.

    It can be saved as CSV: `revision` is part of the file's name, `saved_by` the id of the page's own button for it.
    """
    return saved(_table(columns, rows, label), revision=revision, by=saved_by, name=label)


def _table(columns: Sequence[Column], rows: Sequence[Any], label: str) -> html.Div:
    head = html.Tr([html.Th(column.title, scope="col", className=column.look) for column in columns])
    body = [
        html.Tr([html.Td(column.value(row), className=column.look) for column in columns]) for row in rows
    ]
    caption: list[Piece] = [html.Caption(label, className="visually-hidden")] if label else []
    table = html.Table([*caption, html.Thead(head), html.Tbody(body)], className="plain-table")
    return html.Div(table, className="table-scroll")


def folded_table(
    columns: Sequence[Column],
    rows: Sequence[Any],
    *,
    label: str,
    shown: int,
    folded: int,
    summary: str,
    remedy: str = "",
    revision: str = "",
) -> list[Piece]:
    """The first `shown` rows as a plain table, those up to `folded` behind `summary`; of the rest only how many.

    They are saved as one table.
    """
    first = _table(columns, rows[:shown], label)
    if len(rows) <= shown:
        return [saved(first, revision=revision, name=label)]
    more = _table(columns, rows[shown:folded], f"More: {label}")
    rest = left_out(len(rows) - folded, remedy)
    folds = html.Details([html.Summary(summary), more, rest], className="more")
    return [saved(html.Div([first, folds]), revision=revision, name=label)]

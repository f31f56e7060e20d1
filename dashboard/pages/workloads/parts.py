"""Cards and tables of the page of workloads."""

from typing import Any

from dash import html

from dashboard.figures.borrowed import own_text
from dashboard.figures.numbers import count, number, scale_for
from dashboard.figures.workload_words import (
    LEFT_OUT,
    SIGNS,
    VERDICTS,
    factor_text,
    interval_words,
    spread_text,
    term_words,
)
from dashboard.pages.components.blocks import Content, Piece, card, help_tip, lens_button
from dashboard.pages.components.saving import exact, saved
from dashboard.pages.components.tables import Column, data_table, folded_table, plain_table
from dashboard.pages.workloads.ids import MAP_GRID
from dashboard.selectors.workload_rows import BorrowedInfluences, ComparedWorkloads, WorkloadTerm

_SHOWN, _FOLDED = 20, 200
_COLUMNS = (
    Column("term", "influence of"),
    Column("told", "between workloads"),
    Column("mean", "mean", kind="number"),
    Column("range", "least to most", kind="number"),
    Column("spread", "usual difference", kind="number"),
)
_HELP = (
    "Mean is over workloads, least and most are in one of them. The usual difference is the standard deviation of the true factors "
    "between workloads, without noise, with its 95 % interval."
)
_LIST_HELP = "The usual value is the median over configurations. Noise is the standard deviation of one value that no term tells."


def terms_card(found: ComparedWorkloads, chosen: WorkloadTerm) -> html.Section:
    """All terms, those that differ most first; pressing one shows it alone."""
    rows = [term_cells(term, chosen) for term in found.terms]
    table = folded_table(
        _COLUMNS,
        rows[:_FOLDED],
        label="Influences over workloads",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(rows) - _SHOWN} more",
        revision=found.context.revision,
    )
    tip = help_tip(_HELP, "explanation/workloads")
    return card("Which influences differ", *table, more=tip, look="card option-table")


def term_cells(term: WorkloadTerm, chosen: WorkloadTerm) -> dict[str, Content]:
    """The cells of one term in the table of all; the `chosen` one is pressed."""
    values = [one.value for one in term.effects]
    look = "uncertain" if term.told == "nothing" else ""
    between = f"{spread_text(term.low)} to {spread_text(term.high)}"
    spread = html.Span([spread_text(term.spread), html.Div(between, className="quiet")])
    return {
        "term": lens_button(
            html.Code(term_words(term)), {"term": term.key}, look="quiet-button", pressed=term is chosen
        ),
        "told": html.Span(f"{SIGNS[term.told]} {VERDICTS[term.told]}", className=look),
        "mean": exact(html.Span(factor_text(term.mean.value), className=look), term.mean.value, "log"),
        "range": html.Span([f"{factor_text(min(values))} to ", html.Div(factor_text(max(values)))]),
        "spread": spread,
    }


def workloads_card(found: ComparedWorkloads) -> html.Section:
    """The workloads with their level and how much was measured; those that are left out with the reason."""
    context = found.context
    scale = scale_for([one.level for one in found.workloads], context.unit)
    columns = (
        Column("name", "workload", kind="code"),
        Column("level", "usual value", scale.unit, "number"),
        Column("configurations", "configurations", kind="number"),
        Column("runs", "runs", kind="number"),
        Column("noise", "noise", kind="number"),
    )
    rows = []
    for one in found.workloads:
        why: list[Piece] = [html.Div(LEFT_OUT[one.left_out], className="quiet")] if one.left_out else []
        rows.append(
            {
                "name": html.Span([one.name, *why]),
                "level": exact(number(one.level, scale=scale.bare), one.level * scale.factor, scale.unit),
                "configurations": count(one.configurations),
                "runs": count(one.runs),
                "noise": "–" if one.noise is None else spread_text(one.noise),
            }
        )
    table = folded_table(
        columns,
        rows,
        label="Workloads",
        shown=_SHOWN,
        folded=500,
        summary=f"{len(rows) - _SHOWN} more",
        revision=context.revision,
    )
    tip = help_tip(_LIST_HELP, "explanation/workloads")
    return card("Workloads", *table, more=tip, look="card option-table")


def term_table(term: WorkloadTerm, names: list[str]) -> html.Div:
    """The numbers of the figure of one term."""
    columns = (
        Column("workload", "workload", kind="code"),
        Column("factor", "influence", kind="number"),
        Column("interval", "95 % interval", kind="number"),
    )
    rows = [
        {
            "workload": name,
            "factor": exact(factor_text(one.value), one.value, "log"),
            "interval": interval_words(one.low or 0.0, one.high or 0.0),
        }
        for name, one in zip(names, term.effects, strict=True)
    ]
    return plain_table(columns, rows, label=f"Influence of {term_words(term)} by workload")


def borrowed_table(found: BorrowedInfluences) -> html.Div:
    """The numbers of the figure of borrowed influences, and of those that it leaves out."""
    columns = (
        Column("term", "influence of", kind="code"),
        Column("factor", "here", kind="number"),
        Column("interval", "95 % interval", kind="number"),
        Column("others", "mean of the others", kind="number"),
        Column("further", "a further one, 95 %", kind="number"),
        Column("told", "told by"),
    )
    rows = [
        {
            "term": term_words(one),
            "factor": exact(factor_text(one.here.value), one.here.value, "log"),
            "interval": interval_words(one.here.low or 0.0, one.here.high or 0.0),
            "others": exact(factor_text(one.others.value), one.others.value, "log"),
            "further": interval_words(one.others.low or 0.0, one.others.high or 0.0),
            "told": own_text(one.told),
        }
        for one in found.influences
    ]
    return plain_table(columns, rows, label=f"Influences in {found.workload}, borrowed from other workloads")


def map_table(found: ComparedWorkloads) -> html.Div:
    """The numbers of the heat map: a row for each term, a column for each workload."""
    names = [one.name for one in found.compared]
    columns = [
        Column("term", "influence of", kind="code", width=220),
        Column("told", "between workloads", width=240),
        *(Column(f"w{at}", name, kind="number", text=f"t{at}", width=110) for at, name in enumerate(names)),
    ]
    rows = []
    for term in found.terms:
        row: dict[str, Any] = {"key": term.key, "term": term_words(term), "told": VERDICTS[term.told]}
        for at, one in enumerate(term.effects):
            row |= {f"w{at}": one.value, f"t{at}": factor_text(one.value)}
        rows.append(row)
    grid = data_table(columns, rows, id_=MAP_GRID, row_key="key", most_rows=16)
    return saved(grid, revision=found.context.revision)

"""The series of two revisions as a table, on the screen and as CSV."""

from collections.abc import Mapping, Sequence

from dash import html

from dashboard.figures.histories_words import certain, revision_text
from dashboard.figures.numbers import GAP, count, number, percent
from dashboard.figures.two_revisions_words import (
    change_text,
    difference_text,
    modes_text,
    runs_text,
    short_histories_text,
    value_texts,
    where_text,
)
from dashboard.pages.components.blocks import Content, Piece, link
from dashboard.pages.components.sparkline import sparkline
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.history_list.parts import history_address
from dashboard.pages.two_revisions import ids as own
from dashboard.selectors.history_list.rows import ListedChange
from dashboard.selectors.two_revisions.histories import DifferenceHistory
from dashboard.selectors.two_revisions.rows import ComparedRevisions, RevisionDifference
from dashboard.services.reports.freezing import csv_text

_COLUMNS = (
    Column("name", "Series"),
    Column("change", "Change", kind="number"),
    Column("difference", "Difference", kind="number"),
    Column("before", "Before", kind="number"),
    Column("after", "After", kind="number"),
    Column("shape", "History"),
)
_FIELDS = (
    *(
        "kind",
        "series",
        "measure",
        "unit",
        "workload",
        "environment",
        "told",
        "before",
        "runs_before",
        "after",
    ),
    *("runs_after", "difference", "difference_low", "difference_high", "relative", "relative_low"),
    *("relative_high", "false_discovery_rate"),
)


def differences_table(
    found: ComparedRevisions,
    rows: Sequence[RevisionDifference],
    histories: Mapping[int, DifferenceHistory],
    slug: str,
) -> html.Div:
    """The rows, each with a link to its history and what that tells between both revisions."""
    places = {(row.series.workload, row.series.environment) for row in found.rows}
    cells = [difference_cells(found, row, histories, slug, several=len(places) > 1) for row in rows]
    table = plain_table(_COLUMNS, cells, label="Series at both revisions", saved_by=own.EXPORT)
    short = short_histories_text(sum(not one.enough_data for one in histories.values()), len(histories))
    changed = sum(any(not change.is_candidate for change in one.changes) for one in histories.values())
    told = ""
    if changed and all(row.told != "differs" for row in rows):
        told = f"In {count(changed)} of these {count(len(rows))} series the history tells a change between both, below the name."
    notes = [html.P(text, className="quiet") for text in (short, told) if text]
    return html.Div([*notes, table], className="suite-table two-table")


def difference_cells(
    found: ComparedRevisions,
    row: RevisionDifference,
    histories: Mapping[int, DifferenceHistory],
    slug: str,
    *,
    several: bool,
) -> dict[str, Content]:
    """What the cells of one row say."""
    one, small = row.series, histories.get(row.series.series_id)
    name: list[Piece] = [
        link(html.Code(one.label), history_address(slug, one.series_id)),
        html.Div(where_text(row, several=several), className="suite-environment"),
    ]
    if small is not None and small.modes_apart is not None:
        name.append(html.Div(modes_text(small.modes_apart, of_runs=small.of_runs), className="two-warning"))
    shape: Piece = "–"
    if small is not None:
        if told := history_text(small.changes, of_default=one.kind == "term"):
            name.append(html.Div(told, className="two-history"))
        ends = [number(end.estimate, unit=one.unit) for end in (small.band[0], small.band[-1])]
        shape = sparkline(
            [(float(place.position), place.estimate) for place in small.band],
            f"From {ends[0]} to {ends[1]}, with its 95{GAP}% band",
            band=[(place.lower_95, place.upper_95) for place in small.band],
            marks=(float(found.before.position), float(found.after.position)),
        )
    look = "quiet"
    if row.told == "differs":
        look = "slower" if row.is_worse else "faster"
    values = [
        html.Span([text, html.Div(runs_text(value), className="quiet")])
        for text, value in zip(value_texts(row), (row.before, row.after), strict=True)
    ]
    # An influence may be zero: its change is no share of itself.
    of_default = row.series.kind == "term" and row.relative is not None
    whole = html.Div("of the default", className="quiet") if of_default else None
    return {
        "name": name,
        "change": html.Span([html.Span(change_text(row), className=look), whole]),
        "difference": difference_text(row),
        "before": values[0],
        "after": values[1],
        "shape": shape,
    }


def history_text(changes: Sequence[ListedChange], *, of_default: bool) -> str:
    """What its history tells of a series between both revisions: `Its history: -12 %, 3.1 → 3.2.1, > 99 % certain`; "" for nothing.

    Shares are `of_default`, of what the default configuration takes, where the series is a term's.
    """
    whole = " of the default" if of_default else ""
    told = [
        f"{percent(100 * one.relative, 0, signed=True)}{whole}, {revision_text(one.before)} → "
        f"{revision_text(one.after)}, {certain(one.certainty or 0.0, is_candidate=one.is_candidate)}"
        for one in changes
    ]
    return f"Its history: {'; '.join(told)}" if told else ""


def differences_csv(rows: Sequence[RevisionDifference]) -> str:
    """All rows, with every digit: values in the unit of the metric, relative ones as shares."""
    return csv_text(
        _FIELDS,
        (
            (
                row.series.kind,
                row.series.label,
                row.series.measure,
                row.series.unit,
                row.series.workload,
                row.series.environment,
                row.told,
                row.before.value if row.before else None,
                row.before.runs if row.before else None,
                row.after.value if row.after else None,
                row.after.runs if row.after else None,
                row.absolute,
                row.absolute_low,
                row.absolute_high,
                row.relative,
                row.low,
                row.high,
                row.false_discovery_rate,
            )
            for row in rows
        ),
    )

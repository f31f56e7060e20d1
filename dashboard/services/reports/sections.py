"""What frozen views are made of: sections of numbers with a figure, rows of terms, and the facts of a model."""

import json
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.figures.influences_words import term_text
from dashboard.selectors.model_rows import ModelIdentity, Selection, TermRow
from dashboard.selectors.reports import Cell, ReportSection

Lens = Mapping[str, str]
# A star stands for the unit of the metric.
TERM_COLUMNS = ("term", "influence*", "95 % from*", "to*", "regions")


def selection_of(lens: Lens) -> Selection:
    """What a lens selects of a model."""
    names = ("revision", "workload", "environment", "base", "compared", "metric", "model")
    return Selection(**{name: lens.get(name, "") for name in names})


def section(
    title: str,
    explanation: str,
    unit: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    *,
    figure: go.Figure | None = None,
) -> ReportSection:
    """A section; a star in a column's head becomes the unit, where there is one."""
    heads = tuple(column.replace("*", f" ({unit})" if unit else "") for column in columns)
    # A figure with its template written out, so that it draws the same in years.
    whole = {} if figure is None else json.loads(figure.to_json())
    stored = {name: whole[name] for name in ("data", "layout") if name in whole} or None
    return ReportSection(title, explanation, heads, tuple(rows), stored)


def term_cells(terms: Sequence[TermRow]) -> list[tuple[Cell, ...]]:
    """A row of `TERM_COLUMNS` for each term."""
    return [
        (term_text(term), term.influence.value, term.influence.low, term.influence.high, term.regions)
        for term in terms
    ]


def model_facts(analysis: ModelIdentity, more: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What was measured for a model, and `more` of it."""
    return (
        ("revision", analysis.revision),
        ("workload", analysis.workload),
        ("environment", analysis.environment),
        *([("model", "hybrid (extension)")] if analysis.is_hybrid else []),
        ("measured", f"{analysis.configurations} configurations, {analysis.repetitions} repetitions"),
        *more,
    )

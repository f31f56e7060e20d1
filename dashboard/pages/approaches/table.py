"""All approaches of a comparison as a table."""

from typing import Any

import dash_ag_grid as dag

from dashboard.figures.approaches_words import kind_text
from dashboard.figures.numbers import fixed
from dashboard.pages.approaches.ids import GRID
from dashboard.pages.components.tables import Column, data_table
from dashboard.selectors.approaches.rows import ComparisonView, RowView


def approaches_table(view: ComparisonView) -> dag.AgGrid:
    """Each approach that has an error, those that err least first."""
    threshold = view.comparison.thresholds[0]
    columns = (
        Column("learner", "learner", width=245),
        Column("sampling", "sampling", width=120),
        Column("error", "error", "%", "number", digits=2, text="said", width=130),
        Column("range", "least to largest", "%", width=135),
        Column("configurations", "configurations", kind="number", digits=0, width=125),
        Column("once", "each once", "min", "number", digits=1, width=125),
        Column("terms", f"terms ≥ {threshold:.3g} {view.unit}".strip(), kind="number", digits=0, width=140),
        Column("kind", "can people read it", width=190),
        Column("runs", "runs", kind="number", digits=0, width=80),
        Column("minutes", "all runs", "min", "number", digits=1, width=110),
        Column("training", "training", "s", "number", digits=3, width=110),
    )
    rows = sorted((row for row in view.rows if row.row.errors), key=lambda row: row.row.error or 0.0)
    return data_table(columns, [_cells(row) for row in rows], id_=GRID, row_key="key", most_rows=20)


def _cells(row: RowView) -> dict[str, Any]:
    one = row.row
    places = 1 if (one.error or 0.0) >= 1 else 2
    spread = "" if one.deviation is None else f" ± {fixed(one.deviation, places)}"
    return {
        "key": row.key,
        "learner": row.learner,
        "sampling": row.sampling,
        "error": one.error,
        "said": f"{fixed(one.error or 0.0, places)}{spread}",
        "range": f"{fixed(min(one.errors), places)} to {fixed(max(one.errors), places)}",
        "configurations": one.configurations,
        "once": None if one.seconds_once is None else one.seconds_once / 60,
        "minutes": None if one.machine_seconds is None else one.machine_seconds / 60,
        "runs": one.executions,
        "terms": one.terms[0][1] if one.terms else None,
        "training": one.training_seconds,
        "kind": kind_text(row),
    }

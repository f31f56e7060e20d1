"""All approaches of a comparison as a table."""

from typing import Any

import dash_ag_grid as dag

from analytics.evaluation.rows import ApproachRow
from dashboard.figures.approaches_words import kind_text
from dashboard.figures.numbers import fixed, long_time, number
from dashboard.pages.approaches.ids import GRID
from dashboard.pages.components.tables import Column, data_table
from dashboard.selectors.evaluation_rows import EvaluationView


def approaches_table(view: EvaluationView) -> dag.AgGrid:
    """Each approach that has an error, those that err least first."""
    threshold = view.evaluation.thresholds[0]
    columns = (
        Column("learner", "learner", width=225),
        Column("sampling", "sampling", width=115),
        Column("error", "error", "%", "number", digits=2, text="said", width=120),
        Column("range", "least to largest", "%", width=140),
        Column("configurations", "configurations", kind="number", digits=0, width=120),
        Column("once", "each once", kind="number", text="once_said", width=100),
        Column("terms", f"terms ≥ {number(threshold, unit=view.unit)}", kind="number", digits=0, width=130),
        Column("kind", "readable", width=170),
        Column("runs", "runs", kind="number", digits=0, width=80),
        Column("all", "all runs", kind="number", text="all_said", width=110),
        Column("training", "training", kind="number", text="training_said", width=110),
    )
    rows = sorted(
        (row for row in view.evaluation.rows if row.errors), key=lambda row: (row.seen, row.error or 0.0)
    )
    return data_table(columns, [_cells(row) for row in rows], id_=GRID, row_key="key", most_rows=20)


def _cells(row: ApproachRow) -> dict[str, Any]:
    one = row
    places = 1 if (one.error or 0.0) >= 1 else 2
    spread = "" if one.deviation is None else f" ± {fixed(one.deviation, places)}"
    return {
        "key": row.key,
        "learner": row.learner_title,
        "sampling": row.sampling_title,
        "error": one.error,
        "said": f"{fixed(one.error or 0.0, places)}{spread}{' (seen)' if one.seen else ''}",
        "range": f"{fixed(min(one.errors), places)} to {fixed(max(one.errors), places)}",
        "configurations": one.configurations,
        "once": one.seconds_once,
        "once_said": long_time(one.seconds_once),
        "all": one.machine_seconds,
        "all_said": long_time(one.machine_seconds),
        "runs": one.executions,
        "terms": one.terms[0][1] if one.terms else None,
        "training": one.training_seconds,
        "training_said": long_time(one.training_seconds),
        "kind": kind_text(row),
    }

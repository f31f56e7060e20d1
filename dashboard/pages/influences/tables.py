"""The table twins of the page of influences."""

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag

from dashboard.figures.influences import terms_scale
from dashboard.figures.influences_words import term_text
from dashboard.figures.numbers import DisplayScale, number, scale_for
from dashboard.pages.components.tables import Column, data_table
from dashboard.pages.influences.ids import REGIONS_GRID, TERMS_GRID
from dashboard.selectors.model_rows import Estimate, ModelIdentity, TermRegions, TermRow

MOST_ROWS = 2000


def terms_table(terms: Sequence[TermRow], model: ModelIdentity) -> dag.AgGrid:
    """Every shown term with its interval; a row chooses its term."""
    scale = terms_scale(terms, model)
    columns = (
        Column("term", "term", kind="code", width=320),
        *_columns(scale),
        Column("degree", "options", kind="number", digits=0),
        *([Column("regions", "regions", kind="number", digits=0)] if model.kind != "learned" else []),
    )
    rows = [
        {
            "key": term.key,
            "term": term_text(term),
            **_estimate(term.influence, model.unit, scale),
            "degree": term.degree,
            "regions": term.regions,
        }
        for term in terms[:MOST_ROWS]
    ]
    return data_table(columns, rows, id_=TERMS_GRID, select=True, row_key="key", most_rows=16)


def regions_table(found: TermRegions) -> dag.AgGrid:
    """Every region of a term, what lies outside of all regions, and their sum."""
    model = found.model
    shares = [*found.regions, *([found.outside] if found.outside else [])]
    scale = scale_for([one.influence.value for one in shares], model.unit)
    columns = (
        Column("region", "region", kind="code", width=220),
        *_columns(scale),
        Column("share", "share", "%", "number", digits=1),
        Column("package", "package", kind="code"),
    )
    rows: list[dict[str, Any]] = [
        {
            "key": one.key,
            "region": one.name,
            **_estimate(one.influence, model.unit, scale),
            "share": None if one.share is None else 100 * one.share,
            "package": one.package,
        }
        for one in shares
    ]
    total = _estimate(found.term.influence, model.unit, scale)
    rows.append({"key": "", "region": "sum", **total, "share": 100.0, "package": ""})
    return data_table(columns, rows, id_=REGIONS_GRID, row_key="key", most_rows=16)


def _columns(scale: DisplayScale) -> tuple[Column, ...]:
    return (
        Column("influence", "influence", scale.unit, "number", text="said", width=150),
        Column("low", "95 % from", scale.unit, "number", digits=3, width=130),
        Column("high", "95 % to", scale.unit, "number", digits=3, width=120),
        Column("zero", "may be zero"),
    )


def _estimate(influence: Estimate, unit: str, scale: DisplayScale) -> dict[str, Any]:
    return {
        "influence": influence.value * scale.factor,
        "said": number(influence.value, influence.error, unit, scale=scale.bare, signed=True),
        "low": None if influence.low is None else influence.low * scale.factor,
        "high": None if influence.high is None else influence.high * scale.factor,
        "zero": "yes" if influence.may_be_zero else "",
    }

"""The table twins of the page of influences."""

from collections.abc import Sequence
from operator import attrgetter

from dash import html

from dashboard.figures.influences import terms_scale
from dashboard.figures.influences_words import term_text
from dashboard.figures.numbers import PERCENT, DisplayScale, scale_for
from dashboard.pages.components.saving import saved
from dashboard.pages.components.tables import Column, data_table
from dashboard.pages.influences.ids import REGIONS_GRID, TERMS_GRID
from dashboard.selectors.model_rows import ModelIdentity, TermRegion, TermRegions, TermRow

MOST_ROWS = 2000


def terms_table(terms: Sequence[TermRow], model: ModelIdentity) -> html.Div:
    """Every shown term with its interval; a row chooses its term."""
    columns = (
        Column("term", "term", kind="code", width=320, of=term_text),
        *_columns(terms_scale(terms, model)),
        *([Column("factor", "factor", kind="number", digits=3)] if model.is_multiplicative else []),
        Column("degree", "options", kind="number", digits=0),
        *([Column("regions", "regions", kind="number", digits=0)] if model.kind != "learned" else []),
    )
    grid = data_table(columns, terms[:MOST_ROWS], id_=TERMS_GRID, select=True, row_key="key", most_rows=16)
    return saved(grid, revision=model.revision)


def regions_table(found: TermRegions) -> html.Div:
    """Every region of a term, what lies outside of all regions, and their sum."""
    rows = [*found.regions, *([found.outside] if found.outside else [])]
    scale = scale_for([one.influence.value for one in rows], found.model.unit)
    columns = (
        Column("name", "region", kind="code", width=220),
        *_columns(scale),
        Column("share", "share", kind="number", digits=1, scale=PERCENT),
        Column("package", "package", kind="code"),
    )
    rows.append(TermRegion("", "sum", "", found.term.influence, 1.0))
    grid = data_table(columns, rows, id_=REGIONS_GRID, row_key="key", most_rows=16)
    return saved(grid, revision=found.model.revision)


def _columns(scale: DisplayScale) -> tuple[Column, ...]:
    """The columns of an influence, which is the same attribute of all rows."""

    def bound(name: str, head: str, width: int) -> Column:
        of = attrgetter(f"influence.{name}")
        return Column(name, head, kind="number", digits=3, width=width, of=of, scale=scale)

    return (
        Column("influence", "influence", kind="estimate", text="said", width=150, scale=scale),
        bound("low", "95 % from", 130),
        bound("high", "95 % to", 120),
        Column("zero", "may be zero", of=lambda row: "yes" if row.influence.may_be_zero else ""),
    )

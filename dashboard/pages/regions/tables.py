"""The tables of the pages of regions."""

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
from dash import html

from dashboard.figures.influences_words import region_text, term_text
from dashboard.figures.numbers import DisplayScale, number, scale_for, share
from dashboard.figures.regions_hotspots import MOST
from dashboard.pages.components.tables import Column, data_table, plain_table
from dashboard.pages.regions.ids import GRID
from dashboard.selectors.regions.rows import RegionDetail, RegionList, RegionRow

MOST_ROWS = 300
MOST_RUNS = 2000


def regions_table(found: RegionList, shown: Sequence[RegionRow]) -> dag.AgGrid:
    """Regions with their time at the base and their largest term; a row leads to its region."""
    unit, rows = found.model.unit, shown[:MOST_ROWS]
    scale = scale_for([row.time for row in rows], unit)
    largest = scale_for([row.largest.influence.value for row in rows if row.largest], unit)
    compared = (
        Column("target", "compared", scale.unit, "number", digits=3, width=120),
        Column("difference", "difference", scale.unit, "number", digits=3, width=120),
        Column("only", "runs", width=130),
    )
    changed_by = Column("options", "changed by", kind="code", width=180)
    analyzed = (
        Column("reached", "reached by", kind="code", width=180),
        Column("partition", "partition", kind="code", width=300),
    )
    columns = [
        Column("name", "region", kind="code", width=230),
        Column("time", "time", scale.unit, "number", digits=3, width=100),
        Column("share", "share", "%", "number", digits=1, width=90),
        *(compared if found.target else ()),
        Column("change", "largest influence", largest.unit, "number", text="said", width=170),
        Column("term", "by", kind="code", width=220),
        *([changed_by] if any(row.options != row.reached for row in rows) else []),
        *(analyzed if any(row.reached for row in rows) else []),
        Column("subspaces", "subspaces", kind="number", digits=0, width=120),
        *(
            [Column("versions", "bodies", kind="number", digits=0)]
            if any(row.versions for row in rows)
            else []
        ),
        Column("place", "file" if any(row.file for row in rows) else "package", width=200),
    ]
    return data_table(
        columns,
        [_region(row, scale, largest, unit) for row in rows],
        id_=GRID,
        select=True,
        row_key="key",
        most_rows=18,
    )


def hotspots_table(found: RegionList, shown: Sequence[RegionRow]) -> html.Div:
    """The numbers of the figure of hotspots."""
    unit = found.model.unit
    columns = (
        Column("name", "region", kind="code"),
        Column("time", "at the base", kind="number"),
        Column("share", "share", kind="number"),
        Column("change", "largest influence", kind="number"),
        Column("term", "by", kind="code"),
    )
    rows = [
        {
            "name": region_text(row.name),
            "time": number(row.time, None, unit),
            "share": share(row.share),
            "change": "–"
            if row.largest is None
            else number(row.largest.influence.value, row.largest.influence.error, unit, signed=True),
            "term": term_text(row.largest) if row.largest else "",
        }
        for row in shown[:MOST]
    ]
    return plain_table(columns, rows, label="The first regions")


def subspaces_table(detail: RegionDetail, id_: str) -> dag.AgGrid:
    """Every repetition of every subspace, beside the value that the model takes for it."""
    unit = detail.model.unit
    runs = [(row, run) for row in detail.subspaces for run in row.repetitions][:MOST_RUNS]
    scale = scale_for([run.time for _, run in runs], unit)
    columns = (
        Column("words", "subspace", width=320),
        Column("model", "model", scale.unit, "number", digits=4),
        Column("configuration", "configuration", kind="code"),
        Column("run", "run", kind="number", digits=0),
        Column("time", "measured", scale.unit, "number", digits=4),
    )
    rows = [
        {
            "words": row.words,
            "model": None if row.time is None else row.time * scale.factor,
            "configuration": run.configuration,
            "run": run.repetition + 1,
            "time": run.time * scale.factor,
        }
        for row, run in runs
    ]
    return data_table(columns, rows, id_=id_, most_rows=14)


def _region(row: RegionRow, scale: DisplayScale, largest: DisplayScale, unit: str) -> dict[str, Any]:
    term = row.largest
    only = ""
    if row.target_time is not None and (row.time > 0) != (row.target_time > 0):
        only = "only in the base" if row.time > 0 else "only compared"
    return {
        "key": row.key,
        "name": row.name,
        "time": row.time * scale.factor,
        "share": None if row.share is None else 100 * row.share,
        "target": None if row.target_time is None else row.target_time * scale.factor,
        "difference": None if row.target_time is None else (row.target_time - row.time) * scale.factor,
        "only": only,
        "change": None if term is None else term.influence.value * largest.factor,
        "said": "–"
        if term is None
        else number(term.influence.value, term.influence.error, unit, scale=largest.bare, signed=True),
        "term": "" if term is None else term_text(term),
        "options": ", ".join(row.options),
        "reached": ", ".join(row.reached),
        "partition": "  |  ".join(row.partition),
        "subspaces": row.subspaces,
        "versions": row.versions,
        "place": row.file or row.package,
    }

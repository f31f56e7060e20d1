"""The tables of the pages of regions."""

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from dash import html

from dashboard.figures.influences_words import region_text, term_text
from dashboard.figures.numbers import PERCENT, estimate_text, number, plural, scale_for, share
from dashboard.figures.regions_hotspots import MOST
from dashboard.pages.components.saving import exact, saved
from dashboard.pages.components.tables import Column, data_table, plain_table
from dashboard.pages.regions.ids import GRID
from dashboard.selectors.model_rows import Estimate
from dashboard.selectors.regions.rows import RegionDetail, RegionList, RegionRow

MOST_ROWS = 300
MOST_RUNS = 2000
# Fewer options than these are named in a cell.
_NAMED = 2


def _joined(field: str, head: str, *, only_saved: bool = False) -> Column:
    of = attrgetter(field)
    return Column(
        field, head, kind="code", width=140, of=lambda row: ", ".join(of(row)), only_saved=only_saved
    )


def _partition(row: RegionRow) -> str:
    """Its subspaces as formulas; of several partitions how many: formulas of all together would be no partition."""
    if len(row.partitions) > 1:
        return f"split into {len(row.partitions)} pairs of options"
    return "  |  ".join(chain.from_iterable(row.partitions))


# What an analysis tells of a region. What is long, or small beside the rest, stands on the region's own page.
_ANALYZED = (
    Column(
        "reached_by",
        "reached by",
        width=140,
        of=lambda row: (
            ", ".join(row.reached) if len(row.reached) < _NAMED else plural(len(row.reached), "option")
        ),
    ),
    _joined("reached", "options that reach it", only_saved=True),
    Column("partitions", "partition", kind="code", of=_partition, only_saved=True),
)


def regions_table(found: RegionList, shown: Sequence[RegionRow]) -> html.Div:
    """Regions with their time at the base and their largest term; a row leads to its region."""
    unit, rows = found.model.unit, shown[:MOST_ROWS]
    scale = scale_for([row.time for row in rows], unit)
    largest = scale_for([one.value for row in rows if (one := _largest(row))], unit)
    compared = (
        Column("target_time", "compared", kind="number", digits=3, width=120, scale=scale),
        Column("difference", "difference", kind="number", digits=3, width=120, scale=scale),
        Column("only_in", "runs", width=130),
    )

    bodies = Column("versions", "bodies", kind="number", digits=0, only_saved=True)
    # Without partitions every region has all of them.
    counts = {row.subspaces for row in rows}
    columns = [
        Column("name", "region", kind="code"),
        Column("time", "time", "", "estimate", text="taken", width=120, of=_time, scale=scale, signed=False),
        Column("share", "share", kind="number", digits=1, width=85, scale=PERCENT),
        *(compared if found.target else ()),
        Column(
            "change", "largest influence", "", "estimate", text="said", width=155, of=_largest, scale=largest
        ),
        Column("term", "by", kind="code", width=175, of=_by),
        *([_joined("options", "changed by")] if any(row.options != row.reached for row in rows) else []),
        *(_ANALYZED if any(row.reached for row in rows) else []),
        Column("subspaces", "subspaces", kind="number", digits=0, width=105, only_saved=len(counts) < 2),
        *([bodies] if any(row.versions for row in rows) else []),
        Column(
            "place",
            "file" if any(row.file for row in rows) else "package",
            of=lambda row: row.file or row.package,
            only_saved=True,
        ),
    ]
    grid = data_table(columns, rows, id_=GRID, select=True, row_key="key", most_rows=18)
    return saved(grid, revision=found.model.revision, name="regions")


def hotspots_table(found: RegionList, shown: Sequence[RegionRow]) -> html.Div:
    """The numbers of the figure of hotspots."""
    unit = found.model.unit

    def largest(row: RegionRow) -> Any:
        one = _largest(row)
        return exact(number(one.value, one.margin, unit, signed=True), one.value, unit) if one else "–"

    def time(row: RegionRow) -> Any:
        return exact(estimate_text(_time(row), unit), row.time, unit)

    columns = (
        Column("name", "region", kind="code", of=lambda row: region_text(row.name)),
        Column("time", "at the base", kind="number", of=time),
        Column("share", "share", kind="number", of=lambda row: exact(share(row.share), row.share)),
        Column("change", "largest influence", kind="number", of=largest),
        Column("term", "by", kind="code", of=_by),
    )
    return plain_table(columns, shown[:MOST], label="The first regions", revision=found.model.revision)


def subspaces_table(detail: RegionDetail, id_: str) -> html.Div:
    """Every repetition of every subspace, beside the value of the subspace."""
    runs = [(row, run) for row in detail.subspaces for run in row.repetitions][:MOST_RUNS]
    scale = scale_for([run.time for _, run in runs], detail.model.unit)
    value = "model" if detail.model.kind == "partitioned" else "median"
    columns = (
        Column("words", "subspace", width=320, of=lambda pair: pair[0].words),
        Column("model", value, kind="number", digits=4, of=lambda pair: pair[0].time, scale=scale),
        Column("configuration", "configuration", kind="code", of=lambda pair: pair[1].configuration),
        Column("run", "run", kind="number", digits=0, of=lambda pair: pair[1].repetition + 1),
        Column("time", "measured", kind="number", digits=4, of=lambda pair: pair[1].time, scale=scale),
    )
    return saved(data_table(columns, runs, id_=id_, most_rows=14), revision=detail.model.revision)


def _time(row: RegionRow) -> Estimate:
    return Estimate(row.time) if row.taken is None else row.taken


def _largest(row: RegionRow) -> Estimate | None:
    return row.largest.influence if row.largest else None


def _by(row: RegionRow) -> str:
    return term_text(row.largest) if row.largest else ""

"""The plan on the page of measuring: the grid, what its cells mean, and choosing one."""

import json
from typing import Any

import plotly.graph_objects as go
from dash import ClientsideFunction, Input, Output, clientside_callback, html

from dashboard.access import Access
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import count, plural
from dashboard.figures.plan_grid import SIGNS, STATES, WORDS, plan_grid_figure
from dashboard.figures.repetitions_words import saved
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, figure_card, help_tip
from dashboard.pages.components.menus import picker
from dashboard.pages.components.tables import Column, data_table
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as own
from dashboard.pages.system_callback import lens_callback, system_callback
from dashboard.selectors.jobs import MEASURED, list_jobs
from dashboard.selectors.measuring.grid import plan_grid
from dashboard.selectors.measuring.rows import PlanGrid

_COLUMNS = (
    Column("configuration", "configuration", kind="code"),
    Column("revision", "revision", kind="code"),
    Column("state", "state"),
    Column("ok", "measured", "runs", "number", 0),
    Column("failed", "failed", "runs", "number", 0),
    Column("invalid", "invalid", "runs", "number", 0),
    Column("waiting", "waiting", "runs", "number", 0),
)


def panel() -> html.Section:
    """The place of the grid, until callbacks fill it."""
    return figure_card(
        own.GRID,
        controls=[html.Div(id=own.SCOPE)],
        height=96,
        scrolls=True,
        help_=help_tip(
            "A row is a configuration, a column a revision. Click a cell for its runs: what they took, what they "
            "printed when they failed, and to mark them invalid.",
            "how-to/invalidate-runs-and-delete-a-system",
        ),
    )


@system_callback(
    *own.GRID.outputs,
    Output(own.SCOPE, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    Input(own.ROOM, "data"),
)
def show(
    access: Access, lens: Lens, scheme: str | None, room: str | None
) -> tuple[Content, Content, go.Figure, Content, Content]:
    """The grid of the chosen job, or of everything, as far as it is filled."""
    job = lens.whole("job")
    grid = plan_grid(access=access, job_id=job)
    jobs = list_jobs(principal=access.principal, system=access.system, kind=MEASURED)
    scopes = {"": "Everything measured"} | {str(row.id): f"Job {row.id}: {row.title}" for row in jobs}
    cells = [
        {
            "key": json.dumps([grid.identities[cell.configuration], grid.revisions[cell.revision]]),
            "configuration": grid.configurations[cell.configuration],
            "revision": revision_text(grid.revisions[cell.revision]),
            "state": WORDS[cell.state],
            **{name: getattr(cell, name) for name in ("ok", "failed", "invalid", "waiting")},
        }
        for cell in grid.cells
    ]
    selected = (lens.settings.get("configuration", ""), lens.revision)
    return (
        *_head(grid),
        plan_grid_figure(grid, scheme=scheme, selected=selected, narrow=room == "narrow"),
        data_table(_COLUMNS, cells, id_=own.CELLS, select=True, row_key="key"),
        picker("job", "" if job is None else str(job), tuple(scopes), scopes, at_end=True),
    )


# It answers anew whenever results arrive, and the grid follows.
clientside_callback(
    ClientsideFunction("explorer", "room"),
    Output(own.ROOM, "data"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
)


@lens_callback(Input(own.GRID.graph, "clickData"))
def choose_cell(lens: Lens, click: dict[str, Any] | None) -> Lens:
    """Keep the clicked cell in the address."""
    for point in (click or {}).get("points", ()):
        return lens.but(revision=str(point["x"])).setting(configuration=str(point["y"]))
    return lens


@lens_callback(Input(own.CELLS, "selectedRows"))
def choose_row(lens: Lens, rows: list[dict[str, Any]] | None) -> Lens:
    """The same from the table of numbers."""
    if not rows:
        return lens
    identity, revision = json.loads(rows[0]["key"])
    return lens.but(revision=revision).setting(configuration=identity)


def _head(grid: PlanGrid) -> tuple[str, Piece]:
    """What became of the plan, and what the colours and signs mean with how many cells there are of each."""
    total, bad = sum(grid.counts.values()), grid.counts.get("failed", 0)
    if not total:
        finding = "Nothing is planned and nothing was measured yet"
    elif grid.waiting:
        failed = f", {plural(bad, 'cell')} failed" if bad else ""
        about = "about " if grid.most else ""
        finding = f"{count(grid.made)} of {about}{plural(grid.made + grid.waiting, 'run')} made{failed}"
    elif bad:
        finding = f"{plural(total - bad, 'cell')} measured, {count(bad)} failed"
    else:
        revisions = plural(len(grid.revisions), "revision")
        every = plural(len(grid.configurations) + grid.left_out, "configuration")
        finding = f"{every} measured at {revisions}"
        # The colours of the figure tell which: of most pairs perhaps nothing is known.
        pairs = (len(grid.configurations) + grid.left_out) * len(grid.revisions)
        if not grid.left_out and total < pairs:
            finding = (
                f"{every} measured, not each at each of {revisions}: {count(total)} of {count(pairs)} cells"
            )
    if grid.most and grid.is_whole:
        timed = total - grid.untimed
        finding += (
            f": {saved(grid.made, grid.most, grid.wide, grid.half_width, timed=timed, untimed=grid.untimed)}"
        )
    key: list[Piece] = ["Configurations by revisions"]
    for state in reversed(STATES):
        if grid.counts.get(state):
            sign = html.Span(SIGNS[state], className=f"plan-square plan-{state}")
            words = f"{WORDS[state]} {count(grid.counts[state])}"
            key.append(html.Span([sign, words], className="plan-state"))
    if grid.left_out:
        key.append(html.Span(f"{plural(grid.left_out, 'configuration')} more are not shown"))
    return finding, html.Span(key, className="plan-key")

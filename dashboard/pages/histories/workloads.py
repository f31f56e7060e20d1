"""What became of one thing in each workload: a row for each, with its shape and its largest change."""

from dash import Input, Output, html

from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import workloads_finding
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, card, help_tip
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.cells import change_cells, named_shape
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.compared import histories_over_workloads

_SHOWN, _FOLDED = 8, 100
_COLUMNS = (
    Column("workload", "workload"),
    Column("now", "now", kind="number"),
    Column("change", "largest change", kind="number"),
)
_HELP = (
    "The same configuration, term, region or benchmark in each workload, by the same metric on the same machine; those that changed most "
    "first. A change that comes with one workload alone lies in what this workload uses. Lines fill their height: compare shapes, and "
    "read sizes in numbers."
)


@system_callback(
    Output(own.WORKLOADS, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
)
def show_workloads(access: Access, lens: Lens, _version: str | None) -> Content:
    """The histories of the chosen series in all workloads; nothing where it was measured in one alone."""
    try:
        chosen = chosen_series(access, lens)
    except NotFound:
        return None
    found = histories_over_workloads(system=access.system, series=chosen)
    if not found:
        return None
    rows = [
        {"workload": named_shape(one, one.series.workload, access.slug)} | change_cells(one, access.slug)
        for one in found
    ]
    table = folded_table(
        _COLUMNS,
        rows,
        label=f"{chosen.label} in each workload",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(rows) - _SHOWN} more",
    )
    return card(
        workloads_finding(found),
        html.Div(table, className="option-histories"),
        more=help_tip(_HELP, "explanation/workloads#histories-of-workloads"),
    )

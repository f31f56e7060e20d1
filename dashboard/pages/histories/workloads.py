"""What became of one thing in each workload: a row for each, with its shape and its largest change."""

from operator import attrgetter

from dash import Input, Output

from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import workloads_finding
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, card, help_tip
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.cells import changes_table
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.compared import histories_over_workloads

_SHOWN, _FOLDED = 8, 100
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
    table = changes_table(
        found,
        access.slug,
        label=f"{chosen.label} in each workload",
        of="workload",
        name=attrgetter("workload"),
        shown=_SHOWN,
        folded=_FOLDED,
    )
    return card(
        workloads_finding(found),
        table,
        more=help_tip(_HELP, "explanation/workloads#histories-of-workloads"),
    )

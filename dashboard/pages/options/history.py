"""Since when an option costs what it costs: the histories of its terms with their changes."""

from operator import attrgetter

from dash import Input, Output, State, html

from dashboard.access import Access
from dashboard.figures.histories_words import finding, measured_text
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import Content, action, card, help_tip
from dashboard.pages.histories.cells import changes_table
from dashboard.pages.lens import Lens
from dashboard.pages.options import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.options import option_histories

_SHOWN = 6
_FOLDED = 40
_HELP = (
    "What the option adds to the default configuration, alone and with others, at each revision that was measured: end to "
    "end, without a profiler. The line is the history with its 95 % band; changes are marked."
)


@system_callback(
    Output(own.HISTORY, "children"),
    Input(ids.LENS, "data"),
    State(own.KEY, "data"),
    prevent_initial_call=False,
)
def show_history(access: Access, lens: Lens, key: str) -> Content:
    """The histories of the option's terms by one metric: what the lens says, else performance or CPU time."""
    found = option_histories(system=access.system, selection=lens, option=key)
    tip = help_tip(_HELP, "explanation/trust#bands-of-histories")
    if not found:
        said = (
            f"Since when {key} costs what it costs is not known: nothing with it was measured over several revisions. Measure the "
            "default configuration and one with it at the releases that you ask about."
        )
        act = action("Measure revisions", href=address(access.slug, MEASURE, lens=lens), quiet=True)
        return card(
            f"The history of {key} is not known", html.P(said), html.Div(act, className="card-foot"), more=tip
        )
    table = changes_table(
        found,
        access.slug,
        label=f"Histories of {key}",
        of="term",
        name=attrgetter("label"),
        shown=_SHOWN,
        folded=_FOLDED,
        remedy="see Histories",
    )
    note = html.P(measured_text(found[0].series), className="figure-axes")
    return card(finding(found[0]), note, table, more=tip)

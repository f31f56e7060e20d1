"""Since when an option costs what it costs: the histories of its terms with their changes."""

from contextlib import suppress
from operator import attrgetter

from dash import Input, Output, State, html

from analytics.configurations.identities import key_options
from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import finding
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import Content, action, card, help_tip
from dashboard.pages.histories.cells import changes_table
from dashboard.pages.lens import Lens
from dashboard.pages.options import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.compared import term_histories
from dashboard.selectors.performance_models import model_choices

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
    workload = lens.workload
    if not workload:
        # That of the model that the rest of the page is of.
        with suppress(NotFound):
            workload, _ = model_choices(system=access.system, selection=lens)["workload"]
    found = term_histories(
        system=access.system, metric=lens.metric, option=key, workload=workload, environment=lens.environment
    )
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
    # The option alone first, then what changed most.
    ordered = sorted(found, key=lambda one: len(key_options(one.series.subject)) > 1)
    first = ordered[0].series
    table = changes_table(
        ordered,
        access.slug,
        label=f"Histories of {key}",
        of="term",
        name=attrgetter("label"),
        shown=_SHOWN,
        folded=_FOLDED,
        remedy="see Histories",
    )
    note = html.P(
        f"{first.measure}, workload {first.workload}, on {first.environment}; relative to the default configuration",
        className="figure-axes",
    )
    return card(finding(ordered[0]), note, table, more=tip)

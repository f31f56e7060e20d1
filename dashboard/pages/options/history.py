"""Since when an option costs what it costs: the histories of its terms with their changes."""

from dash import Input, Output, State, html

from analytics.configurations.identities import key_options
from dashboard.access import Access
from dashboard.figures.histories_words import (
    certain,
    change_size,
    finding,
    level_now,
    revision_text,
    scale_of,
)
from dashboard.figures.numbers import GAP, number
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address, pair_address
from dashboard.pages.components.blocks import Content, Piece, action, card, help_tip, link
from dashboard.pages.components.sparkline import sparkline
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.history_list.parts import history_address
from dashboard.pages.lens import Lens
from dashboard.pages.options import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.history import term_histories
from dashboard.selectors.histories.rows import History, largest_change

_SHOWN = 6
_FOLDED = 40
# A line of a word's height shows no more places.
_PLACES = 150
_COLUMNS = (
    Column("term", "term"),
    Column("now", "now", kind="number"),
    Column("change", "largest change", kind="number"),
)
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
    found = term_histories(system=access.system, metric=lens.metric, option=key)
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
    table = folded_table(
        _COLUMNS,
        [_cells(history, access.slug) for history in ordered[:_FOLDED]],
        label=f"Histories of {key}",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(ordered) - _SHOWN} more",
        remedy="see Histories",
    )
    note = html.P(
        f"{first.measure}, workload {first.workload}, on {first.environment}; relative to the default configuration",
        className="figure-axes",
    )
    return card(finding(ordered[0]), note, html.Div(table, className="option-histories"), more=tip)


def _cells(history: History, slug: str) -> dict[str, Content]:
    series, scale, largest = history.series, scale_of(history), largest_change(history.changes)
    size: Piece = "none" if history.enough_data else "too few to tell"
    if largest is not None:
        look = "slower" if largest.is_slower else "faster"
        told = certain(largest.certainty, is_candidate=largest.is_candidate)
        ends = (largest.before.name, largest.after.name)
        between = html.Code(" → ".join(map(revision_text, ends)))
        size = html.Span(
            [
                html.Span(change_size(largest, scale), className=look),
                html.Div(link(between, pair_address(slug, *ends), title="Compare before and after")),
                html.Div(told, className="quiet"),
            ]
        )
    places = history.band[:: max(1, -(-len(history.band) // _PLACES))]
    shape: Piece = None
    if len(places) > 1:
        ends_said = [number(end.estimate, scale=scale) for end in (places[0], places[-1])]
        shape = sparkline(
            [(float(place.position), place.estimate) for place in places],
            f"From {ends_said[0]} to {ends_said[1]}, with its 95{GAP}% band",
            band=[(place.lower_95, place.upper_95) for place in places],
            marks=[float(change.after.position) for change in history.changes],
        )
    return {
        "term": html.Span([link(html.Code(series.label), history_address(slug, series.series_id)), shape]),
        "now": number(level_now(history), scale=scale),
        "change": size,
    }

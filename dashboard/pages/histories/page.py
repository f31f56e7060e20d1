"""Histories: one curve over all revisions, its changes, what to measure next, and the histories of terms."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from dash import Input, Output, State, dcc, html, no_update

from dashboard.access import Access
from dashboard.figures.histories import axis_title, history_figure
from dashboard.figures.histories_words import finding, scale_of
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.components.blocks import (
    Content,
    card,
    code,
    command,
    empty_state,
    figure_card,
    help_tip,
    link,
    page,
    skeleton,
)
from dashboard.pages.components.inputs import select
from dashboard.pages.components.saving import saved
from dashboard.pages.components.triage import triage_tools
from dashboard.pages.histories import annotations as histories_annotations
from dashboard.pages.histories import by_hand as histories_by_hand  # noqa: F401 -- its callbacks are registered with it
from dashboard.pages.histories import ids as own
from dashboard.pages.histories import kernels as histories_kernels
from dashboard.pages.histories import next as histories_next
from dashboard.pages.histories import terms as histories_terms
from dashboard.pages.histories import track as histories_track
from dashboard.pages.histories import workloads as histories_workloads  # noqa: F401 -- its callback is registered with it
from dashboard.pages.histories.beside import beside_card, values_beside
from dashboard.pages.histories.change_measurement import changes_with_buttons
from dashboard.pages.histories.parts import (
    chosen_series,
    points_table,
    revision_card,
    series_choices,
)
from dashboard.pages.histories.unmerged import unmerged_card
from dashboard.pages.history_list import list as suite_list
from dashboard.pages.jobs import watches_jobs
from dashboard.pages.lens import Lens
from dashboard.pages.measure.jobs import active_cards
from dashboard.pages.system_callback import lens_callback, system_callback
from dashboard.selectors.histories.beside import side_by_side
from dashboard.selectors.histories.counted import measured_pair, moved_between
from dashboard.selectors.histories.history import history_of
from dashboard.selectors.histories.kernels import kernel_title, newest_comparison
from dashboard.selectors.histories.rows import BROWNIAN, SeriesRow
from dashboard.selectors.histories.series import LONGEST_ID, default_series, find_series, pick_series
from dashboard.selectors.histories.triaged import brackets_by_hand, triaged_history
from dashboard.selectors.history_list.stored import EVERYTHING, is_suite
from dashboard.selectors.jobs import active_jobs_of
from dashboard.selectors.measuring.status import measuring_refusal
from dashboard.selectors.rows import Job

_EVERY_MS = 2500
_HELP = (
    "The line is the estimate, the bands hold the true value with 50 and 95 % certainty: also where nothing was "
    "measured. Shaded brackets hold a change of level."
)
# Lines of a job's log: more of it stands on the page of measuring.
_LINES = 3


def layout(access: Access, key: str, lens: Lens) -> html.Article:
    """The page of a system's histories, of one of a suite's, or how a history comes to be."""
    if is_suite(access.system):
        wanted = lens.settings.get("series", "")
        if not key or key != wanted:
            return suite_list.layout(access, lens)
        chosen = find_series(system=access.system, series_id=wanted)
        picker = _picker((chosen,), 0, chosen)
        return _one_history(access, chosen, [suite_list.head_of(access, chosen.series_id), picker])
    if key == EVERYTHING:
        return suite_list.layout(access, lens)
    wanted = lens.settings.get("series", "")
    keep = {int(wanted)} if wanted.isdecimal() and len(wanted) <= LONGEST_ID else set[int]()
    series, left_out = pick_series(system=access.system, keep=keep)
    if not series:
        nothing = empty_state(
            "A history needs two measured revisions",
            ["Measure more than one revision of the registered subject of ", code(access.slug), ":"],
            command(f".venv/bin/python manage.py measure {access.slug} --revisions every=5 --repetitions 3"),
        )
        return page("No history yet", None, nothing)
    chosen = default_series(series, series_id=wanted, term=lens.term)
    everything = link("All histories, the least certain first", suite_list.list_address(access.slug))
    picker = _picker(series, left_out, chosen)
    head = [picker, everything] if len(series) > 1 else [picker]
    return _one_history(access, chosen, [html.Div(head, className="history-head")])


def _picker(series: Sequence[SeriesRow], left_out: int, chosen: SeriesRow) -> Any:
    """What chooses the series; hidden where there is nothing to choose from."""
    return select(
        own.SERIES,
        series_choices(series),
        str(chosen.series_id),
        searchable=True,
        label="History of",
        description=f"{count(left_out)} more: type to find them" if left_out else None,
        className="history-picker",
        w=360,
        comboboxProps={"shadow": "md"},
        display=None if len(series) > 1 else "none",
    )


def _one_history(access: Access, chosen: SeriesRow, head: Sequence[Any]) -> html.Article:
    """The page of the history that the lens chooses; `head` stands above its figure."""
    help_ = help_tip(_HELP, "explanation/trust#bands-of-histories")
    figure = figure_card(own.FIGURE, height=420, titled=False, help_=help_)
    again, placed = (html.Div(id=one, role="status") for one in (own.AGAIN_SAID, own.PLACE_SAID))
    below = [html.Div(id=own.WORKLOADS), histories_kernels.panel(access), histories_terms.panel()]
    changes = [triage_tools(), html.Div(skeleton(2), id=own.CHANGES), again, html.Div(id=own.PLACE), placed]
    kept = {own.VERSION: _version(access, ()), own.FIRST: str(chosen.series_id)}
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        *(dcc.Store(id=one, data=data) for one, data in kept.items()),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS),
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        html.Div(
            [
                html.Div(
                    [*head, figure, html.Div(id=own.EXPLAINED), *below],
                    className="history-main",
                ),
                html.Aside(
                    [
                        card("Changes", *changes),
                        html.Div(id=own.BESIDE, className="history-more"),
                        card("Revision", html.Div(skeleton(2), id=own.REVISION)),
                        histories_annotations.panel(access),
                        histories_next.panel(),
                        histories_track.panel(),
                    ],
                    className="history-side",
                ),
            ],
            className="history",
        ),
    )


@watches_jobs(own.ACTIVE, own.TICK, own.VERSION, rests=False)
def watch(access: Access) -> tuple[Any, ...]:
    """The jobs that are active; a new version where anything has moved."""
    jobs = active_jobs_of(access=access, lines=_LINES)
    refusal = measuring_refusal(access=access) if jobs else ""
    return active_cards(jobs, refusal), jobs, _version(access, jobs)


def _version(access: Access, jobs: tuple[Job, ...]) -> str:
    """Moves with every result, with the beginning and the end of a job, and with every choice of one that tracks."""
    parts = [str(access.system.data_version)]
    for job in jobs:
        parts.append(f"{job.id} {job.state}")
        if job.kind == "track":
            parts.append(job.message)
    return "; ".join(parts)


@system_callback(
    Output(own.SERIES, "data"),
    Input(own.SERIES, "searchValue"),
    State(own.SERIES, "value"),
    prevent_initial_call=True,
)
def search(access: Access, words: str | None, value: str | None) -> Any:
    """What the words that are typed find, where not everything is listed."""
    # Behind the sign stands the metric: a label that was chosen is shown whole, and not searched for.
    typed, chosen, _ = (words or "").partition(" · ")
    if chosen or is_suite(access.system):
        return no_update
    keep = {int(value)} if value else set[int]()
    found, left_out = pick_series(system=access.system, search=typed, keep=keep)
    return series_choices(found) if left_out else no_update


@lens_callback(Input(own.SERIES, "value"), State(own.FIRST, "data"))
def choose_series(lens: Lens, series: str, first: str) -> Lens:
    """Keep the chosen series in the address; a term chosen elsewhere no longer rules.

    Not the one that the page began with by itself: everything would be asked for twice when it comes.
    """
    return lens if lens.settings.get("series", first) == series else lens.but(term="").setting(series=series)


@lens_callback(Input(own.FIGURE.graph, "clickData"))
def choose_revision(lens: Lens, click: dict[str, Any] | None) -> Lens:
    """Keep the clicked revision in the address."""
    named = [point["customdata"][0] for point in (click or {}).get("points", ()) if point.get("customdata")]
    return lens.but(revision=named[0]) if named and named[0] else lens


@system_callback(
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    *own.FIGURE.outputs,
    Output(own.CHANGES, "children"),
    Output(own.REVISION, "children"),
    Output(own.BESIDE, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    Input(own.VERSION, "data"),
    Input(ids.TRIAGE_VERSION, "data"),
    Input(own.NOTED_VERSION, "data"),
)
def show(
    access: Access, lens: Lens, scheme: str | None, _version: str | None, *_changed: str | None
) -> tuple[Content, Content, Content, Content, go.Figure, Content, Content, Content, Content]:
    """The chosen history, its changes, and the chosen revision."""
    chosen = chosen_series(access, lens)
    history = history_of(system=access.system, series=chosen)
    said = triaged_history(access.system, history)
    pairs = [measured_pair(history, change) for change in history.changes]
    moved = moved_between(access.system, chosen, pairs) if chosen.clock == "count" else {}
    both = side_by_side(system=access.system, history=history)
    compared, _ = newest_comparison(access.system, chosen.series_id)
    beside = {
        kernel_title(kernel.choice.kernels): kernel.band
        for kernel in (compared.kernels if compared is not None else ())
        if kernel.choice.name in lens.settings.get("bands", "").split(",")
    }
    place = next((place for place in history.order.revisions if place.name == lens.revision), None)
    series, scale, measured = history.series, scale_of(history), len(history.measured)
    same = len(history.points) - measured
    kernel = "" if series.kernel == BROWNIAN else f", kernel {kernel_title(series.kernel.kernels)}"
    subtitle = (
        f"{measured} of {count(len(history.order.revisions))} revisions measured, "
        f"{f'{count(same)} more hold the same code, ' if same else ''}"
        f"workload {series.workload}, {series.environment}{kernel}"
    )
    more = unmerged_card(history, access.slug), beside_card(both, history, access.slug)
    at, by_hand = place.position if place else None, brackets_by_hand(history, said)
    places = history.order.revisions
    span = f"{places[0].name[:12]}-{places[-1].name[:12]}" if places else ""
    return (
        finding(history),
        subtitle,
        finding(history),
        f"{axis_title(history, scale)} by revision; band of 50 and 95 % certainty",
        history_figure(history, scheme=scheme, selected=at, beside=beside, by_hand=by_hand),
        saved(points_table(history, scale), revision=span),
        changes_with_buttons(access, history, scale, moved, said),
        revision_card(history, place, access, lens, values_beside(both, history, place)),
        [card for card in more if card is not None] or None,
    )

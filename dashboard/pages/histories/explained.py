"""What a step is made of: its terms and regions, each summing to it, the commits that it may have come with, and what would tell more."""

from collections.abc import Mapping
from typing import NamedTuple

from dash import Input, Output, State, html

from analytics.step_parts import StepPart, StepParts
from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import plural, scale_for, share
from dashboard.figures.step_words import (
    BODIES,
    OUTSIDE,
    REST_OF_REGIONS,
    amount_text,
    bar_spans,
    levels_text,
    others_text,
    rest_of_terms,
    title,
)
from dashboard.pages import ids
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components.blocks import Content, Piece, action, card, chip, help_tip, lens_button, link
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.components.text import about
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.histories.step_commits import commits_view
from dashboard.pages.jobs import REFUSED, sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.explanations.explained import explain_change
from dashboard.selectors.explanations.rows import ExplainedStep, StepRegion
from dashboard.selectors.histories.history import list_histories
from dashboard.selectors.histories.rows import ChangeRow, last_change
from dashboard.services.explaining import explaining_request, touched_commits
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import RevisionsNotListed, preview_measuring

STEP = "step"
# Kinds of series whose steps are split.
SPLIT = ("configuration", "term")
_HELP = (
    "The step is split twice: by what options add to the default configuration, and by functions. Both sums are the whole step; "
    "what no run tells stands in the last row. Commits that touched the functions that moved come first."
)


def step_button(change: ChangeRow) -> html.Button:
    """The button at a change that has it explained."""
    return lens_button(
        "What is it made of?",
        {STEP: change.after.name},
        look="quiet-button",
        name=f"What is the change at {revision_text(change.after.name)} made of?",
    )


def _chosen_step(access: Access, lens: Lens) -> ExplainedStep | None:
    """The step that the lens chooses, else the last one; None where the history has no change. Raises `NotFound`."""
    series = chosen_series(access, lens)
    # Only its changes are asked for, not what is told of its points.
    history = next(iter(list_histories(system=access.system, series=[series])), None)
    if history is None or not history.changes:
        return None
    named = [one for one in history.changes if one.after.name == lens.settings.get(STEP)]
    change = named[0] if named else last_change(history.changes)
    return explain_change(system=access.system, history=history, change=change)


@system_callback(Output(own.EXPLAINED, "children"), Input(ids.LENS, "data"), Input(own.VERSION, "data"))
def show_explained(access: Access, lens: Lens, _version: str | None) -> Content:
    """The card of the chosen step."""
    try:
        found = _chosen_step(access, lens)
    except NotFound:
        # A benchmark's values came from elsewhere: nothing splits them.
        return None
    if found is None:
        return None
    where = " → ".join(revision_text(one.name) for one in found.nearest)
    pieces: list[Piece] = [
        html.P(title(found), className="step-finding"),
        html.P(levels_text(found), className="quiet"),
    ]
    if found.terms is not None:
        labels = {part.key: html.Span(found.labels[part.key]) for part in found.terms.parts}
        pieces.append(_parts_table("By option", found.terms, labels, found, rest_of_terms(found)))
    if found.of_regions is not None:
        names = {one.key: _region_name(one, found, access.slug, lens) for one in found.regions}
        pieces.append(_parts_table("By function", found.of_regions, names, found, REST_OF_REGIONS))
    pieces.append(_missing(access, found))
    pieces.append(html.Div(id=own.EXPLAINING_SAID, role="status"))
    pieces.append(commits_view(touched_commits(access=access, found=found), found, access.system.host_link))
    return card(
        f"What the change {where} is made of", *pieces, more=help_tip(_HELP, "explanation/steps"), wide=True
    )


browser_callback("revealStep", Input(own.EXPLAINED, "children"))


class _Row(NamedTuple):
    name: Piece
    part: StepPart
    is_quiet: bool
    has_share: bool = False


def _parts_table(
    head: str, parts: StepParts, names: Mapping[str, Piece], found: ExplainedStep, rest: str
) -> html.Div:
    """The parts of a step as rows with bars, each from where the one before it ends: the last ends at the step."""
    rows = [_Row(names[part.key], part, is_quiet=False, has_share=True) for part in parts.parts]
    if parts.folded:
        rows.append(_Row(html.Span(others_text(parts)), parts.others, is_quiet=True))
    if parts.rest.amount or parts.rest.half:
        rows.append(_Row(html.Span(rest), parts.rest, is_quiet=True))
    rows.append(_Row(html.Strong("the step"), parts.step, is_quiet=False))
    scale = scale_for([row.part.amount for row in rows], found.series.unit)
    bars = bar_spans([row.part.amount for row in rows])
    better = found.series.better == "lower"

    def bar(at: int) -> html.Div:
        row, (left, width) = rows[at], bars[at]
        look = "slower" if (row.part.amount > 0) == better else "faster"
        span = html.Span(
            className=f"step-bar-part {'uncertain' if row.is_quiet else look}",
            style={"left": f"{left:.2f}%", "width": f"{max(width, 0.4):.2f}%"},
        )
        return html.Div(span, className="step-bar")

    def of_step(at: int) -> str:
        whole = parts.step.amount
        return share(rows[at].part.amount / whole) if whole and rows[at].has_share else ""

    columns = (
        Column("name", head, of=lambda at: rows[at].name),
        Column("amount", "of the step", kind="number", of=lambda at: amount_text(rows[at].part, scale)),
        Column("share", "share", kind="number", of=of_step),
        Column("bar", "", of=bar),
    )
    return html.Div(plain_table(columns, range(len(rows)), label=head), className="step-parts")


def _region_name(one: StepRegion, found: ExplainedStep, slug: str, lens: Lens) -> html.Div:
    """A region with the term that it moved in and what became of its body; it leads to its page."""
    if one.is_program:
        return html.Div(OUTSIDE)
    href = address(slug, REGIONS, one.key, lens=lens.but(revision=found.after.name, since=found.before.name))
    notes: list[Piece] = []
    if one.term and found.terms is not None and len(found.labels) > 1:
        notes.append(chip(one.term, title="the options in which this function moved most"))
    if body := BODIES[one.body]:
        notes.append(chip(body))
    return html.Div([link(html.Code(one.name), href), *notes], className="step-region")


def _missing(access: Access, found: ExplainedStep) -> Piece:
    """What is not known, and the button that measures it; or why it cannot be measured."""
    if not found.missing:
        return None
    words = f"Not known is {'; and '.join(found.missing)}."
    try:
        preview = preview_measuring(access=access, request=explaining_request(access=access, found=found))
        cost = f"{plural(preview.runs, 'run')} in turns, {about(preview.seconds)}"
    except RevisionsNotListed:
        cost = "in turns; first the source is asked for its revisions"
    except REFUSED as error:
        return html.P(f"{words} {error}", className="quiet")
    button = action("Measure what is missing", id_=own.EXPLAINING, look="quiet-button")
    return html.Div(
        [
            html.P(words, className="quiet"),
            html.Div([button, html.Span(cost, className="quiet")], className="change-again"),
        ]
    )


@sends_job(own.EXPLAINING, Output(own.EXPLAINING_SAID, "children"), lens=State(ids.LENS, "data"))
def measure_missing(access: Access, *, lens: Lens) -> str | None:
    """Send both revisions of the chosen step to the worker, in the configurations that tell its parts."""
    found = _chosen_step(access, lens)
    if found is None:
        return None
    start_measuring(access=access, request=explaining_request(access=access, found=found))
    return "Sent to the worker; the parts follow when the runs are made."

"""Measuring the two revisions around a change, or around what may be one, again: one button at each that says what it comes to."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from dash import ALL, Output, State, ctx, html

from dashboard.access import Access, Permission
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import DisplayScale, percent, plural
from dashboard.pages import ids
from dashboard.pages.addresses import pair_address
from dashboard.pages.components.blocks import Piece, action, link
from dashboard.pages.components.text import about
from dashboard.pages.components.triage import triage_control, triage_words
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.explained import SPLIT, step_button
from dashboard.pages.histories.parts import changes_list, chosen_series, last_two
from dashboard.pages.jobs import REFUSED, sends_job
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.counted import Pair, measured_pair
from dashboard.selectors.histories.rows import ChangeRow, History
from dashboard.selectors.histories.triaged import TriagedHistory
from dashboard.selectors.measuring.status import own_environments
from dashboard.selectors.triage import Triage
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import RevisionsNotListed, change_request, preview_measuring


class ChangePreview(NamedTuple):
    """What measuring the revisions of any change again comes to, and why that cannot be done: one of both is empty."""

    words: str = ""
    refusal: str = ""


def again_offer(access: Access, history: History) -> ChangePreview:
    """What measuring the revisions of a change, or of one that may be, again comes to. Nothing is started."""
    of_noise = [_revisions(change) for change in history.changes if not change.is_exact]
    pairs = of_noise or [
        pair
        for one in history.undecided
        if not one.went_away and (pair := _around(history, one.first, one.last))
    ]
    if not pairs:
        return ChangePreview()
    revisions = pairs[-1]
    try:
        request = change_request(access=access, series=history.series, revisions=revisions)
        found = preview_measuring(access=access, request=request)
        words = f"{plural(found.runs, 'run')} in turns, {about(found.seconds)}."
    except RevisionsNotListed:
        words = "Both in turns; the source is asked for its revisions first."
    except REFUSED as error:
        return ChangePreview(refusal=str(error))
    if history.series.environment_id not in own_environments(access.system):
        words += " This was measured elsewhere: runs made here are a history of their own."
    return ChangePreview(words)


def again_button(change: ChangeRow, offer: ChangePreview) -> Piece:
    """The button of one change, with what it comes to beside it; none where counts tell without noise, or it cannot be."""
    return None if change.is_exact else _button("Measure these two again", _revisions(change), offer)


def undecided_button(history: History, first: int, last: int, offer: ChangePreview) -> Piece:
    """The same for what may be a change or an outlier, from its first to its last position: it and the measured revision beside it."""
    return _button("Measure it and the one beside it again", _around(history, first, last), offer)


def _button(text: str, revisions: tuple[int, int] | None, offer: ChangePreview) -> Piece:
    if revisions is None or not offer.words:
        return None
    id_ = {"type": own.AGAIN, "before": revisions[0], "after": revisions[1]}
    button = action(text, id_=id_, look="quiet-button")
    return html.Div([button, html.Span(offer.words, className="quiet")], className="change-again")


def changes_with_buttons(
    access: Access,
    history: History,
    scale: DisplayScale,
    moved: Mapping[Pair, Sequence[tuple[str, float]]],
    said: TriagedHistory,
) -> list[Piece]:
    """The changes, each with what people said of it and its button, and below them what is missing where there are none."""
    offer = again_offer(access, history)
    triaged = dict(zip(history.changes, said.found, strict=True))

    def below(change: ChangeRow) -> Piece:
        key, triage = triaged[change]
        where = f"change at {revision_text(change.after.name)}"
        control = triage_control(access, triage, key.text, of="change", name=where)
        hand = _hand_button(access, triage) if triage.placed else None
        both = pair_address(access.slug, *measured_pair(history, change))
        compared = html.Div(link("Compare before and after", both))
        parts = html.Div(step_button(change)) if history.series.kind in SPLIT else None
        return html.Div([control, triage_words(triage), hand, parts, compared, again_button(change, offer)])

    shown = changes_list(
        history, scale, moved, below, lambda first, last: undecided_button(history, first, last, offer)
    )
    alone = [
        html.Li(
            [
                html.Span(percent(100 * (triage.placed_relative or 0.0), 2, signed=True)),
                triage_control(access, triage, key.text, of="change", name="change set by hand"),
                triage_words(triage),
                _hand_button(access, triage),
            ]
        )
        for key, triage in said.by_hand
    ]
    missing = f"To measure the revisions of a change again: {offer.refusal}"
    by_hand = html.Ol(alone, className="change-list by-hand") if alone else None
    return [
        html.Div([html.Div(shown), last_two(access.slug, history)]),
        by_hand,
        html.P(missing, className="quiet") if offer.refusal else None,
    ]


def _hand_button(access: Access, triage: Triage) -> Piece:
    """Takes away what was set by hand, for who may."""
    if not access.allows(Permission.EDIT):
        return None
    return action(
        "Take away what was set by hand",
        id_={"type": own.PLACE_REMOVE, "triage": triage.triage_id},
        look="quiet-button",
    )


def _revisions(change: ChangeRow) -> tuple[int, int]:
    return change.before.revision_id, change.after.revision_id


def _around(history: History, first: int, last: int) -> tuple[int, int] | None:
    """The last revision (id) that may have changed, and the measured one next to all of them, in their order; None where nothing tells noise from a change."""
    if history.series.clock == "count":
        return None
    ids_ = {place.position: place.revision_id for place in history.order.revisions}
    measured = sorted(point.position for point in history.measured)
    before = [at for at in measured if at < first]
    after = [at for at in measured if at > last]
    if before:
        return ids_[before[-1]], ids_[last]
    return (ids_[first], ids_[after[0]]) if after else None


@sends_job(
    cast("str", {"type": own.AGAIN, "before": ALL, "after": ALL}),
    Output(own.AGAIN_SAID, "children"),
    lens=State(ids.LENS, "data"),
)
def measure_again(access: Access, *, lens: Lens) -> str:
    """Send both revisions of the change whose button was pressed to the worker."""
    pressed: dict[str, Any] = ctx.triggered_id
    revisions = (int(pressed["before"]), int(pressed["after"]))
    series = chosen_series(access, lens)
    start_measuring(access=access, request=change_request(access=access, series=series, revisions=revisions))
    return "Sent to the worker; the certainty moves as runs arrive."

"""The commits that a step may have come with, and the functions whose body changed."""

from collections.abc import Mapping, Sequence

from dash import html

from dashboard.figures.numbers import plural, scale_for
from dashboard.figures.step_words import BODIES, amount_text
from dashboard.pages.components.blocks import Content, Piece
from dashboard.pages.components.revisions import revision_line
from dashboard.selectors.explanations.rows import (
    ADDED,
    CHANGED,
    REMOVED,
    ExplainedStep,
    StepRegion,
    TouchedCommit,
)

# More commits than these are counted, not listed; so are changed functions.
_MOST = 12


def commits_view(rows: Sequence[TouchedCommit], found: ExplainedStep, host_link: str) -> Piece:
    """The commits of the bracket, or the functions whose body changed where a revision is a whole release."""
    names = {one.key: one.name for one in found.regions}
    listed = [
        html.Li(
            [
                revision_line(row.place, host_link),
                html.Div(_touched_words(row, names), className="quiet"),
            ]
        )
        for row in rows[:_MOST]
    ]
    if len(rows) > _MOST:
        listed.append(html.Li(plural(len(rows) - _MOST, "more revision"), className="quiet"))
    # What a profiler sees of a short function is chance: one that was seen once only is told where it surely moved.
    changed = [
        one
        for one in found.regions
        if one.body == CHANGED or (one.body in (ADDED, REMOVED) and one.part.at_least > 0)
    ]
    pieces: list[Piece] = []
    if len(rows) > 1 or any(row.place.commit for row in rows):
        pieces += [
            html.H3(f"{plural(len(rows), 'revision')} that it may have come with"),
            html.Ol(listed, className="change-list"),
        ]
    if changed:
        pieces += [
            html.H3("Functions whose body changed, those first that moved most"),
            _changed_list(changed, found),
        ]
    return html.Div(pieces, className="step-commits") if pieces else None


def _touched_words(row: TouchedCommit, names: Mapping[str, str]) -> Content:
    if row.functions is None:
        return "what it touched is not known here: the history of the program is not on this machine"
    if row.moved:
        return [
            "touches ",
            html.Code(", ".join(names[key] for key in row.moved)),
            f"; {plural(row.functions, 'function')} in all",
        ]
    return (
        f"touches {plural(row.functions, 'function')}, none that moved"
        if row.functions
        else "touches no function"
    )


def _changed_list(changed: Sequence[StepRegion], found: ExplainedStep) -> html.Ul:
    scale = scale_for([one.part.amount for one in changed], found.series.unit)
    ordered = sorted(changed, key=lambda one: (-one.part.at_least, -abs(one.part.amount)))
    items = [
        html.Li(
            [
                html.Span([html.Code(one.name), f" {BODIES[one.body]}"]),
                html.Span(amount_text(one.part, scale)),
            ]
        )
        for one in ordered[:_MOST]
    ]
    if len(ordered) > _MOST:
        items.append(html.Li(plural(len(ordered) - _MOST, "more function")))
    return html.Ul(items, className="moved")

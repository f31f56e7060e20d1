"""What an analysis could not tell, as cards: subspaces, functions, counts and code."""

from collections.abc import Sequence

from dash import html

from dashboard.figures.numbers import count
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components import Piece, card, code, help_tip, link
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.components.text import listing, plural
from dashboard.pages.lens import Lens
from dashboard.selectors.whitebox.rows import LeftOutRegion, TracingDetail
from dashboard.selectors.whitebox.unfollowed import LEFT_ALONE, left_alone

_MOST_PLACES = 6
# Those and the folded ones.
_MOST_FOLDED = 200
_MOST_REGIONS = 20
_UNFOLLOWED_HELP = (
    "Code in C, and Python that is not among the subject's regions, is not followed inside: what goes in is taken to "
    "come out. What such code keeps for later is lost."
)
_LEFT_OUT_HELP = (
    "A function that checks many options one by one would ask for a run of every combination of them. The key include "
    "under [analysis] in subject.toml keeps it, exclude leaves out others."
)
_UNSEEN = {
    "complete": "No further valid configuration leads there, or those that do could not be traced to their end.",
    "budget": "The analysis had used up its runs: one with more of them may get there.",
    "minutes": "The analysis had used up its time: one with more minutes may get there.",
}


def limit_cards(found: TracingDetail, slug: str, lens: Lens) -> list[Piece]:
    """The cards; what there is nothing to say of has none."""
    return [
        *_unseen(found),
        *_idle(found),
        *_changed(found),
        *_left_out(found, slug, lens),
        *_unsteady(found),
        *_unfollowed(found),
    ]


def differing(configuration: Sequence[tuple[str, str]]) -> str:
    """A configuration by what differs from the default: `A=on B=off`."""
    return " ".join(f"{name}={label}" for name, label in configuration) or "default"


def _unseen(found: TracingDetail) -> list[Piece]:
    """Why subspaces were not seen; nothing as long as the analysis has not ended."""
    unseen = found.subspaces - found.seen
    if not unseen or found.ended not in _UNSEEN:
        return []
    title = f"{count(unseen)} of {plural(found.subspaces, 'subspace')} not seen"
    return [card(title, html.P(_UNSEEN[found.ended]), html.P("What the functions do there is not known."))]


def _idle(found: TracingDetail) -> list[Piece]:
    if not found.idle:
        return []
    said = "None of their functions was entered: regions in subject.toml holds names as they are imported."
    names = html.Div([code(name) for name in found.idle], className="name-list")
    return [card(f"Nothing ran in {plural(len(found.idle), 'package')}", html.P(said), names)]


def _changed(found: TracingDetail) -> list[Piece]:
    if not found.changed:
        return []
    names = [code(differing(one)) for one in found.changed[:_MOST_REGIONS]]
    of = plural(found.compared, "configuration")
    return [
        card(
            f"{count(len(found.changed))} of {of} printed or returned something else when traced",
            html.P("Or never the same twice. What was found there may hold for traced runs only."),
            html.Div(names, className="name-list"),
            left_out(len(found.changed) - len(names)),
        )
    ]


def _left_out(found: TracingDetail, slug: str, lens: Lens) -> list[Piece]:
    if not found.left_out:
        return []
    rows: list[Piece] = [
        html.Div(
            [
                _region(one, found, slug, lens),
                html.Div(
                    f"{one.why}: {', '.join(one.options)}" if one.options else one.why, className="quiet"
                ),
            ],
            className="failure",
        )
        for one in found.left_out[:_MOST_REGIONS]
    ]
    return [
        card(
            f"{plural(len(found.left_out), 'function')} left out: only parsing options",
            html.Div(rows, className="failure-list"),
            left_out(len(found.left_out) - len(rows)),
            more=help_tip(_LEFT_OUT_HELP, "explanation/white-box"),
        )
    ]


def _unsteady(found: TracingDetail) -> list[Piece]:
    if not found.unsteady:
        return []
    names = [code(key) for key in found.unsteady[:_MOST_REGIONS]]
    return [
        card(
            f"Counts prove nothing in {plural(len(found.unsteady), 'function')}",
            html.P(
                "They differ from run to run, or under tracing: a missed option would not be noticed there."
            ),
            html.Div(names, className="name-list"),
            left_out(len(found.unsteady) - len(names)),
        )
    ]


def _region(one: LeftOutRegion, found: TracingDetail, slug: str, lens: Lens) -> Piece:
    """Its name, which leads to it where anything was seen in it."""
    at = lens.but(region=one.key, revision=found.revision)
    name = code(one.key)
    return link(name, address(slug, REGIONS, one.key, at)) if one.options else name


def _unfollowed(found: TracingDetail) -> list[Piece]:
    cut = html.P("Steps were left out for want of space: chains may begin too late.") if found.cut else None
    if not found.unfollowed:
        said = "Every value with an option's taint stayed in code that is followed."
        return [card("Not followed: nothing", html.P(said), cut)]
    modules = left_alone(dict(found.unfollowed))
    calls = [one for one in found.unfollowed if one[0] not in modules]
    counted = (
        plural(len(calls), "place") if calls else "",
        plural(len(modules), "module") if modules else "",
    )
    return [
        card(
            f"Not followed into {listing([words for words in counted if words])}",
            *_calls(calls),
            *_modules(modules),
            cut,
            more=help_tip(_UNFOLLOWED_HELP, "explanation/white-box"),
        )
    ]


def _calls(calls: Sequence[tuple[str, int]]) -> list[Piece]:
    if not calls:
        return []
    columns = [Column("name", "code", kind="code"), Column("count", "times", kind="number")]
    rows = [{"name": name, "count": count(number)} for name, number in calls]
    content: list[Piece] = [plain_table(columns, rows[:_MOST_PLACES], label="Code that was not followed")]
    if len(rows) > _MOST_PLACES:
        more = plain_table(columns, rows[_MOST_PLACES:_MOST_FOLDED], label="More code that was not followed")
        summary = html.Summary(f"{count(len(rows) - _MOST_PLACES)} more")
        rest = left_out(len(rows) - _MOST_FOLDED)
        content.append(html.Details([summary, more, rest], className="more"))
    return content


def _modules(modules: Sequence[str]) -> list[Piece]:
    """Those of the subject's regions that run as they are, each with the reason."""
    if not modules:
        return []
    names = [code(name.removeprefix(LEFT_ALONE)) for name in modules[:_MOST_REGIONS]]
    return [
        html.P("Modules that could not be rewritten run as they are:"),
        html.Div(names, className="name-list"),
        left_out(len(modules) - len(names)),
    ]

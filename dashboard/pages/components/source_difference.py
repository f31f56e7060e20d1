"""The source of a region at two revisions, one text: what was kept, taken away and brought, with the time of the lines."""

from collections.abc import Sequence
from textwrap import dedent

from dash import html

from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import DisplayScale, number, plural, scale_for
from dashboard.pages.components.blocks import Piece, attributes
from dashboard.pages.components.tables import not_shown
from dashboard.selectors.explanations.sources import DifferenceLine, SourceDifference

_MOST_LINES = 600
# Around a change so many lines that were kept are shown.
_CONTEXT = 4
_SIGNS = {"kept": " ", "removed": "\N{MINUS SIGN}", "added": "+"}
_WORDS = {"kept": "", "removed": "taken away: ", "added": "brought: "}


def difference_view(found: SourceDifference) -> html.Div:
    """The lines that changed with some around them; between them how many were kept."""
    before, after = revision_text(found.before.revision), revision_text(found.after.revision)
    places = f"{found.before.file}:{found.before.first_line} → {found.after.file}:{found.after.first_line}"
    if not found.changed:
        return html.Div(html.P(f"The source is the same in {before} and {after}.", className="quiet"))
    said = f"{plural(found.changed, 'changed line')} from {before} to {after}"
    if found.configuration:
        said += (
            f"; the time of each line at both, where it took any, in the configuration {found.configuration}"
        )
    shown = _with_gaps(found.lines)
    texts = dedent("\n".join(line.text for line in found.lines)).split("\n")
    times = [time for line in found.lines for time in (line.time_before, line.time_after) if time]
    scale = scale_for(times) if times else None
    rows: list[Piece] = [
        html.Div(at, className="difference-gap")
        if isinstance(at, str)
        else _row(found.lines[at], texts[at], scale)
        for at in shown[:_MOST_LINES]
    ]
    named = attributes(role="region", aria_label=f"Source of {found.key} in {before} and {after}")
    return html.Div(
        [
            html.P(said, className="figure-axes"),
            html.P(places, className="figure-axes code"),
            html.Div(rows, className="difference", tabIndex=0, **named),
            not_shown(len(shown) - _MOST_LINES, "more line"),
        ]
    )


def _row(line: DifferenceLine, text: str, scale: DisplayScale | None) -> html.Div:
    """One line with its number and its time on both sides."""
    cells: list[Piece] = []
    for place, spent in ((line.number_before, line.time_before), (line.number_after, line.time_after)):
        time = number(spent, scale=scale) if spent else ""
        cells += [
            html.Span(str(place or ""), className="source-number"),
            html.Span(time, className="source-time"),
        ]
    told = html.Span(_WORDS[line.told], className="visually-hidden")
    sign = html.Span([told, _SIGNS[line.told]], className="difference-sign")
    row = [*cells, sign, html.Code(text or " ", className="source-text")]
    return html.Div(row, className=f"difference-line difference-{line.told}")


def _with_gaps(lines: Sequence[DifferenceLine]) -> list[int | str]:
    """The places of lines near a change, and between them how many were kept."""
    changed = [at for at, line in enumerate(lines) if line.told != "kept"]
    near = {one for at in changed for one in range(at - _CONTEXT, at + _CONTEXT + 1)}
    shown: list[int | str] = []
    gap = 0
    for at in range(len(lines) + 1):
        if at < len(lines) and at not in near:
            gap += 1
            continue
        if gap:
            shown.append(f"{plural(gap, 'line')} as before")
        gap = 0
        if at < len(lines):
            shown.append(at)
    return shown

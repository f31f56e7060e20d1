"""A revision as people read it: its name, the subject of its message, who made it, when, and where it can be looked at."""

from dash import html

from dashboard.figures.histories_words import revision_text
from dashboard.pages.components.blocks import Piece, code
from dashboard.selectors.histories.rows import RevisionPlace


def revision_line(place: RevisionPlace) -> html.Div:
    """One revision in a line or two: never a bare hash where more is known."""
    subject = place.message.partition("\n")[0].strip()
    told = [f"{place.released_at:%-d %B %Y}"] if place.released_at else []
    if place.commit and not place.commit.startswith(revision_text(place.name)):
        told.append(f"commit {place.commit[:10]}")
    parts: list[Piece] = [code(revision_text(place.name))]
    if subject:
        parts.append(html.Span(subject, className="revision-subject"))
    return html.Div(
        [html.Div(parts), html.Div(", ".join(told), className="quiet") if told else None],
        className="revision",
    )

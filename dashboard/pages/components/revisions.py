"""A revision as people read it: its name, the subject of its message, who made it, when, in which release, and where it can be looked at."""

from dash import html

from dashboard.figures.histories_words import revision_text
from dashboard.pages.components.blocks import Piece, code, link
from dashboard.selectors.histories.order_rows import RevisionPlace
from runner.host_links import address_of


def revision_line(place: RevisionPlace, host_link: str) -> html.Div:
    """One revision in a line or two: never a bare hash where more is known; `host_link` is its system's."""
    shown, subject = revision_text(place.name), place.message.partition("\n")[0].strip()
    told = [place.author] if place.author else []
    if place.released_at:
        told.append(f"{place.released_at:%-d %B %Y}")
    if place.base:
        told.append(f"on a branch that left {revision_text(place.base)}")
    if place.commit and not place.commit.startswith(shown):
        told.append(f"commit {place.commit[:10]}")
    if place.released_in and place.released_in != shown:
        told.append(f"first released in {place.released_in}")
    if others := [tag for tag in place.tags.split() if tag != shown]:
        told.append(f"tagged {', '.join(others)}")
    name: Piece = code(shown)
    if address := address_of(host_link, name=place.name, commit=place.commit):
        name = link(
            name, address, rel="noopener noreferrer", target="_blank", title="Opens at the host of the code"
        )
    parts: list[Piece] = [name]
    if subject:
        parts.append(html.Span(subject, className="revision-subject"))
    return html.Div(
        [html.Div(parts), html.Div(", ".join(told), className="quiet") if told else None],
        className="revision",
    )

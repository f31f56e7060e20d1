"""The analysis' part of an overview: how many regions depend on which options."""

from dash import html

from dashboard.access import Access
from dashboard.figures.numbers import count
from dashboard.pages.addresses import ANALYSIS, address
from dashboard.pages.components import Content, Piece, card, code, facts, link
from dashboard.pages.components.text import listing, plural
from dashboard.pages.lens import Lens
from dashboard.selectors.whitebox.analyses import white_box_detail

_MOST = 6


def analysis_cards(access: Access, lens: Lens) -> list[Piece]:
    """The card of a system that was analyzed; none of others."""
    found = white_box_detail(system=access.system)
    if found is None:
        return []
    reached = {name: sum(name in row.options for row in found.regions) for name in found.result.options}
    deciding = sorted((name for name in reached if reached[name]), key=lambda name: -reached[name])
    rows: list[tuple[Content, Content]] = [
        (code(name), plural(reached[name], "region")) for name in deciding[:_MOST]
    ]
    if len(deciding) > _MOST:
        rows.append((f"{count(len(deciding) - _MOST)} more options", ""))
    notes: list[Piece] = []
    unread = found.result.unread
    if unread:
        verb = "is" if len(unread) == 1 else "are"
        notes.append(html.P(f"{listing(unread)} {verb} read by nothing.", className="card-note"))
    verb = "depends" if len(found.regions) == 1 else "depend"
    title = f"{plural(len(found.regions), 'region')} {verb} on {plural(len(deciding), 'option')}"
    return [
        card(title, facts(rows), *notes, more=link("Analysis", address(access.slug, ANALYSIS, lens=lens)))
    ]

"""The card of what was measured on unmerged branches: each a way to its comparison with the revision that it left."""

from dash import html

from dashboard.figures.histories_unmerged import unmerged_value
from dashboard.figures.histories_words import revision_text, revision_title, scale_of
from dashboard.pages.addresses import MEASURE, address, pair_address
from dashboard.pages.components.blocks import card, help_tip, link
from dashboard.pages.components.tables import not_shown
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import History

_HELP = (
    "A cross in the figure, above the revision that its branch left. It is no part of the history: neither the estimate nor "
    "any change comes from it. Once the branch is merged and measured, its revisions take their place."
)
# So many are seen at once, the others folded.
_SHOWN = 5


def unmerged_card(history: History, slug: str) -> html.Section | None:
    """Branches that can be measured here and were not, then what was measured, the newest first; None without either."""
    if not (history.unmerged or history.unmeasured):
        return None
    scale = scale_of(history)
    rows = []
    for point in history.unmerged:
        place = point.place
        pair = pair_address(slug, place.base, place.name)
        rows.append(html.Li([unmerged_value(point, scale), *_named(place), link("Compare both", pair)]))
    return card(
        "Unmerged branches",
        *_newest([_unmeasured(place, slug) for place in history.unmeasured]),
        *_newest(rows),
        not_shown(history.all_unmerged - len(rows), "earlier one"),
        more=help_tip(_HELP, "how-to/use-in-ci#unmerged-branches"),
    )


def _newest(rows: list[html.Li]) -> list[html.Ol | html.Details]:
    """The first few rows, the others folded."""
    parts: list[html.Ol | html.Details] = [html.Ol(rows[:_SHOWN], className="change-list")] if rows else []
    if earlier := rows[_SHOWN:]:
        folded = [html.Summary(f"{len(earlier)} earlier"), html.Ol(earlier, className="change-list")]
        parts.append(html.Details(folded, className="more"))
    return parts


def _named(place: RevisionPlace) -> tuple[html.Span, html.Span]:
    """An unmerged revision, and of which branch it is."""
    branch = f"branch {place.branch}" if place.branch else "its branch"
    return (
        html.Span(revision_title(place.name, place.message), className="code"),
        html.Span(f"{branch} left {revision_text(place.base)}", className="quiet"),
    )


def _unmeasured(place: RevisionPlace, slug: str) -> html.Li:
    way = link("Measure both", address(slug, MEASURE, lens=Lens(revision=place.name)))
    return html.Li(["not measured yet", *_named(place), way])

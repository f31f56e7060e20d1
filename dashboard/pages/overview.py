"""The overview of one system: what it costs and why, what was measured, how good the model is."""

from dash import html

from dashboard.pages.components import empty_state, page
from dashboard.pages.frame_addresses import Place
from dashboard.pages.frame_lens import Lens


def layout(place: Place, _lens: Lens) -> html.Article:
    """The overview of the system at this place."""
    return page(place.slug, None, empty_state("Nothing measured yet"))

"""What the callback of the page of influences shows for a lens, part by part."""

from typing import Any

from dashboard.access import access_to, acting
from dashboard.pages.influences.page import show_influences
from dashboard.pages.lens import Lens


def shown(data: dict[str, str], scheme: str | None = None, chosen: dict[str, str] | None = None) -> Any:
    """All parts of the page of the system `small`."""
    return show_influences(access_to(acting(), "small"), lens=Lens.read(data), scheme=scheme, chosen=chosen)


def show_terms(data: dict[str, str], scheme: str | None = None) -> Any:
    """The head of the page and its terms."""
    parts = shown(data, scheme)
    return (*parts["page"], *parts["terms"])


def show_term(data: dict[str, str], scheme: str | None = None) -> Any:
    """The panel of the chosen term."""
    return shown(data, scheme)["term"]

"""Whether the chosen configurations are valid: what they violate, and a button for the nearest valid one."""

from dash import html

from analytics.configurations.identities import key_with
from dashboard.access import Access
from dashboard.figures.influences_words import configuration_text
from dashboard.pages.addresses import FEATURE_MODEL, address
from dashboard.pages.components import Piece, attributes, code, link
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences.controls import choice
from dashboard.pages.lens import Lens
from dashboard.selectors.configurations import DEFAULT
from dashboard.selectors.feature_models.valid import Violation, violation
from dashboard.selectors.model_rows import Influences

_MOST = 3  # conditions that are named


def placeholder() -> html.Div:
    """The element that the callback fills; empty while both configurations are valid."""
    return html.Div(id=page_ids.VIOLATIONS, className="violations", **attributes(aria_live="polite"))


def violations(access: Access, found: Influences, lens: Lens) -> list[Piece]:
    """What the base and the compared configuration violate."""
    fixed = frozenset(option.name for option in found.options if not option.varied)
    chosen = (("base", "The base", found.base), ("compared", "The compared configuration", found.target))
    return [
        html.Div(
            [
                _conditions(title, broken, address(access.slug, FEATURE_MODEL, lens=lens)),
                _nearest(found, name, broken),
            ],
            className="violation",
        )
        for name, title, configuration in chosen
        if configuration is not None
        and (broken := violation(access.system, dict(configuration.differences), fixed)) is not None
    ]


def _conditions(title: str, broken: Violation, model: str) -> html.P:
    shown = broken.conditions[:_MOST]
    words: list[Piece] = []
    for condition in shown:
        words += [", " if words else "", code(condition)]
    left = len(broken.conditions) - len(shown)
    more = f" and {left} more" if left else ""
    link_to = link("feature model", model, quiet=True)
    return html.P([f"{title} is not valid by the ", link_to, ": it violates ", *words, f"{more}."])


def _nearest(found: Influences, name: str, broken: Violation) -> Piece:
    """A button for the nearest valid configuration."""
    if broken.nearest is None:
        return html.P("No configuration of the measured levels is valid.")
    options = {option.name: option.levels for option in found.options}
    key = key_with(options, dict(broken.nearest.differences)) or DEFAULT
    steps = ", ".join(f"{option} at {level}" for option, level in broken.changes)
    return html.P(
        [
            "Nearest valid: ",
            choice(f"with {steps}", {name: key}, pressed=False, title=configuration_text(broken.nearest)),
        ]
    )

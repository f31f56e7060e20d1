"""Whether the chosen configurations are valid: what they violate, and a button for the nearest valid one."""

from dash import html

from dashboard.access import Access
from dashboard.figures.influences_words import configuration_text
from dashboard.pages.addresses import FEATURE_MODEL, address
from dashboard.pages.components import Piece, attributes, code, link
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences.controls import choice
from dashboard.pages.lens import Lens
from dashboard.selectors.configurations import DEFAULT, key_with
from dashboard.selectors.feature_models.valid import Violation, violation
from dashboard.selectors.model_rows import ChosenConfiguration, Influences

_MOST = 3  # conditions that are named


def placeholder() -> html.Div:
    """The element that the callback fills; empty while both configurations are valid."""
    return html.Div(id=page_ids.VIOLATIONS, className="violations", **attributes(aria_live="polite"))


def violations(access: Access, found: Influences, lens: Lens) -> list[Piece]:
    """What the base and the compared configuration violate."""
    chosen = (("base", "The base", found.base), ("compared", "The compared configuration", found.target))
    return [
        html.Div(
            [_told(title, told, address(access.slug, FEATURE_MODEL, lens=lens)), _offer(found, name, told)],
            className="violation",
        )
        for name, title, configuration in chosen
        if configuration is not None and (told := _violation(access, found, configuration)) is not None
    ]


def _violation(access: Access, found: Influences, configuration: ChosenConfiguration) -> Violation | None:
    fixed = frozenset(option.name for option in found.options if not option.varied)
    levels = dict(configuration.differences)
    return violation(access.system, levels, fixed)


def _told(title: str, told: Violation, model: str) -> html.P:
    shown = told.conditions[:_MOST]
    words: list[Piece] = []
    for condition in shown:
        words += [", " if words else "", code(condition)]
    left = len(told.conditions) - len(shown)
    more = f" and {left} more" if left else ""
    known = link("feature model", model, quiet=True)
    return html.P([f"{title} is not valid by the ", known, ": it violates ", *words, f"{more}."])


def _offer(found: Influences, name: str, told: Violation) -> Piece:
    """A button for the nearest valid configuration."""
    if told.nearest is None:
        return html.P("No configuration of the measured levels is valid.")
    key = key_with(found.options, dict(told.nearest.differences)) or DEFAULT
    steps = ", ".join(f"{option} at {level}" for option, level in told.changes)
    return html.P(
        [
            "Nearest valid: ",
            choice(f"with {steps}", {name: key}, pressed=False, title=configuration_text(told.nearest)),
        ]
    )

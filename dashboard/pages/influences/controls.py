"""What is chosen on the page of influences: the model, the base, what it is compared with, and which terms are shown.

Buttons carry the change of the lens that they make (`lens_button`).
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import dash_mantine_components as dmc
from dash import Input, Output, State, dcc, html, no_update
from dash.exceptions import PreventUpdate

from analytics.configurations.identities import key_with
from dashboard.access import Access, NotFound
from dashboard.figures.influences_words import configuration_text
from dashboard.pages import ids
from dashboard.pages.components.blocks import Piece, attributes, labelled, lens_button, neighbour_buttons
from dashboard.pages.components.inputs import filter_text
from dashboard.pages.components.menus import menu, picker
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.configurations import ALL, DEFAULT
from dashboard.selectors.model_rows import (
    ALL_DEGREES,
    HYBRID,
    ChosenConfiguration,
    Influences,
    OptionLevels,
    TermFilter,
    TermRow,
    sensible_threshold,
    thresholds,
)
from dashboard.selectors.performance_models import model_choices

Chosen: TypeAlias = dict[str, str] | None
SHOWN = "shown"
PICKERS = (
    Output(page_ids.BASE_NAME, "children"),
    Output(page_ids.BASE_LEVELS, "children"),
    Output(page_ids.COMPARED_NAME, "children"),
    Output(page_ids.COMPARED_LEVELS, "children"),
    Output(page_ids.CHOSEN, "data"),
)
FILTERS = (
    Output(page_ids.DEGREES, "children"),
    Output(page_ids.THRESHOLDS, "data"),
    Output(page_ids.THRESHOLD, "max"),
    Output(page_ids.THRESHOLD, "value"),
)
_KINDS = {"": "without counts", HYBRID: "hybrid (extension)"}
_HELP = (
    "Influences are relative to the base: what changing an option from its level there adds. Compare with a second "
    "configuration to see the steps that lead from one to the other."
)


def term_filter(lens: Lens, terms: Sequence[TermRow]) -> TermFilter:
    """Which of `terms` the lens shows; what it does not say, or says wrongly, is chosen sensibly."""
    settings = lens.settings
    # Terms that may be zero would only hide the others; in a comparison they stand in one step.
    uncertain = settings.get("uncertain") == SHOWN
    if not uncertain:
        terms = [term for term in terms if not term.influence.may_be_zero]
    try:
        threshold = max(0.0, float(settings["threshold"]))
    except (KeyError, ValueError):
        threshold = sensible_threshold(terms)
    degrees = tuple(degree for degree in ALL_DEGREES if str(degree) in settings.get("degree", "").split(","))
    return TermFilter(threshold, degrees or ALL_DEGREES, settings.get("search", ""), uncertain)


def bar(lens: Lens) -> html.Div:
    """The controls in one line; callbacks fill in what depends on the lens."""
    # The smallest influence that is shown, and how many terms that leaves.
    threshold = [
        html.Span("threshold", className="control-label", id=f"{page_ids.THRESHOLD}-label"),
        dmc.Slider(
            id=page_ids.THRESHOLD,
            value=0,
            min=0,
            max=1,
            step=1,
            label=None,
            size="sm",
            w=140,
            thumbLabel="Smallest influence that is shown",
            updatemode="drag",
        ),
        html.Span(id=page_ids.COUNT, className="control-count", **attributes(aria_live="polite")),
    ]
    return html.Div(
        [
            dcc.Store(id=page_ids.CHOSEN),
            dcc.Store(id=page_ids.THRESHOLDS),
            html.Div(id=page_ids.MODELS, className="controls-models"),
            _picker("base", page_ids.BASE, page_ids.BASE_NAME, page_ids.BASE_LEVELS),
            _picker("compared with", page_ids.COMPARED, page_ids.COMPARED_NAME, page_ids.COMPARED_LEVELS),
            html.Div(threshold, className="control"),
            html.Div(id=page_ids.DEGREES, className="control"),
            filter_text(
                page_ids.SEARCH,
                lens.settings.get("search", ""),
                placeholder="Filter by option",
                name="Filter terms by option",
                width=160,
            ),
        ],
        className="controls",
    )


@system_callback(Output(page_ids.MODELS, "children"), Input(ids.LENS, "data"))
def show_models(access: Access, lens: Lens) -> list[Piece]:
    """The menus of `model_menus`."""
    return model_menus(access, lens)


def model_menus(access: Access, lens: Lens) -> list[Piece]:
    """A menu for each of what several models differ in; revisions have their neighbours beside it."""
    try:
        found = model_choices(system=access.system, selection=lens)
    except NotFound:
        raise PreventUpdate from None
    now, revisions = found["revision"]
    found["revision"] = now, revisions[::-1]
    menus: dict[str, list[Piece]] = {
        label: [picker(label, chosen, choices, _KINDS if label == "model" else None)]
        for label, (chosen, choices) in found.items()
        if len(choices) > 1
    }
    if "revision" in menus:
        before, after = neighbour_buttons(revisions, now, ("‹", "›"), titled=True)
        menus["revision"] = [before, *menus["revision"], after]
    return [labelled(label, *parts) for label, parts in menus.items()]


def pickers(found: Influences, lens: Lens, chosen: Chosen) -> tuple[Any, ...]:
    """The two configurations, and what they can be changed to, for `PICKERS`; no update unless one of them changed."""
    now = {"base": lens.base, "compared": lens.compared, **lens.context}
    if now == chosen:
        return (no_update,) * len(PICKERS)
    return (
        configuration_text(found.base),
        _levels("base", found.options, found.base),
        configuration_text(found.target) if found.target else "nothing",
        _levels("compared", found.options, found.target),
        now,
    )


def filters(found: Influences, wanted: TermFilter) -> tuple[Any, ...]:
    """The filters as the lens sets them, for `FILTERS`."""
    choices = thresholds(found.terms)
    # The slider stands at the largest choice that is not above the threshold.
    position = max(at for at, one in enumerate(choices) if one <= wanted.threshold * (1 + 1e-9))
    # A button for each number of options; each can be left out.
    degrees: list[Piece] = [html.Span("options in a term", className="control-label")]
    for degree in ALL_DEGREES:
        others = tuple(d for d in ALL_DEGREES if (d in wanted.degrees) != (d == degree))
        kept = None if others in ((), ALL_DEGREES) else ",".join(map(str, others))
        text = f"{degree}" if degree < ALL_DEGREES[-1] else f"{degree}+"
        degrees.append(lens_button(text, {"degree": kept}, pressed=degree in wanted.degrees))
    too = lens_button(
        "may be zero",
        {"uncertain": None if wanted.uncertain else SHOWN},
        pressed=wanted.uncertain,
        title="Show also terms that are not significant",
    )
    buttons = [html.Div(degrees, className="choices"), too]
    return buttons, {"choices": list(choices), "position": position}, len(choices) - 1, position


browser_callback("threshold", Input(page_ids.THRESHOLD, "value"), State(page_ids.THRESHOLDS, "data"))
browser_callback("search", Input(page_ids.SEARCH, "value"))


def _picker(label: str, id_: str, name: str, levels: str) -> html.Div:
    button = [
        html.Span(id=name, className="picker-name"),
        html.Span(className="icon icon-chevron", **attributes(aria_hidden="true")),
    ]
    content = [html.P(_HELP, className="help-text"), html.Div(id=levels, className="levels")]
    return labelled(label, menu(button, content, name=f"Choose: {label}", id_=id_, look="picker"))


def _levels(name: str, options: Sequence[OptionLevels], chosen: ChosenConfiguration | None) -> list[Piece]:
    """What the base, or what it is compared with, can be: presets, and a line for each option with its levels."""
    presets: list[Piece] = [
        lens_button("default", {name: DEFAULT}, pressed=chosen is not None and not chosen.differences),
        lens_button("all options changed", {name: ALL}, pressed=chosen is not None and chosen.key == ALL),
    ]
    if name == "compared":
        presets.insert(0, lens_button("nothing: show all terms", {name: None}, pressed=chosen is None))
    rows: list[Piece] = [html.Div(presets, className="choices presets")]
    now = dict(chosen.differences) if chosen is not None else {}
    levels = {option.name: option.levels for option in options}
    for option in (one for one in options if one.varied):
        at = now.get(option.name, option.levels[0])
        buttons: list[Piece] = []
        for level in option.levels:
            key = key_with(levels, {**now, option.name: level}) or DEFAULT
            buttons.append(
                lens_button(level, {name: key}, pressed=level == at, name=f"{option.name}: {level}")
            )
        quiet = "" if option.regions else " level-quiet"
        title = option.description or ("" if option.regions else "Nothing that was measured depends on it")
        head = html.Span(option.name, className="level-name", title=title)
        rows.append(html.Div([head, html.Div(buttons, className="choices")], className=f"level{quiet}"))
    still = [option.name for option in options if not option.varied]
    if still:
        words = f"The same in all of these measurements: {', '.join(still)}"
        rows.append(html.P(words, className="help-text"))
    return rows

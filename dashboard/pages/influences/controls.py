"""What is chosen on the page of influences: the base, what it is compared with, and which terms are shown.

Buttons carry the change of the lens that they make (`choice`); `static/dash/explorer.js` makes it.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html, no_update

from analytics.configurations.identities import key_with
from dashboard.figures.influences_words import configuration_text
from dashboard.pages.components import Piece, attributes
from dashboard.pages.components.menus import menu
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences import models as influences_models
from dashboard.pages.influences.parts import selection
from dashboard.pages.lens import Lens
from dashboard.selectors.configurations import ALL, DEFAULT
from dashboard.selectors.influences.filters import ALL_DEGREES, TermFilter, sensible_threshold, thresholds
from dashboard.selectors.model_rows import ChosenConfiguration, Influences, OptionLevels, TermRow

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
_HELP = (
    "Influences are relative to the base: what changing an option from its level there adds. Compare with a second "
    "configuration to see the steps that lead from one to the other."
)


def choice(
    text: Piece, change: dict[str, str | None], *, pressed: bool, label: str = "", title: str = ""
) -> html.Button:
    """A button that changes the lens when it is pressed; None removes."""
    named = {"aria_label": label} if label else {}
    return html.Button(
        text,
        type="button",
        className="choice",
        title=title,
        **attributes(data_lens=json.dumps(change), aria_pressed=str(pressed).lower(), **named),
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


def bar(found: Influences, lens: Lens) -> html.Div:
    """The controls in one line; callbacks fill in what depends on the lens."""
    choices = thresholds(found.terms)
    position = _position(choices, term_filter(lens, found.terms).threshold)
    return html.Div(
        [
            dcc.Store(id=page_ids.CHOSEN),
            dcc.Store(id=page_ids.THRESHOLDS, data=_slider(choices, position)),
            influences_models.placeholder(),
            _picker("base", page_ids.BASE, page_ids.BASE_NAME, page_ids.BASE_LEVELS),
            _picker("compared with", page_ids.COMPARED, page_ids.COMPARED_NAME, page_ids.COMPARED_LEVELS),
            _threshold(choices, position),
            html.Div(id=page_ids.DEGREES, className="control"),
            dmc.TextInput(
                id=page_ids.SEARCH,
                value=lens.settings.get("search", ""),
                placeholder="Filter by option",
                debounce=250,
                size="xs",
                w=160,
                **attributes(aria_label="Filter terms by option"),
            ),
        ],
        className="controls",
    )


def _threshold(choices: Sequence[float], position: int) -> html.Div:
    """The slider of the smallest influence that is shown, and how many terms that leaves."""
    return html.Div(
        [
            html.Span("threshold", className="control-label", id=f"{page_ids.THRESHOLD}-label"),
            dmc.Slider(
                id=page_ids.THRESHOLD,
                value=position,
                min=0,
                max=len(choices) - 1,
                step=1,
                label=None,
                size="sm",
                w=140,
                thumbLabel="Smallest influence that is shown",
                updatemode="drag",
            ),
            html.Span(id=page_ids.COUNT, className="control-count", **attributes(aria_live="polite")),
        ],
        className="control",
    )


def degrees(shown: TermFilter) -> list[Piece]:
    """A button for each number of options; each can be left out."""
    buttons: list[Piece] = [html.Span("options in a term", className="control-label")]
    for degree in ALL_DEGREES:
        others = tuple(d for d in ALL_DEGREES if (d in shown.degrees) != (d == degree))
        kept = None if others in ((), ALL_DEGREES) else ",".join(map(str, others))
        text = f"{degree}" if degree < ALL_DEGREES[-1] else f"{degree}+"
        buttons.append(choice(text, {"degree": kept}, pressed=degree in shown.degrees))
    too = choice(
        "may be zero",
        {"uncertain": None if shown.uncertain else SHOWN},
        pressed=shown.uncertain,
        title="Show also terms that are not significant",
    )
    return [html.Div(buttons, className="choices"), too]


def base_levels(options: Sequence[OptionLevels], base: ChosenConfiguration) -> list[Piece]:
    """What the base can be."""
    presets: list[Piece] = [
        choice("default", {"base": DEFAULT}, pressed=not base.differences),
        choice("all options changed", {"base": ALL}, pressed=base.key == ALL),
    ]
    return [html.Div(presets, className="choices presets"), *_levels("base", options, base)]


def compared_levels(options: Sequence[OptionLevels], target: ChosenConfiguration | None) -> list[Piece]:
    """What the base can be compared with."""
    presets: list[Piece] = [
        choice("nothing: show all terms", {"compared": None}, pressed=target is None),
        choice("default", {"compared": DEFAULT}, pressed=target is not None and not target.differences),
        choice("all options changed", {"compared": ALL}, pressed=target is not None and target.key == ALL),
    ]
    chosen = target or ChosenConfiguration("", "", ())
    return [html.Div(presets, className="choices presets"), *_levels("compared", options, chosen)]


def pickers(found: Influences, lens: Lens, chosen: Chosen) -> tuple[Any, ...]:
    """The two configurations, and what they can be changed to, for `PICKERS`; no update unless one of them changed."""
    now = {"base": lens.base, "compared": lens.compared, **selection(lens).context}
    if now == chosen:
        return (no_update,) * len(PICKERS)
    return (
        configuration_text(found.base),
        base_levels(found.options, found.base),
        configuration_text(found.target) if found.target else "nothing",
        compared_levels(found.options, found.target),
        now,
    )


def filters(found: Influences, wanted: TermFilter) -> tuple[Any, ...]:
    """The filters as the lens sets them, for `FILTERS`."""
    choices = thresholds(found.terms)
    position = _position(choices, wanted.threshold)
    return degrees(wanted), _slider(choices, position), len(choices) - 1, position


clientside_callback(
    ClientsideFunction("explorer", "threshold"),
    Input(page_ids.THRESHOLD, "value"),
    State(page_ids.THRESHOLDS, "data"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("explorer", "search"), Input(page_ids.SEARCH, "value"), prevent_initial_call=True
)


def _slider(choices: Sequence[float], position: int) -> dict[str, object]:
    """What the slider chooses from and where the page puts it."""
    return {"choices": list(choices), "position": position}


def _position(choices: Sequence[float], threshold: float) -> int:
    """Where on the slider a threshold stands: at the largest choice that is not above it."""
    return max(position for position, one in enumerate(choices) if one <= threshold * (1 + 1e-9))


def _picker(label: str, id_: str, name: str, levels: str) -> html.Div:
    button = [
        html.Span(id=name, className="picker-name"),
        html.Span(className="icon icon-chevron", **attributes(aria_hidden="true")),
    ]
    content = [html.P(_HELP, className="help-text"), html.Div(id=levels, className="levels")]
    chooser = menu(button, content, name=f"Choose: {label}", id_=id_, look="picker")
    return html.Div([html.Span(label, className="control-label"), chooser], className="control")


def _levels(name: str, options: Sequence[OptionLevels], chosen: ChosenConfiguration) -> list[Piece]:
    """One line for each option with a button for each level."""
    now = dict(chosen.differences)
    levels = {option.name: option.levels for option in options}
    rows: list[Piece] = []
    for option in (one for one in options if one.varied):
        at = now.get(option.name, option.levels[0])
        buttons: list[Piece] = []
        for level in option.levels:
            key = key_with(levels, {**now, option.name: level}) or DEFAULT
            buttons.append(choice(level, {name: key}, pressed=level == at, label=f"{option.name}: {level}"))
        quiet = "" if option.regions else " level-quiet"
        title = option.description or ("" if option.regions else "Nothing that was measured depends on it")
        rows.append(
            html.Div(
                [
                    html.Span(option.name, className="level-name", title=title),
                    html.Div(buttons, className="choices"),
                ],
                className=f"level{quiet}",
            )
        )
    still = [option.name for option in options if not option.varied]
    if still:
        rows.append(
            html.P(f"The same in all of these measurements: {', '.join(still)}", className="help-text")
        )
    return rows

"""What the page What-if is made of: a line for each option, the prediction, better configurations."""

from collections.abc import Callable, Sequence

from dash import html

from analytics.configurations.identities import key_with
from dashboard.access import Access
from dashboard.figures.accuracy_words import unchecked_text, unpredicted_text
from dashboard.figures.influences_words import change_text, configuration_text, impossible_text
from dashboard.figures.numbers import (
    GAP,
    estimate_text,
    fixed,
    interval_ends,
    number,
    percent,
    plural,
    scale_for,
)
from dashboard.pages.addresses import FEATURE_MODEL, OPTIONS, address
from dashboard.pages.components.blocks import Piece, facts, lens_button, link
from dashboard.pages.components.tables import not_shown
from dashboard.pages.lens import Lens
from dashboard.selectors.configurations import ALL, DEFAULT
from dashboard.selectors.model_rows import OptionLevels
from dashboard.selectors.two_metrics import TwoMetrics
from dashboard.selectors.what_if import Recommendation, WhatIf

AGAINST = "against"  # the setting of the address: the metric that is held against the one of the page
_MOST_FRONT = 12
# More options that no term names are shown only when asked for, by a setting of the address.
_MOST_QUIET, _UNNAMED, _ALL_OPTIONS = 60, "unnamed", "all"
_FIXED = "fixed"  # the setting of the address: options that the search keeps, joined by commas


def fixed_options(told: WhatIf, lens: Lens) -> tuple[str, ...]:
    """The options that the search keeps as they are; what the address says wrongly is left out."""
    asked = lens.settings.get(_FIXED, "").split(",")
    return tuple(option.name for option in told.found.options if option.varied and option.name in asked)


def levels(told: WhatIf, lens: Lens) -> list[Piece]:
    """A line for each option: its levels, whether it is kept, and the conditions that it takes part in violating."""
    found = told.found
    now = dict(found.target.differences) if found.target is not None else {}
    presets = [
        lens_button("default", {"compared": DEFAULT}, pressed=not now),
        lens_button(
            "all options changed",
            {"compared": ALL},
            pressed=found.target is not None and found.target.key == ALL,
        ),
    ]
    fixed = fixed_options(told, lens)
    known = {option.name: option.levels for option in found.options}
    by_option = {} if told.violated is None else told.violated.by_option

    def line(option: OptionLevels) -> Piece:
        at = now.get(option.name, option.levels[0])
        buttons: list[Piece] = []
        for level in option.levels:
            key = key_with(known, {**now, option.name: level}) or DEFAULT
            pressed = level == at
            buttons.append(
                lens_button(level, {"compared": key}, pressed=pressed, name=f"{option.name}: {level}")
            )
        page = address(found.model.system, OPTIONS, option.name, lens.but(compared="", term=""))
        return _line(option, buttons, by_option.get(option.name, ()), fixed, page)

    varied = [option for option in found.options if option.varied]
    in_sight = {*now, *fixed, *(name for name, broken in by_option.items() if broken)}
    told_of = {one.name for one in varied if one.named or one.name in in_sight}
    shown = [line(one) for one in varied if one.name in told_of]
    quiet = [one for one in varied if one.name not in told_of]
    still = [option.name for option in found.options if not option.varied]
    rest: list[Piece] = _quiet_lines(quiet, line, lens) if quiet else []
    if still:
        rest.append(
            html.P(f"The same in all of these measurements: {', '.join(still)}", className="help-text")
        )
    return [html.Div(presets, className="choices presets"), *shown, *rest]


def _quiet_lines(
    quiet: Sequence[OptionLevels], line: Callable[[OptionLevels], Piece], lens: Lens
) -> list[Piece]:
    """The options that no term names, folded; many of them come only when asked for: their buttons make a page heavy."""
    words = f"{plural(len(quiet), 'option')} that no term of the model names"
    if len(quiet) <= _MOST_QUIET:
        return [html.Details([html.Summary(words), *map(line, quiet)], className="quiet-levels")]
    asked = lens.settings.get(_UNNAMED) == _ALL_OPTIONS
    change = {_UNNAMED: None if asked else _ALL_OPTIONS}
    button = lens_button(f"{'hide' if asked else 'show'} {words}", change, look="quiet-button")
    return [html.Div([button, *(map(line, quiet) if asked else ())], className="quiet-levels")]


def _line(
    option: OptionLevels, buttons: Sequence[Piece], broken: Sequence[str], fixed: Sequence[str], href: str
) -> html.Div:
    """An option with the buttons of its levels, one by which the search keeps it, and what it takes part in violating."""
    name, kept = option.name, option.name in fixed
    others = [one for one in fixed if one != name]
    keep = lens_button(
        "keep",
        {_FIXED: ",".join(others if kept else [*others, name]) or None},
        look="choice choice-keep",
        pressed=kept,
        name=f"keep {name}",
        title="The search for the best keeps this level",
    )
    about = f"{option.description} All of {name}".strip()
    head = html.A(name, href=href, className="level-name quiet-link", title=about)
    line = html.Div([head, html.Div([*buttons, keep], className="choices")], className="level")
    message = html.P(f"Violates: {'; '.join(broken)}", className="level-violation", role="alert")
    return html.Div([line, message if broken else None])


def mending(access: Access, told: WhatIf, lens: Lens) -> list[Piece]:
    """Where the configuration is not valid: that it is not, and the nearest valid one to press."""
    violated = told.violated
    if violated is None:
        return []
    model = link("feature model", address(access.slug, FEATURE_MODEL, lens=lens), quiet=True)
    nearest: list[Piece] = ["No configuration of the measured levels is valid."]
    if violated.nearest is not None:
        steps = ", ".join(f"{option} at {level}" for option, level in violated.changes)
        nearest = ["Nearest valid: ", lens_button(f"with {steps}", {"compared": violated.nearest.key})]
    why = html.P(["Not valid by the ", model, ", so nothing is predicted."])
    return [html.Div([why, html.P(nearest)], className="violation")]


def prediction_facts(told: WhatIf) -> Piece:
    """What is predicted with its interval, what was measured, and the difference from the base."""
    found = told.found
    predicted, unit = found.target_time, found.model.unit
    if told.violated is not None or predicted is None:
        return html.P("None: this configuration is not valid.", className="quiet")
    values = [predicted.value, found.base_time.value, found.target_measured or 0.0]
    scale = scale_for(values, unit)
    interval = "not known: too few repetitions or configurations"
    if ends := interval_ends(predicted, scale):
        interval = f"{' to '.join(ends)}{GAP}{scale.unit}".rstrip()
    measured = "not measured"
    if found.target_measured is not None:
        # A model of profiled regions is of slower runs.
        profiled = "" if found.model.is_learned or not found.model.regions else ", without profiler"
        measured = f"{number(found.target_measured, None, unit)}{profiled}"
    rows: list[tuple[Piece, Piece]] = [
        ("Predicted", estimate_text(predicted, unit, scale=scale)),
        ("95 % interval", interval),
        ("Measured end to end", measured),
    ]
    if found.terms and found.difference is not None:
        difference = number(found.difference.value, found.difference.margin, unit, signed=True)
        rows.append((f"Against {configuration_text(found.base)}", difference))
    doubt = impossible_text(found.model, predicted.value)
    notes = [f"It is {doubt}."] if doubt else []
    if found.target_measured is not None and found.model.regions and not found.model.is_learned:
        # Else a reader takes the measured value outside of the interval for an error of the model.
        notes.append(
            "The prediction and its interval are of the time in all regions, in runs with the profiler. A run measured end to end "
            "is another quantity: its value may lie outside of the interval."
        )
    return html.Div([facts(rows), *(html.P(note, className="card-note") for note in notes)])


def better_changes(told: WhatIf, lens: Lens) -> list[Piece]:
    """The single changes of options that are not kept that gain most, each a button that makes it; of what is not valid none is told."""
    if told.violated is not None:
        why = "Gains are told from a valid configuration: what this one would take is not known."
        return [html.P(why, className="quiet")]
    unit, kept = told.found.model.unit, fixed_options(told, lens)
    scale = scale_for([one.difference.value for one in told.better], unit)
    rows: list[Piece] = [
        html.Li(
            [
                lens_button(change_text(one.change), {"compared": one.key}),
                html.Span(
                    number(one.difference.value, one.difference.margin, unit, scale=scale, signed=True),
                    className="numeral" + (" uncertain" if one.difference.may_be_zero else ""),
                ),
            ]
        )
        for one in told.better
        if one.change.option not in kept
    ]
    tried = f"of {plural(told.tried, 'change')} of one option"
    left = f"; {plural(told.forbidden, 'other')} would not be valid" if told.forbidden else ""
    said = f"The best {tried}{left}." if rows else f"None {tried} is predicted to be better{left}."
    return [html.Ul(rows, className="better-changes") if rows else None, html.P(said, className="quiet")]


def recommended(
    told: WhatIf,
    best: Recommendation | None,
    worst: Recommendation | None,
    lens: Lens,
    *,
    seen: Recommendation | None = None,
) -> list[Piece]:
    """The best and the worst configuration, each to be taken by a button, and how good such choices were.

    `seen` is the best of those that were measured: it stands beside the best where it is another one.
    """
    found, unit = told.found, told.found.model.unit
    if best is None or worst is None:
        return [html.P("No valid configuration with these kept options is predicted.", className="quiet")]
    rows: list[Piece] = []
    other = seen if seen is not None and seen.configuration.key != best.configuration.key else None
    for name, one in (("Best", best), ("Best measured", other), ("Worst", worst)):
        if one is None:
            continue
        here = found.target is not None and one.configuration.key == found.target.key
        value = "not measured" if one.measured is None else f"{number(one.measured, None, unit)} measured"
        unproven = "" if one.is_proven else "; there may be another one: the search ran out of time"
        take = lens_button(
            f"{name}: {configuration_text(one.configuration)}",
            {"compared": one.configuration.key},
            pressed=here,
        )
        said = f"{estimate_text(one.predicted, unit)}, {value}{unproven}"
        doubt = impossible_text(found.model, one.predicted.value)
        beside = html.Small(doubt, className="quiet") if doubt else None
        rows.append(html.Li([take, html.Span(said, className="numeral"), beside]))
    quality, kept = found.quality, fixed_options(told, lens)
    words = f"Kept: {', '.join(kept)}. " if kept else ""
    if kept:
        words += "How good a choice with kept options is was not checked."
    elif quality.regret is not None and quality.rank_correlation is not None:
        words += (
            f"On {plural(quality.checked, 'measured configuration')} the recommended one was "
            f"{percent(quality.regret)} worse than the best; rank correlation {fixed(quality.rank_correlation, 2)}."
        )
    else:
        words += f"How good such a choice is was not checked: {unchecked_text(found)}."
    words += unpredicted_text(found)
    if not told.knows_constraints and (best.measured is None or worst.measured is None):
        words += (
            " No feature model is known, so every combination of levels counts as valid: what was not measured may be one "
            "that the program refuses."
        )
    return [html.Ul(rows, className="better-changes"), html.P(words, className="quiet")]


def front_rows(told: WhatIf, front: TwoMetrics) -> list[Piece]:
    """The Pareto front, each configuration to be taken by a button, with both predictions."""
    names = [model.metric for model in front.models]
    here = None if told.found.target is None else told.found.target.key
    rows: list[Piece] = []
    for row in front.rows[:_MOST_FRONT]:
        key = row.configuration.key
        said = (
            estimate_text(one, model.unit) for one, model in zip(row.predicted, front.models, strict=True)
        )
        take = lens_button(configuration_text(row.configuration), {"compared": key}, pressed=key == here)
        doubts = (
            impossible_text(model, one.value) for one, model in zip(row.predicted, front.models, strict=True)
        )
        doubt = next(filter(None, doubts), "")
        beside = html.Small(doubt, className="quiet") if doubt else None
        rows.append(html.Li([take, html.Span("; ".join(said), className="numeral"), beside]))
    words = f"{' and '.join(names)}: no other valid configuration is predicted to be better in both."
    left = not_shown(len(front.rows) - len(rows), "configuration", look="quiet")
    return [html.Ul(rows, className="better-changes"), html.P(words, className="quiet"), left]

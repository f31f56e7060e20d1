"""The chosen configurations: whether each is valid, and where there are two, the options that differ."""

from dash import html

from dashboard.access import Access
from dashboard.figures.influences_words import configuration_text
from dashboard.figures.numbers import estimate_text, number, plural, scale_for
from dashboard.pages.addresses import FEATURE_MODEL, REGIONS, address
from dashboard.pages.components.blocks import Piece, code, lens_button, link
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.lens import Lens
from dashboard.selectors.feature_models.valid import violation
from dashboard.selectors.model_rows import Influences

_FEW = 6  # differences that are shown unasked
_MOST = 3  # conditions that are named


def side_by_side(found: Influences, slug: str, lens: Lens) -> Piece:
    """The options that differ, what each configuration takes, and where their regions stand side by side."""
    target, target_time = found.target, found.target_time
    if target is None or target_time is None:
        return None
    base, to = dict(found.base.differences), dict(target.differences)
    levels = {option.name: option.levels[0] for option in found.options if option.varied}
    rows = [
        {"option": name, "base": base.get(name, default), "target": to.get(name, default)}
        for name, default in levels.items()
        if base.get(name, default) != to.get(name, default)
    ]
    columns = (
        Column("option", "option", kind="code"),
        Column("base", "base"),
        Column("target", "compared with"),
    )
    unit = found.model.unit
    predicted = [estimate_text(one, unit) for one in (found.base_time, target_time)]
    totals: list[dict[str, Piece]] = [{"option": "predicted", "base": predicted[0], "target": predicted[1]}]
    measured = (found.base_measured, found.target_measured)
    if any(value is not None for value in measured):
        scale = scale_for([value for value in measured if value is not None], unit)
        said = [number(value, None, unit, scale=scale) for value in measured]
        totals.append({"option": "measured end to end", "base": said[0], "target": said[1]})
    same = len(levels) - len(rows)
    summary = f"{plural(len(rows), 'option')} differ{'s' if len(rows) == 1 else ''}, {same} agree"
    return html.Section(
        [
            html.Details(
                [html.Summary(summary), plain_table(columns, [*rows, *totals], label="Options that differ")],
                open=len(rows) <= _FEW,
            ),
            # A learned model is not composed of regions.
            None
            if found.model.is_learned
            else link("Regions of both side by side", address(slug, REGIONS, lens=lens)),
        ],
        className="card differences",
    )


def violations(access: Access, found: Influences, lens: Lens) -> list[Piece]:
    """What the base and the compared configuration violate, and the nearest valid one."""
    fixed = frozenset(option.name for option in found.options if not option.varied)
    model = link("feature model", address(access.slug, FEATURE_MODEL, lens=lens), quiet=True)
    rows: list[Piece] = []
    for name, title, configuration in (
        ("base", "The base", found.base),
        ("compared", "The compared configuration", found.target),
    ):
        if configuration is None:
            continue
        broken = violation(access.system, dict(configuration.differences), fixed)
        if broken is None:
            continue
        words: list[Piece] = []
        for condition in broken.conditions[:_MOST]:
            words += [", " if words else "", code(condition)]
        left = len(broken.conditions) - _MOST
        more = f" and {left} more." if left > 0 else "."
        nearest: list[Piece] = ["No configuration of the measured levels is valid."]
        if broken.nearest is not None:
            steps = ", ".join(f"{option} at {level}" for option, level in broken.changes)
            there = configuration_text(broken.nearest)
            nearest = [
                "Nearest valid: ",
                lens_button(f"with {steps}", {name: broken.nearest.key}, pressed=False, title=there),
            ]
        why = html.P([f"{title} is not valid by the ", model, ": it violates ", *words, more])
        rows.append(html.Div([why, html.P(nearest)], className="violation"))
    return rows

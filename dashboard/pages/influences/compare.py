"""Two configurations side by side: only the options that differ."""

from dash import html

from dashboard.figures.numbers import number, scale_for
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components import Piece, link
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.components.text import plural
from dashboard.pages.lens import Lens
from dashboard.selectors.model_rows import Estimate, Influences

_FEW = 6  # differences that are shown unasked


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
    totals: list[dict[str, Piece]] = [
        {"option": "predicted", "base": _said(found.base_time, unit), "target": _said(target_time, unit)}
    ]
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


def _said(value: Estimate, unit: str) -> str:
    return number(value.value, value.error, unit)

"""Terms on screen: their names, a model as a formula, influences as bars."""

from collections.abc import Sequence
from typing import Any

from dash import html

from dashboard.figures.influences_words import change_name, direction
from dashboard.figures.numbers import GAP, MINUS, PLUS_MINUS, DisplayScale, number
from dashboard.pages.addresses import INFLUENCES, OPTIONS, address
from dashboard.pages.components.blocks import Piece, attributes, link
from dashboard.pages.lens import Lens
from dashboard.selectors.model_rows import Estimate, TermRow


def term_name(term: TermRow) -> str:
    """A term in a formula: `codehilite × fenced_code`."""
    return " × ".join(change_name(change) for change in term.changes)


def option_link(slug: str, name: str, lens: Lens, *, look: str = "link", **others: Any) -> html.A:
    """An option's name, which leads to its page."""
    href = address(slug, OPTIONS, name, lens.but(compared="", term="", region=""))
    return link(html.Code(name, className="code"), href, quiet=look == "quiet-link", **others)


def formula(
    slug: str,
    default: Estimate,
    terms: Sequence[TermRow],
    scale: DisplayScale,
    *,
    rest: str,
    lens: Lens,
    symbol: str = "T",
) -> html.Div:
    """`T = 8.1 ± 0.2 + 15.0 ± 0.3 codehilite + ... ms`: every term leads to the influences with that term selected.

    Where effects multiply it is `T = 8.1 × 2.85` to the power of the term, which is 0 or 1. `rest` tells of the terms that are
    left out, `symbol` stands for what is measured.
    """
    head = f"{symbol}{f' in {scale.unit}' if scale.unit else ''}{GAP}={GAP}"
    parts: list[Piece] = [html.Span(head, className="formula-sign")]
    parts.append(html.Span(_with_margin(default.value, default.margin, scale), className="numeral"))
    size: list[Piece]
    for term in terms:
        times = html.Span(" × ", className="formula-sign")
        name = [piece for change in term.changes for piece in (times, change_name(change))][1:]
        named: Piece
        if term.factor is None:
            sign = MINUS if term.influence.value < 0 else "+"
            size = _with_margin(abs(term.influence.value), term.influence.margin, scale)
            named = html.Span([" ", *name], className="formula-name")
        else:
            sign, size, named = "×", [number(term.factor, unit="")], html.Sup(name, className="formula-name")
        value = html.Span([sign, GAP, *size], className="numeral")
        # What may be zero is quiet.
        look = "formula-term uncertain" if term.influence.may_be_zero else "formula-term"
        href = address(slug, INFLUENCES, lens=lens.but(term=term.key))
        parts += [" ", html.A([value, named], href=href, className=look)]
    if rest:
        sign = "+" if terms and terms[0].factor is None else "×"
        parts += [
            " ",
            html.A(f"{sign}{GAP}{rest}", href=address(slug, INFLUENCES, lens=lens), className="formula-rest"),
        ]
    return html.Div(
        parts, className="formula", role="group", **attributes(aria_label="The model as a formula")
    )


def bars(
    slug: str, terms: Sequence[TermRow], scale: DisplayScale, unit: str, lens: Lens, *, lower_is_better: bool
) -> html.Div:
    """Influences as bars with their 95 % intervals, drawn from zero; each leads to the influences with it selected."""
    found = [term.influence for term in terms]
    edges = [0.0, *(v for one in found for v in (one.value, one.low, one.high) if v is not None)]
    low, high = min(edges), max(edges)
    width = (high - low) or 1.0

    def at(value: float) -> float:
        return 100.0 * (value - low) / width

    def mark(look: str, start: float, end: float | None = None) -> html.Span:
        width = {} if end is None else {"width": f"{at(end) - at(start):.2f}%"}
        return html.Span(className=look, style={"left": f"{at(start):.2f}%", **width})

    rows = []
    for term in terms:
        influence = term.influence
        kind = direction(influence, lower_is_better=lower_is_better)
        marks = [mark("bar-zero", 0.0), mark(f"bar bar-{kind}", *sorted((0.0, influence.value)))]
        if influence.low is not None and influence.high is not None:
            marks.append(mark("bar-interval", influence.low, influence.high))
        value = number(influence.value, influence.margin, unit, scale=scale, signed=True)
        parts: list[Piece] = [
            html.Span(term_name(term), className="bar-name"),
            html.Span(marks, className="bar-track"),
            html.Span(value, className="bar-value numeral"),
        ]
        href = address(slug, INFLUENCES, lens=lens.but(term=term.key))
        rows.append(html.A(parts, href=href, className="bar-row", **attributes(data_row="true")))
    return html.Div(rows, className="bars")


def _with_margin(size: float, margin: float | None, scale: DisplayScale) -> list[Piece]:
    """A coefficient without its unit, with the digits that its margin allows, and the margin in small."""
    value, sign, half = number(size, margin, scale=scale.bare).partition(PLUS_MINUS)
    return [value, html.Span(f"{sign}{half}", className="formula-margin")] if half else [value]

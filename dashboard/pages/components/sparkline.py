"""A history as a line of a word's height: its shape, without axes. The figure with axes is one click away."""

from collections.abc import Sequence
from urllib.parse import quote

from dash import html

from dashboard.pages.components.blocks import attributes

_WIDTH, _HEIGHT, _EDGE = 200.0, 32.0, 2.0


def sparkline(points: Sequence[tuple[float, float]], words: str) -> html.Div:
    """A line through (place, value) in order, drawn from zero; `words` say it to those who do not see it."""
    picture = quote(svg(points), safe="")
    style = {"--spark": f"url('data:image/svg+xml,{picture}')"}
    return html.Div(className="sparkline", role="img", style=style, **attributes(aria_label=words))


def svg(points: Sequence[tuple[float, float]]) -> str:
    """The line as a picture; its colour comes from where it is shown."""
    places = [place for place, _ in points]
    start, span = min(places), (max(places) - min(places)) or 1.0
    # From zero: a step of 3 % looks like 3 %.
    bottom = min(0.0, *(value for _, value in points))
    height = (max(0.0, *(value for _, value in points)) - bottom) or 1.0
    corners = " ".join(
        f"{_WIDTH * (place - start) / span:.1f},"
        f"{_HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * (value - bottom) / height:.1f}"
        for place, value in points
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" preserveAspectRatio="none">'
        f'<polyline points="{corners}" fill="none" stroke="#000" stroke-width="1.5" stroke-linejoin="round" '
        'vector-effect="non-scaling-stroke"/></svg>'
    )

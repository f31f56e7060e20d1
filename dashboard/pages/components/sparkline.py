"""A history as a line of a word's height: its shape, without axes. The figure with axes is one click away."""

from collections.abc import Sequence
from urllib.parse import quote

from dash import html

from dashboard.pages.components.blocks import attributes

_WIDTH, _HEIGHT, _EDGE = 200.0, 32.0, 2.0


def sparkline(
    points: Sequence[tuple[float, float]],
    words: str,
    *,
    band: Sequence[tuple[float, float]] = (),
    marks: Sequence[float] = (),
) -> html.Div:
    """A line through (place, value) in order; `words` say it to those who do not see it.

    It is drawn from zero; with a `band`, its lower and upper end at each place, over what that spans. Places in `marks` are marked.
    """
    picture = quote(svg(points, band, marks), safe="")
    style = {"--spark": f"url('data:image/svg+xml,{picture}')"}
    return html.Div(className="sparkline", role="img", style=style, **attributes(aria_label=words))


def svg(
    points: Sequence[tuple[float, float]],
    band: Sequence[tuple[float, float]] = (),
    marks: Sequence[float] = (),
) -> str:
    """The line as a picture; its colour comes from where it is shown."""
    places = [place for place, _ in points]
    start, span = min(places), (max(places) - min(places)) or 1.0
    values = [value for _, value in points]
    # From zero: a step of 3 % looks like 3 %. Beside a band it may fill the height: what is noise is seen.
    ends = [end for pair in band for end in pair] or [0.0]
    bottom, top = min(*ends, *values), max(*ends, *values)
    height = (top - bottom) or 1.0

    def at(place: float, value: float) -> str:
        level = _HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * (value - bottom) / height
        return f"{_WIDTH * (place - start) / span:.1f},{level:.1f}"

    around = ""
    if band:
        edges = [at(place, upper) for place, (_, upper) in zip(places, band, strict=True)]
        edges += [at(place, lower) for place, (lower, _) in zip(places[::-1], band[::-1], strict=True)]
        around = f'<polygon points="{" ".join(edges)}" fill="#000" fill-opacity="0.22"/>'
    for mark in marks:
        place = _WIDTH * (mark - start) / span
        around += (
            f'<path d="M{place:.1f} 0V{_HEIGHT:g}" stroke="#000" stroke-opacity="0.55" stroke-width="1" '
            'stroke-dasharray="2 2" vector-effect="non-scaling-stroke"/>'
        )
    corners = " ".join(at(place, value) for place, value in points)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" preserveAspectRatio="none">'
        f'{around}<polyline points="{corners}" fill="none" stroke="#000" stroke-width="1.5" stroke-linejoin="round" '
        'vector-effect="non-scaling-stroke"/></svg>'
    )

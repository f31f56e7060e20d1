"""How figures look: one palette and one plotly template for light and for dark.

Colours of data are Okabe and Ito's (safe for colour-blind eyes), lifted a little on dark: slower is vermilion,
faster is blue, uncertain is grey.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go
import plotly.io as pio

from dashboard.figures.drawing import Drawing

Scheme = Literal["light", "dark"]

SANS = "Inter, system-ui, sans-serif"
MONO = "'JetBrains Mono', ui-monospace, monospace"
TEXT_SIZE = 12


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by meaning, and the name of the plotly template that is made of them.

    `wash` is the accent at low strength; bands hold 50 and 95 % of certainty.
    """

    template: str
    ink: str
    ink_soft: str
    ink_faint: str
    line: str
    surface: str
    accent: str
    wash: str
    slower: str
    faster: str
    uncertain: str
    band_50: str
    band_95: str
    # Where several things must be told apart; each also carries a direct label.
    series: tuple[str, ...]


LIGHT = Palette(
    template="perfatlas-light",
    ink="#1b1f24",
    ink_soft="#5b636e",
    ink_faint="#8a929c",
    line="#e6e8eb",
    surface="#ffffff",
    accent="#4b4ac9",
    wash="rgba(75,74,201,.10)",
    slower="#d55e00",
    faster="#0072b2",
    uncertain="#a3a9b2",
    band_50="rgba(91,99,110,.28)",
    band_95="rgba(91,99,110,.14)",
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
)
DARK = Palette(
    template="perfatlas-dark",
    ink="#e8eaed",
    ink_soft="#a2a9b4",
    ink_faint="#747c88",
    line="#2a2e35",
    surface="#17191d",
    accent="#a3a1ff",
    wash="rgba(163,161,255,.14)",
    slower="#ee7a2b",
    faster="#56b4e9",
    uncertain="#6b727d",
    band_50="rgba(162,169,180,.30)",
    band_95="rgba(162,169,180,.16)",
    series=("#56b4e9", "#ee7a2b", "#2fbf95", "#dd94bd", "#f0b429", "#3f8fd0"),
)


def palette(scheme: str | None) -> Palette:
    """The colours of a scheme; anything but "dark" is light."""
    return DARK if scheme == "dark" else LIGHT


def blank(colours: Palette = LIGHT, **layout: object) -> go.Figure:
    """A figure without axes: what stands in a card until its data come."""
    hidden = {"visible": False}
    return Drawing(layout={"template": colours.template, "xaxis": hidden, "yaxis": hidden, **layout})


def whiskers(
    colour: str, up: Sequence[float], down: Sequence[float] | None = None, *, width: int = 0
) -> dict[str, object]:
    """The error bars of a trace: so far above each value, and so far below it, or as far."""
    sides = {"array": up} if down is None else {"array": up, "arrayminus": down, "symmetric": False}
    return {"type": "data", "color": colour, "thickness": 1, "width": width, **sides}


def _template(colours: Palette) -> go.layout.Template:
    axis = {
        "gridcolor": colours.line,
        "linecolor": colours.line,
        "zerolinecolor": colours.ink_faint,
        "zerolinewidth": 1,
        "tickfont": {"size": TEXT_SIZE, "color": colours.ink_soft},
        "title": {"font": {"size": TEXT_SIZE, "color": colours.ink_soft}, "standoff": 8},
        "ticks": "",
        "automargin": True,
        "separatethousands": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": SANS, "size": TEXT_SIZE, "color": colours.ink},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": colours.series,
            "xaxis": axis,
            "yaxis": axis | {"showline": False},
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8, "pad": 4},
            "hovermode": "closest",
            "hoverlabel": {
                "bgcolor": colours.surface,
                "bordercolor": colours.line,
                "font": {"family": SANS, "size": TEXT_SIZE, "color": colours.ink},
                "align": "left",
            },
            "showlegend": False,
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
                "bgcolor": "rgba(0,0,0,0)",
            },
            "bargap": 0.35,
            "dragmode": False,
            "separators": ".\N{NARROW NO-BREAK SPACE}",
        }
    )


for _colours in (LIGHT, DARK):
    pio.templates[_colours.template] = _template(_colours)
# Nothing is drawn without one of these: of a default one plotly would make a copy for each figure first.
pio.templates.default = None

"""Slow drifts of histories: in words, and as a line through the level that drifts."""

from datetime import datetime
from statistics import median

from dashboard.figures.drawing import Sketch
from dashboard.figures.numbers import GAP, MINUS, DisplayScale, number, plural, scale_for
from dashboard.figures.theme import Palette
from dashboard.selectors.histories.rows import DriftRow, History, SeriesRow

# Days.
_MONTH = 365.25 / 12


def drifted(drift: DriftRow, series: SeriesRow) -> str:
    """`slowly became 8 % slower`; for a term `slowly grew by 4.1 ms`. Of a candidate `may slowly have become 8 % slower`."""
    if series.kind == "term":
        scale = scale_for([drift.size], series.unit)
        grown = ("have grown", "grew") if drift.size > 0 else ("have shrunk", "shrank")
        end = f" by {number(abs(drift.size), scale=scale)}"
    elif series.quantity == "time":
        grown = ("have become", "became")
        end = f" {100 * abs(drift.relative):.0f}{GAP}% {'slower' if drift.is_slower else 'faster'}"
    else:
        grown = ("have risen", "rose") if drift.size > 0 else ("have fallen", "fell")
        end = f" by {100 * abs(drift.relative):.0f}{GAP}%"
    return f"may slowly {grown[0]}{end}" if drift.is_candidate else f"slowly {grown[1]}{end}"


def over(first: datetime | None, last: datetime | None) -> str:
    """` over 12 months`, or days; "" where a date is not known."""
    if first is None or last is None:
        return ""
    days = (last - first).days
    months = round(days / _MONTH)
    return f" over {plural(months, 'month') if months > 1 else plural(days, 'day')}"


def slowly_text(first: datetime | None, last: datetime | None) -> str:
    """`Slowly over 12 months: no step explains it`."""
    return f"Slowly{over(first, last)}: no step explains it"


def drift_interval(drift: DriftRow, series: SeriesRow, scale: DisplayScale) -> str:
    """The size of a slow drift with its 95 % interval: `+8 % (6 to 10 %)`; of a term in its unit."""
    if series.kind == "term":
        return number(drift.size, scale=scale, signed=True)
    low, high = sorted((drift.low, drift.high))
    return f"{100 * drift.relative:+.0f} % ({100 * low:.0f} to {100 * high:.0f} %)".replace("-", MINUS)


def draw_drift(sketch: Sketch, history: History, scale: DisplayScale, colours: Palette) -> None:
    """Draw a slow drift as a dashed line through the level that drifts, with its size at the end."""
    if (drift := history.drift) is None:
        return
    ends = (drift.first.position, drift.last.position)
    middle = median(point.median for point in history.measured if ends[0] <= point.position <= ends[1])
    colour = colours.slower if drift.is_slower else colours.faster
    sketch.scatter(
        x=list(ends),
        y=[(middle + way * drift.size / 2) * scale.factor for way in (-1, 1)],
        mode="lines",
        line={"color": colour, "width": 2, "dash": "dash"},
        name="slow drift",
        showlegend=False,
        hoverinfo="skip",
    )
    size = drift_interval(drift, history.series, scale).partition(" (")[0]
    sketch.text(
        x=ends[1],
        y=1,
        yref="paper",
        xanchor="right",
        yanchor="bottom",
        text=f"{size} slowly",
        font={"size": 12, "color": colour},
    )

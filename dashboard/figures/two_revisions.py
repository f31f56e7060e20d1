"""What two revisions differ by, as a figure: relative changes with their intervals."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.influences_bars import Bar, bar_rows
from dashboard.figures.influences_words import shortened
from dashboard.figures.numbers import scale_for
from dashboard.figures.theme import palette
from dashboard.figures.two_revisions_words import change_text
from dashboard.selectors.two_revisions.rows import RevisionDifference

MOST = 12
_LENGTH = 44  # letters that fit beside a number on a phone


def changes_figure(rows: Sequence[RevisionDifference], *, scheme: str | None = None) -> go.Figure:
    """The relative changes of the first `MOST` rows that have one, in percent, with 95 % intervals."""
    colours = palette(scheme)
    bars = [
        Bar(
            key=str(row.series.series_id),
            label=shortened(f"{row.series.label} · {row.series.kind}, {row.series.measure}", _LENGTH),
            amount=change_text(row).partition(" (")[0],  # its interval is drawn
            start=0.0,
            end=100 * row.relative,
            colour=colours.slower if row.is_worse else colours.faster,
            low=None if row.low is None else 100 * row.low,
            high=None if row.high is None else 100 * row.high,
        )
        for row in rows
        if row.relative is not None
    ][:MOST]
    ends = [bar.end for bar in bars]
    # Numbers stand at the right end: where all is less than zero, its line would run through them.
    room = (-0.2 * min(ends),) if ends and max(ends) < 0 else ()
    return bar_rows(bars, axis="change, %", scale=scale_for(ends, "%"), colours=colours, reach=room)

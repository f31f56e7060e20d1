"""Changes of series as findings are made of."""

from analytics.findings import SeriesChange


def change(
    series: int,
    around: tuple[int, int],
    relative: float = 0.1,
    *,
    level: float = 1.0,
    certainty: float = 0.99,
    is_candidate: bool = False,
    error: float = 0.01,
    within: tuple[int, int] | None = None,
    is_slow: bool = False,
) -> SeriesChange:
    """A step of `relative` from `level` between two positions, surely `within` where given, else just there."""
    earliest, latest = within or around
    return SeriesChange(
        series,
        *around,
        earliest,
        latest,
        relative * level,
        relative,
        relative - error,
        relative + error,
        certainty,
        is_candidate,
        is_worse=relative > 0,
        is_slow=is_slow,
    )

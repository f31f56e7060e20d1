"""Parts of sentences that several pages say."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from dashboard.figures.numbers import GAP, count


def plural(number: int, one: str, many: str = "") -> str:
    """`1 configuration`, `26 configurations`."""
    return f"{count(number)}{GAP}{one if number == 1 else many or one + 's'}"


def listing(names: Sequence[str], most: int = 3) -> str:
    """`a, b and c`; beyond `most` names the rest is counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def ago(moment: datetime | None, now: datetime) -> str:
    """How long ago something was, in the largest unit that fits; a date beyond two months."""
    if moment is None:
        return "never"
    passed = now - moment
    if passed < timedelta(minutes=1):
        return "just now"
    for span, name in (
        (timedelta(days=1), "day"),
        (timedelta(hours=1), "hour"),
        (timedelta(minutes=1), "minute"),
    ):
        if passed >= span:
            if passed > timedelta(days=60):
                return f"{moment:%-d %B %Y}"
            return f"{plural(passed // span, name)} ago"
    return "just now"


def time_left(seconds: float | None) -> str:
    """`about 3 min left`; nothing where it is not known."""
    return "" if seconds is None else f"{about(seconds)} left"


def about(seconds: float) -> str:
    """`about 3 min`: a time as roughly as it is known."""
    if seconds < 60:
        return f"about {max(1, round(seconds))}{GAP}s"
    if seconds < 5400:
        return f"about {round(seconds / 60)}{GAP}min"
    return f"about {round(seconds / 3600)}{GAP}h"

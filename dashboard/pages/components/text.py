"""Parts of sentences that several pages say."""

from datetime import datetime, timedelta

from dashboard.figures.numbers import plural, rough_time


def sentence(reason: object) -> str:
    """What an error or another reason says, as a sentence."""
    said = str(reason)
    return f"{said[:1].upper()}{said[1:]}."


# Clocks that differ by less agree.
_CLOCKS_DIFFER = timedelta(hours=2)


def ago(moment: datetime | None, now: datetime) -> str:
    """How long ago something was, in the largest unit that fits; a date beyond two months, or where it is to come."""
    if moment is None:
        return "never"
    passed = now - moment
    if passed < -_CLOCKS_DIFFER:
        # Machines that measure tell the time by their own clocks.
        return f"{moment:%-d %B %Y %H:%M}, by a clock ahead of this server's"
    if passed > timedelta(days=60):
        return f"{moment:%-d %B %Y}"
    for name in ("day", "hour", "minute"):
        if (number := passed // timedelta(**{f"{name}s": 1})) > 0:
            return f"{plural(number, name)} ago"
    return "just now"


def time_left(seconds: float | None) -> str:
    """`about 3 min left`; nothing where it is not known."""
    return "" if seconds is None else f"{about(seconds)} left"


def about(seconds: float | None) -> str:
    """`about 3 min`: a time as roughly as it is known."""
    if seconds is None:
        return "for how long is not known before the first runs"
    return f"about {rough_time(seconds)}"

"""Times as people write them on a command line."""

import re
from argparse import ArgumentTypeError

_SECONDS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)")


def duration(text: str) -> float:
    """The seconds of "90s", "30min", "2h", "1.5h" or "1d". Raises `ArgumentTypeError`."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or float(found[1]) == 0:
        raise ArgumentTypeError(f"{text!r} is no time: write 90s, 30min, 2h or 1d")
    return float(found[1]) * _SECONDS[found[2]]

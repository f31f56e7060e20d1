"""When a tracking job ends, in the words of its request."""

import re
from dataclasses import replace

from analytics.histories.stopping import StopRule
from dashboard.selectors.measuring.outlook import usual_rule
from dashboard.services.measuring.plans import RequestInvalid

STEPS = "steps"
NOISE = "noise"
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def limit_of(stop_at: str) -> float | None:
    """The standard deviation, relative, of the least sure revision at which measuring ends; None for words.

    Raises `RequestInvalid` for what is neither "steps", "noise" nor a share.
    """
    if stop_at in {STEPS, NOISE}:
        return None
    found = _SHARE.fullmatch(stop_at.strip())
    if found is None or not 0 < float(found[1]) <= 100:
        raise RequestInvalid(
            "stop_at", f"{stop_at!r} is no way to stop: write {STEPS}, {NOISE} or a share such as 1%"
        )
    return float(found[1]) / 100


def stop_rule(stop_at: str, length: int, *, budget: float | None = None, most: int | None = None) -> StopRule:
    """The rule for so many codes in line.

    "steps" is the usual one. "noise" ends where every revision is known as well as repeated measurements of one are, a
    share where each is known so well.
    """
    if stop_at == STEPS:
        return replace(usual_rule(length), budget=budget, most=most)
    return StopRule(smallest_gain=None, largest_sd=limit_of(stop_at), budget=budget, most=most)

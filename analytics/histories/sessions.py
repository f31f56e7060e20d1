"""Sessions: runs of one configuration and revision that were made one right after the other, and how sessions differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from analytics.histories.noise import MEDIAN_FACTOR


@dataclass(frozen=True, slots=True)
class Session:
    """The values, in the metric's unit, of the runs of a revision (by name) that followed one another."""

    revision: str
    values: tuple[float, ...]


def sessions_by_code(sessions: Sequence[Session], codes: Mapping[str, int]) -> dict[int, list[Session]]:
    """Return the sessions by code; `codes` numbers the code of each revision, others are left out."""
    found: dict[int, list[Session]] = {}
    for session in sessions:
        if session.revision in codes:
            found.setdefault(codes[session.revision], []).append(session)
    return found


def session_noise(sessions: Mapping[int, Sequence[Session]]) -> float | None:
    """Return the relative standard deviation of one session from another of the same code.

    `sessions` are by code. Runs within one session scatter less than that. None where no code has two sessions.
    """
    squares, freedom = 0.0, 0
    for some in sessions.values():
        levels = np.log([median(one.values) for one in some if median(one.values) > 0])
        if len(levels) > 1:
            squares += float(np.sum((levels - levels.mean()) ** 2))
            freedom += len(levels) - 1
    return float(np.sqrt(squares / freedom)) if freedom else None


def value_noise(sessions: Mapping[int, Sequence[Session]]) -> float | None:
    """Return the relative standard error of a code's value that rests on the usual number of sessions; None as above."""
    single = session_noise(sessions)
    if single is None:
        return None
    usual = median(len(some) for some in sessions.values())
    return single * float(np.sqrt((MEDIAN_FACTOR if usual > 2 else 1.0) / usual))

"""How much of the time of an analysis's runs lies in code that no counter sees: in libraries, in C, in Python that is not counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

from analytics.whitebox.evidence import AnalysisRun, Labels

# A smaller share is nobody's doing: every program starts, reads and writes.
LITTLE = 0.05
# Shares of single short runs differ by as much, whatever the options are.
_SCATTER = 0.1


@dataclass(frozen=True, slots=True)
class UncountedTime:
    """What `runs` of an analysis showed: shares of their CPU time in code without counters, from `least` to `most`.

    `places` are the mean shares by library, module or called function, the largest first. `level` is the option and the level that
    makes it most: of two runs that differ in this option alone the shares are further apart than chance makes them, and than of
    any other such two; None where none are.
    """

    runs: int
    least: float
    most: float
    places: tuple[tuple[str, float], ...]
    level: tuple[str, str] | None


def uncounted_time(counted: Iterable[AnalysisRun]) -> UncountedTime | None:
    """What is known of counted runs; None where it was found out of none."""
    known: list[tuple[float, Labels]] = []
    places = Counter[str]()
    for run in counted:
        if run.succeeded and run.uncounted is not None:
            known.append((min(sum(run.uncounted.values()), 1.0), run.levels))
            places.update(run.uncounted)
    if not known:
        return None
    shares = [share for share, _ in known]
    widest, level = _SCATTER, None
    for (less, others), (more, levels) in permutations(known, 2):
        differing = levels.items() - others.items()
        if more - less > widest and len(differing) == 1:
            widest, level = more - less, next(iter(differing))
    return UncountedTime(
        runs=len(known),
        least=min(shares),
        most=max(shares),
        places=tuple((name, share / len(known)) for name, share in places.most_common() if name),
        level=level,
    )

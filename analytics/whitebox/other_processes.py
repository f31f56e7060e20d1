"""Runs that work in other processes, too: what happens there is not counted."""

from collections.abc import Iterable
from dataclasses import dataclass

from analytics.whitebox.evidence import AnalysisRun

# A smaller share of a run is no work: programs ask for a version, or for the name of the machine.
_LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class OtherProcesses:
    """So many `runs` of `of` work in other processes, too, with at most this `share` of a run's CPU time.

    `levels` are the levels that all of these runs have, and no other one: what starts the processes, where that is an option.
    """

    runs: int
    of: int
    share: float
    levels: tuple[tuple[str, str], ...]


def work_elsewhere(runs: Iterable[AnalysisRun]) -> OtherProcesses | None:
    """What counted runs did in processes that they started; None where that is next to nothing."""
    ended = [run for run in runs if run.succeeded]
    elsewhere = [run for run in ended if run.children_share >= _LEAST_SHARE]
    if not elsewhere:
        return None
    here = [run for run in ended if run.children_share < _LEAST_SHARE]
    shared = set.intersection(*(set(run.levels.items()) for run in elsewhere))
    levels = shared.difference(*(run.levels.items() for run in here)) if here else set()
    share = max(run.children_share for run in elsewhere)
    return OtherProcesses(len(elsewhere), len(ended), share, tuple(sorted(levels)))

"""The list of findings of a system, from the changes of all its series; levels that came back went away."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType

import numpy as np

from analytics.findings.cost_shifts import cost_moves
from analytics.findings.level_steps import machine_drifts, machine_steps
from analytics.findings.rows import CostDomain, CostShift, Finding, SeriesChange, Verdict
from analytics.findings.same_change import same_changes
from analytics.histories.measurements import FloatArray, IntArray

# A level that stood for so many positions did not go away.
LONGEST = 30
# The level is back where it is nearer to the old one than this share of the step.
BACK = 0.5


def list_findings(
    changes: Sequence[SeriesChange],
    domains: Sequence[CostDomain] = (),
    references: Mapping[int, tuple[IntArray, FloatArray]] = MappingProxyType({}),
    *,
    longest: int = LONGEST,
) -> tuple[Finding, ...]:
    """Return the findings of these changes, the newest first and of one revision the most certain first.

    First what went away is set aside: a level that came back within `longest` positions. Then what moved within one of
    the `domains` while its sum stayed, then what the machine did, by the `references` of the series (`machine_steps`). Changes of many series that one revision explains become one finding, of those that
    are left and of the others by themselves.

    A finding is told where one of its changes is no candidate: what is a fact of its series at the false-alarm rate is one
    in the list, and nothing else is. A slow drift is a finding of its own: no single revision explains it.
    """
    standing, gone = [], []
    slow = [one for one in changes if one.is_slow]
    steps = [one for one in changes if not one.is_slow]
    ordered = sorted(steps, key=lambda one: (one.series, one.after))
    for _, own in groupby(ordered, key=lambda one: one.series):
        stands, went = _without_returned(list(own), longest)
        standing += stands
        gone += went
    moves = cost_moves(standing, domains)
    stayed = [one for index, one in enumerate(standing) if index not in moves]
    blamed = machine_steps(stayed, references)
    left = [one for index, one in enumerate(stayed) if index not in blamed]
    found = [_finding(*group, Verdict.TOLD) for group in same_changes(left)]
    found += [_finding(*group, Verdict.WENT_AWAY) for group in same_changes(gone)]
    found += _cost_shifts([(standing[index], move) for index, move in moves.items()])
    of_machine = {id(stayed[index]): step for index, step in blamed.items()}
    for group in same_changes([stayed[index] for index in blamed]):
        finding = _finding(*group, Verdict.MACHINE)
        found.append(replace(finding, machine=of_machine[id(finding.first)]))
    of_machine_drift = machine_drifts(slow, references)
    for index, one in enumerate(slow):
        verdict = Verdict.MACHINE if index in of_machine_drift else Verdict.TOLD
        drift = _finding([one], one.before, one.after, verdict)
        found.append(replace(drift, machine=of_machine_drift.get(index)))
    return tuple(sorted(found, key=lambda one: (-one.after, -one.certainty, -len(one.changes))))


def _cost_shifts(moved: list[tuple[SeriesChange, CostShift]]) -> list[Finding]:
    """One finding for all changes of a domain that one revision explains, whichever way they go; the largest move is told."""
    move_of = {id(change): move for change, move in moved}
    found = []
    for name in sorted({move.domain for move in move_of.values()}):
        own = [change for change, move in moved if move.domain == name]
        for members, before, after in same_changes(own, apart=False):
            move = max((move_of[id(one)] for one in members), key=lambda one: one.share)
            found.append(_finding(members, before, after, Verdict.COST_SHIFT, move))
    return found


def _finding(
    members: list[SeriesChange], before: int, after: int, verdict: Verdict, move: CostShift | None = None
) -> Finding:
    ranked = sorted(members, key=lambda one: (one.is_candidate, -abs(one.relative), one.series))
    if verdict is Verdict.TOLD and ranked[0].is_candidate:
        verdict = Verdict.CANDIDATE
    return Finding(verdict, tuple(ranked), before, after, move)


def _without_returned(
    changes: Sequence[SeriesChange], longest: int
) -> tuple[list[SeriesChange], list[SeriesChange]]:
    """Return the changes of one series, in order, that stand; and those that went away, with `until` set.

    A change went away where it and the next ones add up to nothing within their 95 % intervals, at most `longest`
    positions later. The steps back are no changes of their own.
    """
    standing, gone = [], []
    at = 0
    while at < len(changes):
        end = _returned(changes[at:], longest)
        if end:
            gone.append(replace(changes[at], until=changes[at + end].before))
            at += end
        else:
            standing.append(changes[at])
        at += 1
    return standing, gone


def _returned(changes: Sequence[SeriesChange], longest: int) -> int:
    """How many changes after the first bring the level back; 0 if none do."""
    first = changes[0]
    total, error = first.size, first.error
    for count, change in enumerate(changes[1:], 1):
        if change.before - first.after >= longest:
            break
        total += change.size
        error = float(np.hypot(error, change.error))
        if abs(total) <= min(max(error, 0.0), BACK * abs(first.size)):
            return count
    return 0

"""The list of findings of a system, from the changes of all its series."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from analytics.findings.cost_shifts import cost_shifts
from analytics.findings.level_steps import machine_drifts, machine_steps
from analytics.findings.possible_moves import possible_moves
from analytics.findings.rows import CostDomain, CostShift, Finding, Moves, SeriesChange, Verdict
from analytics.findings.same_change import same_changes, same_drifts
from analytics.findings.went_away import LONGEST, without_returned
from analytics.histories.measurements import FloatArray, IntArray


def find_moves(changes: Sequence[SeriesChange], domains: Sequence[CostDomain]) -> Moves:
    """Return what moved within the domains, and what may have: of the changes that did not go away."""
    standing, _ = without_returned(changes)
    shifts = cost_shifts(standing, domains)
    return Moves(shifts, possible_moves(standing, domains, shifts))


def list_findings(
    changes: Sequence[SeriesChange],
    moves: Moves = Moves(),  # noqa: B008 -- frozen
    references: Mapping[int, tuple[IntArray, FloatArray]] = MappingProxyType({}),
    *,
    longest: int = LONGEST,
) -> tuple[Finding, ...]:
    """Return the findings of these changes, the newest first and of one revision the most certain first.

    First what went away is set aside: a level that came back within `longest` positions. Then what moved within a domain while its
    sum stayed (`find_moves`), then what the machine did, by the `references` of the series (`machine_steps`), then what
    may have moved. Changes of many series that one revision explains become one finding, of those that
    are left and of the others by themselves.

    A finding is told where one of its changes is no candidate: what is a fact of its series at the false-alarm rate is one
    in the list, and nothing else is but possible moves. A slow drift is a finding of its own, with all series that drift alike: no single
    revision explains it.
    """
    standing, gone = without_returned(changes, longest)
    slow = [one for one in changes if one.is_slow]
    stayed = [one for one in standing if one not in moves.shifts]
    blamed = machine_steps(stayed, references)
    left = [one for index, one in enumerate(stayed) if index not in blamed]
    doubted = [one for one in left if one in moves.possible]
    found = [
        _finding(*group, Verdict.TOLD)
        for group in same_changes([one for one in left if one not in moves.possible])
    ]
    found += [_finding(*group, Verdict.WENT_AWAY) for group in same_changes(gone)]
    found += _cost_shifts([(one, moves.shifts[one]) for one in standing if one in moves.shifts])
    for group in same_changes(doubted):
        finding = _finding(*group, Verdict.POSSIBLE_MOVE)
        found.append(replace(finding, possible=moves.possible[finding.first]))
    of_machine = {id(stayed[index]): step for index, step in blamed.items()}
    for group in same_changes([stayed[index] for index in blamed]):
        finding = _finding(*group, Verdict.MACHINE)
        found.append(replace(finding, machine=of_machine[id(finding.first)]))
    of_machine_drift = {id(slow[index]): step for index, step in machine_drifts(slow, references).items()}
    for is_machine, verdict in ((False, Verdict.TOLD), (True, Verdict.MACHINE)):
        for group in same_drifts([one for one in slow if (id(one) in of_machine_drift) == is_machine]):
            finding = _finding(*group, verdict)
            found.append(replace(finding, machine=of_machine_drift.get(id(finding.first))))
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

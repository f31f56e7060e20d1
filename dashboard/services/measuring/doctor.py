"""Judging a machine before anything is measured on it: what is wrong, what it costs, how small a change it can show."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from analytics.bisection import FloatArray
from analytics.changepoints.robust import autocorrelation
from analytics.machine_phases import MachinePhases, machine_phases
from analytics.power import (
    NOISE_FLOOR,
    SLOWDOWNS,
    alarm_share,
    in_turns,
    one_after_the_other,
    smallest_difference,
)
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.machine_lock import measuring_alone
from dashboard.services.measuring.plans import LEAST_OF_EACH
from dashboard.services.subjects import runner_state
from runner.machine_state import MachineState, machine_state
from runner.reference import reference_run
from runner.sandboxes import refusal_of

# So many runs of each revision are thought of, as far as there are reference runs for two such comparisons.
RUNS_OF_EACH = (5, 10, 20, 40)
# Reference runs that are made however long they take: less tells nothing.
LEAST_REFERENCE_RUNS = 20


@dataclass(frozen=True, slots=True)
class ComparisonPower:
    """What a comparison of two revisions with so many `runs` of each can tell on this machine, in `seconds` of CPU time.

    `smallest` is the smallest difference that is shown in 4 of 5 comparisons, a share; None where none is. `steady` is that
    without speeds, bursts and drift; None where there are none. `alarms` is the share of
    comparisons of identical runs that differ, run in turns; `alarms_apart` one revision after the other.
    """

    runs: int
    seconds: float
    smallest: float | None
    steady: float | None
    alarms: float
    alarms_apart: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found on a machine. `seconds` are the CPU times of the reference runs, in their order.

    `phases` are what the machine did during them, `before` and `after` them are its states. `other_share` of the measuring core was used by other programs meanwhile,
    `stolen_share` by the host. `spread` is half of the middle half of the times, `tail` how much longer the slowest
    twentieth took, both as shares of the median. `autocorrelation` is that of successive runs, steps apart.
    `no_sandbox` says why subjects run without a sandbox, "" where they have one.
    """

    before: MachineState
    after: MachineState
    seconds: tuple[float, ...]
    wall_seconds: float
    other_share: float
    stolen_share: float
    spread: float
    tail: float
    autocorrelation: float
    phases: MachinePhases
    powers: tuple[ComparisonPower, ...]
    no_sandbox: str = ""

    @property
    def throttled(self) -> int:
        """How often heat or a quota held a core back meanwhile."""
        return (self.after.throttled or 0) - (self.before.throttled or 0)

    def within(self, *, run_seconds: float, budget_seconds: float) -> tuple[int, float | None, float | None]:
        """How many runs of each revision fit into a budget, and about which difference they show: now, and on a steady machine.

        Before each run there is a reference run. None where nothing is shown. With more runs than were compared here, differences
        become smaller as their root, down to the smallest that is tried.
        """
        each = run_seconds + self.wall_seconds / len(self.seconds)
        runs = int(budget_seconds / each / 2)
        if runs < LEAST_OF_EACH:
            return runs, None, None
        told = min(self.powers, key=lambda power: abs(np.log(power.runs / runs)))
        scale = float(np.sqrt(told.runs / runs))
        steady = told.smallest if self.phases.is_steady else told.steady
        smallest, steady = (
            None if one is None else max(scale * one, float(SLOWDOWNS[0])) for one in (told.smallest, steady)
        )
        return runs, smallest, steady


def diagnose(*, seconds: float, waits: Callable[[], object]) -> Diagnosis:
    """Make reference runs for `seconds`, and tell what they and the system say of the machine.

    Nobody else measures meanwhile; `waits` is called once if somebody does now.
    """
    with measuring_alone(StopRequest(), waits=waits):
        # The first run loads what the others find in memory.
        reference_run()
        before, began = machine_state(), time.monotonic()
        times: list[float] = []
        while len(times) < LEAST_REFERENCE_RUNS or time.monotonic() - began < seconds:
            times.append(reference_run().cpu_seconds)
        wall, after = time.monotonic() - began, machine_state()
    return replace(judge(np.array(times), before, after, wall), no_sandbox=refusal_of(runner_state()))


def judge(times: FloatArray, before: MachineState, after: MachineState, wall_seconds: float) -> Diagnosis:
    """The diagnosis of reference runs that took `times` (n,), n >= 20, in seconds, between two states."""
    other_share, stolen_share = after.taken_since(before)
    phases = machine_phases(times)
    middle = float(np.median(times))
    quarter, three_quarters, high = np.quantile(times, (0.25, 0.75, 0.95)) / middle
    return Diagnosis(
        before=before,
        after=after,
        seconds=tuple(times.tolist()),
        wall_seconds=wall_seconds,
        other_share=other_share,
        stolen_share=stolen_share,
        spread=float(three_quarters - quarter) / 2,
        tail=float(high) - 1,
        autocorrelation=autocorrelation(np.log(times), NOISE_FLOOR)[0],
        phases=phases,
        powers=tuple(
            ComparisonPower(
                runs=runs,
                seconds=2 * runs * middle,
                smallest=smallest_difference(times, runs),
                steady=None if phases.is_steady else smallest_difference(phases.steady, runs),
                alarms=alarm_share(times, in_turns(2 * runs)),
                alarms_apart=alarm_share(times, one_after_the_other(2 * runs)),
            )
            for runs in RUNS_OF_EACH
            if 4 * runs <= len(times)
        ),
    )

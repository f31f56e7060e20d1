"""Noticing that the machine is not as it was: a reference run before and after each run, the machine's state and its clock."""

import time
from collections.abc import Mapping
from dataclasses import asdict

from dashboard.services.jobs.context import JobContext
from runner.machine_state import MachineState, MachineStrain
from runner.reference import REFERENCE_PROGRAM, ReferenceFailed, reference_time
from runner.results import ClockResult

# What is measured right after a run is still right before the next one, if that begins within so many seconds.
FRESH_SECONDS = 0.5
# Within a run, the clock of the machine may run ahead of steady time, or behind it, by so much.
CLOCK_SECONDS = 1.0


def clock_offset() -> float:
    """How far the machine's clock is ahead of steady time, in seconds: it moves where the clock is set, or the machine slept.

    Times are taken by clocks that do not jump, but whatever ran meanwhile may have been stopped, or begun at a moment
    that is wrong.
    """
    return time.time() - time.monotonic()


class MachineWatch:
    """The reference runs beside the runs of one job, pinned as these are."""

    def __init__(self, context: JobContext, *, pinned: bool) -> None:
        self._context = context
        self._pinned = pinned
        self._newest: ClockResult | None = None
        self._made = self._began = 0.0
        self._run_seconds = 0.0
        self._failed = False

    def before(self) -> ClockResult | None:
        """What a reference run takes right before a run begins; None where it fails, which the job's log says once."""
        if self._newest is None or time.monotonic() - self._made > FRESH_SECONDS:
            self._newest = self._reference()
        self._began = time.monotonic()
        return self._newest

    def after(self) -> ClockResult | None:
        """What a reference run takes right after the run that began at the last `before`; None where it fails."""
        self._run_seconds = time.monotonic() - self._began
        self._newest = self._reference()
        return self._newest

    def _reference(self) -> ClockResult | None:
        try:
            made = reference_time(pinned=self._pinned, beside_seconds=self._run_seconds)
        except ReferenceFailed as error:
            if not self._failed:
                self._context.log(f"{error}; runs go on without: nothing tells how fast the machine was")
            self._failed = True
            return None
        self._made = time.monotonic()
        return made


def strain_columns(before: MachineState, after: MachineState) -> Mapping[str, object]:
    """What the machine was busy with besides a run, from its states right before and right after, as columns of the run."""
    strain = asdict(MachineStrain.between(before, after))
    return {f"machine_{name}": value for name, value in strain.items()}


def reference_columns(before: ClockResult | None, after: ClockResult | None) -> Mapping[str, object]:
    """The reference runs before and after a run as columns of it."""
    times = {
        f"reference_{clock}_{when}": None if made is None else getattr(made, f"{clock}_seconds")
        for when, made in (("before", before), ("after", after))
        for clock in ("cpu", "wall")
    }
    return {**times, "reference_program": REFERENCE_PROGRAM if before or after else ""}

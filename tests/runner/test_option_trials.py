"""A new subject begins with the options with which its program runs, and of these with those that change its time most."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

from runner.environments import Unprepared
from runner.executions import Execution
from runner.fingerprints import MachineFingerprint
from runner.option_help import OptionProposal
from runner.option_trials import MOST_OPTIONS, that_matter, that_run
from runner.plans import PlannedRun
from runner.processes import ProcessOutcome
from runner.results import ProbeResult
from runner.selections import SelectedConfiguration

NUMBERS = OptionProposal(
    "number", ("default", "1", "4", "16"), {level: (f"--number={level}",) for level in ("1", "4", "16")}
)
MACHINE = MachineFingerprint("a processor", "", 2, 8, "", "", "", ())
RUN = PlannedRun(0, "1.0", SelectedConfiguration(()), "regular", 1)
SWITCH = OptionProposal("switch", (False, True), {"on": ("--switch",)})


def _ended(seconds: float, status: Any = "ok", message: str = "") -> Execution:
    outcome = ProcessOutcome("ended", "", seconds, seconds, 0, None, "", 0, cleared=True)
    result = ProbeResult(version=1, status="ok", interpreter={})
    return Execution(RUN, status, message, "", outcome, result, datetime.now(UTC), MACHINE)


def test_levels_at_which_it_fails_are_left_out() -> None:
    """An option stays where any of them works, as it was proposed where all do."""

    def run(levels: dict[str, object]) -> Execution | Unprepared:
        return _ended(1.0, "failed", "16 is too many") if levels.get("number") == "16" else _ended(1.0)

    works, fails = that_run([NUMBERS, SWITCH], run, lambda _: None)
    assert [one.levels for one in works] == [("default", "1", "4"), (False, True)]
    assert works[0].arguments == {"1": ("--number=1",), "4": ("--number=4",)}
    assert (works[1], fails) == (SWITCH, ())


def test_an_option_at_which_nothing_works_says_why() -> None:
    works, fails = that_run([SWITCH], lambda _: _ended(1.0, "failed", "no such switch"), lambda _: None)
    assert works == ()
    assert fails[0].doubt == "failed when tried: no such switch"


def test_those_that_change_the_time_most_are_kept_in_their_order() -> None:
    """A short time is as much of a change as a long one; the others say what a try showed."""
    took = {f"option{number}": 1.0 + 0.01 * number for number in range(MOST_OPTIONS + 1)} | {"option1": 0.2}
    options = [replace(SWITCH, name=name) for name in took]

    def run(levels: dict[str, object]) -> Execution | Unprepared:
        return _ended(took[next(iter(levels))] if levels else 1.0)

    most, rest = that_matter(options, run, lambda _: None)
    assert [one.name for one in most] == [f"option{number}" for number in range(1, MOST_OPTIONS + 1)]
    assert most[0].tried == "In a short try a run took 0.2 s with it, 1 s without."
    assert [one.name for one in rest] == ["option0"]
    assert rest[0].doubt.endswith("In a short try a run took 1 s with it, 1 s without")


def test_what_fails_with_a_long_input_is_left_out() -> None:
    """A level of several, or the option where none is left: nobody says that others changed the time more."""

    def run(levels: dict[str, object]) -> Execution | Unprepared:
        return _ended(60.0, "timeout") if levels in ({"number": "16"}, {"switch": True}) else _ended(1.0)

    most, rest = that_matter([NUMBERS, SWITCH], run, lambda _: None)
    assert [one.levels for one in most] == [("default", "1", "4")]
    assert [(one.name, one.doubt) for one in rest] == [
        ("switch", "it worked with a short input, and failed with one of the length that is measured")
    ]


def test_a_burst_of_the_machine_is_no_effect() -> None:
    """The shorter one of two times counts."""
    times = {True: iter([5.0, 1.0])}

    def run(levels: dict[str, object]) -> Execution | Unprepared:
        return _ended(next(times[True]) if levels else 1.0)

    (one,), _ = that_matter([SWITCH], run, lambda _: None)
    assert one.tried == "In a short try a run took 1 s with it, 1 s without."


def test_an_option_that_changes_nothing_is_not_told_to_by_the_noise_of_many_more_runs_without_it() -> None:
    """The shortest of all runs without would be shorter than the shortest of the few with any option."""
    without = cycle([1.3, 1.2, 1.1, 1.25, 1.0])
    options = [replace(SWITCH, name=f"option{number}") for number in range(6)]
    truly = {"option5": 0.3}

    def run(levels: dict[str, object]) -> Execution | Unprepared:
        return _ended(truly.get(next(iter(levels)), 1.15) if levels else next(without))

    most, _ = that_matter(options, run, lambda _: None)
    told = {one.name: one.tried for one in most}
    assert "differ as much" not in told.pop("option5")
    assert all(said.endswith("; runs without it differ as much.") for said in told.values()), told

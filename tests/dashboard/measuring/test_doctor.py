"""`manage.py doctor`: what it says of machines, and of this one."""

import fcntl
import json
import time
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from dashboard.figures.machine_words import machine_text, told_faults
from dashboard.management.commands.doctor import as_json, as_lines, faults
from dashboard.services.jobs import machine_lock
from dashboard.services.measuring import doctor
from dashboard.services.measuring.doctor import Diagnosis, judge
from runner.machine_state import MachineState
from runner.results import ClockResult

QUIET = MachineState(
    cores=4,
    load=0.1,
    is_virtual=False,
    governor="performance",
    megahertz=3000.0,
    most_megahertz=3000.0,
    turbo=False,
    smt=False,
    throttled=0,
    core_seconds=1000.0,
    busy_seconds=100.0,
    stolen_seconds=0.0,
    own_seconds=0.0,
)
# Ten seconds later, nine of them spent in our own runs.
LATER = replace(QUIET, core_seconds=1010.0, busy_seconds=109.0, own_seconds=9.0)
ASKED = {"run_seconds": 1.0, "budget_seconds": 600.0}


@cache
def diagnosis(after: MachineState = LATER, *, speeds: float = 0.0) -> Diagnosis:
    """Forty reference runs of 50 ms; every seven of them at the other speed."""
    times = 0.05 * np.exp(np.random.default_rng(5).normal(0, 0.002, 40))
    slow = np.arange(40) // 7 % 2 == 1
    return judge(np.where(slow, times * (1 + speeds), times), QUIET, after, 10.0)


def test_a_quiet_machine_has_no_fault_and_shows_small_differences() -> None:
    found = diagnosis()
    assert not faults(found)
    assert [one.runs for one in found.powers] == [5, 10]
    assert all(one.smallest is not None and one.smallest < 0.02 for one in found.powers)
    assert "one speed" in as_lines(found, **ASKED)[0]


def test_subjects_without_a_sandbox_are_a_fault_with_its_reason() -> None:
    ((fault, _, _),) = faults(replace(diagnosis(), no_sandbox="bubblewrap is not installed"))
    assert fault == "subjects run without a sandbox: bubblewrap is not installed"


def test_two_speeds_are_told_with_what_they_cost() -> None:
    """The smallest difference with and without the changes of speed."""
    found = diagnosis(speeds=0.8)
    assert found.phases.speeds_apart == pytest.approx(0.8, abs=0.01)
    assert found.phases.speed_changes == 5
    longest = found.powers[-1]
    assert longest.steady is not None
    assert longest.smallest is None or longest.smallest > 5 * longest.steady
    said = "\n".join(as_lines(found, **ASKED))
    assert "two speeds, 80." in said
    assert "one after the other, up to " in said


def test_bursts_and_drift_are_told_with_what_they_cost() -> None:
    """The smallest difference with them and without, in every such fault and in the table."""
    noise = np.random.default_rng(6).normal(0, 0.004, 80)
    hit = np.where(np.arange(80) % 11 == 5, 1.5, 1.0)
    for times, told in ((hit, "7 bursts"), (np.linspace(1, 1.3, 80), "took 2")):
        found = judge(0.05 * times * np.exp(noise), QUIET, LATER, 10.0)
        longest = found.powers[-1]
        assert longest.steady is not None
        assert longest.smallest is None or longest.smallest >= longest.steady
        costs = [cost for fault, cost, _ in faults(found) if told in fault.replace("\N{NO-BREAK SPACE}", " ")]
        assert len(costs) == 1, faults(found)
        assert "on a machine without what was found, from " in costs[0]


def test_the_smallest_difference_within_a_time_is_told() -> None:
    """600 s of runs of 1 s with a reference run of 0.25 s: 240 of each, by the root of 24 less than ten of each show.

    No less than 0.2 %, the smallest that is tried.
    """
    found = diagnosis()
    runs, smallest, steady = found.within(run_seconds=1.0, budget_seconds=600.0)
    ten = found.powers[-1].smallest
    assert ten is not None
    assert (runs, steady) == (240, smallest)
    assert smallest == pytest.approx(max(ten / 24**0.5, 0.002))
    assert "In 600 s, with runs of 1 s: 240 runs of each revision; differences from about" in as_lines(
        found, **ASKED
    )[-1].replace("\N{NO-BREAK SPACE}", " ")
    short = as_lines(found, run_seconds=1.0, budget_seconds=4.0)[-1]
    assert "no difference can be promised" in short
    disturbed = diagnosis(speeds=0.8).within(**ASKED)
    assert disturbed[2] is not None
    assert disturbed[1] is None or disturbed[1] > 3 * disturbed[2]


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (replace(LATER, stolen_seconds=0.5), "the host took 5.0 % of the measuring core"),
        (replace(LATER, busy_seconds=111.0), "they took 20.0 % of the measuring core"),
        (replace(LATER, throttled=3), "held back 3 times"),
    ],
)
def test_what_happened_during_the_runs_is_a_fault(after: MachineState, told: str) -> None:
    (fault, cost, remedy), *rest = faults(diagnosis(after))
    assert told in fault.replace("\N{NO-BREAK SPACE}", " ")
    assert cost
    assert remedy
    assert not rest


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (replace(QUIET, governor="powersave"), "the frequency governor is powersave"),
        (replace(QUIET, turbo=True), "turbo is on"),
        (replace(QUIET, smt=True), "two threads share a core (SMT)"),
        (replace(QUIET, megahertz=1500.0), "the measuring core ran at 1500 of 3000 MHz"),
        (replace(QUIET, cores=1), "there is one core only"),
        (replace(QUIET, is_virtual=True), "this is a virtual machine"),
    ],
)
def test_a_setting_that_costs_certainty_is_a_fault(state: MachineState, told: str) -> None:
    assert [fault for fault, _, _ in told_faults(state)] == [told]


def test_what_the_system_does_not_tell_is_said() -> None:
    silent = replace(LATER, governor="", megahertz=None, turbo=None, throttled=None)
    assert "The system does not tell: governor, frequency, turbo, throttling." in as_lines(
        replace(diagnosis(), after=silent), **ASKED
    )


def test_the_state_of_a_machine_is_told_with_what_is_unusual() -> None:
    """From the begin of a job to its end."""
    later = replace(LATER, load=2.5, busy_seconds=111.0, stolen_seconds=0.5, turbo=True)
    told = machine_text((QUIET, later)).replace("\N{NO-BREAK SPACE}", " ")
    assert f"load {QUIET.load:.1f} to 2.5" in told
    assert (
        "Unusual: turbo is on; other programs took 20.0 % of the measuring core; the host took 5.0 % of it."
        in told
    )
    assert "Unusual" not in machine_text((QUIET, LATER))
    assert machine_text(()) == ""


def test_json_has_everything_with_shares_of_one() -> None:
    told = json.loads(as_json(replace(diagnosis(speeds=0.8), after=replace(LATER, smt=True)), **ASKED))
    assert len(told["seconds"]) == 40
    assert told["speeds_apart"] == pytest.approx(0.8, abs=0.01)
    assert told["powers"][0]["runs"] == 5
    assert told["within"]["runs"] == 240
    assert told["faults"][-1] == {
        "fault": "two threads share a core (SMT)",
        "costs": "a program on the other thread slows runs down",
        "remedy": "echo off > /sys/devices/system/cpu/smt/control",
    }


def test_the_command_judges_this_machine(machine: Path) -> None:
    """Twenty real reference runs; it ends well whatever it finds."""
    said = StringIO()
    call_command("doctor", "--seconds", "0", "--json", stdout=said)
    told = json.loads(said.getvalue())
    assert len(told["seconds"]) == 20
    assert min(told["seconds"]) > 0
    assert [one["runs"] for one in told["powers"]] == [5]
    assert 0 <= told["stolen_share"] <= 1
    assert told["counting"].startswith("Instructions of commands ")


def test_it_waits_for_a_measurement_that_is_under_way(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says so: each would disturb the other."""
    times = [ClockResult(wall_seconds=one, cpu_seconds=one) for one in np.linspace(0.05, 0.06, 50).tolist()]
    monkeypatch.setattr(doctor, "reference_run", iter(times).__next__)
    notes = StringIO()
    machine_lock.lock_path().touch()
    with machine_lock.lock_path().open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr(time, "sleep", lambda _: fcntl.flock(held, fcntl.LOCK_UN))
        call_command("doctor", "--seconds", "0", stdout=StringIO(), stderr=notes)
    assert "a measurement is under way" in notes.getvalue()

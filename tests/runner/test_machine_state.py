"""What the system tells of the machine, from a tree of files as Linux has them, and from this machine's own."""

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

from runner.machine_state import MachineStrain, machine_state
from runner.reference import measuring_core, reference_run

_TICKS = "100 10 20 800 5 0 5 60 0 0"


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n", encoding="utf-8")
    return root


def test_settings_and_counters_are_read(tmp_path: Path) -> None:
    core = f"cpu{measuring_core() or 0}"
    cpu = "sys/devices/system/cpu"
    found = machine_state(
        _write(
            tmp_path,
            {
                "proc/loadavg": "1.25 0.50 0.10 2/300 4711",
                "proc/stat": f"cpu 9 9 9 9\n{core} {_TICKS}\nintr 5",
                "proc/cpuinfo": "flags : fpu hypervisor sse",
                f"{cpu}/{core}/cpufreq/scaling_governor": "powersave",
                f"{cpu}/{core}/cpufreq/scaling_cur_freq": "1200000",
                f"{cpu}/{core}/cpufreq/cpuinfo_max_freq": "3600000",
                f"{cpu}/intel_pstate/no_turbo": "0",
                f"{cpu}/smt/active": "1",
                f"{cpu}/cpu0/thermal_throttle/core_throttle_count": "3",
                f"{cpu}/cpu1/thermal_throttle/core_throttle_count": "4",
                "sys/fs/cgroup/cpu.stat": "usage_usec 5\nnr_periods 9\nnr_throttled 2\nthrottled_usec 1",
            },
        )
    )
    assert (found.load, found.governor, found.megahertz, found.most_megahertz) == (
        1.25,
        "powersave",
        1200,
        3600,
    )
    assert (found.turbo, found.smt, found.is_virtual, found.throttled) == (True, True, True, 9)
    # Of 1,000 ticks, 100 + 10 + 20 + 0 + 5 are neither idle, nor waiting, nor stolen.
    seconds = found.core_seconds / 1000
    assert found.busy_seconds / seconds == pytest.approx(135)
    assert found.stolen_seconds / seconds == pytest.approx(60)


def test_boost_tells_of_turbo_where_the_driver_is_another(tmp_path: Path) -> None:
    boost = "sys/devices/system/cpu/cpufreq/boost"
    assert machine_state(_write(tmp_path, {boost: "0"})).turbo is False
    assert machine_state(_write(tmp_path, {boost: "1"})).turbo is True


def test_what_the_system_does_not_tell_is_unknown(tmp_path: Path) -> None:
    """Also on systems without /proc and /sys."""
    found = machine_state(tmp_path)
    assert (found.governor, found.megahertz, found.turbo, found.smt, found.throttled) == (
        "",
        None,
        None,
        None,
        None,
    )
    assert (found.core_seconds, found.load, found.is_virtual) == (0.0, 0.0, False)


def test_a_reference_run_is_our_own_work() -> None:
    """On this machine: what it takes counts as ours, and the core was in use meanwhile."""
    before, taken, after = machine_state(), reference_run(), machine_state()
    assert after.own_seconds - before.own_seconds >= 0.9 * taken.cpu_seconds > 0
    assert after.busy_seconds >= before.busy_seconds


def test_what_the_machine_did_besides_a_run_is_told_by_its_states_around_it() -> None:
    """Of two seconds of the core 1.2 are the run's own, 0.5 those of others, 0.1 were stolen; a tick may be either's."""
    now = machine_state()
    before = replace(
        now, throttled=4, core_seconds=10.0, busy_seconds=5.0, stolen_seconds=1.0, own_seconds=2.0
    )
    after = replace(
        before,
        cores=2,
        load=4.0,
        megahertz=1500.0,
        most_megahertz=3000.0,
        throttled=6,
        core_seconds=12.0,
        busy_seconds=6.7,
        stolen_seconds=1.1,
        own_seconds=3.2,
    )
    found = MachineStrain.between(before, after)
    assert (found.load, found.frequency, found.throttled) == (1.5, 0.5, 2)
    assert found.others == pytest.approx(0.24)
    assert found.stolen == pytest.approx(0.05)
    assert found.is_told


def test_a_run_alone_on_a_machine_that_tells_nothing_has_no_strain() -> None:
    """Its own load is no other's, and a core whose time did not move has no shares."""
    state = replace(machine_state(), cores=4, load=1.0, megahertz=None, throttled=None)
    found = MachineStrain.between(state, state)
    assert found == MachineStrain(load=0.0)
    assert not found.is_told
    assert not MachineStrain().is_told


def test_of_several_runs_the_worst_is_told() -> None:
    runs = [
        MachineStrain(load=1.0, frequency=0.5, throttled=1),
        MachineStrain(load=3.0, frequency=0.8, throttled=2),
    ]
    assert MachineStrain.worst(runs) == MachineStrain(load=3.0, frequency=0.5, throttled=3)


def test_the_state_takes_about_a_millisecond() -> None:
    """Twice beside each run: the quickest of many, for others may have the core."""
    times = []
    for _ in range(20):
        began = perf_counter()
        machine_state()
        times.append(perf_counter() - began)
    assert min(times) < 0.005

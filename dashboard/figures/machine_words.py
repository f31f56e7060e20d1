"""What is told of a machine, in words: its state when runs were made, what of it costs certainty, and how it ran beside a point of a history."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from dashboard.figures.numbers import count, fixed, number, percent, plural
from dashboard.selectors.histories.rows import History, MeasuredPoint
from runner.machine_state import LOADED, OTHERS, SLOWED, STOLEN, MachineState, MachineStrain


def machine_text(
    states: Sequence[MachineState], phases: Mapping[str, float] | None = None, sandbox: Sequence[str] = ()
) -> str:
    """The state of a machine from the begin to the end of a job, its `phases` meanwhile, and what runs were made in.

    `2 cores, load 3.2 to 9.8, 2 600 of 3 000 MHz. Unusual: turbo is on; ... Runs were made in a sandbox (...).`; "" where
    nothing was kept.
    """
    made_in = [f"Runs were made {'; then '.join(sandbox)}."] if sandbox else []
    if not states:
        return " ".join(made_in)
    first, last = states[0], states[-1]
    told = [plural(last.cores, "core"), f"load {fixed(first.load, 1)} to {fixed(last.load, 1)}"]
    if last.governor:
        told.append(f"governor {last.governor}")
    if last.megahertz:
        most = f" of {count(round(last.most_megahertz))}" if last.most_megahertz else ""
        told.append(f"{count(round(last.megahertz))}{most} MHz")
    named = {"turbo": last.turbo, "SMT": last.smt}
    told += [f"{name} {'on' if value else 'off'}" for name, value in named.items() if value is not None]
    unusual = [fault for fault, _, _ in told_faults(last)]
    others, stolen = last.taken_since(first)
    if others >= OTHERS:
        unusual.append(f"other programs took {percent(100 * others)} of the measuring core")
    if stolen >= STOLEN:
        unusual.append(f"the host took {percent(100 * stolen)} of it")
    if (held := (last.throttled or 0) - (first.throttled or 0)) > 0:
        unusual.append(f"a core was held back {plural(held, 'time')}")
    seen = phases or {}
    if apart := seen.get("speeds_apart"):
        changes = plural(round(seen.get("speed_changes", 0)), "change")
        unusual.append(f"it ran at two speeds, {percent(100 * apart)} apart, with {changes}")
    if bursts := seen.get("bursts"):
        unusual.append(f"{plural(round(bursts), 'burst')} slowed it for moments")
    if drift := seen.get("drift"):
        unusual.append(f"its speed drifted by {percent(100 * drift)}")
    hidden = untold(last)
    return " ".join(
        [
            f"{', '.join(told)}.",
            *([f"Unusual: {'; '.join(unusual)}."] if unusual else []),
            *([f"The system does not tell: {', '.join(hidden)}."] if hidden else []),
            *made_in,
        ]
    )


def strain_text(strain: MachineStrain) -> str:
    """What the machine was busy with besides a run: `others took 31.0 % of the core, load of others 5.2 a core`; "" for nothing.

    Only what is worth a word.
    """
    said = []
    if strain.throttled:
        said.append(f"a core was held back {plural(strain.throttled, 'time')}")
    if (strain.stolen or 0.0) >= STOLEN:
        said.append(f"the host took {percent(100 * (strain.stolen or 0.0))} of the core")
    if (strain.others or 0.0) >= OTHERS:
        said.append(f"others took {percent(100 * (strain.others or 0.0))} of the core")
    if (strain.frequency or 1.0) < SLOWED:
        said.append(f"{percent(100 * (strain.frequency or 1.0), 0)} of the highest frequency")
    if (strain.load or 0.0) >= LOADED:
        said.append(f"load of others {fixed(strain.load or 0.0, 1)} a core")
    return ", ".join(said)


def untold(state: MachineState) -> tuple[str, ...]:
    """What the system does not tell of the machine."""
    asked = {"governor": state.governor or None, "frequency": state.megahertz, "turbo": state.turbo}
    asked |= {"SMT": state.smt, "throttling": state.throttled}
    return tuple(name for name, value in asked.items() if value is None)


def told_faults(state: MachineState) -> Iterator[tuple[str, str, str]]:
    """What the system tells of its settings: each fault, what it costs, and the remedy."""
    if state.governor not in {"", "performance"}:
        yield (
            f"the frequency governor is {state.governor}",
            "the frequency follows the load: the first runs are slower",
            "cpupower frequency-set -g performance",
        )
    if state.turbo:
        yield (
            "turbo is on",
            "the frequency depends on heat and on what other cores do",
            "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost",
        )
    if state.megahertz and state.most_megahertz and state.megahertz < SLOWED * state.most_megahertz:
        yield (
            f"the measuring core ran at {state.megahertz:.0f} of {state.most_megahertz:.0f} MHz",
            "times are longer, and move when the frequency does",
            "see the governor; plug in the power supply",
        )
    if state.smt:
        yield (
            "two threads share a core (SMT)",
            "a program on the other thread slows runs down",
            "echo off > /sys/devices/system/cpu/smt/control",
        )
    if state.cores == 1:
        yield (
            "there is one core only",
            "runs share it with everything else",
            "use a machine with two cores or more",
        )
    if state.is_virtual:
        yield (
            "this is a virtual machine",
            "its speed may change for reasons that it cannot see",
            "measure on hardware of your own where small changes matter",
        )


def adjusted_text(history: History, revision: str) -> str:
    """`adjusted for the machine's speed: +3.1 %`, where a point was; else ""."""
    share = history.adjusted.get(revision)
    return "" if share is None else f"adjusted for the machine's speed: {percent(100 * share, signed=True)}"


def reference_text(history: History, revision: str) -> str:
    """`31.2 ms, +3.0 % to the median`: what the reference runs beside the runs took at a revision; "" where unknown."""
    taken = history.references.get(revision)
    if taken is None:
        return ""
    apart = taken / median(history.references.values()) - 1
    return f"{number(taken)}, {percent(100 * apart, signed=True)} to the median of the history"


def disturbed_text(history: History, point: MeasuredPoint) -> str:
    """`1 of 3 runs disturbed: the machine ran 1.8 times slower than usual`; `2 of 3 runs: others took 31 % of the core`.

    "" where nothing is told of the machine at any run.
    """
    runs = history.disturbed.get(point.revision, ())
    many = plural(max(point.n, len(runs)), "run")
    disturbed = [message for message, _ in runs if message]
    told = (
        [f"{len(disturbed)} of {many} disturbed: {'; '.join(dict.fromkeys(disturbed))}"] if disturbed else []
    )
    if strained := [strain for _, strain in runs if strain.is_told]:
        worst = " at worst" if len(strained) > 1 else ""
        told.append(
            f"{len(strained)} of {many} beside other work:{worst} {strain_text(MachineStrain.worst(strained))}"
        )
    return "; ".join(told)

"""What the system tells of the machine's speed and of who else uses it, from /proc and /sys of Linux."""

import os
import re
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from .reference import measuring_core

# What is worth a word of a run: shares of the measuring core that others and the host use, a share of the highest
# frequency, programs of others that wait or run for each core.
OTHERS, STOLEN, SLOWED, LOADED = 0.1, 0.01, 0.9, 0.5
# The system counts the time of a core in steps of 10 ms: so much may be another's or ours.
_ROUNDING_SECONDS = 0.02
_CPU = "sys/devices/system/cpu"
_IDLE, _WAITING, _STEAL, _LAST = 3, 4, 7, 8


@dataclass(frozen=True, slots=True)
class MachineState:
    """The machine at one moment; None or "" for what the system does not tell.

    `load` is the mean of the last minute. Frequencies are those of the measuring core. `smt`: two programs may share one
    core. `throttled` counts how often heat or a quota held a core back. Times are seconds of processor time since the
    start: of the measuring core in all, of that `busy_seconds` in use, `stolen_seconds` given to other machines by the
    host, `own_seconds` of processes that we started.
    """

    cores: int
    load: float
    is_virtual: bool
    governor: str
    megahertz: float | None
    most_megahertz: float | None
    turbo: bool | None
    smt: bool | None
    throttled: int | None
    core_seconds: float
    busy_seconds: float
    stolen_seconds: float
    own_seconds: float

    def taken_since(self, earlier: Self) -> tuple[float, float]:
        """Return the shares of the measuring core that other programs and the host took since an `earlier` state."""
        core = max(self.core_seconds - earlier.core_seconds, 1e-9)
        others = self.busy_seconds - earlier.busy_seconds - (self.own_seconds - earlier.own_seconds)
        return max(others, 0.0) / core, (self.stolen_seconds - earlier.stolen_seconds) / core


@dataclass(frozen=True, slots=True)
class MachineStrain:
    """What the machine was busy with besides a run; None for what the system does not tell.

    `load` counts the programs of others that ran or waited for each core in the last minute, without the run itself.
    `frequency` is that of the measuring core as a share of its highest. `others` and `stolen` are the shares of that core that
    other programs and the host took meanwhile, `throttled` how often heat or a quota held a core back.
    """

    load: float | None = None
    frequency: float | None = None
    others: float | None = None
    stolen: float | None = None
    throttled: int | None = None

    @classmethod
    def between(cls, before: MachineState, after: MachineState) -> Self:
        """Return the strain between two states, one run apart. Shares are at least that, whatever the clock's steps hide."""
        core = after.core_seconds - before.core_seconds
        others, stolen = after.taken_since(before)
        known = after.throttled is not None and before.throttled is not None
        return cls(
            load=max(after.load - 1.0, 0.0) / after.cores,
            frequency=after.megahertz / after.most_megahertz
            if after.megahertz and after.most_megahertz
            else None,
            others=max(others - _ROUNDING_SECONDS / core, 0.0) if core > 0 else None,
            stolen=max(stolen, 0.0) if core > 0 else None,
            throttled=max((after.throttled or 0) - (before.throttled or 0), 0) if known else None,
        )

    @classmethod
    def worst(cls, strains: Sequence[Self]) -> Self:
        """Return the worst of each part, and how often a core was held back in all."""

        def known(name: str) -> list[float]:
            return [value for one in strains if (value := getattr(one, name)) is not None]

        return cls(
            load=max(known("load"), default=None),
            frequency=min(known("frequency"), default=None),
            others=max(known("others"), default=None),
            stolen=max(known("stolen"), default=None),
            throttled=round(sum(known("throttled"))),
        )

    @property
    def is_told(self) -> bool:
        """Whether anything of it is worth a word."""
        return (
            (self.load or 0.0) >= LOADED
            or (self.frequency or 1.0) < SLOWED
            or (self.others or 0.0) >= OTHERS
            or (self.stolen or 0.0) >= STOLEN
            or bool(self.throttled)
        )


def machine_state(root: Path = Path("/")) -> MachineState:
    """Return the state of the machine now, as the files below `root` tell."""
    core = measuring_core() or 0
    frequency = f"{_CPU}/cpu{core}/cpufreq"
    present, most = (
        _number(root, f"{frequency}/{name}") for name in ("scaling_cur_freq", "cpuinfo_max_freq")
    )
    no_turbo, boost = _number(root, f"{_CPU}/intel_pstate/no_turbo"), _number(root, f"{_CPU}/cpufreq/boost")
    smt = _number(root, f"{_CPU}/smt/active")
    heat = [
        int(_text(path) or 0) for path in (root / _CPU).glob("cpu[0-9]*/thermal_throttle/core_throttle_count")
    ]
    quota = re.search(r"^nr_throttled (\d+)", _text(root / "sys/fs/cgroup/cpu.stat"), re.MULTILINE)
    counts = [*heat, *([int(quota[1])] if quota else [])]
    line = re.search(rf"^cpu{core} (.*)$", _text(root / "proc/stat"), re.MULTILINE)
    ticks = [int(word) / os.sysconf("SC_CLK_TCK") for word in line[1].split()[:_LAST]] if line else []
    ticks += [0.0] * (_LAST - len(ticks))
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    return MachineState(
        cores=os.cpu_count() or 1,
        load=float((_text(root / "proc/loadavg") or "0").split()[0]),
        is_virtual=" hypervisor" in _text(root / "proc/cpuinfo"),
        governor=_text(root / f"{frequency}/scaling_governor"),
        megahertz=None if present is None else present / 1000,
        most_megahertz=None if most is None else most / 1000,
        turbo=no_turbo == 0 if no_turbo is not None else None if boost is None else boost == 1,
        smt=None if smt is None else smt == 1,
        throttled=sum(counts) if counts else None,
        core_seconds=sum(ticks),
        busy_seconds=sum(ticks) - ticks[_IDLE] - ticks[_WAITING] - ticks[_STEAL],
        stolen_seconds=ticks[_STEAL],
        own_seconds=ours.ru_utime + ours.ru_stime,
    )


def _text(path: Path) -> str:
    """The text of a file, "" where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _number(root: Path, name: str) -> float | None:
    text = _text(root / name)
    return float(text) if text.isdecimal() else None

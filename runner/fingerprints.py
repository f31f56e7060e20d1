"""The environment that times belong to: machine, operating system, interpreter, settings."""

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# One thread everywhere and one hash seed: a run depends on its inputs, not on chance or on other programs' size.
FIXED_VARIABLES = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class MachineFingerprint:
    """What a time depends on besides the program; two times with different digests are never one series.

    No name of a host or user is in it, so it can be published with the measurements.
    """

    processor: str
    architecture: str
    cores: int
    memory_gigabytes: int
    operating_system: str
    kernel: str
    interpreter: str
    settings: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The environment as people call it."""
        return f"{self.interpreter or 'no interpreter'}, {self.processor}, {self.operating_system}"

    @property
    def digest(self) -> str:
        """A name for exactly this environment, 16 hexadecimal digits."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def environment(interpreter: str, settings: Mapping[str, str]) -> MachineFingerprint:
    """Return this machine's environment for the `interpreter` (empty: none) and the variables of a run."""
    processor, memory, operating_system = _machine()
    return MachineFingerprint(
        processor=processor,
        architecture=platform.machine(),
        cores=os.cpu_count() or 1,
        memory_gigabytes=memory,
        operating_system=operating_system,
        # Patches of one kernel version are taken as one environment.
        kernel=".".join(platform.release().split(".")[:2]),
        interpreter=interpreter,
        settings=tuple(sorted(settings.items())),
    )


@cache
def _machine() -> tuple[str, int, str]:
    """Return the processor's model, the memory in whole gigabytes and the name of the operating system."""
    model = platform.processor()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    try:
        operating_system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        operating_system = platform.system()
    return model, round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3), operating_system

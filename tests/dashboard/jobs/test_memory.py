"""What a worker that imports and fits does with memory that was freed."""

import subprocess
import sys

import pytest

# In a process of its own: what malloc is told holds for the rest of a process.
FAULTS = """
import resource
import sys

from dashboard.services.jobs.memory import keep_freed_memory


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


if "keep" in sys.argv and not keep_freed_memory():
    print("unknown")
    sys.exit()
bytearray(1 << 20)
before = faults()
for _ in range(50):
    bytearray(1 << 20)
print(faults() - before)
"""


def pages_fetched(*arguments: str) -> int:
    ran = subprocess.run(
        [sys.executable, "-c", FAULTS, *arguments], capture_output=True, text=True, check=True
    )
    if ran.stdout.strip() == "unknown":
        pytest.skip("malloc of this system is not glibc's")
    return int(ran.stdout)


def test_freed_memory_is_used_again_in_place_of_being_fetched_page_by_page() -> None:
    assert pages_fetched("keep") < 0.1 * pages_fetched()

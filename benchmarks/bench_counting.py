"""What counting costs: two processes of one program take turns (A B B A), one plain and one with counters in it.

    python -m benchmarks.bench_counting [turns]

Both stay on one core and every turn is one call after two warm-up calls, so that whatever slows the machine slows
both. Prints CPU times, the median of the ratios of a turn, and how many counters counted how often in one call.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median

from benchmarks.bench_taint import programs, selection
from benchmarks.timing import pairs_in_turns
from runner.environments import Prepared
from runner.selections import configurations
from runner.sources import PROBE_NAME

PROGRAM = f"""
import gc, importlib, json, os, sys, time
from {PROBE_NAME} import counting
job = json.loads(sys.argv[1])
os.sched_setaffinity(0, {{max(os.sched_getaffinity(0))}})
sys.path[:0] = job["path"]
if job["count"]:
    counting.install(job["packages"])
module, _, name = job["entry"].partition(":")
run = getattr(importlib.import_module(module), name)
def call():
    run(dict(job["options"]), dict(job["workload"]))
call()
counting.clear()
call()
found = [row[3] for rows in counting.counted()["regions"].values() for row in rows]
print(len(found), sum(found), flush=True)
gc.disable()
for _ in sys.stdin:
    gc.collect()
    began = time.process_time()
    call()
    print(time.process_time() - began, flush=True)
"""


class Child:
    """One process of the program; `said` is how many counters it has, and how often they counted."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.said = self._line()

    def turn(self) -> float:
        """CPU seconds of one call."""
        if self._process.stdin is not None:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        return line.strip() or sys.exit("the program ended")


@contextmanager
def child(prepared: Prepared, chosen: str, *, count: bool) -> Iterator[Child]:
    """A process that counts, or does not."""
    subject = prepared.subject
    job = {
        "path": [str(prepared.files)],
        "count": count,
        "packages": subject.regions,
        "entry": subject.entry.callable,
        "options": dict(configurations(subject, [chosen])[0].levels),
        "workload": subject.workloads["regular"],
    }
    command = [str(prepared.python), "-c", PROGRAM, json.dumps(job)]
    variables = {
        **os.environ,
        **prepared.base.environment,
        "PYTHONPATH": str(prepared.probe),
        "PYTHONHASHSEED": "0",
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=variables) as process:
        yield Child(process)


def main() -> None:
    """Compare every subject in two configurations."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    for name, words, prepared in programs():
        chosen = selection(prepared.subject, words)
        with ExitStack() as stack:
            plain, counting = (
                stack.enter_context(child(prepared, chosen, count=count)) for count in (False, True)
            )
            pairs = pairs_in_turns(plain.turn, counting.turn, turns)
        counters, counted = counting.said.split()
        times = [median(column) * 1000 for column in zip(*pairs, strict=True)]
        print(
            f"{name:9} {words:24} plain {times[0]:7.1f} ms  counting {times[1]:7.1f} ms  "
            f"paired ratio {median(two / one for one, two in pairs):5.3f}  "
            f"{counters} counters, {int(counted):,} counted"
        )


if __name__ == "__main__":
    main()

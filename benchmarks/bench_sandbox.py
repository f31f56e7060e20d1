"""What the sandbox costs: the start of a run with and without it, in turns, and whether it moves what is measured.

Each program runs in turns A B B A, pinned to the measuring core. "around" is what one run costs besides the program's own
time, from the call to the answer; the ratios are of the program's own times in the sandbox to those without, medians over
pairs of neighbours, with the 95 % interval of a bootstrap over the pairs. Needs bubblewrap.

    python -m benchmarks.bench_sandbox [pairs]
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from analytics.histories.measurements import FloatArray
from runner.interpreters import interpreter
from runner.processes import ProcessLimits, run
from runner.reference import measuring_core
from runner.sandboxes import Reach, Sandbox, interpreter_places, refusal_of, sandbox_of
from runner.state import RunnerState, open_state

PAIRS = 40
SEED = 20261123
_COUNT = "table = {}\nfor number in range(400_000):\n    table[number % 4096] = table.get(number % 977, 0) + number"
_FILES = (
    "for number in range(300):\n    open(str(number), 'w').write('x' * 20_000)\n    open(str(number)).read()"
)
_STARTS = (
    "import subprocess\nfor number in range(20):\n    subprocess.run(['/bin/true', str(number)], check=True)"
)
PROGRAMS = {
    "/bin/true": None,
    "python, empty": "",
    "python, counts": _COUNT,
    "python, writes and reads 300 files": _FILES,
    "python, starts 20 processes": _STARTS,
}


def one(state: RunnerState, sandbox: Sandbox | None, code: str | None) -> tuple[float, float, float]:
    """Make one run; return the wall and CPU time of the program, and the wall time around it, in seconds."""
    base = interpreter(state)
    words = ["/bin/true"] if code is None else [str(base.executable), "-I", "-S", "-c", code]
    with state.scratch() as scratch:
        began = time.perf_counter()
        outcome = run(
            words,
            folder=scratch,
            environment=base.environment,
            limits=ProcessLimits(60, 60, 2**31, 2**28, 2**20, core=measuring_core()),
            user=state.user,
            reach=Reach(scratch, interpreter_places(base.executable), sandbox=sandbox),
        )
        took = time.perf_counter() - began
    wall, cpu = outcome.wall_seconds, outcome.cpu_seconds
    if not outcome.succeeded or wall is None or cpu is None:
        raise SystemExit(f"{words}: {outcome.in_words()}: {outcome.output}")
    return wall, cpu, took - wall


def interval(ratios: FloatArray) -> str:
    """The median of ratios with its interval, in percent off one."""
    drawn = np.random.default_rng(SEED).choice(ratios, (4000, len(ratios)))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975))
    return f"{np.median(ratios) - 1:+.1%} ({low - 1:+.1%} to {high - 1:+.1%})"


def main() -> None:
    """Compare, and write one line for each program."""
    pairs = int(sys.argv[1]) if sys.argv[1:] else PAIRS
    with tempfile.TemporaryDirectory(prefix="perfatlas-bench-") as folder:
        Path(folder).chmod(0o755)
        state = open_state(Path(folder) / "state")
        sandbox = sandbox_of(state)
        if sandbox is None:
            raise SystemExit(f"no sandbox here: {refusal_of(state)}")
        sys.stdout.write(f"{sandbox.version}, {pairs} pairs, in turns\n")
        for name, code in PROGRAMS.items():
            kept: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
            for number in range(pairs):
                for confined in (True, False) if number % 2 else (False, True):
                    kept[confined].append(one(state, sandbox if confined else None, code))
            inside, outside = np.array(kept[True]), np.array(kept[False])
            wall, cpu, _ = (inside / outside).T
            took, around = (
                1000 * np.median(outside[:, 0]),
                [1000 * np.median(made[:, 2]) for made in (outside, inside)],
            )
            sys.stdout.write(
                f"{name:36} {took:7.1f} ms   around {around[0]:5.1f} -> {around[1]:5.1f} ms   "
                f"wall {interval(wall)}   CPU {interval(cpu)}\n"
            )


if __name__ == "__main__":
    main()

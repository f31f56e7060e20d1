"""`make bench`: run every `benchmarks/bench_*.py` in a process of its own; each prints what it measured.

A bench measures and says so; it asserts nothing about time, since machines differ.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from tools.suite import ONE_THREAD

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run all, or those whose names are given; the exit code is 1 if one failed."""
    found = sorted((ROOT / "benchmarks").glob("bench_*.py"))
    chosen = [path for path in found if not sys.argv[1:] or path.stem.removeprefix("bench_") in sys.argv[1:]]
    if not chosen:
        print(
            f"no bench of that name; there are: {', '.join(path.stem.removeprefix('bench_') for path in found)}"
        )
        return 1
    failed = []
    for path in chosen:
        print(f"=== {path.stem.removeprefix('bench_')} ===", flush=True)
        started_at = time.monotonic()
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        done = subprocess.run(
            [sys.executable, "-m", module], cwd=ROOT, env={**os.environ, **ONE_THREAD}, check=False
        )
        print(f"({time.monotonic() - started_at:.1f} s)\n", flush=True)
        failed += [path.stem] if done.returncode else []
    print(f"{len(chosen) - len(failed)} benches done, {len(failed)} failed {' '.join(failed)}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

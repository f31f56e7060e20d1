"""`make check`: every check, two at a time, each with its time; what failed is shown in full at the end."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.suite import bytecode

ROOT = Path(__file__).resolve().parent.parent
MANAGE = ("manage.py",)
# A key for the commands below: they open no session and sign nothing.
SETTINGS = {"PERFATLAS_SECRET_KEY": "a-key-for-checks-only-0123456789-0123456789-0123456789"}


@dataclass(frozen=True, slots=True)
class Check:
    """A command of this Python that must exit 0."""

    name: str
    arguments: tuple[str, ...]


# The slowest first: two run at a time.
CHECKS = (
    Check("types", ("-m", "mypy", ".")),
    Check("project: sizes, documents, lock", ("-m", "pytest", "-q", "-p", "no:randomly", "tests/project")),
    Check("lint", ("-m", "ruff", "check", ".")),
    Check("format", ("-m", "ruff", "format", "--check", ".")),
    Check(
        "imports", ("-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())")
    ),
    Check("migrations", (*MANAGE, "makemigrations", "--check", "--dry-run")),
    Check("system", (*MANAGE, "check", "--fail-level", "WARNING")),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a check ended."""

    check: Check
    passed: bool
    seconds: float
    output: str


def perform(check: Check) -> Outcome:
    """Run one check and report it at once."""
    started_at = time.monotonic()
    done = subprocess.run(
        [sys.executable, *check.arguments],
        cwd=ROOT,
        env={**os.environ, **bytecode(os.environ), **SETTINGS},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    outcome = Outcome(check, done.returncode == 0, time.monotonic() - started_at, done.stdout)
    print(f"{'ok    ' if outcome.passed else 'FAILED'} {check.name} ({outcome.seconds:.1f} s)", flush=True)
    return outcome


def main() -> int:
    """Run all; the exit code is 1 if any failed."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(perform, CHECKS))
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        print(f"\n--- {outcome.check.name} ---\n{outcome.output.rstrip()}")
    print(f"\n{len(outcomes) - len(failed)} checks passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

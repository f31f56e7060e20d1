"""Searches of `bisect` in the history of a real program, for planted slow-downs, while every core is kept busy.

The program is mistune, its history from after 3.0.2 to 3.2.1: 35 commits that touch its source. For every search its commits are
made anew in a temporary repository; from one on, drawn by lot, each holds a patch that parses some of 100 equal documents twice: 0,
5, 10 or 30. Commits of its own may change the time as well: one that a search names is compared with the one before it by
another search of these two alone, with an error of 0.1 %.

Takes up to an hour, so `make bench` leaves it out:

    git clone https://github.com/lepture/mistune
    python -m benchmarks.real_searches mistune [--searches 5] [--seconds 120] [--sizes 0 5 10 30]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tools.suite import ONE_THREAD

ROOT = Path(__file__).resolve().parent.parent
FIRST, LAST = "f7db50387767e3052ec6fc604df8481f483abe74", "067f90861088a496942f5eb43236135352b85d39"
SOURCE, PATCHED = "src/mistune", "src/mistune/markdown.py"
SIZES = (0, 5, 10, 30)
ERROR, CHECK_ERROR = 0.05, 0.001
SEED = 12

SUBJECT = """
name = "{name}"
regions = ["mistune"]
counts = false
[revisions]
source = "git"
repository = "{repository}"
range = "{branch}"
include = ["src/**"]
[install]
pip_install = false
[options]
tables = [true, false]
[workloads.regular]
documents = 200
[entry]
callable = "rendering:run"
python_path = ["src"]
"""
ENTRY = '''
import mistune

SECTION = """
# A heading with *emphasis*

Some `code`, **strong words** and a [link](https://example.org/a "title"), and then a line that goes on
until it is *long* enough to be split.

- one
- two
    1. inner
    2. inner again

> A quote that
> goes on.

| a | b |
|---|---|
| 1 | 2 |

    indented code
"""


def run(options, workload):
    render = mistune.create_markdown(plugins=["table"] if options["tables"] else [])
    return sum(len(render(SECTION)) for _ in range(workload["documents"]))
'''
PATCH = """

_parse_once = Markdown.parse
_documents = 0


def _parse(self, s, state=None):
    global _documents
    _documents += 1
    if _documents % 100 < {size}:
        _parse_once(self, s, state)
    return _parse_once(self, s, state)


Markdown.parse = _parse
"""
# Keeps a core busy for some seconds: now with arithmetic, now all over more memory than fits beside it, now not at all.
BURNER = """
import os, random, sys, time
core, seconds, seed = map(int, sys.argv[1:])
os.sched_setaffinity(0, {core})
os.nice(5)
parent, end, chance, block = os.getppid(), time.time() + seconds, random.Random(seed), list(range(1 << 21))
while time.time() < end and os.getppid() == parent:
    kind, until = chance.choice("amr"), time.time() + chance.uniform(3, 20)
    while time.time() < until:
        if kind == "a":
            sum(i * i for i in range(20000))
        elif kind == "m":
            sum(block[chance.randrange(1 << 21)] for _ in range(5000))
        else:
            time.sleep(0.05)
            sum(range(200000))
"""


def git(repository: Path, *words: str, told: bytes | None = None) -> str:
    """What git says, asked inside `repository`."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    said = subprocess.run(
        ["git", "-C", str(repository), *who, *words], check=True, capture_output=True, input=told
    )
    return said.stdout.decode().strip()


def planted(repository: Path, branch: str, commits: list[str], at: int, size: int) -> list[str]:
    """Write the commits as a `branch`, patched from position `at` on; returns their names there."""
    index = {**os.environ, "GIT_INDEX_FILE": str(repository / "planting")}
    made: list[str] = []
    for position, commit in enumerate(commits):
        tree = f"{commit}^{{tree}}"
        if position >= at:
            text = git(repository, "show", f"{commit}:{PATCHED}") + PATCH.format(size=size)
            blob = git(repository, "hash-object", "-w", "--stdin", told=text.encode())
            for words in (("read-tree", commit), ("update-index", "--cacheinfo", f"100644,{blob},{PATCHED}")):
                subprocess.run(["git", "-C", str(repository), *words], check=True, env=index)
            tree = subprocess.run(
                ["git", "-C", str(repository), "write-tree"],
                check=True,
                env=index,
                capture_output=True,
                text=True,
            ).stdout.strip()
        parents = ("-p", made[-1]) if made else ()
        title = git(repository, "show", "--no-patch", "--format=%s", commit)
        made.append(git(repository, "commit-tree", tree, *parents, "-m", title))
    git(repository, "update-ref", f"refs/heads/{branch}", made[-1])
    return made


@contextmanager
def busy(seconds: int) -> Iterator[None]:
    """Keep every core busy, for so many seconds at most."""
    cores = sorted(os.sched_getaffinity(0))
    burners = [
        subprocess.Popen([sys.executable, "-c", BURNER, str(core), str(seconds), str(number)])
        for number, core in enumerate(cores)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.terminate()
            burner.wait()


class Installation:
    """Perfatlas with a data folder of its own below `folder`; searches get so many `seconds`."""

    def __init__(self, folder: Path, seconds: int) -> None:
        self.folder, self.seconds = folder, seconds
        self._environment = {
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            **ONE_THREAD,
            "PERFATLAS_VAR": str(folder / "var"),
            "PERFATLAS_SECRET_KEY": "of-a-bench",
        }
        (folder / "var").mkdir()
        self.command("migrate", "--verbosity", "0")

    def command(self, *words: str) -> str:
        """What a command prints. Raises `CalledProcessError`."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            check=True,
            capture_output=True,
            text=True,
            env=self._environment,
            cwd=ROOT,
        )
        return done.stdout

    def bisect(self, subject: Path, first: str, last: str, error: float = ERROR) -> dict[str, Any]:
        """The result of a search."""
        ends = ("--from", first, "--to", last, "--budget", f"{self.seconds}s", "--error", str(error))
        result: dict[str, Any] = json.loads(self.command("bisect", str(subject), *ends, "--json"))["result"]
        return result


def search(installation: Installation, commits: list[str], size: int, number: int) -> str:
    """Search once and tell of it; returns "right", "wrong", "another" (a change of its own, as a check says) or "undecided"."""
    folder = installation.folder
    rng = np.random.default_rng([SEED, size, number])
    name, at = f"Planted {size} {number}", int(rng.integers(1, len(commits)))
    subject = folder / name.replace(" ", "-")
    subject.mkdir()
    branch = f"planted-{size}-{number}"
    made = planted(folder / "repository", branch, commits, at, size)
    (subject / "subject.toml").write_text(
        SUBJECT.format(name=name, repository=folder / "repository", branch=branch)
    )
    (subject / "rendering.py").write_text(ENTRY)
    began = time.monotonic()
    result = installation.bisect(subject, made[0], made[-1])
    taken, outcome = time.monotonic() - began, "undecided"
    if "error_probability" in result:
        outcome = "right" if size and made[at] in result["suspects"] else "wrong"
    if outcome == "wrong":
        named = result["suspects"][-1]
        before = made[made.index(result["suspects"][0]) - 1]
        check = installation.bisect(subject, before, named, CHECK_ERROR)
        outcome = "another" if "error_probability" in check else "wrong"
        result["check"] = check["sentence"]
    told = {
        "size": size,
        "number": number,
        "planted": made[at][:10],
        "outcome": outcome,
        "seconds": round(taken),
    }
    print(json.dumps({**told, **result, "suspects": [one[:10] for one in result["suspects"]]}), flush=True)
    return outcome


def main() -> None:
    """Print each search as a line of JSON, and a table."""
    parser = argparse.ArgumentParser(description="Searches for planted slow-downs in the history of mistune.")
    parser.add_argument("clone", type=Path, help="a clone of mistune")
    parser.add_argument("--searches", type=int, default=5, help="of each size (5)")
    parser.add_argument("--seconds", type=int, default=120, help="the budget of each (120)")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="per cent (0 5 10 30)")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-searches-"))
    try:
        git(folder, "clone", "--quiet", "--no-checkout", str(asked.clone), "repository")
        log = ("log", "--reverse", "--first-parent", "--format=%H", f"{FIRST}~1..{LAST}", "--", SOURCE)
        commits = git(folder / "repository", *log).split()
        installation = Installation(folder, asked.seconds)
        outcomes = {size: Counter[str]() for size in asked.sizes}
        most = 3 * asked.seconds * asked.searches * len(asked.sizes) + 600
        with busy(most):
            for number in range(asked.searches):
                for size in asked.sizes:
                    how = search(installation, commits, size, number)
                    outcomes[size][how] += 1
        print("planted   right  another change  undecided  wrong")
        for size, counted in outcomes.items():
            right, other, open_, wrong = (counted[how] for how in ("right", "another", "undecided", "wrong"))
            print(f"{size:>6} % {right:>7} {other:>15} {open_:>10} {wrong:>6}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

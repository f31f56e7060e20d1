"""Whether `explain` names what made a step: a function slowed behind an option, in a known commit of a real program.

Each case is a release of a package as a repository of four commits: as it was, two that edit other functions without slowing
them, and one that slows a function where one of two options is on, by about a quarter of the whole; which function, which option and the order of
the commits are drawn by lot. The first and the last commit are measured as any by the command's defaults (3 to 10 runs, as needed), in all four configurations; `explain` then says what the step of the configuration with both
options is made of. It is right where the option is the first term and the function the first region; whether the commit comes first is told, too.

Takes half an hour, so `make bench` leaves it out. The rules of `explain` were made with `--own`, the packages of the ten others were
not looked at before:

    python -m benchmarks.bench_steps [--own] [--cases 10] [--first 0]
"""

import argparse
import ast
import json
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.planted_steps import JUDGED, OTHERS, OWN, Program
from benchmarks.real_searches import Installation, git

SEED = 13
# The step is about so much of the time with both options; functions of no more calls are drawn, so that each loop is worth timing.
SLOWED, MOST_CALLS = 0.25, 3000
# A pass of the planted loop takes a processor of today about so many seconds; what a machine makes of it is told.
_PASS = 2e-8
TOML = """
name = "{name}"
regions = ["{package}"]
counts = false
[revisions]
source = "git"
repository = "{repository}"
range = "main"
[install]
pip_install = false
[options]
{first} = [false, true]
{second} = [false, true]
[workloads.regular]
size = {size}
[entry]
callable = "entry:run_case"
"""
ENTRY = """
import builtins

def run_case(options, workload):
    builtins.planted_option = options["{option}"]
    return run(options["{first}"], options["{second}"], workload["size"])
"""
PLANTED = """
import builtins as _b
if _b.planted_option:
    for _ in range({passes}):
        pass
"""
# Prints seconds and the calls of each function of a package, by file and first line.
COUNTING = """
import builtins, collections, json, sys, time
sys.path[:0] = [{program!r}, {subject!r}]
import entry
levels = {{"{first}": True, "{second}": True}}
entry.run_case(levels, {{"size": {size}}})
began = time.process_time()
entry.run_case(levels, {{"size": {size}}})
seconds, calls = time.process_time() - began, collections.Counter()
def note(frame, event, argument):
    if event == "call":
        calls[frame.f_code.co_filename, frame.f_code.co_firstlineno] += 1
sys.setprofile(note)
entry.run_case(levels, {{"size": {size}}})
sys.setprofile(None)
print(json.dumps([seconds, [[*place, n] for place, n in calls.items()]]))
"""


# A function that may be slowed: its file and qualified name, and how often it is called.
Candidate = tuple[Path, str, int]


class Planted(NamedTuple):
    """The function that was slowed, the commit that did it, and the first and last commit."""

    function: str
    commit: str
    ends: tuple[str, str]


def functions_of(path: Path) -> dict[int, tuple[str, ast.FunctionDef]]:
    """The outermost functions of a file by the first line of their code object, with qualified names; none defined twice."""
    found: dict[int, tuple[str, ast.FunctionDef]] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                found[first] = (prefix + child.name, child)
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")

    visit(ast.parse(path.read_text()), "")
    names = [name for name, _ in found.values()]
    return {line: one for line, one in found.items() if names.count(one[0]) == 1}


def insert(path: Path, name: str, code: str) -> None:
    """Put code before the first statement of a function, behind its docstring."""
    node = next(one for known, one in functions_of(path).values() if known == name)
    lines = path.read_text().splitlines(keepends=True)
    documented = ast.get_docstring(node) is not None and len(node.body) > 1
    head = node.body[1] if documented else node.body[0]
    first = min([head.lineno, *(one.lineno for one in getattr(head, "decorator_list", ()))])
    lines.insert(first - 1, textwrap.indent(code, " " * head.col_offset))
    path.write_text("".join(lines))


def candidates(program: Path, subject: Path, case: Program) -> tuple[float, list[Candidate]]:
    """The seconds of a call with both options, and the functions of the package that it calls, not too often."""
    first, second = case.options
    script = COUNTING.format(
        program=str(program), subject=str(subject), first=first, second=second, size=case.size
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    seconds, calls = json.loads(done.stdout.splitlines()[-1])
    found = []
    for file, line, n in sorted(calls):
        path = Path(file)
        if path.is_relative_to(program / case.package) and n <= MOST_CALLS:
            known = functions_of(path).get(line)
            # A function of one line holds its body beside its name.
            if known is not None and known[1].body[0].lineno > known[1].lineno:
                found.append((path, known[0], n))
    return seconds, found


def commit(program: Path, message: str) -> str:
    """Commit everything; its hash."""
    git(program, "add", "--all")
    person = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    git(program, *person, "commit", "--quiet", "-m", message)
    return git(program, "rev-parse", "HEAD").strip()


def write_case(subject: Path, name: str, case: Program, option: str) -> Path:
    """Write the subject of a case whose function is slowed where `option` is on; returns where the package lies, beside what it needs."""
    program = subject / "program"
    program.mkdir(parents=True)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(program))
    subprocess.run((*pip, case.release, *case.requirements), check=True, capture_output=True)
    first, second = case.options
    entry = ENTRY.format(option=option, first=first, second=second)
    (subject / "entry.py").write_text(case.body + entry)
    (subject / "subject.toml").write_text(
        TOML.format(
            name=name,
            package=case.package,
            repository="program",
            first=first,
            second=second,
            size=case.size,
        )
    )
    return program


def plant(program: Path, seconds: float, found: Sequence[Candidate], rng: np.random.Generator) -> Planted:
    """Commit the package, and three changes of it by lot: one slows a function, two edit others."""
    path, function, calls = found[int(rng.integers(len(found)))]
    others = [one for one in found if one[:2] != (path, function)]
    git(program, "init", "--quiet", "--initial-branch", "main")
    commits = [commit(program, "As released")]
    planted_at = int(rng.integers(3))
    for at in range(3):
        if at == planted_at:
            passes = max(round(SLOWED * seconds / calls / _PASS), 1)
            insert(path, function, PLANTED.format(passes=passes))
            commits.append(commit(program, "A change"))
        else:
            other, edited, _ = others.pop(int(rng.integers(len(others))))
            insert(other, edited, "_edited = None\n")
            commits.append(commit(program, "Another change"))
    return Planted(function, commits[planted_at + 1], (commits[0], commits[-1]))


def judged(installation: Installation, name: str, case: Program, number: int) -> dict[str, Any]:
    """Plant, measure and explain one case; what was planted, what was named, and whether that is right."""
    rng = np.random.default_rng([SEED, number])
    subject, title = installation.folder / f"case-{number}", f"Steps {number}"
    option = case.options[int(rng.integers(2))]
    program = write_case(subject, title, case, option)
    seconds, found = candidates(program, subject, case)
    planted = plant(program, seconds, found, rng)
    words = ("measure", str(subject), "--configurations", "all", "--revisions", "first", "latest")
    installation.command(*words)
    both = ",".join(f"{one}=on" for one in case.options)
    asked = ("--configuration", both, "--revisions", *planted.ends, "--json")
    told = json.loads(installation.command("explain", title.lower().replace(" ", "-"), *asked))
    # What lies in no measured region has a row of its own.
    regions = [one["region"] for one in told["regions"] or [] if one["region"] != "program"]
    named = {
        "term": told["terms"][0]["term"],
        "region": regions[0] if regions else "",
        "commit": told["commits"][0]["revision"],
    }
    right = {
        "term": named["term"] == option,
        "region": named["region"].rpartition(":")[2] == planted.function,
        "commit": named["commit"] == planted.commit,
    }
    made = {"term": option, "region": planted.function, "commit": planted.commit}
    return {
        "case": number,
        "package": name,
        "planted": made,
        "named": named,
        "right": right,
        "step": told["step"],
        "seconds": seconds,
    }


def main() -> None:
    """Print each case as a line of JSON, and how many are right."""
    parser = argparse.ArgumentParser(description="Plants steps in real packages and has them explained.")
    parser.add_argument("--own", action="store_true", help="the packages that the rules were made with")
    parser.add_argument("--cases", type=int, default=len(JUDGED), help=f"so many ({len(JUDGED)})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (0)")
    asked = parser.parse_args()
    programs = OWN if asked.own else OTHERS
    names = tuple(OWN) if asked.own else JUDGED
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-steps-"))
    # Measured programs run as another user.
    folder.chmod(0o755)
    results = []
    try:
        installation = Installation(folder, 0)
        for number in range(asked.first, asked.first + asked.cases):
            name = names[number % len(names)]
            began = time.monotonic()
            told = judged(installation, name, programs[name], number)
            print(json.dumps({**told, "took": round(time.monotonic() - began)}), flush=True)
            results.append(told["right"])
    finally:
        shutil.rmtree(folder)
    for what in ("term", "region", "commit"):
        print(f"right {what} first: {sum(one[what] for one in results)} of {len(results)}")
    print(f"term and region: {sum(one['term'] and one['region'] for one in results)} of {len(results)}")


if __name__ == "__main__":
    main()

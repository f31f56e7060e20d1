"""A subject in a git repository whose program becomes fifteen times as slow at one commit."""

import subprocess
from pathlib import Path

SUBJECT = """
name = "Stepper"
[revisions]
source = "git"
repository = "program"
[install]
pip_install = false
[options.fast]
levels = [false, true]
[workloads.regular]
[entry]
callable = "entry:run"
[limits]
timeout_seconds = 30
"""
# A build that leaves comments out: the commits before the step make one program, those from it on another.
BUILT = """built = ["program.txt"]
commands = [["{python}", "-c", "import ast; open('program.txt', 'w').write(ast.dump(ast.parse(open('stepper.py').read())))"]]
"""
ENTRY = "import stepper\n\n\ndef run(options, workload):\n    return stepper.work()\n"
STEP = 7
BROKEN = 4
DOCUMENTS = (3, 9)
COMMITS = 12


def write_stepper(folder: Path, install: str = "") -> Path:
    """Write the subject with its repository of `COMMITS` commits: c0, c1, ...; returns its folder.

    `install` are further keys of its `[install]`.
    """
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(SUBJECT.replace("[options.fast]", f"{install}[options.fast]"))
    (folder / "entry.py").write_text(ENTRY)
    git(program, "init", "--initial-branch", "main")
    for number in range(COMMITS):
        if number in DOCUMENTS:
            (program / "README.md").write_text(f"note {number}\n")
        else:
            (program / "stepper.py").write_text(_program(number))
        git(program, "add", ".")
        git(program, "commit", "-m", f"c{number}")
    return folder


def git(place: Path, *arguments: str) -> str:
    """What git says, asked inside `place`."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    said = subprocess.run(["git", "-C", str(place), *who, *arguments], check=True, capture_output=True)
    return said.stdout.decode()


def commit_of(folder: Path, number: int) -> str:
    """The hash of commit `c<number>`."""
    listed = git(folder / "program", "log", "--reverse", "--format=%H").split()
    return listed[number]


def _program(number: int) -> str:
    if number == BROKEN:
        return "def work(:\n"
    turns = 750_000 if number >= STEP else 50_000
    return f"# {number}\n\n\ndef work():\n    return sum(i * i for i in range({turns}))\n"

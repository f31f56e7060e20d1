"""The running example of the ICSE 2021 paper (Fig. 2) as a subject: a second of the paper is a short loop in C."""

from pathlib import Path

from tests.dashboard.measuring.tiny import write_subject

TOML = """
name = "Figure 2"
regions = ["tiny"]
[revisions]
source = "folder"
path = "program"
[options.A]
levels = [false, true]
[options.B]
levels = [false, true]
[options.C]
levels = [false, true]
[options.D]
levels = [false, true]
[options.E]
levels = [false, true]
[workloads.regular]
second = 100000
[workloads.small]
second = 10
[entry]
callable = "entry:run"
[limits]
timeout_seconds = 30
"""
ENTRY = """
import tiny

def run(options, workload):
    return tiny.main(options, workload["second"])
"""
PROGRAM = """
def main(options, second):
    a = options["A"]
    b = options["B"]
    c = options["C"]
    d = options["D"]
    sum(range(second))
    i = 0
    if a:
        sum(range(second))
        foo(b, second)
        i = 20
    else:
        sum(range(2 * second))
        i = 5
    while i > 0:
        bar(c, second)
        i -= 1

def foo(x, second):
    if x:
        sum(range(4 * second))
    else:
        sum(range(second))

def bar(x, second):
    if x:
        sum(range(3 * second))
    else:
        sum(range(second))
"""


def write_figure_2(folder: Path, *, toml: str = TOML, program: str = PROGRAM) -> Path:
    """Write the subject and return its folder. Nothing reads the option E; D decides nothing."""
    write_subject(folder, toml=toml, entry=ENTRY)
    (folder / "program" / "tiny.py").write_text(program, encoding="utf-8")
    return folder

"""Functions of a native program: built once more by gcc with counters, counted in a run, read by gcov."""

import shutil
from pathlib import Path

import pytest

from runner.compilers import place_compilers
from runner.environments import Prepared, Unprepared, prepare
from runner.errors import SubjectInvalid
from runner.executions import Execution, execute
from runner.gcov import GcovUnreadable, read_gcov
from runner.plans import plan
from runner.revisions import list_revisions
from runner.selections import configurations
from runner.state import RunnerState
from runner.subject_files import load_subject

NEEDED = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("gcov")), reason="gcc is not installed")
SUBJECT = """
name = "Native"
revisions = { source = "folder", path = "program" }
[options.fast]
levels = [false, true]
arguments = { on = ["--fast"], off = [] }
[options.ending]
levels = ["none", "_exit", "abort", "exit"]
arguments = { _exit = ["--_exit"], abort = ["--abort"], exit = ["--exit"] }
[install]
commands = [["cc", "-O2", "prog.c", "-o", "prog"]]
[entry]
command = ["{source}/prog", "{options}"]
[counts]
tool = "gcov"
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int square(int x) /* small */
{
    return x > 3 ? x * x : x;
}

static int work(int turns, int fast)
{
    int total = 0;
    for (int i = 0; i < turns; i++) {
        if (fast && i % 2)
            continue;
        total += square(i);
    }
    return total;
}

int main(int count, char **words)
{
    const char *ending = count > 1 ? words[count - 1] : "";
    printf("%d\\n", work(100, !strcmp(ending, "--fast")));
    if (!strcmp(ending, "--_exit"))
        _exit(0);
    if (!strcmp(ending, "--abort"))
        abort();
    return !strcmp(ending, "--exit") ? 3 : 0;
}
"""


def prepared(
    folder: Path, state: RunnerState, program: str = PROGRAM, toml: str = SUBJECT
) -> Prepared | Unprepared:
    """The one revision of a subject of one file, prepared for counting."""
    (folder / "program").mkdir(parents=True)
    (folder / "program" / "prog.c").write_text(program, encoding="utf-8")
    (folder / "subject.toml").write_text(toml, encoding="utf-8")
    subject = load_subject(folder)
    return prepare(subject, list_revisions(subject, state)[-1], state=state, counting=True)


def counted(made: Prepared | Unprepared, select: str = "default") -> Execution:
    """One counted run of a configuration."""
    assert isinstance(made, Prepared), made
    chosen = configurations(made.subject, [select])
    names = [made.revision.identifier]
    (planned,) = plan(chosen, names, repetitions=1, seed=1, workload="regular")
    return execute(made, planned, mode="count")


@NEEDED
def test_calls_and_branches_of_functions_are_counted_exactly(state: RunnerState, tmp_path: Path) -> None:
    """Small functions that would be inlined count for themselves; each run begins at 0."""
    made = prepared(tmp_path, state)
    first, again = counted(made), counted(made)
    counts = first.result.counts
    assert counts is not None, first.message
    assert counts == again.result.counts
    assert (counts.tool, first.message, first.outcome.output) == ("gcov", "", "328342\n")
    assert {key: rows[0] for key, rows in counts.regions.items()} == {
        "prog.c:main": (23, 5, "call", 1),
        "prog.c:square": (7, 19, "call", 100),
        "prog.c:work": (12, 12, "call", 1),
    }
    # 100 turns and the end of the loop; 96 of 100 numbers are greater than 3.
    assert {row[-1] for row in counts.regions["prog.c:work"] if row[0] == 15} == {1, 100}
    assert {row[-1] for row in counts.regions["prog.c:square"] if row[0] == 9} == {4, 96}
    fast = counted(made, "fast=on").result.counts
    assert fast is not None
    assert fast.by_region["prog.c:square"] == 100
    function = counts.functions["prog.c:square"]
    assert (function.file, function.first_line, function.last_line) == ("prog.c", 7, 10)
    assert function.source.startswith("static inline int square(int x) /* small */\n{")


@NEEDED
def test_a_comment_changes_no_function(state: RunnerState, tmp_path: Path) -> None:
    hashes = []
    for name, program in (("one", PROGRAM), ("two", PROGRAM.replace("/* small */", "// very small"))):
        counts = counted(prepared(tmp_path / name, state, program)).result.counts
        assert counts is not None
        hashes.append(counts.functions["prog.c:square"].body_hash)
    assert hashes[0] == hashes[1]


@NEEDED
def test_a_program_that_writes_no_counts_fails_with_the_reason(state: RunnerState, tmp_path: Path) -> None:
    """One that fails by itself and has written them is told as that."""
    made = prepared(tmp_path, state)
    told = {name: counted(made, f"ending={name}") for name in ("_exit", "abort", "exit")}
    assert not any(one.result.counts for one in told.values())
    lost = (
        "programs that are killed, end by _exit, empty their environment, or shut themselves into a sandbox"
    )
    assert told["_exit"].message.startswith(f"left no counts; {lost}")
    assert told["abort"].message.startswith(f"was ended by SIGABRT under gcov; {lost}")
    assert told["exit"].message == "ended with exit code 3"


@NEEDED
@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ('[["cc", "gone.c", "-o", "prog"]]', "cc gone.c -o prog ended with exit code 1"),
        (
            '[["/usr/bin/gcc", "prog.c", "-o", "prog"]]',
            "nothing was compiled with counters: let install.commands",
        ),
    ],
)
def test_a_build_that_puts_in_no_counters_says_why(
    state: RunnerState, tmp_path: Path, commands: str, message: str
) -> None:
    toml = SUBJECT.replace('[["cc", "-O2", "prog.c", "-o", "prog"]]', commands)
    made = prepared(tmp_path, state, toml=toml)
    assert isinstance(made, Unprepared)
    assert made.message.startswith(message)


@NEEDED
@pytest.mark.parametrize("threads", [False, True])
def test_threads_add_to_counters_in_one_step(state: RunnerState, *, threads: bool) -> None:
    """Every gcc that is found by a name is there, whatever it is called."""
    folder = place_compilers(state, threads=threads)
    scripts = {program.name: program.read_text(encoding="utf-8") for program in folder.iterdir()}
    assert "gcc" in scripts
    assert not any("gcov" in name or "gcc-ar" in name for name in scripts)
    assert {"prefer-atomic" in text for text in scripts.values()} == {threads}


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ('commands = [["cc", "-O2", "prog.c", "-o", "prog"]]', "", "needs commands that build the program"),
        (
            'source = "folder", path = "program"',
            'source = "pypi", package = "native"',
            "needs revisions with files",
        ),
    ],
)
def test_counting_functions_needs_a_build_of_files(
    tmp_path: Path, before: str, after: str, problem: str
) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "subject.toml").write_text(SUBJECT.replace(before, after), encoding="utf-8")
    with pytest.raises(SubjectInvalid, match=f'counts.tool {problem} .given as "?gcov"?.;'):
        load_subject(tmp_path)


# As gcov 12 tells of a small program in C++.
REPORT = """{"format_version": "1", "current_working_directory": "/build", "files": [
 {"file": "../src/bag.cpp",
  "functions": [
   {"name": "_ZN3BagC2Ei", "demangled_name": "Bag::Bag(int)", "start_line": 8, "end_line": 8, "start_column": 3,
    "execution_count": 1},
   {"name": "_ZNK3Bag5totalIdEElT_", "demangled_name": "long Bag::total<double>(double) const", "start_line": 9,
    "end_line": 13, "start_column": 3, "execution_count": 2}],
  "lines": [
   {"line_number": 8, "function_name": "_ZN3BagC2Ei", "branches": [
     {"count": 100, "fallthrough": true, "throw": false}, {"count": 0, "fallthrough": false, "throw": true},
     {"count": 101, "fallthrough": false, "throw": false}, {"count": 1, "fallthrough": true, "throw": false}]},
   {"line_number": 11, "branches": [
     {"count": 7, "fallthrough": false, "throw": false}, {"count": 0, "fallthrough": true, "throw": false}]},
   {"line_number": 20, "branches": [{"count": 3, "fallthrough": true, "throw": false}]}]},
 {"file": "/usr/include/vector",
  "functions": [{"name": "f", "demangled_name": "f", "start_line": 1, "end_line": 2, "start_column": 1,
    "execution_count": 5}], "lines": []}]}"""


def test_functions_of_cpp_have_their_own_names_without_ways_of_exceptions_and_headers_of_others() -> None:
    """A line that gcov gives to no function belongs to the one around it, else to what the compiler inlined always."""
    twice = "\n".join([REPORT.replace("\n", "")] * 2)
    regions, functions = read_gcov(twice, Path("/src"))
    assert regions == {
        "bag.cpp:(inlined)": ((20, 1, "branch", 6),),
        "bag.cpp:Bag::Bag(int)": ((8, 1, "branch", 202), (8, 2, "branch", 2), (8, 3, "call", 2)),
        "bag.cpp:long Bag::total<double>(double) const": ((9, 3, "call", 4), (11, 1, "branch", 14)),
    }
    assert functions["bag.cpp:Bag::Bag(int)"].qualified_name == "Bag::Bag(int)"


@pytest.mark.parametrize("text", ["{", '{"files": [{}]}', '{"files": 1}', "{}"])
def test_what_gcov_did_not_write_is_refused(text: str) -> None:
    with pytest.raises(GcovUnreadable):
        read_gcov(text, Path("/src"))

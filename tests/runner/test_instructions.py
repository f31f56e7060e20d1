"""Instructions of a command: by perf where the kernel gives them, else by callgrind, or told why not."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from runner import instructions
from runner.callgrind import read_callgrind
from runner.errors import CountingImpossible
from runner.executions import Execution, execute
from runner.instructions import InstructionCounter, counter_of, counting_in_words, regions_of
from runner.plans import plan
from runner.selections import configurations
from runner.state import RunnerState
from runner.subject_files import load_subject
from runner.subjects import CountingTool
from tests.runner.test_callgrind import TEXT
from tests.runner.throwaway import prepared_subject

NEEDED = pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("cc")),
    reason="valgrind and a C compiler are not installed",
)
SUBJECT = """
name = "Native"
[revisions]
source = "folder"
path = "program"
[options.more]
levels = ["none", "fork", "thread"]
arguments = ["{level}"]
[install]
commands = [["cc", "-g", "-O1", "prog.c", "-o", "prog", "-pthread"]]
[entry]
command = ["{source}/prog", "{options}"]
[counts]
tool = "callgrind"
"""
PROGRAM = """
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int total;

__attribute__((noinline)) static void work(int turns)
{
    for (int i = 0; i < turns; i++)
        total += i;
}

static void *threaded(void *nothing)
{
    work(100);
    return nothing;
}

int main(int count, char **words)
{
    work(1000);
    if (!strcmp(words[1], "fork")) {
        if (!fork()) {
            work(500);
            _exit(0);
        }
        wait(0);
    }
    if (!strcmp(words[1], "thread")) {
        pthread_t thread;
        pthread_create(&thread, 0, threaded, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
"""
Tool = Callable[[str, str], None]


@pytest.fixture
def tool(state: RunnerState, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Puts a shell script in place of one of the tools; others are not installed."""
    folder = state.folder("tools")
    for script in folder.iterdir():
        script.unlink()
    monkeypatch.setattr(instructions, "SEARCH_PATH", str(folder))

    def put(name: str, text: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)

    return put


def counting(wanted: CountingTool, folder: Path, state: RunnerState) -> InstructionCounter:
    """How the instructions of a command are counted where this is wanted."""
    (folder / "program").mkdir()
    (folder / "subject.toml").write_text(SUBJECT.replace("callgrind", wanted), encoding="utf-8")
    counter = counter_of(load_subject(folder), state)
    assert isinstance(counter, InstructionCounter)
    return counter


def counted(folder: Path, state: RunnerState, select: str = "default", program: str = PROGRAM) -> Execution:
    (folder / "program").mkdir(parents=True)
    (folder / "program" / "prog.c").write_text(program, encoding="utf-8")
    (folder / "subject.toml").write_text(SUBJECT, encoding="utf-8")
    subject = load_subject(folder)
    prepared = prepared_subject(subject, state)
    names = [prepared.revision.identifier]
    (planned,) = plan(configurations(subject, [select]), names, repetitions=1, seed=1, workload="regular")
    return execute(prepared, planned, mode="count")


def test_perf_counts_where_it_gives_a_number_to_the_subjects_user(
    state: RunnerState, tool: Tool, tmp_path: Path
) -> None:
    """It is tried, not looked for; what it counts has no regions."""
    tool("perf", 'echo "1234,,instructions:u,1000,100.00,," > "$6"')
    counter = counting("auto", tmp_path, state)
    assert counter.tool == "perf"
    with state.scratch() as scratch:
        (scratch / "perf.csv").write_text(
            "# started\n\n98765,,instructions:u,1000,100.00,,\n", encoding="utf-8"
        )
        counts, note = counter.read(scratch, [])
    assert (counts.total, counts.regions, counts.tool, note) == (98765, {}, "perf", "")


def test_callgrind_takes_over_where_perf_counts_nothing(
    state: RunnerState, tool: Tool, tmp_path: Path
) -> None:
    tool("perf", 'echo "<not supported>,,instructions:u,0,100.00,," > "$6"')
    tool("valgrind", "exit 0")
    assert counting("auto", tmp_path, state).tool == "callgrind"


@pytest.mark.parametrize(
    ("text", "wanted", "message"),
    [
        ("", "auto", r"perf is not installed; valgrind is not installed: install valgrind"),
        ("", "callgrind", r"here: valgrind is not installed: install valgrind"),
        ('echo "<not supported>,,instructions:u" > "$6"', "auto", "has no counter of instructions"),
        ("echo No permission; exit 1", "perf", r"\(No permission\): run on a machine whose kernel"),
        ("exit 3", "perf", r"\(ended with exit code 3\)"),
    ],
)
def test_where_nothing_counts_it_says_why_and_what_to_do(
    state: RunnerState, tool: Tool, tmp_path: Path, *, text: str, wanted: CountingTool, message: str
) -> None:
    if text:
        tool("perf", text)
    with pytest.raises(CountingImpossible, match=message):
        counting(wanted, tmp_path, state)


def test_functions_are_called_after_their_file_or_their_library(tmp_path: Path) -> None:
    """Clones, parts and levels of recursion are one function; an address is no name; inlined code stands at line 0."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "prog.c").touch()
    text = TEXT.replace("fn=(2) work", "fn=(2) work.constprop.0.cold'2").replace(
        "src/prog.c", "/old/src/prog.c"
    )
    profile = read_callgrind(text.replace("fn=(2)\n", "fn=(2) work.part.1\n"))
    assert regions_of(profile, [tmp_path]) == {
        "src/prog.c:main": ((10, 0, "instruction", 20), (12, 0, "instruction", 5)),
        "src/prog.c:work": ((0, 0, "instruction", 40), (5, 0, "instruction", 25), (30, 0, "instruction", 60)),
    }
    elsewhere = text.replace("/bin/prog", "/lib/libz.so.1.2.13").replace("fn=(2)\n", "fn=(2) 0x00004f\n")
    assert {
        key: sum(row[-1] for row in rows) for key, rows in regions_of(read_callgrind(elsewhere), []).items()
    } == {"libz.so:main": 25, "libz.so:?": 125}
    long = read_callgrind(text.replace("fn=(1) main", f"fn=(1) {'n' * 900}"))
    assert max(len(key) for key in regions_of(long, [])) == 400


@NEEDED
def test_instructions_are_exact_from_run_to_run_and_name_functions_and_lines(
    state: RunnerState, tmp_path: Path
) -> None:
    first, again = (counted(tmp_path / name, state) for name in ("one", "two"))
    assert first.result.counts is not None, first.message
    assert first.result.counts == again.result.counts
    own = first.result.counts.by_region
    assert own["prog.c:work"] > 3000
    assert first.result.counts.total == sum(own.values())
    assert {line for line, *_ in first.result.counts.regions["prog.c:work"]} <= set(range(9, 14))
    assert first.message == ""


@NEEDED
@pytest.mark.parametrize(
    ("select", "note"),
    [
        (
            "more=fork",
            "instructions of 2 processes together; what one did before it forked without exec counts twice",
        ),
        ("more=thread", "all threads together: their order may change what is counted"),
    ],
)
def test_processes_and_threads_are_counted_and_said(
    state: RunnerState, tmp_path: Path, select: str, note: str
) -> None:
    made = counted(tmp_path, state, select)
    assert (made.status, made.message) == ("ok", note)


@NEEDED
def test_a_program_that_lets_nobody_write_its_counts_fails_with_the_reason(
    state: RunnerState, tmp_path: Path
) -> None:
    """As a sandbox does: its file is gone, and none can be made, when the counts are to be written."""
    closing = """    char name[80];
    sprintf(name, "callgrind.out.%d", (int) getpid());
    unlink(name);
    chmod(".", 0500);
    return 0;"""
    closed = "#include <stdio.h>\n#include <sys/stat.h>" + PROGRAM.replace("    return 0;", closing)
    made = counted(tmp_path, state, program=closed)
    assert (made.status, made.result.counts) == ("failed", None)
    assert "ended with exit code 1 under callgrind; programs that" in made.message
    assert "sandbox" in made.message


@NEEDED
def test_a_program_that_is_ended_for_writing_its_counts_is_told_as_that(
    state: RunnerState, tmp_path: Path
) -> None:
    """A sandbox that allows hardly any call of the system ends what runs in it under callgrind."""
    strict = "#include <sys/prctl.h>" + PROGRAM.replace(
        "    return 0;", "    prctl(PR_SET_SECCOMP, 1);\n    return 0;"
    )
    made = counted(tmp_path, state, program=strict)
    assert made.status == "killed"
    assert "was ended by SIGKILL under callgrind; programs that" in made.message


def test_how_instructions_are_counted_here_is_told_in_words(tool: Tool, state: RunnerState) -> None:
    """What counts, and why not the processor; else what to do."""
    assert "cannot be counted: perf is not installed; install valgrind" in counting_in_words(state)
    tool("valgrind", "exit 0")
    assert "by callgrind" in counting_in_words(state)
    tool("perf", "exit 1")
    assert "perf counts nothing" in counting_in_words(state)

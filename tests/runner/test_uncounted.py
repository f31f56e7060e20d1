"""Which share of a command's time lies in libraries: sampled by perf, in the plain build."""

import shutil
from pathlib import Path

import pytest

from runner import uncounted
from runner.errors import CountingImpossible
from runner.executions import Execution, execute
from runner.plans import plan
from runner.selections import configurations
from runner.state import RunnerState
from runner.subject_files import load_subject
from runner.uncounted import UncountedSampler, sampler_of, shares_of
from tests.runner.throwaway import prepared_subject, run_once

BUILT = Path("/srv/environments/1a2b")
# Of 100 samples; what perf and gcov call functions of C++ differs.
TEXT = f"""
     30 helper.constprop.0 ({BUILT}/source/pack)
     10 packer::Table<int>::find ({BUILT}/source/pack)
      5 [unknown] ({BUILT}/source/pack)
      3 operator() ({BUILT}/source/pack)
      7 adler32 ({BUILT}/source/pack)
     30 deflate_slow (/usr/lib/x86_64-linux-gnu/libz.so.1.2.13)
      4 [unknown] (/usr/lib/x86_64-linux-gnu/libz.so.1.2.13)
     10 (anonymous namespace)::sort (int) (/usr/lib/libc.so.6)
      1 [unknown] ([unknown])
"""
COUNTED = [
    "helper",
    "int packer::Table<int>::find(int const&) const",
    "main::{lambda(int)#1}::operator()(int) const",
]


def test_samples_outside_of_counted_functions_are_shares_of_libraries_and_of_what_is_linked_in() -> None:
    found, samples = shares_of(TEXT, BUILT, COUNTED)
    assert samples == 100
    assert found == {
        "libz.so.1.2.13": 0.34,
        "libc.so.6": 0.1,
        "adler32": 0.07,
        "unknown": 0.01,
    }
    assert next(iter(found)) == "libz.so.1.2.13"


SUBJECT = """
name = "Native"
[revisions]
source = "folder"
path = "program"
[options.library]
levels = [false, true]
arguments = { on = ["much"] }
[install]
commands = [["cc", "-O1", "prog.c", "-o", "prog"]]
[entry]
command = ["{source}/prog", "{options}"]
"""
# A tenth of a second of CPU time here and, where asked, three times as much in the sort of libc.
PROGRAM = """
#include <stdlib.h>
#include <time.h>

static int data[65536];
static volatile int total;

__attribute__((noinline)) static void work(clock_t until)
{
    while (clock() < until)
        for (int i = 0; i < 100000; i++)
            total += i;
}

int main(int count, char **words)
{
    work(clock() + CLOCKS_PER_SEC / 10);
    clock_t until = clock() + 3 * CLOCKS_PER_SEC / 10;
    while (count > 1 && clock() < until) {
        for (int i = 0; i < 65536; i++)
            data[i] = i * 7919 % 65536;
        qsort(data, 65536, sizeof(int), (int (*)(const void *, const void *))atoi);
    }
    return 0;
}
"""


def sampled(folder: Path, state: RunnerState, select: str) -> Execution:
    (folder / "program").mkdir(parents=True)
    (folder / "program" / "prog.c").write_text(PROGRAM, encoding="utf-8")
    (folder / "subject.toml").write_text(SUBJECT, encoding="utf-8")
    subject = load_subject(folder)
    prepared = prepared_subject(subject, state)
    names = [prepared.revision.identifier]
    (planned,) = plan(configurations(subject, [select]), names, repetitions=1, seed=1, workload="regular")
    return execute(prepared, planned, mode="sample", uncounted=["main", "work"])


@pytest.mark.skipif(
    not (shutil.which("perf") and shutil.which("cc")), reason="perf and a C compiler are not installed"
)
def test_time_in_a_library_is_seen_where_an_option_asks_for_it(state: RunnerState, tmp_path: Path) -> None:
    sampler = sampler_of(state, tmp_path)
    assert isinstance(sampler, UncountedSampler)
    if why := sampler.refusal():
        pytest.skip(why)
    found = {select: sampled(tmp_path / select, state, select) for select in ("default", "library=on")}
    assert {one.status for one in found.values()} == {"ok"}
    little, much = (found[select].result.uncounted for select in ("default", "library=on"))
    assert little is not None
    assert sum(little.values()) < 0.1
    assert much is not None
    assert 0.6 < sum(much.values()) < 0.8
    assert next(iter(much)).startswith("libc")


def test_without_perf_it_is_told_that_nothing_is_sampled(
    state: RunnerState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncounted, "SEARCH_PATH", str(tmp_path))
    assert sampler_of(state, tmp_path) == "perf is not installed"
    with pytest.raises(CountingImpossible, match="perf is not installed"):
        sampled(tmp_path / "it", state, "default")


def test_a_perf_that_the_kernel_refuses_is_told_with_its_reason(state: RunnerState, tmp_path: Path) -> None:
    tool = state.folder("tools") / "perf"
    tool.write_text("#!/bin/sh\necho No permission; exit 1\n", encoding="utf-8")
    tool.chmod(0o755)
    refusal = UncountedSampler(str(tool), state, tmp_path).refusal()
    tool.unlink()
    assert refusal == "perf samples nothing here (No permission)"


def test_a_counted_run_of_python_tells_it_where_that_is_asked_for(state: RunnerState, tmp_path: Path) -> None:
    entry = "import json\n\ndef run(options, workload):\n    return [json.dumps([n] * 20_000) for n in range(20)]\n"
    assert run_once(tmp_path / "plain", state, mode="count", entry=entry).result.uncounted is None
    found = run_once(tmp_path / "asked", state, mode="count", entry=entry, uncounted=()).result.uncounted
    assert found is not None
    assert sum(found.values()) > 0.5

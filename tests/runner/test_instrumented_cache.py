"""Code with counters that outlives a run."""

import os
from pathlib import Path

from runner.sources import MOST_BYTES, instrumented_folder, keep_instrumented
from runner.state import RunnerState
from tests.runner.throwaway import RunProgram

NAME = "0123456789abcdef" * 4


def test_only_files_that_a_probe_may_have_made_are_kept(tmp_path: Path) -> None:
    """No link, no other name, nothing too large, and nothing in place of what is kept."""
    made, kept = tmp_path / "made", tmp_path / "kept"
    made.mkdir()
    kept.mkdir()
    (made / NAME).write_bytes(b"new")
    (made / "other").write_bytes(b"x")
    (made / NAME.replace("0", "1")).symlink_to("/etc/hostname")
    (made / NAME.replace("0", "2")).mkdir()
    with (made / NAME.replace("0", "3")).open("wb") as large:
        large.truncate(MOST_BYTES + 1)
    (made / NAME.replace("0", "4")).write_bytes(b"other")
    (kept / NAME.replace("0", "4")).write_bytes(b"old")
    keep_instrumented(made, kept)
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == {
        NAME: b"new",
        NAME.replace("0", "4"): b"old",
    }


def test_a_run_that_made_nothing_leaves_nothing(tmp_path: Path) -> None:
    kept = instrumented_folder(tmp_path, tmp_path / "probe")
    keep_instrumented(tmp_path / "nowhere", kept)
    assert list(kept.iterdir()) == []


def test_a_second_counting_run_finds_what_the_first_one_left(
    run_program: RunProgram, state: RunnerState
) -> None:
    """Both count the same; what is kept is ours, and the second run adds nothing."""
    program = "def work(fast, size):\n    return sum(1 for _ in range(size)) if fast else size\n"
    entry = "import tiny\n\ndef run(options, workload):\n    tiny.work(options['fast'], workload['size'])\n"

    def kept() -> set[Path]:
        return set(state.root.glob("environments/*/rewritten/*/*"))

    before = kept()
    first = run_program(entry=entry, program=program, mode="count")
    left = kept() - before
    second = run_program(entry=entry, program=program, mode="count")
    assert first.status == second.status == "ok"
    assert first.result.counts == second.result.counts
    assert left
    assert all(path.stat().st_uid == os.getuid() for path in left)
    assert kept() - before == left


def test_a_second_traced_run_finds_what_the_first_one_left(
    run_program: RunProgram, state: RunnerState
) -> None:
    """Both tell the same, and the second run adds nothing."""
    program = "def work(fast, size):\n    return sum(1 for _ in range(size)) if fast else size\n"
    entry = "import tiny\n\ndef run(options, workload):\n    tiny.work(options['fast'], workload['size'])\n"

    def kept() -> set[Path]:
        return set(state.root.glob("environments/*/rewritten/*/*"))

    before = kept()
    first = run_program(entry=entry, program=program, mode="taint")
    left = kept() - before
    second = run_program(entry=entry, program=program, mode="taint")
    assert first.result.trace is not None
    assert first.result.trace.decisions
    assert first.result.trace == second.result.trace
    assert first.result.counts == second.result.counts
    assert len(left) == 2
    assert kept() - before == left

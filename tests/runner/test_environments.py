"""Environments are made once, made anew when half-built, and a failure to make one is a result."""

import struct
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runner.environments import Prepared, Unprepared, prepare
from runner.errors import RevisionsUnavailable
from runner.executions import execute
from runner.plans import plan
from runner.revisions import list_revisions
from runner.selections import configurations
from runner.sources import place_probe
from runner.state import RunnerState
from runner.subject_files import load_subject
from runner.subjects import SubjectDefinition
from tests.runner.throwaway import SUBJECT, prepared_subject, write_subject, write_wheel

RELEASES = SUBJECT.replace(
    'source = "folder"\npath = "program"', 'source = "pypi"\npackage = "tiny-thing"\nexclude = ["1.1"]'
)


@pytest.fixture
def index(state: RunnerState, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip is configured to use, and nothing else. Version 3.0 asks for what is not there."""
    folder = state.folder("wheels")
    for version, needs in (
        ("1.0", ""),
        ("1.1", ""),
        ("1.10", ""),
        ("2.0b1", ""),
        ("3.0", "nowhere-to-be-found"),
    ):
        write_wheel(folder, version, needs)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def release_subject(tmp_path: Path) -> SubjectDefinition:
    entry = "import tiny\n\ndef run(options, workload):\n    print('version', tiny.VERSION)\n"
    return load_subject(write_subject(tmp_path, toml=RELEASES, entry=entry))


@pytest.mark.usefixtures("index")
def test_releases_come_from_pips_own_index_in_the_order_of_versions(
    state: RunnerState, tmp_path: Path
) -> None:
    found = [revision.identifier for revision in list_revisions(release_subject(tmp_path), state)]
    assert found == ["1.0", "1.10", "3.0"]


@pytest.mark.usefixtures("index")
def test_a_release_is_installed_run_and_dated_by_its_archive(state: RunnerState, tmp_path: Path) -> None:
    subject = release_subject(tmp_path)
    revision = list_revisions(subject, state)[1]
    prepared = prepare(subject, revision, state=state)
    assert isinstance(prepared, Prepared)
    installed = prepared.folder.glob("venv/lib/python*/site-packages/*.dist-info")
    assert [path.name for path in installed] == ["tiny_thing-1.10.dist-info"]
    assert prepared.revision.released_at == datetime(2021, 5, 4, 3, 2, tzinfo=UTC)
    assert list_revisions(subject, state)[1].released_at == prepared.revision.released_at
    (run,) = plan(configurations(subject, ["default"]), ["1.10"], repetitions=1, seed=1, workload="regular")
    assert "version 1.10" in execute(prepared, run, profile=False).outcome.output


def test_a_mirrors_files_lie_beside_its_pages(
    state: RunnerState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sandbox shows pip both, as the pages link to the files."""
    mirror = state.folder("mirror")
    pages, files = mirror / "simple" / "tiny-thing", mirror / "packages"
    for folder in (pages.parent, pages, files):
        folder.mkdir()
        folder.chmod(0o755)
    write_wheel(files, "1.0")
    name = next(files.iterdir()).name
    page = pages / "index.html"
    page.write_text(f"<!DOCTYPE html><a href='../../packages/{name}'>{name}</a>")
    page.chmod(0o644)
    monkeypatch.setenv("PIP_INDEX_URL", f"file://{mirror}/simple/")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    subject = release_subject(tmp_path)
    assert isinstance(prepare(subject, list_revisions(subject, state)[0], state=state), Prepared)


@pytest.mark.usefixtures("index")
def test_a_release_that_cannot_be_installed_is_a_result_with_the_end_of_the_log(
    state: RunnerState, tmp_path: Path
) -> None:
    subject = release_subject(tmp_path)
    result = prepare(subject, list_revisions(subject, state)[-1], state=state)
    assert isinstance(result, Unprepared)
    assert result.status == "failed"
    assert "exit code 1" in result.message
    assert "nowhere-to-be-found" in result.output


@pytest.mark.usefixtures("index")
def test_a_package_that_nobody_knows_is_told(state: RunnerState, tmp_path: Path) -> None:
    subject = load_subject(write_subject(tmp_path, toml=RELEASES.replace("tiny-thing", "tiny-nothing")))
    with pytest.raises(RevisionsUnavailable, match="tiny-nothing"):
        list_revisions(subject, state)


def test_an_environment_is_made_once(state: RunnerState, tmp_path: Path) -> None:
    subject = load_subject(write_subject(tmp_path))
    first = prepared_subject(subject, state)
    (first.folder / "mark").touch()
    assert prepared_subject(subject, state).folder == first.folder
    assert (first.folder / "mark").exists()


def test_runs_find_the_probe_compiled(state: RunnerState) -> None:
    """They write no bytecode: without it, each of them would compile the probe anew."""
    sources = list(place_probe(state).rglob("*.py"))
    assert len(sources) > 10
    for source in sources:
        bytecode = source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
        seconds, size = struct.unpack("<II", bytecode.read_bytes()[8:16])
        assert (seconds, size) == (int(source.stat().st_mtime), source.stat().st_size)
        assert bytecode.stat().st_mode & 0o044 == 0o044


def test_a_half_built_environment_is_made_anew(state: RunnerState, tmp_path: Path) -> None:
    subject = load_subject(write_subject(tmp_path, program="half = 1\n"))
    first = prepared_subject(subject, state)
    (first.folder / "ready.json").unlink()
    (first.folder / "mark").touch()
    assert prepared_subject(subject, state).folder == first.folder
    assert not (first.folder / "mark").exists()


def test_another_entry_needs_no_other_environment_and_is_used_at_once(
    state: RunnerState, tmp_path: Path
) -> None:
    first = prepared_subject(load_subject(write_subject(tmp_path)), state)
    entry = "def run(options, workload):\n    return 2\n"
    second = prepared_subject(load_subject(write_subject(tmp_path, entry=entry)), state)
    assert first.folder == second.folder
    assert (second.files / "entry.py").read_text() == entry


def test_a_cancelled_build_says_so(state: RunnerState, tmp_path: Path) -> None:
    toml = SUBJECT + '\n[install]\ncommands = [["sleep", "600"]]\n'
    subject = load_subject(write_subject(tmp_path, toml=toml))
    result = prepare(subject, list_revisions(subject, state)[0], state=state, cancelled=lambda: True)
    assert isinstance(result, Unprepared)
    assert result.status == "cancelled"


def test_a_build_has_a_time_limit(state: RunnerState, tmp_path: Path) -> None:
    toml = SUBJECT + '\n[install]\ntimeout_seconds = 0.5\ncommands = [["sleep", "600"]]\n'
    subject = load_subject(write_subject(tmp_path, toml=toml))
    result = prepare(subject, list_revisions(subject, state)[0], state=state)
    assert isinstance(result, Unprepared)
    assert result.status == "timeout"


def test_a_program_in_another_language_is_built_and_its_whole_process_timed(
    state: RunnerState, tmp_path: Path
) -> None:
    toml = """
name = "Shell"
[revisions]
source = "folder"
path = "program"
[install]
commands = [["sh", "-c", "echo 'echo built; sleep 0.2; echo \\"$@\\"' > {source}/prog.sh"]]
[options.fast]
levels = [false, true]
arguments = { on = ["--fast"] }
[options.level]
levels = [1, 9]
arguments = ["--level={level}"]
[workloads.regular]
size = 5
[workloads.small]
size = 1
[entry]
command = ["/bin/sh", "{source}/prog.sh", "{options}", "{workload}:{workload.size}:{fast}"]
"""
    subject = load_subject(write_subject(tmp_path, toml=toml))
    prepared = prepared_subject(subject, state)
    chosen = configurations(subject, ["fast=on,level=9"])
    (run,) = plan(chosen, [prepared.revision.identifier], repetitions=1, seed=1, workload="small")
    done = execute(prepared, run)
    assert (done.status, done.result.profile) == ("ok", None)
    assert done.outcome.output == "built\n--fast --level=9 small:1:on\n"
    assert done.result.plain is not None
    assert done.result.plain.wall_seconds >= 0.2 > done.result.plain.cpu_seconds
    assert done.environment.interpreter == ""


def test_a_command_that_returns_an_error_is_a_failure(state: RunnerState, tmp_path: Path) -> None:
    toml = SUBJECT.replace('regions = ["tiny"]', "").replace(
        'callable = "entry:run"', 'command = ["/bin/sh", "-c", "echo {fast}; exit 7"]'
    )
    subject = load_subject(write_subject(tmp_path, toml=toml))
    prepared = prepared_subject(subject, state)
    (run,) = plan(configurations(subject, ["default"]), ["x"], repetitions=1, seed=1, workload="regular")
    done = execute(replace(prepared), run)
    assert (done.status, done.message, done.outcome.output) == ("failed", "ended with exit code 7", "off\n")

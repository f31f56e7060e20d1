"""The commands around measuring: what they print, and how they end."""

import json
import os
import sys
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

import manage
from dashboard.models import AuditEntry, Configuration, Job, Run, System
from tests.dashboard.measuring.stored import add_batch, add_run
from tests.dashboard.measuring.tiny import TOML, write_subject

pytestmark = pytest.mark.database
slowly = pytest.mark.django_db(transaction=True)
quickly = pytest.mark.django_db


def _call(*arguments: str) -> tuple[str, str]:
    said, progress = StringIO(), StringIO()
    call_command(*arguments, stdout=said, stderr=progress)
    return said.getvalue(), progress.getvalue()


def _refused(*arguments: str) -> tuple[int, str]:
    with pytest.raises(CommandError) as refused:
        _call(*arguments)
    return refused.value.returncode, str(refused.value)


@slowly
def test_measure_registers_measures_and_counts(machine: Path, sent: list[int], tmp_path: Path) -> None:
    """One command from a folder to stored runs; progress goes to standard error."""
    folder = str(write_subject(tmp_path / "tiny"))
    said, progress = _call(
        "measure", folder, "--configurations", "default", "mode=broken", "--repetitions", "1", "--json"
    )
    found = json.loads(said)
    assert found["state"] == "done"
    assert found["result"]["runs"] == {"ok": 1, "failed": 1, "timeout": 0, "killed": 0}
    assert "the mode is broken" in progress
    again, _ = _call("measure", "Tiny", "--repetitions", "1", "--no-profile", "--workload", "small")
    assert again == "Measure Tiny: 1 configuration × 1 revision × 1 repetition: done: 1 run, none failed\n"
    assert Run.objects.filter(kind="plain").count() == 3
    assert Run.objects.filter(kind="profiled").count() == 1


@slowly
def test_a_job_that_was_left_to_the_worker_is_resumed_here(tiny: str, sent: list[int]) -> None:
    said, _ = _call("measure", "tiny", "--repetitions", "1", "--queue")
    assert "queued" in said
    (job_id,) = sent
    said, _ = _call("measure", "--resume", str(job_id))
    assert "done: 1 run, none failed" in said


@slowly
def test_ctrl_c_lays_the_job_aside_for_every_worker(
    tiny: str, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the worker of `serve` would go on with it at once; nothing of the command asks the database after its end."""
    running = set(threading.enumerate())

    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("dashboard.management.measuring_command.run_job", interrupted)
        code, message = _refused("measure", "tiny", "--repetitions", "1")
    assert set(threading.enumerate()) <= running
    job = Job.objects.get()
    assert (code, job.state) == (1, "paused")
    assert f"measure --resume {job.pk}" in message
    said, _ = _call("measure", "--resume", str(job.pk))
    assert "done: 1 run, none failed" in said


@quickly
def test_ctrl_c_ends_any_command_with_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And with 130, as shells do."""

    def interrupted(_: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("django.core.management.execute_from_command_line", interrupted)
    monkeypatch.setattr(sys, "argv", ["manage.py", "check"])
    monkeypatch.setattr(os, "umask", lambda _: 0)
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "Interrupted.\n")


@slowly
def test_a_job_that_fails_ends_with_1(tiny: str, sent: list[int], tmp_path: Path) -> None:
    _call("measure", "tiny", "--queue")
    write_subject(tmp_path / "tiny", entry="def run(options, workload): ...\n")
    code, message = _refused("measure", "--resume", str(sent[0]))
    assert (code, message) == (1, f"job {sent[0]} ended as failed")


@slowly
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tiny", "--configurations", "odd"], "'odd' is no selection"),
        (["tiny", "--configurations", "mode=odd"], "has no level 'odd'"),
        (["tiny", "--revisions", "9.9"], "'9.9' is no revision"),
        (["tiny", "--repetitions", "0"], "write 1 or more"),
        (["tiny", "--repetitions", "2..5"], "2 to 5 repetitions cannot be run"),
        (["tiny", "--workload", "huge"], "known are regular, small"),
        (["huge"], "registered are: Tiny"),
        ([], "say which subject"),
        (["--resume", "999"], "there is no job 999"),
    ],
)
def test_bad_input_ends_with_2_and_starts_nothing(tiny: str, arguments: list[str], told: str) -> None:
    """What is wrong and what there is instead."""
    code, message = _refused("measure", *arguments)
    assert code == 2
    assert told in message
    assert not Job.objects.exists()


@quickly
@pytest.mark.parametrize("command", ["measure", "register"])
def test_a_broken_subject_ends_with_2_and_all_its_faults(machine: Path, tmp_path: Path, command: str) -> None:
    """Each on its own line, with the place in the file."""
    toml = TOML.replace('callable = "entry:run"', 'callable = "absent:run"').replace(
        "timeout_seconds = 5", "timeout_seconds = -3\nspeed = 1"
    )
    code, message = _refused(command, str(write_subject(tmp_path, toml=toml)))
    assert code == 2
    for place in ("entry.callable", "limits.timeout_seconds", "limits.speed"):
        assert any(place in line for line in message.splitlines()), place
    assert not System.objects.exists()


@quickly
def test_register_counts_revisions(machine: Path, tmp_path: Path) -> None:
    said, _ = _call("register", str(write_subject(tmp_path)), "--system", "My program")
    assert said.startswith("my-program is registered: 1 revision, ")


@pytest.fixture
def runs(system: System) -> list[int]:
    """A valid, a failed and an invalid run."""
    batch = add_batch(system)
    made: tuple[dict[str, Any], ...] = (
        {"value": 1.0},
        {"status": "failed", "message": "exit code 3", "output_tail": "no space left"},
        {"value": 9.0, "invalid_reason": "noise"},
    )
    return [
        add_run(batch, Configuration.objects.get(name=f"c{number}"), **fields).pk
        for number, fields in enumerate(made)
    ]


@quickly
def test_runs_are_listed_with_their_ids(runs: list[int]) -> None:
    said, _ = _call("runs", "list", "Small")
    lines = said.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"{runs[0]}  batch")
    assert lines[0].endswith("1.0, c0, regular, repetition 1: ok, 1 s")
    assert lines[1].endswith("failed: exit code 3")
    assert lines[2].endswith("ok, 9 s, invalid: noise")
    said, _ = _call("runs", "list", "small", "--failed", "--json")
    assert json.loads(said)["run_ids"] == [runs[1]]


@quickly
def test_runs_are_shown_with_what_they_printed(runs: list[int]) -> None:
    said, _ = _call("runs", "show", "small", "--failed")
    assert "no space left" in said


@quickly
def test_runs_are_marked_invalid_and_restored(runs: list[int]) -> None:
    """By id or by what they are of; the operator's name stands in the trace."""
    said, _ = _call("runs", "invalidate", "small", "--configuration", "default", "--reason", "backup")
    assert said == "1 of 1 runs marked invalid\n"
    said, _ = _call("runs", "invalidate", "small", "--run", *map(str, runs), "--reason", "backup")
    assert said == "2 of 3 runs marked invalid\n"
    said, _ = _call("runs", "restore", "small", "--revision", "1.0")
    assert said == "3 of 3 runs restored\n"
    assert AuditEntry.objects.filter(actor="operator").count() == 3


@quickly
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["invalidate", "small", "--reason", "noise"], "say which runs"),
        (["restore", "small"], "say which runs"),
        (["invalidate", "small", "--failed", "--reason", " "], "say why"),
        (["invalidate", "small", "--run", "999999", "--reason", "noise"], "no such run 999999"),
        (["list", "small", "--configuration", "Z=on"], "has no configuration"),
        (["list", "huge"], "there is no system 'huge'"),
    ],
)
def test_what_cannot_be_marked_ends_with_2(runs: list[int], arguments: list[str], told: str) -> None:
    code, message = _refused("runs", *arguments)
    assert code == 2
    assert told in message
    assert Run.objects.exclude(invalid_reason="").count() == 1


@slowly
def test_delete_tells_what_goes_and_deletes(runs: list[int], sent: list[int]) -> None:
    said, progress = _call("delete", "Small", "--yes")
    assert said == "small is deleted\n"
    assert "3  runs" in progress
    assert not System.objects.exists()


@quickly
@pytest.mark.parametrize("typed", ["yes", None])
def test_delete_asks_and_takes_no_for_an_answer(
    system: System, monkeypatch: pytest.MonkeyPatch, typed: str | None
) -> None:
    """Another word, or nobody at the keyboard."""

    def answer(_prompt: str) -> str:
        if typed is None:
            raise EOFError
        return typed

    monkeypatch.setattr("builtins.input", answer)
    code, message = _refused("delete", "small")
    assert code == 2
    assert ("type small" in message) or ("--yes" in message)
    assert System.objects.get().visible


@quickly
def test_a_system_with_an_active_job_is_not_deleted(system: System) -> None:
    Job.objects.create(kind="measure", title="Measure", system=system)
    code, message = _refused("delete", "small", "--yes")
    assert code == 2
    assert "is active" in message


@quickly
def test_a_list_without_runs_says_so(system: System) -> None:
    said, told = _call("runs", "list", "small")
    assert (said, told) == ("", "there are no runs\n")
    said, told = _call("runs", "list", "small", "--failed")
    assert (said, told) == ("", "no run fits\n")

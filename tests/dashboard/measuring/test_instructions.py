"""Instructions of a command: one counted run of each revision, whose functions tell where a change lies."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import CountedRun, Job, Measurement, Run, Series, System
from dashboard.selectors.histories.counted import measured_pair, moved_between
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.measuring.status import subject_of
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import register_subject, runner_state
from runner import instructions
from runner.errors import CountingImpossible

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]

TOML = """
name = "Shell"
[revisions]
source = "folder"
path = "program"
[options.big]
levels = [false, true]
arguments = { on = ["--big"], off = [] }
[entry]
command = ["sh", "{source}/work.sh", "{options}"]
"""
# As callgrind is called; what it writes lies beside the program, which it runs.
VALGRIND = """#!/bin/sh
for word in "$@"; do
  case $word in --callgrind-out-file=*) file=${word#*=} ;; esac
done
shift 5
cp "$(dirname "$2")/profile" "$(echo "$file" | sed "s/%p/$$/")"
exec "$@"
"""
COUNTS = """version: 1
positions: line
events: Ir
ob=prog
fl=prog.c
fn=main
1 100
fn=encode
5 {encode}
totals: {total}
"""


def write_program(folder: Path, encode: int) -> Path:
    """A revision whose function `encode` takes so many instructions, and the subject around it."""
    (folder / "program").mkdir(parents=True, exist_ok=True)
    (folder / "subject.toml").write_text(TOML, encoding="utf-8")
    (folder / "program" / "work.sh").write_text("true\n", encoding="utf-8")
    (folder / "program" / "prog.c").write_text("int main;\n", encoding="utf-8")
    text = COUNTS.format(encode=encode, total=100 + encode)
    (folder / "program" / "profile").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def shell(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The slug of a command whose counts are written in its source; valgrind is a script, perf is absent."""
    tools = runner_state().folder("tools")
    (tools / "valgrind").write_text(VALGRIND, encoding="utf-8")
    (tools / "valgrind").chmod(0o755)
    monkeypatch.setattr(instructions, "SEARCH_PATH", str(tools))
    return register_subject(principal=operator, folder=write_program(tmp_path / "shell", 900))


def measured(slug: str, **asked: object) -> Job:
    request = MeasuringRequest.model_validate({"repetitions": 1, **asked})
    access = access_to(Principal.operator(), slug)
    job_id = start_measuring(access=access, request=request, look_again=True)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    return Job.objects.get(pk=job_id)


def test_one_run_of_each_revision_is_counted_and_its_change_names_the_function(
    shell: str, tmp_path: Path, operator: Principal
) -> None:
    """No run is timed, and equal counts mean that nothing changed."""
    for encode in (900, 900, 1000):
        folder = write_program(tmp_path / "shell", encode)
        (folder / "program" / "notes").write_text(f"{Run.objects.count()}\n", encoding="utf-8")
        register_subject(principal=operator, folder=folder)
        job = measured(shell, metric="instructions", repetitions=5)
        assert job.title.startswith("Count Shell: 1 configuration × 1 revision × 1 repetition")
    values = Measurement.objects.order_by("pk").values_list("metric__quantity", "metric__unit", "value")
    assert list(values) == [("instructions", "instructions", value) for value in (1000.0, 1000.0, 1100.0)]
    assert Run.objects.count() == CountedRun.objects.count() == 3
    system, series = System.objects.get(slug=shell), Series.objects.get()
    history = get_history(system=system, series_id=series.pk)
    (change,) = history.changes
    assert (change.is_exact, change.size, change.certainty) == (True, 100.0, 1.0)
    pair = measured_pair(history, change)
    assert moved_between(system, history.series, [pair]) == {pair: (("prog.c:encode", 100.0),)}


def test_a_command_is_counted_beside_its_timed_runs_only_where_that_is_asked_for(shell: str) -> None:
    """Callgrind takes many times as long: a subject or a person has to want it."""
    subject = subject_of(access=access_to(Principal.operator(), shell))
    assert subject is not None
    assert (subject.can_count, subject.counts) == (True, False)
    measured(shell)
    assert not CountedRun.objects.exists()
    measured(shell, counts=True, repetitions=2)
    assert CountedRun.objects.count() == 1
    assert Measurement.objects.filter(metric__quantity="instructions").count() == 1
    assert Measurement.objects.filter(metric__clock="wall").count() == 3


def test_counts_that_cannot_be_read_are_a_failed_run(shell: str, tmp_path: Path, operator: Principal) -> None:
    (tmp_path / "shell" / "program" / "profile").write_text("version: 1\n", encoding="utf-8")
    register_subject(principal=operator, folder=tmp_path / "shell")
    measured(shell, metric="instructions")
    (run,) = Run.objects.all()
    assert run.status == "failed"
    assert run.message.startswith("left counts of callgrind that cannot be read: it is cut short")
    assert not Measurement.objects.exists()


def test_what_cannot_be_counted_here_is_refused_before_anything_runs(
    shell: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(instructions, "SEARCH_PATH", str(tmp_path))
    with pytest.raises(CountingImpossible, match="perf is not installed; valgrind is not installed: install"):
        measured(shell, metric="instructions")
    with pytest.raises(RequestInvalid, match="work is not counted of Shell: write instructions"):
        measured(shell, metric="work")
    assert not Job.objects.exists()

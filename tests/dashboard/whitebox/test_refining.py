"""Analyses hold counts against partitions: what taints missed is found and added; a killed one goes on."""

import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from analytics.whitebox.result import WhiteBoxResult
from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import CountedRun, Job, WhiteBoxAnalysis
from dashboard.selectors.counts import counted_runs
from dashboard.services.jobs import machine_lock
from dashboard.services.jobs.reaping import reap
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.subjects import register_subject
from dashboard.services.whitebox.analyzing import AnalyzingRequest, start_analyzing
from tests.dashboard.jobs.processes import ROOT, environment, wait_until
from tests.dashboard.whitebox.figure_2 import TOML, write_figure_2

pytestmark = pytest.mark.usefixtures("machine", "sent", "transactional_db")

TWO_OPTIONS = TOML.replace("[options.B]\nlevels = [false, true]\n", "").replace(
    "[options.D]\nlevels = [false, true]\n[options.E]\nlevels = [false, true]\n", ""
)  # fmt: skip
# No taint goes through the names of files: that turn depends on C is seen in its counts only.
THROUGH_A_FILE = """
import os

def main(options, second):
    marker = "marker-on" if options["C"] else "marker-off"
    if os.path.exists("marker-on"):
        os.remove("marker-on")
    open(marker, "w").close()
    turn(options["A"])

def turn(a):
    n = 5
    if a:
        n = 12
    for name in os.listdir("."):
        if name == "marker-on":
            n += 2
    for _ in range(n):
        pass
"""


# What A has another process do is counted nowhere.
IN_ANOTHER_PROCESS = """
import subprocess
import sys

def main(options, second):
    if options["A"]:
        subprocess.run([sys.executable, "-c", "sum(range(2_000_000))"], check=True)
    turn(options["C"])

def turn(c):
    for _ in range(12 if c else 5):
        pass
"""


def analyzed(folder: Path, *arguments: str) -> tuple[WhiteBoxResult, str]:
    out = StringIO()
    call_command("analyze", str(folder), *arguments, stdout=out, stderr=StringIO())
    return WhiteBoxAnalysis.objects.get().result, out.getvalue()


def test_an_option_that_taints_miss_is_found_by_counts_and_added(tmp_path: Path, operator: Principal) -> None:
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=THROUGH_A_FILE)
    found, said = analyzed(folder)
    (formulas,) = found.partitions["tiny:turn"]
    assert set(formulas) == {"!A & !C", "!A & C", "A & !C", "A & C"}
    assert ("tiny:turn", "18:4", ("C",)) in found.statements
    missed = [one for one in found.missed_dependencies if one.region == "tiny:turn"]
    assert [(one.options, one.known) for one in missed] == [(("C",), ("A", "C"))]
    assert "tiny:turn depends on C too, as counts show: line" in said
    assert "nothing remains: every subspace was seen, and the counts agree" in said
    assert {tuple(run.levels.values()) for run in found.counted} == {
        (a, c) for a in ("off", "on") for c in ("off", "on")
    }
    analysis = WhiteBoxAnalysis.objects.get()
    counts = counted_runs(
        system=analysis.system, revision=analysis.revision.name, workload=analysis.workload.name
    )
    turns = [at for at, site in enumerate(counts.sites) if site[1] == 18]
    assert sorted(counts.counts[:, turns].ravel().tolist()) == [5, 7, 12, 14]


def test_the_published_algorithm_is_not_refined(tmp_path: Path) -> None:
    """It counts its traced runs all the same."""
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=THROUGH_A_FILE)
    found, _ = analyzed(folder, "--published")
    (formulas,) = found.partitions["tiny:turn"]
    assert set(formulas) == {"!A", "A"}
    assert (found.missed_dependencies, found.statements, found.counted) == ((), (), ())
    assert CountedRun.objects.count() == len(found.runs)
    # How long a traced run took says nothing of what counting costs.
    assert not CountedRun.objects.filter(cpu_seconds__isnull=False).exists()


def test_an_analysis_that_was_killed_goes_on_and_runs_nothing_twice(
    tmp_path: Path, operator: Principal
) -> None:
    """Kill -9 in the middle of a run: what was stored stays as it was, and no configuration comes twice."""
    program = THROUGH_A_FILE.replace("    turn(options", "    time.sleep(0.2)\n    turn(options")
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=f"import time\n{program}")
    slug = register_subject(principal=operator, folder=folder)
    job_id = start_analyzing(access=access_to(operator, slug), request=AnalyzingRequest())
    command = [sys.executable, "-m", "tests.dashboard.whitebox.analyzer", str(job_id)]
    process = subprocess.Popen([*command, str(machine_lock.lock_path())], cwd=ROOT, env=environment(
        PERFATLAS_VAR=str(machine_lock.lock_path().parent)
    ))  # fmt: skip
    wait_until(
        lambda: any(one.result.counted for one in WhiteBoxAnalysis.objects.all()),
        "one configuration is counted",
    )
    process.kill()
    process.wait()
    before = WhiteBoxAnalysis.objects.get().result
    assert reap() == 1
    assert run_job(job_id=job_id, kinds=KINDS) is JobOutcome.DONE
    found = WhiteBoxAnalysis.objects.get().result
    for runs, kept in ((found.runs, before.runs), (found.counted, before.counted)):
        assert runs[: len(kept)] == kept
        assert len({run.key for run in runs}) == len(runs)
    assert len(found.counted) > len(before.counted)
    assert Job.objects.get(pk=job_id).result["ended"] == "complete"
    assert [one.options for one in found.missed_dependencies] == [("C",)]


def test_an_analysis_by_counts_alone_traces_nothing_and_finds_what_taints_miss(
    tmp_path: Path, operator: Principal
) -> None:
    """Runs that count come first in any analysis; alone they tell what depends on what, not how an option gets there."""
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=THROUGH_A_FILE)
    found, said = analyzed(folder, "--counts-only")
    assert (found.runs, found.decisions, found.ended) == ((), (), "complete")
    assert {
        one.region: set(one.options) for one in found.missed_dependencies if one.options == ("C",)
    }.keys() >= {"tiny:turn"}
    assert {tuple(sorted(parts)) for parts in found.partitions["tiny:turn"]} == {("!A", "A"), ("!C", "C")}
    assert ": 4 configurations counted, 2 regions depend on options" in said
    assert "nothing reads" not in said


def test_counts_that_are_never_the_same_are_found_without_a_traced_run(
    tmp_path: Path, operator: Principal
) -> None:
    program = THROUGH_A_FILE.replace("    n = 5\n", "    n = int(__import__('time').time() * 1e6) % 1000\n")
    found, said = analyzed(
        write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=program), "--counts-only"
    )
    assert "tiny:turn" in found.nondeterministic_regions
    assert "counts differ from run to run, or under tracing, and prove nothing: tiny:turn" in said


def test_the_limit_in_minutes_is_wall_time_and_ends_a_run_that_would_pass_it(
    tmp_path: Path, operator: Principal
) -> None:
    """The first run is quick, the others would take two minutes each."""
    program = 'import time\n\ndef main(options, second):\n    if options["A"] or options["C"]:\n        time.sleep(120)\n'
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=program)
    begun = time.monotonic()
    found, _ = analyzed(folder, "--counts-only", "--minutes", "0.15")
    assert found.ended == "minutes"
    assert [run.status for run in found.counted] == ["ok"]
    # The time of one run of those, which would have been two minutes, is not spent.
    assert time.monotonic() - begun < 120


def test_an_analysis_is_saved_where_it_is_stopped_with_runs_that_were_not_saved_one_by_one(
    tmp_path: Path, operator: Principal
) -> None:
    """Counted runs are stored by themselves: what a killed worker had not joined to the result is taken up again."""
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=THROUGH_A_FILE)
    found, _ = analyzed(folder, "--counts-only")
    analysis, job = WhiteBoxAnalysis.objects.get(), Job.objects.get()
    analysis.result = found.model_copy(update={"counted": found.counted[:1], "ended": ""})
    analysis.save()
    version = analysis.data_version
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED)
    assert run_job(job_id=job.pk, kinds=KINDS) is JobOutcome.DONE
    analysis.refresh_from_db(fields=["data_version"])
    assert analysis.data_version > version
    again = WhiteBoxAnalysis.objects.get().result
    assert {run.key for run in again.counted} == {run.key for run in found.counted}
    assert [run.seconds for run in again.counted[1:]] == [None] * 3
    assert again.partitions == found.partitions


def test_time_in_other_processes_depends_on_the_option_that_starts_them(
    tmp_path: Path, operator: Principal
) -> None:
    """It is in the program region: with one subspace for all, a model would take for saved what was moved."""
    folder = write_figure_2(tmp_path / "figure", toml=TWO_OPTIONS, program=IN_ANOTHER_PROCESS)
    found, said = analyzed(folder, "--counts-only")
    assert found.partitions["program"] == (("!A", "A"),)
    assert "other processes work in 2 of 4 configurations" in said
    assert "of a run's processor time, where A is on; what runs there is not counted" in said

"""Tracking counts each version first: a change of counts is run side by side, and says its functions. The runs are made up."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Measurement, System
from dashboard.selectors.histories.history import main_history
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import run_executor
from dashboard.services.subjects import register_subject
from dashboard.services.tracking.loop import TrackingRequest, start_tracking
from runner.environments import Prepared
from runner.executions import Execution
from runner.plans import PlannedRun
from runner.processes import ProcessOutcome
from runner.results import ClockResult, Count, Counts, ProbeResult
from tests.dashboard.measuring.stepper import SUBJECT, commit_of, write_commits

# What is stored of runs and counts is tested on both engines elsewhere.
pytestmark = [pytest.mark.database, pytest.mark.once, pytest.mark.django_db(transaction=True)]

COMMITS = 9
ENDED = ProcessOutcome("ended", "", 0.1, 0.1, 0, None, "", 0, cleared=True)


@dataclass
class MadeUpRuns:
    """Runs take 1 s times the `level` of their commit, with 1 % of noise, and count what `counts` says of it."""

    level: Callable[[int], float]
    counts: Callable[[int], Mapping[str, int]]
    made: list[tuple[int, str]] = field(default_factory=list)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def execute(self, prepared: Prepared, run: PlannedRun, *, mode: str = "plain", **_: Any) -> Execution:
        """Make no run, and tell what it would have come to."""
        number = int(prepared.revision.message.removeprefix("c"))
        self.made.append((number, mode))
        seconds = self.level(number) * float(np.exp(self.rng.normal(0, 0.01)))
        regions: dict[str, tuple[Count, ...]] = {
            name: ((1, 0, "call", count),) for name, count in self.counts(number).items()
        }
        counts = Counts(version=1, regions=regions) if mode == "count" else None
        clocks = ClockResult(wall_seconds=seconds, cpu_seconds=seconds)
        result = ProbeResult(version=1, status="ok", interpreter={}, plain=clocks, counts=counts)
        began = datetime(2024, 1, 1, tzinfo=UTC)
        return Execution(run, "ok", "", "", ENDED, result, began, prepared.environment)


@pytest.fixture
def repository(machine: Path, sent: list[int], tmp_path: Path) -> Path:
    """The folder of a subject with regions and `COMMITS` commits: c0, c1, ..."""
    folder = tmp_path / "stepper"
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(
        SUBJECT.replace('name = "Stepper"', 'name = "Stepper"\nregions = ["stepper"]')
    )
    (folder / "entry.py").write_text("def run(options, workload):\n    return 0\n")
    write_commits(program, (("stepper.py", f"NUMBER = {number}\n") for number in range(COMMITS)))
    return folder


def tracked(
    folder: Path, runs: MadeUpRuns, monkeypatch: pytest.MonkeyPatch, **asked: object
) -> dict[str, Any]:
    """The result of a tracking; its coins are drawn with the noise, for chance alone may look like a change."""
    monkeypatch.setattr(run_executor, "execute", runs.execute)
    monkeypatch.setattr(secrets, "randbelow", lambda below: int(runs.rng.integers(below)))
    slug = register_subject(principal=Principal.operator(), folder=folder)
    request = TrackingRequest.model_validate(asked)
    job_id = start_tracking(access=access_to(Principal.operator(), slug), request=request)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    result: dict[str, Any] = Job.objects.get(pk=job_id).result
    return result


def test_a_change_of_counts_is_run_side_by_side_and_says_its_functions(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5 %: three runs of each hardly show it. Each version is counted once, both ends twice."""
    runs = MadeUpRuns(
        lambda number: 1.05 if number >= 6 else 1.0,
        lambda number: {"stepper:f": 1000, "stepper:g": 100 + 55 * (number >= 6)},
    )
    result = tracked(repository, runs, monkeypatch)
    (change,) = result["changes"]
    assert [change["before"], change["after"]] == [commit_of(repository, number) for number in (5, 6)]
    # Chance leaves one of twenty intervals of 95 % beside the truth: what is asked is far wider than the scatter of about 0.01.
    assert change["relative_size"] == pytest.approx(0.05, abs=0.045)
    assert change["relative_low"] < change["relative_size"] < change["relative_high"]
    assert change["counts"] == pytest.approx(0.05)
    assert "changed the time by +" in change["sentence"]
    assert change["sentence"].replace("\N{NO-BREAK SPACE}", " ").endswith("work +5.0 % (stepper:g +5.0 %)")
    assert "equal in every function at 7 of 8" in result["counted"].replace("\N{NO-BREAK SPACE}", " ")
    counted = [number for number, mode in runs.made if mode == "count"]
    assert sorted(counted) == sorted([*range(COMMITS), 0, COMMITS - 1])
    # More revisions were counted than measured, but a system tells its time.
    main = main_history(system=System.objects.get())
    assert main is not None
    assert main.series.clock in {"cpu", "wall"}


def test_counts_that_moved_while_the_time_did_not_say_so(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = MadeUpRuns(lambda _: 1.0, lambda number: {"stepper:f": 1000 + 100 * (number >= 3)})
    (change,) = tracked(repository, runs, monkeypatch)["changes"]
    assert change["error_probability"] is None
    assert "the time did not move where counts did; work +10.0" in change["sentence"]


def test_a_change_of_the_time_with_equal_counts_says_so(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = MadeUpRuns(lambda number: 1.2 if number >= 4 else 1.0, lambda _: {"stepper:f": 1000})
    (change,) = tracked(repository, runs, monkeypatch)["changes"]
    assert change["relative_size"] == pytest.approx(0.2, abs=0.03)
    assert (
        "work equal in every function: memory, cache, code layout, libraries or the machine"
        in change["sentence"]
    )


def test_counts_that_differ_from_run_to_run_are_not_believed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No further version is counted, and the times are tracked as without."""
    drawn = np.random.default_rng(1)
    runs = MadeUpRuns(
        lambda number: 1.2 if number >= 4 else 1.0, lambda _: {"stepper:f": int(drawn.integers(1, 10**6))}
    )
    result = tracked(repository, runs, monkeypatch)
    assert result["counted"].startswith("work differ from run to run in most of what is counted (stepper:f)")
    assert len([mode for _, mode in runs.made if mode == "count"]) <= 4
    (change,) = result["changes"]
    assert change["counts"] is None


def test_without_counts_nothing_is_counted(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = MadeUpRuns(lambda _: 1.0, lambda _: {"stepper:f": 1000})
    result = tracked(repository, runs, monkeypatch, counts=False)
    assert "counted" not in result
    assert {mode for _, mode in runs.made} == {"plain"}
    assert not Measurement.objects.filter(metric__clock="count").exists()

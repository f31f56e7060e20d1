"""Repetitions as needed: cells that need no more drop out of later blocks, and what was saved is told."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from dashboard.access import Principal, access_to
from dashboard.figures.repetitions_words import saved
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Run
from dashboard.pages.measure.grid import _head
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.selectors.measuring.grid import plan_grid
from dashboard.services.jobs.context import JobContext, StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import machine_watch, run_executor, start_measuring
from dashboard.services.measuring.blocks import together
from dashboard.services.measuring.plans import preview_measuring
from dashboard.services.measuring.run_executor import RunExecutor
from runner import executions
from runner.environments import Unprepared
from runner.executions import Execution
from runner.plans import PlannedRun
from runner.results import ClockResult

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]

# Seconds by repetition: quiet to 0.1 %, off by a third and then by more, and wild in the end.
QUIET, NOISY, WILD = (1.0, 1.001, 0.999, 1.0, 1.0), (1.0, 1.3, 0.7, 1.9, 0.6), (1.0, 1.3, 0.7, 3.0, 0.3)

# Two configurations that run, and one that fails and is given up.
THREE = ("default", "fast=on", "mode=broken")


@pytest.fixture
def taking(monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[float, ...], tuple[float, ...]], None]:
    """Let runs of the default configuration, and all others, take so many seconds at each repetition."""
    really = executions.execute
    # A machine that nothing disturbs.
    still = ClockResult(wall_seconds=0.1, cpu_seconds=0.1)
    monkeypatch.setattr(machine_watch, "reference_time", lambda **_: still)

    def let(default: tuple[float, ...], others: tuple[float, ...]) -> None:
        def execute(prepared: Any, run: PlannedRun, **asked: Any) -> Execution:
            made = really(prepared, run, **asked)
            if made.result.plain is None:
                return made
            times = default if run.configuration.texts["fast"] == "off" else others
            plain = made.result.plain.model_copy(update={"cpu_seconds": times[run.repetition - 1]})
            return replace(made, result=made.result.model_copy(update={"plain": plain}))

        monkeypatch.setattr(run_executor, "execute", execute)

    return let


def _start(slug: str, *configurations: str, half_width: float = 0.02) -> int:
    request = MeasuringRequest(
        configurations=configurations,
        repetitions=(3, 5),
        half_width=half_width,
        workload="small",
        profile=False,
    )
    return start_measuring(access=access_to(Principal.operator(), slug), request=request)


def _run(job_id: int, stop: StopRequest | None = None) -> JobOutcome:
    return run_job(job_id=job_id, kinds=KINDS, stop=stop or StopRequest())


def _made() -> dict[str, int]:
    """How many runs there are of each, but for those that failed."""
    return Counter(
        run.configuration.assignments.get("fast", "off") for run in Run.objects.filter(status="ok")
    )


def _finding(slug: str, job_id: int) -> str:
    return _head(plan_grid(access=access_to(Principal.operator(), slug), job_id=job_id))[0].replace(
        "\xa0", " "
    )


def test_quiet_cells_are_run_three_times_and_the_screen_says_what_was_saved(tiny: str, taking: Any) -> None:
    taking(QUIET, QUIET)
    job_id = _start(tiny, "default", "fast=on")
    assert Job.objects.get().title == "Measure Tiny: 2 configurations × 1 revision × 3 to 5 repetitions"
    assert _run(job_id) is JobOutcome.DONE
    assert _made() == {"off": 3, "on": 3}
    job = Job.objects.get(pk=job_id)
    assert job.result["repeating"] == {"most": 10, "wide": 0, "half_width": 0.02}
    said = "6 of 10 runs, 40 % saved; every cell is within ±2 %"
    assert job.message.replace("\xa0", " ") == f"{said}; none failed"
    assert _finding(tiny, job_id) == f"2 configurations measured at 1 revision: {said}"


# Which cells are run again, each run a process; how both databases keep them is asked by the other tests here.
@pytest.mark.once
def test_only_cells_that_scatter_are_run_to_the_end(tiny: str, taking: Any) -> None:
    """The quiet one learns of the noise of its sibling; within 66 % it needs no more runs nevertheless.

    The third one fails: two alone would be compared, and go on together.
    """
    taking(QUIET, NOISY)
    job_id = _start(tiny, *THREE, half_width=0.66)
    assert _run(job_id) is JobOutcome.DONE
    assert _made() == {"off": 3, "on": 5}
    assert Job.objects.get(pk=job_id).result["repeating"]["wide"] == 1
    assert _finding(tiny, job_id).endswith(
        "11 of 15 runs; 1 cell gave no time; 1 cell is still wider than ±66 %"
    )


# Likewise.
@pytest.mark.once
def test_two_that_are_compared_go_on_together(tiny: str, taking: Any) -> None:
    """The quiet one would need three runs; then the last ones of the noisy one would come one after the other."""
    taking(QUIET, NOISY)
    assert _run(_start(tiny, "default", "fast=on", half_width=0.66)) is JobOutcome.DONE
    runs = Run.objects.order_by("pk").values_list("repetition", "configuration_id")
    places: dict[int, set[int]] = {}
    for at, (repetition, configuration) in enumerate(runs):
        assert repetition == at // 2 + 1
        places.setdefault(repetition, set()).add(configuration)
    assert len(places) > 3
    assert {len(sides) for sides in places.values()} == {2}


def test_two_revisions_of_each_configuration_go_on_together() -> None:
    """Not those of another configuration, nor one that was given up; three revisions are no comparison of two."""
    cells = [(revision, name) for revision in ("old", "new") for name in ("a", "b", "broken")]
    widths = np.array([0.1, 0.1, 0.1, 0.1, 0.1, np.nan])
    to_go = np.array([0, 2, 1, 4, 0, 0])
    assert together(cells, to_go, widths).tolist() == [4, 2, 1, 4, 2, 0]
    assert together([*cells, ("third", "a")], np.append(to_go, 0), np.append(widths, 0.1)).tolist() == [
        *to_go,
        0,
    ]


# Likewise.
@pytest.mark.once
def test_a_cell_comes_back_where_its_sibling_shows_more_noise(tiny: str, taking: Any) -> None:
    """It dropped out of the fourth block, and is run again in the fifth."""
    taking(QUIET, WILD)
    assert _run(_start(tiny, *THREE, half_width=0.66)) is JobOutcome.DONE
    rows = Run.objects.filter(configuration__assignments={}).order_by("pk")
    assert list(rows.values_list("repetition", flat=True)) == [1, 2, 3, 5]


# Likewise.
@pytest.mark.once
def test_a_configuration_that_fails_is_given_up_after_three_runs(tiny: str, taking: Any) -> None:
    taking(QUIET, QUIET)
    job_id = _start(tiny, "default", "mode=broken")
    assert _run(job_id) is JobOutcome.DONE
    assert Counter(Run.objects.values_list("status", flat=True)) == {"ok": 3, "failed": 3}
    job = Job.objects.get(pk=job_id)
    assert job.result["repeating"]["wide"] == 0
    said = "6 of 10 runs; 1 cell gave no time; every other cell is within ±2 %"
    assert job.message.replace("\xa0", " ") == f"{said}; 3 of them failed"
    assert _finding(tiny, job_id) == f"1 cell measured, 1 failed: {said}"


# Likewise.
@pytest.mark.once
def test_where_every_run_failed_nothing_is_called_saved_or_within_its_width(tiny: str, taking: Any) -> None:
    taking(QUIET, QUIET)
    job_id = _start(tiny, "mode=broken")
    assert _run(job_id) is JobOutcome.DONE
    said = "3 of 5 runs; no cell gave a time"
    assert Job.objects.get(pk=job_id).message.replace("\xa0", " ") == f"{said}; 3 of them failed"
    assert _finding(tiny, job_id) == f"0 cells measured, 1 failed: {said}"


def test_an_interrupted_job_makes_no_run_twice_and_drops_the_same_cells(
    tiny: str, taking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is interrupted within the fourth block, after its only run."""
    taking(QUIET, NOISY)
    job_id, stop = _start(tiny, *THREE, half_width=0.66), StopRequest()
    really = RunExecutor.make

    def make(self: RunExecutor, run: PlannedRun, *, profile: bool) -> Execution | Unprepared:
        if run.repetition == 4:
            stop.request()
        return really(self, run, profile=profile)

    with monkeypatch.context() as patch:
        patch.setattr(RunExecutor, "make", make)
        assert _run(job_id, stop) is JobOutcome.INTERRUPTED
    assert _run(job_id) is JobOutcome.DONE
    assert _made() == {"off": 3, "on": 5}
    assert len(set(Run.objects.values_list("configuration_id", "repetition"))) == Run.objects.count() == 11


def test_the_preview_says_how_many_runs_there_may_be_and_are_expected(tiny: str, taking: Any) -> None:
    """Before the first runs nothing is expected; later, as often as earlier cells would need."""
    access = access_to(Principal.operator(), tiny)
    request = MeasuringRequest(configurations=("default", "fast=on"), repetitions=(3, 10), workload="small")
    first = preview_measuring(access=access, request=request)
    assert (first.least, first.runs, first.expected) == (3, 20, None)
    taking(QUIET, QUIET)
    _run(_start(tiny, "default", "fast=on"))
    later = preview_measuring(access=access, request=request)
    assert (later.runs, later.expected) == (20, 6)
    fixed = preview_measuring(access=access, request=request.model_copy(update={"repetitions": 10}))
    assert first.seconds is None
    assert fixed.seconds is not None
    assert later.seconds == pytest.approx(fixed.seconds * 6 / 20)


# Likewise.
@pytest.mark.once
def test_progress_goes_by_the_runs_that_are_expected_and_never_back(
    tiny: str, taking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float] = []
    report = JobContext.progress

    def progress(context: Any, share: float, message: str | None = None) -> None:
        shares.append(share)
        report(context, share, message)

    monkeypatch.setattr(JobContext, "progress", progress)
    taking(QUIET, NOISY)
    _run(_start(tiny, *THREE, half_width=0.66))
    assert shares == sorted(shares)
    # The last of eleven runs.
    assert shares[-2] == pytest.approx(10 / 11)


def test_the_command_asks_and_tells_in_the_same_words(tiny: str, taking: Any) -> None:
    taking(QUIET, QUIET)
    said = StringIO()
    arguments = ("--repetitions", "3..5", "--half-width", "1%", "--workload", "small", "--no-profile")
    call_command("measure", tiny, *arguments, stdout=said, stderr=StringIO())
    assert said.getvalue().endswith("done: 3 of 5 runs, 40 % saved; every cell is within ±1 %; none failed\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--repetitions", "3..many"], "write 5, or 3..10 for as needed"),
        (["--half-width", "narrow"], "write a number such as 2"),
    ],
)
def test_what_is_no_number_is_told_with_what_to_write(tiny: str, arguments: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("measure", tiny, *arguments)


def test_a_request_of_an_earlier_version_is_a_fixed_number(tiny: str) -> None:
    old = MeasuringRequest.model_validate({"repetitions": 7, "workload": "regular"})
    assert (old.rule, old.most) == (None, 7)
    stored = MeasuringRequest(repetitions=(3, 8)).as_parameters()
    assert stored["repetitions"] == [3, 8]
    again = MeasuringRequest.model_validate(stored)
    assert again.rule is not None
    assert (again.rule.least, again.rule.most) == (3, 8)


def test_runs_that_were_made_again_are_no_saving() -> None:
    """Not "13 of 10 runs, 0 % saved": 3 of them were set aside and measured again."""
    told = saved(13, 10, 1, 0.02).replace("\N{NO-BREAK SPACE}", " ")
    assert told == "13 runs, 3 more than planned; 1 cell is still wider than ±2 %"

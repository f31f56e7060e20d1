"""How long an analysis may take and still takes, by a clock that a run moves by what such a run takes."""

from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import WhiteBoxAnalysis
from dashboard.services.jobs.context import JobContext
from dashboard.services.whitebox import analysis_loop, analysis_runs
from runner.executions import Execution, execute
from tests.dashboard.whitebox.figure_2 import write_figure_2

# Once: the loop is looked at, its rows are those of other tests.
pytestmark = [pytest.mark.usefixtures("machine", "sent", "transactional_db"), pytest.mark.once]


@dataclass
class SlowRuns:
    """A clock, and what was told at which time: (seconds so far, seconds left)."""

    now: float = 1000.0
    told: list[tuple[float, float | None]] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SlowRuns:
    """Counted runs take 3 seconds, traced ones 60; what is done besides takes no time."""
    made, progress = SlowRuns(), JobContext.progress

    def slow(*given: Any, **named: Any) -> Execution:
        made.now += 60 if named["mode"] == "taint" else 3
        return execute(*given, **named)

    def heard(context: JobContext, *given: Any, **named: Any) -> None:
        made.told.append((made.now - 1000, named.get("seconds_left")))
        progress(context, *given, **named)

    monkeypatch.setattr(analysis_loop, "time", made)
    monkeypatch.setattr(analysis_runs, "time", made)
    monkeypatch.setattr(analysis_runs, "execute", slow)
    monkeypatch.setattr(JobContext, "progress", heard)
    return made


def analyzed(folder: Path, *words: str) -> WhiteBoxResult:
    call_command("analyze", str(write_figure_2(folder)), *words, stdout=StringIO(), stderr=StringIO())
    found: WhiteBoxResult = WhiteBoxAnalysis.objects.get().result
    return found


def test_the_time_left_is_right_within_a_factor_of_two_once_it_is_known_what_tracing_takes(
    tmp_path: Path, clock: SlowRuns
) -> None:
    """That is once the first configuration was traced, ahead of all others, and each option moved; to the end."""
    found = analyzed(tmp_path / "figure")
    assert found.ended == "complete"
    end = clock.now - 1000
    assert [at for at, _ in clock.told[:3]] == [0, 3, 63]
    told = [(end - at, left) for at, left in clock.told[2 * 6 + 1 :] if at < end]
    assert len(told) > 10
    assert all(left is not None and 0.5 <= left / true <= 2 for true, left in told)


@pytest.mark.parametrize("minutes", [0.5, 2.5])
def test_an_analysis_takes_no_longer_than_its_minutes_by_more_than_a_tenth(
    tmp_path: Path, clock: SlowRuns, minutes: float
) -> None:
    """It ends where the next run would be over later than that."""
    found = analyzed(tmp_path / "figure", "--minutes", str(minutes))
    seconds = clock.now - 1000
    assert found.ended == "minutes"
    assert seconds <= 1.1 * 60 * minutes
    assert seconds + 60 >= 0.9 * 60 * minutes
    assert all(left is None or left <= 60 * minutes for _, left in clock.told)

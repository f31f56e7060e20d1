"""`manage.py track` and `manage.py bisect` on a real git repository."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from dashboard.access import Principal, access_to
from dashboard.management.measuring_command import duration
from dashboard.models import Batch, Job, Measurement, Revision, Run
from dashboard.selectors.histories.next_revisions import propose, tracking_logs
from dashboard.selectors.histories.series import find_series
from tests.dashboard.measuring.stepper import (
    BROKEN,
    BUILT,
    COMMITS,
    DOCUMENTS,
    SHORT_TURNS,
    STEP,
    commit_of,
    hold_times_steady,
    write_stepper,
)
from tests.runner.throwaway import git

# Once are those that differ from the others in what is built and measured, not in what is asked of the database:
# how equal builds are joined there is tested on both.
pytestmark = [pytest.mark.once, pytest.mark.usefixtures("machine", "sent")]


def steady(monkeypatch: pytest.MonkeyPatch, folder: Path, install: str = "") -> Path:
    """Write Stepper with a short program that runs in earnest; its times are drawn, with 1 % of noise."""
    write_stepper(folder, install, SHORT_TURNS)
    hold_times_steady(monkeypatch, folder)
    return folder


@pytest.fixture
def stepper(transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the subject Stepper."""
    return steady(monkeypatch, tmp_path / "stepper")


@pytest.fixture
def real_stepper(transactional_db: None, tmp_path: Path) -> Path:
    """The same with the times that its program takes."""
    return write_stepper(tmp_path / "stepper")


def ended(*arguments: str) -> dict[str, Any]:
    """What a command that runs a job to its end prints as JSON."""
    out = StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


# The choice of commits, of runs in processes; tracking below and searching in test_killed are asked of both databases.
def test_the_commit_that_slowed_the_program_is_found_with_a_stated_error(real_stepper: Path) -> None:
    """The checkout is only read; commits with the same code share their runs, and documents are never run."""
    (real_stepper / "program" / "stepper.py").write_text("not committed\n")
    result = ended("bisect", str(real_stepper), "--error", "0.01")["result"]
    assert result["suspects"] == [commit_of(real_stepper, STEP)]
    assert result["error_probability"] <= 0.01
    assert result["relative_low"] > 0.5
    assert f"c{STEP} changed the time by +" in result["sentence"]
    measured = set(Run.objects.values_list("revision__name", flat=True))
    assert not measured & {commit_of(real_stepper, number) for number in DOCUMENTS}
    # Every run was drawn by lot.
    lots = Job.objects.get(kind="bisect").checkpoint["lots"]
    assert [run for run, _ in lots] == list(
        Run.objects.order_by("pk").values_list("revision__name", flat=True)
    )
    assert (real_stepper / "program" / "stepper.py").read_text() == "not committed\n"
    assert git(real_stepper / "program", "worktree", "list").count("\n") == 1


def test_what_was_measured_at_another_time_does_not_mislead_the_search(stepper: Path) -> None:
    """The machine may have been slower then: here by thirty times at the middle revision."""
    ended("track", str(stepper), "--repetitions", "1", "--most", "3")
    middle = Batch.objects.get(format="track").manifest["trail"][2]["revision"]
    earlier = Measurement.objects.filter(run__revision__name=middle, metric__clock="cpu")
    assert earlier.update(value=F("value") * 30) == 1
    result = ended("bisect", "Stepper", "--error", "0.1")["result"]
    assert result["suspects"] == [commit_of(stepper, STEP)]


def test_tracking_measures_what_tells_most_and_notes_why(stepper: Path) -> None:
    """Both ends and the middle first; a broken commit is a gap with its reason; the step ends between neighbours."""
    result = ended("track", str(stepper), "--repetitions", "2", "--budget", "30min")["result"]
    trail = Batch.objects.get(format="track").manifest["trail"]
    names = {commit_of(stepper, number): number for number in range(COMMITS)}
    order = [names[step["revision"]] for step in trail]
    assert order[:2] == [0, COMMITS - 1]
    assert all("to begin with" in step["reason"] for step in trail[:3])
    assert any("hide a step of +" in step["reason"] for step in trail)
    assert {STEP - 1, STEP} <= set(order)
    checks = {names[step["revision"]] for step in trail if "check of the noise" in step["reason"]}
    assert set(order) & set(DOCUMENTS) <= checks
    assert result["noise"] > 0
    operator = Principal.operator()
    series = find_series(system=access_to(operator, "stepper").system)
    ((shown, _),) = tracking_logs(system=access_to(operator, "stepper").system, series_id=series.series_id)
    assert (len(shown.trail), shown.stopped) == (len(trail), result["stopped"])
    failed = [names[step["revision"]] for step in trail if step["outcome"] != "measured"]
    assert failed in ([], [BROKEN])
    assert result["outcomes"]["measured"] == len(set(order)) - len(failed) < len(order)
    assert Revision.objects.exclude(content="").count() == COMMITS
    # What it states rests on runs that were drawn by lot, after those that were chosen.
    noted = Job.objects.get(kind="track").checkpoint
    made = list(Run.objects.filter(kind="plain").order_by("pk").values_list("revision__name", flat=True))
    assert [run for run, _ in noted["lots"]] == made[noted["chosen_runs"] :] != []
    (change,) = result["changes"]
    assert [names[change[end]] for end in ("before", "after")] == [STEP - 1, STEP]
    assert change["error_probability"] <= 0.05
    assert change["relative_low"] > 0.5
    assert f"c{STEP} changed the time by +" in change["sentence"]
    assert [one.sentence for one in shown.changes] == [change["sentence"]]


@pytest.fixture
def built(transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of Stepper with a build of which the result is named."""
    return steady(monkeypatch, tmp_path / "stepper", BUILT)


def test_a_build_that_made_a_known_program_is_not_measured_again(built: Path) -> None:
    """Two programs in twelve commits: each is run, and as a check of the noise; the page knows whose point is whose."""
    ended("track", str(built), "--repetitions", "1", "--budget", "5min")
    trail = Batch.objects.get(format="track").manifest["trail"]
    ran = [step for step in trail if step["outcome"] == "measured"]
    assert len([step for step in ran if "check of the noise" not in step["reason"]]) == 2
    assert "same build" in {step["outcome"] for step in trail}
    contents = dict(Revision.objects.values_list("name", "content"))
    assert (
        contents[commit_of(built, STEP - 1)]
        == contents[commit_of(built, 0)]
        != contents[commit_of(built, STEP)]
    )
    before = dict(contents)
    ended("bisect", "Stepper", "--error", "0.1")
    assert dict(Revision.objects.values_list("name", "content")) == before


def test_a_search_runs_each_program_that_was_built_once_or_more_and_builds_the_rest(built: Path) -> None:
    result = ended("bisect", str(built), "--error", "0.1")["result"]
    assert result["suspects"] == [commit_of(built, STEP)]
    ran = set(Run.objects.filter(status=Run.Status.OK).values_list("revision__name", flat=True))
    assert ran == {commit_of(built, 0), commit_of(built, COMMITS - 1)}


def test_a_budget_ends_the_tracking_and_what_was_measured_counts_the_next_time(stepper: Path) -> None:
    """`--most 2` stops after two; the second job begins where the first one ended."""
    first = ended("track", str(stepper), "--repetitions", "1", "--most", "2")["result"]
    assert first["outcomes"] == {"measured": 2}
    assert "as were asked for" in first["stopped"]
    (change,) = first["changes"]
    assert change["sentence"].startswith("open: a change between ")
    assert change["error_probability"] is None
    ended("track", "Stepper", "--repetitions", "1", "--most", "1")
    trail = Batch.objects.filter(format="track").order_by("-pk")[0].manifest["trail"]
    assert len(trail) == 1
    assert "middle" in trail[0]["reason"]


# Likewise.
def test_tracking_measures_what_measure_next_proposes_for_the_same_gain(stepper: Path) -> None:
    """Both ends, the middle and a check of the noise are measured; the next choice is told beforehand."""
    for most in ("3", "1"):
        ended("track", str(stepper), "--repetitions", "2", "--most", most)
    operator = Principal.operator()
    series = find_series(system=access_to(operator, "stepper").system)
    best = propose(system=access_to(operator, "stepper").system, series_id=series.series_id).rows[0]
    ended("track", str(stepper), "--repetitions", "2", "--most", "1")
    (step,) = Batch.objects.filter(format="track").latest("pk").manifest["trail"]
    assert step["revision"] == best.place.name
    assert step["gain"] == pytest.approx(best.gain, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bisect", "--from", "nowhere"), "'nowhere' is no revision"),
        (("bisect", "--error", "2"), "no probability"),
        (("track", "--configuration", "all"), "2 configurations"),
        (("track", "--configuration", "slow=on"), "no option 'slow'"),
        (("track", "--stop-at", "soon"), "no way to stop"),
        (("track", "--most", "0"), "1 or more"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_anything_runs(
    stepper: Path, arguments: tuple[str, ...], words: str
) -> None:
    """Exit code 2, no job."""
    verb, *rest = arguments
    with pytest.raises(CommandError, match=words) as caught:
        call_command(verb, str(stepper), *rest, stdout=StringIO(), stderr=StringIO())
    assert caught.value.returncode == 2
    assert not Job.objects.exists()


def test_a_range_without_a_change_of_code_is_refused(stepper: Path) -> None:
    """Between a commit and the one that only touches a document there is nothing to search."""
    before, after = (commit_of(stepper, number) for number in (DOCUMENTS[0] - 1, DOCUMENTS[0]))
    with pytest.raises(CommandError, match="no file that matters changes"):
        call_command("bisect", str(stepper), "--from", before, "--to", after, stderr=StringIO())


def test_times_are_read_as_people_write_them() -> None:
    """Seconds, minutes, hours and days; nothing else."""
    assert [duration(text) for text in ("90s", "1.5h", "2 min", "1d")] == [90, 5400, 120, 86_400]
    for text in ("", "5", "0s", "-1h", "soon"):
        with pytest.raises(Exception, match="no time"):
            duration(text)

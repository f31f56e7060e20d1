"""`measure --aa`: one revision is measured against itself, and how often identical runs differ is kept and shown."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dashboard.access import Principal, access_to
from dashboard.models import (
    Batch,
    Environment,
    Job,
    Measurement,
    Metric,
    Run,
    System,
)
from dashboard.pages.false_alarms import alarms_card
from dashboard.selectors.batch_manifests import against_itself
from dashboard.selectors.measuring.false_alarms import measured_against_itself
from dashboard.services.measuring.job import paired_times
from tests.dashboard.measuring.stored import add_batch

pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db(transaction=True)]


def _measure(*arguments: str) -> str:
    said = StringIO()
    call_command("measure", "tiny", "--aa", "--workload", "small", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue()


def _card(system: System) -> str:
    return str(alarms_card(access_to(Principal.operator(), system.slug))).replace(r"\xa0", " ")


def test_identical_runs_are_made_compared_and_told_on_the_overview(tiny: str, machine: Path) -> None:
    """Two comparisons of three runs of each side are twelve runs; neither profiles nor counts are made."""
    system = access_to(Principal.operator(), tiny).system
    assert "Nobody measured yet how often two identical sets of runs differ" in _card(system)
    told = json.loads(_measure("--repetitions", "3", "--comparisons", "2", "--json"))["result"]
    assert (told["runs"]["ok"], told["comparisons"], told["runs_of_each"]) == (12, 2, 3)
    assert {run.kind for run in Run.objects.all()} == {"plain"}
    most = {0: "78", 1: "97", 2: "100"}[told["differing"]]
    shown = _card(system)
    said = f"wo identical sets of 3 runs differed in {told['differing']} of 2 comparisons: at most {most} %"
    assert said in shown
    assert "200 runs, for how long is not known before the first runs" in shown
    assert "measure it again" not in shown
    batch = against_itself(system)
    assert batch is not None
    batch.manifest["comparison_version"] = "1"
    batch.save()
    other = Environment.objects.create(digest="other", name="another machine")
    newer = Run.objects.latest("pk")
    newer.pk, newer.environment, newer.batch = None, other, add_batch(system)
    newer.save()
    shown = _card(system)
    assert "The newest runs are of another environment: measure it again" in shown
    assert "A former version of the comparison said so: measure it again" in shown


def test_the_command_says_it_in_a_line(tiny: str, machine: Path) -> None:
    said = _measure("--repetitions", "3", "--comparisons", "1").replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith(
        "Measure Tiny against itself: 1 configuration × 1 revision × 6 repetitions: done: 6 runs, "
    )
    assert "; A/A: two identical sets of 3 runs differed in " in said


@pytest.mark.parametrize(
    "arguments",
    [["--repetitions", "2"], ["--configurations", "default", "fast=on"]],
)
def test_what_is_not_one_revision_in_pairs_is_refused(tiny: str, arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="select one, with 3 repetitions or more") as refused:
        _measure(*arguments)
    assert refused.value.returncode == 2
    assert not Job.objects.exists()


def test_pairs_of_which_a_run_failed_are_left_out(tiny: str, machine: Path) -> None:
    """The other run of the pair would stand beside one of another moment."""
    _measure("--repetitions", "3", "--comparisons", "1")
    batch = Batch.objects.get(format="measure")
    batch.runs.filter(repetition=3).update(status=Run.Status.FAILED)
    clock = Measurement.objects.filter(run__batch=batch, metric__clock=Metric.Clock.CPU)
    kept = dict(clock.values_list("run__repetition", "value"))
    assert paired_times(batch).tolist() == [kept[at] for at in (1, 2, 5, 6)]


def test_what_another_source_says_under_that_name_is_no_such_measurement(tiny: str) -> None:
    system = access_to(Principal.operator(), tiny).system
    batch = add_batch(system)
    batch.manifest = {"comparisons": "many"}
    batch.save()
    assert measured_against_itself(system) is None

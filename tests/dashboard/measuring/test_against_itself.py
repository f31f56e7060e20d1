"""`measure --aa`: one revision is measured against itself, and how often identical runs differ is kept and shown."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dashboard.access import Principal, access_to
from dashboard.models import Batch, Job, Measurement, Metric, Run
from dashboard.pages.overview.measured import measured_card
from dashboard.selectors.batch_manifests import newest_splits
from dashboard.selectors.overview import overview
from dashboard.services.measuring.job import paired_times
from tests.dashboard.measuring.stored import add_batch

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def _measure(*arguments: str) -> str:
    said = StringIO()
    call_command("measure", "tiny", "--aa", "--workload", "small", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue()


def test_runs_of_both_sides_are_made_and_their_splits_compared(tiny: str, machine: Path) -> None:
    """Four runs of each side have eight splits; neither profiles nor counts are made."""
    told = json.loads(_measure("--repetitions", "4", "--json"))
    assert told["result"]["runs"]["ok"] == 8
    assert told["result"]["splits"] == 8
    assert {run.kind for run in Run.objects.all()} == {"plain"}
    differing = told["result"]["differing_splits"]
    assert 0 <= differing <= 8
    system = access_to(Principal.operator(), tiny).system
    assert newest_splits(system) == (differing, 8)
    shown = str(measured_card(overview(system), None)).replace(r"\xa0", " ")
    assert f"{differing} of 8 comparisons of identical runs differed, 1 % expected" in shown


def test_the_command_says_it_in_a_line(tiny: str, machine: Path) -> None:
    said = _measure("--repetitions", "3").replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith(
        "Measure Tiny against itself: 1 configuration × 1 revision × 6 repetitions: done: 6 runs, "
    )
    assert said.endswith(" of 4 comparisons of identical runs differed, 1 % expected\n")


@pytest.mark.parametrize("arguments", [["--repetitions", "2"], ["--configurations", "default", "fast=on"]])
def test_what_is_not_one_revision_in_pairs_is_refused(tiny: str, arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="select one, with 3 repetitions or more") as refused:
        _measure(*arguments)
    assert refused.value.returncode == 2
    assert not Job.objects.exists()


def test_pairs_of_which_a_run_failed_are_left_out(tiny: str, machine: Path) -> None:
    """The other run of the pair would stand beside one of another moment."""
    _measure("--repetitions", "3")
    batch = Batch.objects.get(format="measure")
    batch.runs.filter(repetition=3).update(status=Run.Status.FAILED)
    clock = Measurement.objects.filter(run__batch=batch, metric__clock=Metric.Clock.CPU)
    kept = dict(clock.values_list("run__repetition", "value"))
    assert paired_times(batch).tolist() == [kept[at] for at in (1, 2, 5, 6)]


def test_without_such_a_measurement_nothing_is_shown(tiny: str, machine: Path) -> None:
    """Nor of a bundle whose manifest holds something else under that name."""
    system = access_to(Principal.operator(), tiny).system
    batch = add_batch(system)
    batch.manifest = {"splits": "many"}
    batch.save()
    assert newest_splits(system) == (0, 0)
    assert "A/A" not in str(measured_card(overview(system), None))

"""Branches that a subject names are measured before they are merged; no history, and nothing that chooses revisions, takes them."""

from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.access import Principal, access_to, current_principal
from dashboard.job_kinds import KINDS
from dashboard.models import Revision, Run, Series, System
from dashboard.pages.histories.unmerged import unmerged_card
from dashboard.pages.lens import Lens
from dashboard.pages.measure.form import panel
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.measuring.grid import plan_grid
from dashboard.selectors.measuring.status import subject_of
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import register_subject, registered_subject, store_revisions
from dashboard.services.tracking.loop import TrackingRequest, start_tracking
from tests.dashboard.measuring.stepper import SHORT_TURNS, commit_of, write_stepper
from tests.runner.throwaway import git

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def folder(machine: Path, sent: list[int], tmp_path: Path) -> Path:
    """A registered subject of twelve commits, and a topic that left at the last but one."""
    folder = write_stepper(tmp_path / "stepper", turns=SHORT_TURNS)
    definition = folder / "subject.toml"
    definition.write_text(
        definition.read_text().replace('"program"\n', '"program"\nrange = "main"\nbranches = ["topic/*"]\n')
    )
    git(folder / "program", "checkout", "-b", "topic/quicker", "main~1")
    write(folder, "x = 1\n")
    register_subject(principal=Principal.operator(), folder=folder)
    return folder


def write(folder: Path, text: str) -> str:
    """Commit a file to the branch that is checked out; returns the commit."""
    (folder / "program" / "more.py").write_text(text)
    git(folder / "program", "add", ".")
    git(folder / "program", "commit", "-m", "Quicker")
    return git(folder / "program", "rev-parse", "HEAD").strip()


def measure(*revisions: str, look_again: bool = True) -> None:
    """Run the default configuration three times at each of the revisions."""
    request = MeasuringRequest(configurations=("default",), revisions=revisions, repetitions=3, profile=False)
    access = access_to(Principal.operator(), "stepper")
    job_id = start_measuring(access=access, request=request, look_again=look_again)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE


def history() -> History:
    """The history of the CPU time of the default configuration."""
    one = Series.objects.get(subject_kind=Series.SubjectKind.CONFIGURATION, metric__clock="cpu")
    return get_history(system=System.objects.get(), series_id=one.pk)


def test_a_branch_is_measured_by_name_and_stands_at_its_base(folder: Path) -> None:
    tip = git(folder / "program", "rev-parse", "topic/quicker").strip()
    base = commit_of(folder, 10)
    measure("last=3")
    before = history()
    assert [(one.branch, one.base, one.name) for one in before.unmeasured] == [("topic/quicker", base, tip)]
    card = str(unmerged_card(before, "stepper"))
    assert "not measured yet" in card
    assert f"/measure?revision={tip}" in card

    # Of many branches the newest few are seen.
    full = str(unmerged_card(replace(before, unmeasured=before.unmeasured * 12), "stepper"))
    assert full.count("not measured yet") == 12
    assert "7 earlier" in full

    measure("topic/quicker", look_again=False)
    after = history()
    assert set(Run.objects.filter(revision__name=tip).values_list("status", flat=True)) == {"ok"}
    assert [(one.place.branch, one.place.base, one.n) for one in after.unmerged] == [
        ("topic/quicker", base, 3)
    ]
    assert (after.points, after.unmeasured) == (before.points, ())
    assert "topic/quicker left" in str(unmerged_card(after, "stepper"))
    access = access_to(Principal.operator(), "stepper")
    assert plan_grid(access=access).revisions[-2:] == (after.order.revisions[-1].name, tip)
    # Whoever follows the way from the card measures both sides by turns.
    token = current_principal.set(Principal.operator())
    try:
        form = panel(access, subject_of(access=access), Lens(revision=tip), again=False)
    finally:
        current_principal.reset(token)
    assert f"value=['{tip}', '{base}']" in str(form)


def test_only_its_name_means_a_branch(folder: Path) -> None:
    operator = access_to(Principal.operator(), "stepper")
    store_revisions(access=operator, subject=registered_subject(slug="stepper"))
    row = subject_of(access=operator)
    assert row is not None
    ((branch, tip, base),) = row.branches
    assert (branch, base) == ("topic/quicker", commit_of(folder, 10))
    assert tip not in row.revisions
    for asked in (("topic/slower",), ("first..topic/quicker",)):
        with pytest.raises(RequestInvalid, match="is no revision of this subject"):
            measure(*asked, look_again=False)
    for asked in (("topic/quicker",), (tip,)):
        with pytest.raises(RequestInvalid, match="is no revision of this subject"):
            start_tracking(access=operator, request=TrackingRequest(revisions=asked))


def test_of_a_branch_that_moved_on_the_newest_commit_is_measured(folder: Path) -> None:
    measure("topic/quicker", "latest")
    old = git(folder / "program", "rev-parse", "HEAD").strip()
    new = write(folder, "x = 2\n")
    measure("topic/quicker")
    assert dict(Revision.objects.exclude(base="").values_list("name", "branch")) == {
        old: "",
        new: "topic/quicker",
    }
    with pytest.raises(RequestInvalid, match="is no revision of this subject"):
        measure(old)
    assert {one.place.name for one in history().unmerged} == {old, new}


def test_a_branch_that_was_merged_takes_its_place_in_the_order(folder: Path) -> None:
    measure("topic/quicker", "latest")
    tip = git(folder / "program", "rev-parse", "HEAD").strip()
    git(folder / "program", "checkout", "main")
    git(folder / "program", "reset", "--hard", tip)
    measure("latest")
    found = history()
    assert (found.unmerged, found.unmeasured, found.order.revisions[-1].name) == ((), (), tip)

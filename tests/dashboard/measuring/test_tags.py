"""Tags of a registered repository: kept with its revisions, followed as they move, and named wherever a revision is."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from dashboard.access import Access, Principal, access_to
from dashboard.api.rows import RevisionAnswer
from dashboard.figures.histories_words import place_text, revision_title
from dashboard.models import Revision, Series, System
from dashboard.pages.components.revisions import revision_line
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.revisions import ordered_revisions, place_of
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.releases import release_names, revision_called, telling_of
from dashboard.selectors.systems import search
from dashboard.selectors.two_revisions.choosing import chosen_pair, find_revisions
from dashboard.services.exporting import export_system
from dashboard.services.histories.fits import fit_system
from dashboard.services.imports.importing import import_file
from dashboard.services.subjects import (
    register_subject,
    registered_subject,
    store_revisions,
    stored_revisions,
)
from runner.revisions import select_revisions
from tests.dashboard.measuring.stepper import STEP, commit_of, write_stepper
from tests.runner.throwaway import git

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def folder(machine: Path, sent: list[int], tmp_path: Path) -> Path:
    """A registered subject of twelve commits; 1.0 is the third, 1.1 the ninth, which is stable, too."""
    folder = write_stepper(tmp_path / "stepper")
    for at, names in ((2, ["1.0"]), (8, ["1.1", "stable"])):
        for name in names:
            tag(folder, name, at)
    register_subject(principal=Principal.operator(), folder=folder)
    list_again()
    return folder


def tag(folder: Path, name: str, at: int) -> None:
    """Set a tag to that commit, wherever it was before."""
    git(folder / "program", "tag", "--force", name, commit_of(folder, at))


def access() -> Access:
    """The operator's access to the system of the subject."""
    return access_to(Principal.operator(), "stepper")


def list_again() -> None:
    """Ask the repository for its revisions, as every measurement does; nothing is measured."""
    store_revisions(access=access(), subject=registered_subject(slug="stepper"))


def places() -> tuple[RevisionPlace, ...]:
    """The revisions in their order."""
    return ordered_revisions(system=System.objects.get(slug="stepper")).revisions


def test_revisions_keep_their_tags_and_the_first_release_that_holds_them(folder: Path) -> None:
    assert [one.released_in for one in places()] == [*["1.0"] * 3, *["1.1"] * 6, "", "", ""]
    assert [one.tags for one in places() if one.tags] == ["1.0", "1.1 stable"]
    assert release_names(System.objects.get()) == {commit_of(folder, 2): "1.0", commit_of(folder, 8): "1.1"}
    stored = stored_revisions(slug="stepper", subject=registered_subject(slug="stepper"))
    assert [one.identifier for one in select_revisions(stored, ["1.0", "stable"])] == [
        commit_of(folder, 2),
        commit_of(folder, 8),
    ]


def test_tags_that_come_later_move_or_go_are_followed_when_revisions_are_listed(folder: Path) -> None:
    tag(folder, "1.2", 10)
    tag(folder, "stable", 10)
    list_again()
    assert {at: one.tags for at, one in enumerate(places()) if one.tags} == {
        2: "1.0",
        8: "1.1",
        10: "1.2 stable",
    }
    assert [one.released_in for one in places()[8:]] == ["1.1", "1.2", "1.2", ""]
    git(folder / "program", "tag", "-d", "1.2")
    list_again()
    assert [one.released_in for one in places()[8:]] == ["1.1", "", "", ""]


def test_a_tag_of_a_commit_that_is_no_more_listed_is_taken_away_where_it_moved_on(folder: Path) -> None:
    tag(folder, "1.3", 11)
    list_again()
    git(folder / "program", "reset", "--hard", commit_of(folder, 10))
    tag(folder, "1.3", 10)
    list_again()
    tagged = dict(Revision.objects.exclude(tags="").values_list("message", "tags"))
    assert tagged == {"c2": "1.0", "c8": "1.1 stable", "c10": "1.3"}


def test_a_revision_is_found_by_its_tag(folder: Path) -> None:
    tag(folder, "1.0.1", 5)
    list_again()
    system, first = System.objects.get(), commit_of(folder, 2)
    hits = search(system=system, text="1.0")
    assert [hit.key for hit in hits if hit.kind == "revision"][:2] == [first, commit_of(folder, 5)]
    assert hits[0].detail == "1.0 · c2"
    assert [revision_called(system, one) for one in ("1.0", first, "2.0", "")] == [first, first, "2.0", ""]
    assert place_of("stable", places()).name == commit_of(folder, 8)
    assert chosen_pair(system=system, before="1.0", after="1.1") == (first, commit_of(folder, 8))
    found, _ = find_revisions(system=system, words="stable")
    assert [one.name for one in found] == [commit_of(folder, 8)]


def test_commands_and_answers_take_and_tell_tags(folder: Path) -> None:
    out = StringIO()
    call_command("register", str(folder), stdout=out)
    assert (
        f"12 revisions, {commit_of(folder, 0)[:10]} c0 to {commit_of(folder, 11)[:10]} c11" in out.getvalue()
    )
    assert "2 of them tagged, the last as 1.1, stable" in out.getvalue()
    answer = RevisionAnswer.model_validate(places()[8])
    assert (answer.tags, answer.released_in) == (["1.1", "stable"], "1.1")


def test_a_revision_is_told_by_its_release_with_its_other_tags(folder: Path) -> None:
    ninth, tenth = places()[8], places()[7]
    with telling_of(System.objects.get()):
        assert revision_title(ninth.name, ninth.message) == f"1.1 {ninth.name[:10]} c8"
        told = str(revision_line(ninth, ""))
        assert "1.1" in told
        assert f"commit {ninth.name[:10]}" in told
        assert "tagged stable" in told
        assert "first released in 1.1" not in told
        assert "first released in 1.1" in str(revision_line(tenth, ""))


def test_a_bundle_carries_tags_to_another_system(folder: Path, operator: Principal, tmp_path: Path) -> None:
    export_system(access=access(), path=tmp_path / "bundle.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "bundle.zip", system_name="Other")
    other = ordered_revisions(system=System.objects.get(slug="other")).revisions
    assert [(one.tags, one.released_in) for one in other] == [(one.tags, one.released_in) for one in places()]
    # A later bundle says what is tagged since.
    tag(folder, "1.2", 10)
    list_again()
    export_system(access=access(), path=tmp_path / "later.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "later.zip", system_name="Other")
    assert ordered_revisions(system=System.objects.get(slug="other")).revisions[10].tags == "1.2"


def test_no_import_says_what_the_registered_source_says_otherwise(
    folder: Path, operator: Principal, tmp_path: Path
) -> None:
    export_system(access=access(), path=tmp_path / "bundle.zip")
    git(folder / "program", "tag", "-d", "1.1")
    list_again()
    import_file(principal=operator, format_name="bundle", path=tmp_path / "bundle.zip", system_name="Stepper")
    assert [one.tags for one in places() if one.tags] == ["1.0", "stable"]


def listed_releases() -> set[tuple[str, ...]]:
    """The releases that the list of findings names beside the step."""
    found = found_changes(System.objects.get(), HistoryQuery())
    listed = [*found.told, *(one for _, _, some in found.filtered for one in some)]
    return {one.released_in for one in listed if one.released_in}


@pytest.mark.django_db(transaction=True)
def test_a_change_is_told_with_the_release_that_it_came_in(folder: Path) -> None:
    call_command(
        *("measure", "stepper", "--configurations", "default", "--revisions", "1.0..latest"),
        *("--repetitions", "3", "--no-profile"),
        stdout=StringIO(),
        stderr=StringIO(),
    )
    cpu = Series.objects.get(subject_kind=Series.SubjectKind.CONFIGURATION, metric__clock="cpu")
    (change,) = get_history(system=System.objects.get(), series_id=cpu.pk).changes
    assert change.after.name == commit_of(folder, STEP)
    assert change.released_in == ("1.1",)
    assert place_text(change).endswith("first released in 1.1")
    out = StringIO()
    call_command("runs", "list", "stepper", "--revision", "1.1", stdout=out)
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert all("1.1, default" in line for line in lines)
    fit_system(access=access())
    assert listed_releases() == {("1.1",)}
    tag(folder, "1.0.5", STEP)
    list_again()
    assert listed_releases() == {("1.0.5",)}

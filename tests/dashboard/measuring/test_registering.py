"""Subjects are registered at the terminal only; what is known of them follows their file."""

import shutil
from pathlib import Path

import pytest

from dashboard.access import Forbidden, NotFound, Principal, Refused, access_to
from dashboard.models import Level, Order, Revision, System, SystemOption, Workload
from dashboard.models import Subject as SubjectRow
from dashboard.services.subjects import (
    register_subject,
    registered_subject,
    slug_of_subject,
    store_revisions,
    stored_revisions,
)
from runner.errors import SubjectInvalid
from tests.dashboard.measuring.tiny import TOML, write_commits, write_subject
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_a_registered_subject_makes_its_system(tiny: str) -> None:
    """With options in the order of the file, the reference level first, and its workloads."""
    system = System.objects.get(slug=tiny)
    assert (system.name, system.description, system.visible) == ("Tiny", "Doubles numbers.", True)
    assert list(system.options.values_list("name", "description")) == [
        ("mode", ""),
        ("fast", "Doubles fewer numbers."),
    ]
    labels = Level.objects.filter(option__name="mode").values_list("label", flat=True)
    assert list(labels) == ["good", "broken", "hanging"]
    assert set(Workload.objects.values_list("name", flat=True)) == {"regular", "small"}
    assert Order.objects.get().name == "states"


def test_nobody_registers_from_the_browser(alice: Person, machine: Path, tmp_path: Path) -> None:
    """A subject is code execution: not even the admin of the system."""
    with pytest.raises(Forbidden, match="by a command on the machine"):
        register_subject(principal=alice.principal, folder=write_subject(tmp_path), system_name="Small")
    assert not SubjectRow.objects.exists()


def test_registering_again_takes_over_what_changed(tiny: str, tmp_path: Path, operator: Principal) -> None:
    """A new level is added behind, a new option too; nothing that was measured loses its meaning."""
    toml = TOML.replace('"hanging"]', '"hanging", "odd"]').replace(
        "[options.fast]", "[options.extra]\nlevels = [0, 1]\n[options.fast]"
    )
    write_subject(tmp_path / "tiny", toml=toml)
    with pytest.raises(Refused, match="has changed since"):
        registered_subject(slug=tiny)
    assert register_subject(principal=operator, folder=tmp_path / "tiny") == tiny
    assert registered_subject(slug=tiny).name == "Tiny"
    labels = Level.objects.filter(option__name="mode").values_list("label", flat=True)
    assert list(labels) == ["good", "broken", "hanging", "odd"]
    assert list(SystemOption.objects.values_list("name", flat=True)) == ["mode", "fast", "extra"]


def test_another_reference_level_is_refused(tiny: str, tmp_path: Path, operator: Principal) -> None:
    """Stored configurations are what differs from it."""
    before = SubjectRow.objects.get().digest
    toml = TOML.replace('"hanging"]', '"hanging"]\nreference = "broken"').replace(
        'forbidden = { mode = "broken", fast = true }', 'forbidden = { mode = "good", fast = true }'
    )
    write_subject(tmp_path / "tiny", toml=toml)
    with pytest.raises(Refused, match="its reference level is 'broken'"):
        register_subject(principal=operator, folder=tmp_path / "tiny")
    assert SubjectRow.objects.get().digest == before


def test_a_file_with_faults_is_refused_with_all_of_them(
    db: None, machine: Path, tmp_path: Path, operator: Principal
) -> None:
    """And nothing of it is stored."""
    toml = TOML.replace('callable = "entry:run"', 'callable = "absent:run"').replace(
        "levels = [false, true]", "levels = [false]"
    )
    with pytest.raises(SubjectInvalid) as refused:
        register_subject(principal=operator, folder=write_subject(tmp_path, toml=toml))
    assert len(refused.value.faults) >= 2
    assert not System.objects.exists()


def test_a_subject_moves_to_another_system(tiny: str, tmp_path: Path, operator: Principal) -> None:
    """One name is registered once on a machine."""
    other = register_subject(principal=operator, folder=tmp_path / "tiny", system_name="Other one")
    assert other == "other-one"
    assert SubjectRow.objects.get().system.slug == other
    with pytest.raises(NotFound, match="has no registered subject"):
        registered_subject(slug=tiny)


def test_a_folder_that_is_gone_is_told(tiny: str, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "tiny")
    with pytest.raises(Refused, match="is gone"):
        registered_subject(slug=tiny)


@pytest.mark.parametrize("name", ["Tiny", "tiny"])
def test_a_subject_is_found_by_what_people_call_it(tiny: str, name: str) -> None:
    assert slug_of_subject(name) == tiny


def test_a_name_that_nobody_registered_lists_those_that_are(tiny: str) -> None:
    with pytest.raises(NotFound, match="registered are: Tiny"):
        slug_of_subject("Huge")


def test_commits_stand_in_their_order_and_keep_their_rows(
    db: None, machine: Path, tmp_path: Path, operator: Principal
) -> None:
    """Listing again finds the same rows; what is no longer found stays in front, and can be built if it ever was listed."""
    slug = register_subject(principal=operator, folder=write_commits(tmp_path / "tiny"))
    first, second = store_revisions(access=access_to(operator, slug), subject=registered_subject(slug=slug))
    ids = dict(Revision.objects.values_list("name", "pk"))
    system = System.objects.get()
    order = Order.objects.get(name="first-parent")
    for position, (name, listed) in enumerate([("gone", True), ("imported", False)], start=9):
        revision = Revision.objects.create(system=system, name=name)
        order.positions.create(revision=revision, position=position, listed=listed)
    store_revisions(access=access_to(operator, slug), subject=registered_subject(slug=slug))
    names = order.positions.order_by("position").values_list("revision__name", flat=True)
    assert list(names) == ["gone", "imported", first.identifier, second.identifier]
    assert ids.items() <= dict(Revision.objects.values_list("name", "pk")).items()
    known = stored_revisions(slug=slug, subject=registered_subject(slug=slug))
    assert [(one.identifier, one.message) for one in known] == [
        ("gone", ""),
        (first.identifier, "v1"),
        (second.identifier, "v2"),
    ]
    assert Revision.objects.get(name=first.identifier).commit == first.identifier


def test_only_editors_list_revisions(tiny: str, charlie: Person) -> None:
    with pytest.raises(NotFound):
        store_revisions(access=access_to(charlie.principal, tiny), subject=registered_subject(slug=tiny))

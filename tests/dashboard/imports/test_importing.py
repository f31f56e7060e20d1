"""Importing: all or nothing, once, into new systems and existing ones, by those who may."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import transaction

from dashboard.access import Forbidden, Permission, Principal, access_to
from dashboard.importers.errors import InvalidBundle, SourceError
from dashboard.models import (
    AuditEntry,
    Batch,
    Configuration,
    Level,
    Membership,
    PerformanceModel,
    Revision,
    Run,
    System,
    SystemOption,
)
from dashboard.selectors.performance_models import list_models
from dashboard.services.imports import batches, importing, rows
from dashboard.services.imports.amounts import ImportOutcome
from dashboard.services.imports.errors import ImportLost, ImportRefused
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.imports.everything import counted
from tests.people import Person, create_person

Import = Callable[..., ImportOutcome]
pytestmark = pytest.mark.django_db


@pytest.fixture
def import_sample(tmp_path: Path, operator: Principal) -> Import:
    """Imports the sample, or files given instead, as the operator or somebody given."""
    number = iter(range(100))

    def run(
        files: sample.Files | None = None, name: str = "Toy", principal: Principal | None = None
    ) -> ImportOutcome:
        folder = sample.as_folder(tmp_path / f"toy{next(number)}", files or sample.files())
        return import_file(
            principal=principal or operator, format_name="comprex", path=folder, system_name=name
        )

    return run


def test_an_import_shows_a_new_system_with_all_its_parts(import_sample: Import, operator: Principal) -> None:
    outcome = import_sample(name="Toy system")
    system = access_to(operator, "toy-system").system
    assert outcome.is_new
    assert (outcome.system_slug, outcome.system_name) == ("toy-system", "Toy system")
    assert len(outcome.records.runs) == 20
    assert system.data_version == 1
    assert (system.options.count(), system.regions.count(), system.configurations.count()) == (3, 4, 8)
    batch = Batch.objects.get(system=system)
    assert (batch.state, batch.format, batch.manifest["source"]) == ("visible", "comprex", "made for tests")
    assert len(list_models(access_to(operator, "toy-system").system)) == 1
    assert AuditEntry.objects.get(action="import").details["digest"] == batch.digest


def test_the_same_content_again_changes_nothing_and_says_so(import_sample: Import, tmp_path: Path) -> None:
    import_sample()
    before = counted()
    assert not import_sample().is_new
    packed = sample.as_zip(tmp_path / "toy.zip", sample.files(), top="toy")
    outcome = import_file(
        principal=Principal.operator(), format_name="comprex", path=packed, system_name="Toy"
    )
    assert not outcome.is_new
    assert counted() == before
    assert System.objects.get(slug="toy").data_version == 1


def test_a_bad_file_leaves_nothing(import_sample: Import) -> None:
    before = counted()
    with pytest.raises(InvalidBundle):
        import_sample(sample.changed("runs.csv", "c0,1", "c9,1"))
    with pytest.raises(SourceError):
        import_file(
            principal=Principal.operator(), format_name="comprex", path=Path("absent"), system_name="Toy"
        )
    assert counted() == before


@pytest.mark.parametrize("step", ["write_reference", "write_rows", "_publish"])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_at_any_step_leaves_nothing(
    import_sample: Import, monkeypatch: pytest.MonkeyPatch, step: str, error: type[BaseException]
) -> None:
    before = counted()
    whole = getattr(importing, step)

    def fails(*args: object, **kwargs: object) -> None:
        with transaction.atomic():
            whole(*args, **kwargs)
            raise error

    monkeypatch.setattr(importing, step, fails)
    with pytest.raises(error):
        import_sample()
    assert counted() == before


def test_a_failed_import_into_an_existing_system_leaves_it_as_it_was(
    import_sample: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_sample()
    before = counted()
    other = sample.with_manifest(subject_version="2.0")
    whole = rows.write_rows

    def fails(*args: object) -> None:
        whole(*args)  # type: ignore[arg-type]
        assert Revision.objects.filter(name="2.0").exists()
        raise RuntimeError

    monkeypatch.setattr(importing, "write_rows", fails)
    with pytest.raises(RuntimeError):
        import_sample(other)
    assert counted() == before


def test_nothing_is_seen_while_an_import_writes(
    import_sample: Import, monkeypatch: pytest.MonkeyPatch, operator: Principal
) -> None:
    import_sample()
    publish = importing._publish
    seen: list[int] = []

    def look_first(*args: object, **more: object) -> None:
        seen.append(Run.objects.count())
        seen.append(len(list_models(access_to(operator, "toy").system)))
        publish(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(importing, "_publish", look_first)
    import_sample(sample.with_manifest(subject_version="2.0"))
    assert seen == [40, 1]
    assert len(list_models(access_to(operator, "toy").system)) == 2


def test_another_revision_merges_by_names(import_sample: Import) -> None:
    import_sample()
    outcome = import_sample(sample.with_manifest(subject_version="2.0"))
    system = System.objects.get(slug="toy")
    assert outcome.is_new
    assert sorted(system.revisions.values_list("name", flat=True)) == ["1.0", "2.0"]
    assert (system.options.count(), system.configurations.count(), system.regions.count()) == (3, 8, 4)
    assert system.data_version == 2


def test_a_second_revision_starts_histories_of_the_plain_runs(import_sample: Import) -> None:
    import_sample()
    system = System.objects.get(slug="toy")
    assert not system.series.exists()
    import_sample(sample.with_manifest(subject_version="2.0"))
    series = system.series.filter(subject_kind="configuration")
    assert series.count() == 8
    slow = Configuration.objects.get(system=system, assignments={"A": "on", "B": "true", "C": "slow"})
    points = series.get(subject=slow.identity).points.values_list("revision__name", "n", "median", "spread")
    assert sorted(points) == [
        ("1.0", 1, sample.seconds(1, 1, 1), None),
        ("2.0", 1, sample.seconds(1, 1, 1), None),
    ]


def test_new_options_join_behind_those_that_are_there(import_sample: Import, system: System) -> None:
    option = SystemOption.objects.create(system=system, name="C", position=2)
    Level.objects.create(option=option, position=0, value="fast", label="fast")
    given = sample.changed("options.csv", "B,false,true", "B,,")
    import_sample(given, name="Small")
    assert list(system.options.values_list("name", flat=True)) == ["A", "B", "C"]
    assert list(option.levels.values_list("label", flat=True)) == ["fast", "slow"]


def test_levels_that_contradict_are_refused_by_name(import_sample: Import) -> None:
    import_sample()
    before = counted()
    with pytest.raises(ImportRefused, match="option C: its levels here are fast, slow") as refused:
        import_sample(sample.changed("options.csv", "C,fast,slow", "C,slow,fast"))
    assert len(refused.value.problems) == 1
    assert counted() == before


@pytest.mark.parametrize("name", ["", "!!!", "日本", "x" * 121])
def test_a_name_without_an_address_is_refused(import_sample: Import, name: str) -> None:
    with pytest.raises(ImportRefused, match="no name for a system"):
        import_sample(name=name)


def test_a_name_whose_address_belongs_to_another_system_is_refused(import_sample: Import) -> None:
    import_sample(name="C++")
    with pytest.raises(ImportRefused, match=r"belongs to the system 'C\+\+'"):
        import_sample(name="C")


def test_who_imports_a_new_system_becomes_its_admin(import_sample: Import) -> None:
    dora = create_person("dora")
    import_sample(principal=dora.principal)
    assert access_to(dora.principal, "toy", Permission.ADMIN).system.name == "Toy"


def test_the_operator_needs_no_membership(import_sample: Import) -> None:
    import_sample()
    assert not Membership.objects.exists()


def test_an_editor_may_import_and_a_viewer_may_not(import_sample: Import, bob: Person, vera: Person) -> None:
    with pytest.raises(Forbidden):
        import_sample(name="small", principal=vera.principal)
    plain = sample.changed("options.csv", "B,false,true", "B,,")
    assert import_sample(plain, name="small", principal=bob.principal).is_new


def test_a_stranger_learns_only_that_the_name_is_taken(
    import_sample: Import, system: System, charlie: Person
) -> None:
    with pytest.raises(ImportRefused, match="is taken"):
        import_sample(name="small", principal=charlie.principal)


def test_a_second_import_at_the_same_time_is_refused(
    import_sample: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sample.with_manifest(subject_version="2.0")
    whole = rows.write_rows

    def meanwhile(*args: object) -> None:
        monkeypatch.setattr(importing, "write_rows", whole)
        with pytest.raises(ImportRefused, match="under way"):
            import_sample(other)
        whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(importing, "write_rows", meanwhile)
    assert import_sample().is_new
    assert import_sample(other).is_new


def test_an_import_that_was_taken_for_dead_stops(
    import_sample: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = counted()
    whole = rows.write_rows

    def swept(*args: object) -> None:
        batches.sweep(list(Batch.objects.values_list("pk", flat=True)))
        whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(importing, "write_rows", swept)
    with pytest.raises(ImportLost, match="Start it again"):
        import_sample()
    assert counted() == before


def test_a_sweep_keeps_what_others_use_by_now(import_sample: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    import_sample()
    system = System.objects.get(slug="toy")
    whole = rows.write_rows

    def others_use_the_revision(*args: object) -> None:
        whole(*args)  # type: ignore[arg-type]
        run = Run.objects.filter(batch__state="visible").first()
        assert run is not None
        run.pk = None
        run.revision = Revision.objects.get(name="2.0")
        run.save()
        raise RuntimeError

    monkeypatch.setattr(importing, "write_rows", others_use_the_revision)
    with pytest.raises(RuntimeError):
        import_sample(sample.with_manifest(subject_version="2.0"))
    assert sorted(system.revisions.values_list("name", flat=True)) == ["1.0", "2.0"]
    assert Run.objects.count() == 21
    assert PerformanceModel.objects.count() == 1
    assert importing.sweep_abandoned() == 0

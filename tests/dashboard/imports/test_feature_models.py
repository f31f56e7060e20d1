"""Feature models in a system: its options, importing again, what contradicts, and the bundle."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.importers.bundle.writing import bundle_files
from dashboard.models import FeatureLocation, Level, StoredFeatureModel, System
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.feature_models.valid import valid_configurations, violation
from dashboard.services.exporting import export_system
from dashboard.services.imports.errors import ImportRefused
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers.feature_model_sample import SAMPLE, model, option, write
from tests.dashboard.imports.everything import counted

pytestmark = pytest.mark.django_db


def bring_in(path: Path, operator: Principal, name: str = "Packer") -> bool:
    """Import a feature model; whether anything was new."""
    return import_file(principal=operator, format_name="feature-model", path=path, system_name=name).is_new


def levels(slug: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    rows = Level.objects.filter(option__system__slug=slug).order_by("option__position", "position")
    for name, label in rows.values_list("option__name", "label"):
        found.setdefault(name, []).append(label)
    return found


def test_a_feature_model_makes_the_system_and_its_options(tmp_path: Path, operator: Principal) -> None:
    assert bring_in(write(tmp_path), operator)
    assert levels("packer") == {
        "compression": ["absent", "gzip", "lzma"],
        "cache": ["off", "on"],
        "sync": ["off", "on"],
        "threads": ["1", "2", "4", "8"],
        "block": ["16", "32", "64"],
    }
    assert StoredFeatureModel.objects.get().name == "packer"
    assert list(FeatureLocation.objects.values_list("file", "first_line", "category")) == [
        ("packer/compress.py", 3, "necessary"),
        ("packer/main.py", 1, "inessential"),
    ]


def test_importing_twice_changes_nothing(tmp_path: Path, operator: Principal) -> None:
    path = write(tmp_path)
    bring_in(path, operator)
    before = counted()
    assert not bring_in(path, operator)
    assert counted() == before


def test_a_system_and_its_copy_export_to_the_same_bytes(tmp_path: Path, operator: Principal) -> None:
    bring_in(write(tmp_path), operator)
    export_system(access=access_to(operator, "packer"), path=tmp_path / "packer.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "packer.zip", system_name="Copy")
    first, second = (
        bundle_files(load_system_records(System.objects.get(slug=slug))) for slug in ("packer", "copy")
    )
    assert first == second
    assert "compress.py" in str(load_system_records(System.objects.get(slug="copy")).feature_models)


def test_a_model_takes_the_reference_levels_of_the_system(tmp_path: Path, operator: Principal) -> None:
    bring_in(write(tmp_path), operator)
    threads = Level.objects.filter(option__name="threads", option__system__slug="packer")
    first, second = threads.get(label="1"), threads.get(label="4")
    threads.filter(pk=first.pk).update(position=100)
    threads.filter(pk=second.pk).update(position=0)
    threads.filter(pk=first.pk).update(position=2)
    assert bring_in(write(tmp_path, SAMPLE.replace("<maxValue>8", "<maxValue>16")), operator)
    assert levels("packer")["threads"] == ["4", "2", "1", "8", "16"]


def test_a_model_that_forbids_a_level_of_the_system_is_refused(tmp_path: Path, operator: Principal) -> None:
    bring_in(write(tmp_path), operator)
    before = counted()
    with pytest.raises(
        ImportRefused, match="option threads: Packer has the levels 4, 8, which the feature model"
    ):
        bring_in(write(tmp_path, SAMPLE.replace("<maxValue>8", "<maxValue>2")), operator)
    with pytest.raises(ImportRefused, match="option compression: Packer has the levels absent, gzip, lzma"):
        bring_in(write(tmp_path, model(option("compression", "<optional>True</optional>"))), operator)
    assert counted() == before


def test_a_bundle_whose_model_does_not_fit_its_options_is_refused(
    tmp_path: Path, operator: Principal
) -> None:
    bring_in(write(tmp_path), operator)
    export_system(access=access_to(operator, "packer"), path=tmp_path / "bundle")
    options = tmp_path / "bundle" / "options.json"
    options.write_text(options.read_text().replace('"cache"', '"store"'))
    with pytest.raises(Exception, match="the system has no option 'cache' of its feature model"):
        import_file(principal=operator, format_name="bundle", path=tmp_path / "bundle", system_name="Broken")
    assert not System.objects.filter(slug="broken").exists()


def test_switches_keep_the_labels_that_the_system_gave_them(tmp_path: Path, operator: Principal) -> None:
    bring_in(write(tmp_path), operator)
    switches = Level.objects.filter(option__name__in=["cache", "sync"])
    for label, named, value in (("off", "no", 0), ("on", "yes", 1)):
        switches.filter(label=label, option__name="cache").update(label=named, value=value)
        switches.filter(label=label, option__name="sync").update(label=named)
    assert bring_in(write(tmp_path, SAMPLE.replace("<maxValue>8", "<maxValue>16")), operator)
    assert levels("packer")["cache"] == levels("packer")["sync"] == ["no", "yes"]
    valid = valid_configurations(access_to(operator, "packer").system)
    # As for the sample, with one more pair: sixteen threads with the smallest block.
    assert valid.count() == 12 * 2 * 3 + 9 * 2
    told = violation(access_to(operator, "packer").system, {"cache": "1", "sync": "on"})
    assert told is not None
    assert told.conditions == ("!cache | !sync",)

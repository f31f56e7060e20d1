"""The accuracy of a model: known by arithmetic on the sample, published for two systems."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import Measurement, ModelCorrection, PublishedPrediction, Run
from dashboard.selectors.accuracy import report_accuracy
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import comprex_sample as sample
from tests.people import Person

Accuracy = Callable[[sample.Files], dict[str, Any]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def accuracy_of(tmp_path: Path, operator: Principal) -> Accuracy:
    """What `accuracy --json` prints after the import of files."""

    def run(files: sample.Files) -> dict[str, Any]:
        folder = sample.as_folder(tmp_path / "toy", files)
        import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")
        return _printed("toy")

    return run


def _printed(name: str) -> dict[str, Any]:
    out, errors = StringIO(), StringIO()
    call_command("accuracy", name, json=True, stdout=out, stderr=errors)
    assert not errors.getvalue()
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_the_sample_has_the_accuracy_that_it_was_made_with(accuracy_of: Accuracy) -> None:
    found = accuracy_of(sample.files())
    assert found["mape_original"] == pytest.approx(25.0)
    corrected = found["mape_corrected"]
    assert corrected["per_correction"] == pytest.approx({"random1": 0.0, "random2": 25.0})
    assert (corrected["mean"], corrected["sd"]) == pytest.approx((12.5, 17.677669529663689))
    # The intercept, A, A*B and B*C. A is -1 s in main and 0.5 s in foo: only -0.5 s in their sum.
    assert found["terms"]["local_threshold"] == {"0.1": 4, "0.3": 4, "0.7": 4, "1.0": 4}
    assert found["terms"]["global_threshold"] == {"0.1": 4, "0.3": 4, "0.7": 3, "1.0": 3}
    assert found["published_predictions_max_abs_diff_s"] == pytest.approx(0.5)
    sizes = ("configurations", "regions", "distinct_subspaces", "uncovered_subspaces", "cover_size")
    assert [found[name] for name in sizes] == [4, 4, 7, 0, 3]
    assert "reasons" not in found


def test_without_ground_truth_the_errors_are_null_with_a_reason(accuracy_of: Accuracy) -> None:
    files = sample.files()
    del files["groundtruth.csv"]
    found = accuracy_of(files)
    assert found["mape_original"] is None
    assert found["mape_corrected"] == {"mean": None, "sd": None, "per_correction": {}}
    assert found["published_predictions_max_abs_diff_s"] is None
    assert found["reasons"] == {
        "mape_original": "no configuration was measured end to end",
        "mape_corrected": "no configuration was measured end to end",
        "published_predictions_max_abs_diff_s": "the bundle has no published predictions",
    }
    assert found["cover_size"] == 3


def test_without_corrections_only_the_uncorrected_error_is_known(accuracy_of: Accuracy) -> None:
    files = sample.with_manifest(corrections=None, published_predictions_correction=None)
    del files["published_corrections.csv"]
    found = accuracy_of(files)
    assert found["mape_original"] == pytest.approx(25.0)
    assert found["mape_corrected"]["mean"] is None
    assert found["reasons"] == {"mape_corrected": "the bundle has no corrections"}
    # Without a named correction the authors' predictions count as uncorrected.
    assert found["published_predictions_max_abs_diff_s"] == pytest.approx(
        max(abs(0.25 * sample.seconds(a, b, c) - 0.5) for a in (0, 1) for b in (0, 1) for c in (0, 1))
    )


def test_predictions_whose_correction_is_not_there_cannot_be_compared(accuracy_of: Accuracy) -> None:
    files = sample.files()
    del files["published_corrections.csv"]
    found = accuracy_of(files)
    assert found["published_predictions_max_abs_diff_s"] is None
    assert found["reasons"] == {
        "mape_corrected": "the bundle has no corrections",
        "published_predictions_max_abs_diff_s": (
            "the correction random1 that the predictions were made with is not in the bundle"
        ),
    }


def test_corrections_of_other_names_are_no_random_ones(accuracy_of: Accuracy) -> None:
    files = sample.with_manifest(published_predictions_correction="all")
    files["published_corrections.csv"] = b"fit,intercept_s,slope,r_squared\nall,0,1.25,1\n"
    found = accuracy_of(files)
    assert found["mape_corrected"]["per_correction"] == {}
    assert found["reasons"] == {"mape_corrected": "no correction is named random*, only all"}


def test_a_single_random_correction_has_no_standard_deviation(accuracy_of: Accuracy) -> None:
    files = sample.changed("published_corrections.csv", "random2", "other")
    corrected = accuracy_of(files)["mape_corrected"]
    assert corrected["mean"] == pytest.approx(0.0)
    assert corrected["sd"] is None


def test_uncovered_subspaces_leave_their_configurations_out_and_say_so(accuracy_of: Accuracy) -> None:
    files = sample.files()
    for name in ("configs.csv", "runs.csv", "region_measurements.csv.gz"):
        kept = [line for line in sample.text_of(files, name).splitlines() if not line.startswith("c3")]
        files[name] = sample.stored(name, "\n".join(kept))
    found = accuracy_of(files)
    assert found["uncovered_subspaces"] == 1
    assert found["mape_original"] == pytest.approx(25.0)
    assert found["reasons"]["mape_original"].startswith("over 6 of 8 configurations")


def test_a_truth_of_zero_is_left_out_and_said(accuracy_of: Accuracy) -> None:
    truth = sample.seconds(0, 0, 0)
    found = accuracy_of(sample.changed("groundtruth.csv", f"g0,0,0,0,{truth}", "g0,0,0,0,0"))
    assert found["mape_original"] == pytest.approx(25.0)
    assert found["reasons"] == {"mape_original": "without 1 configurations whose measured time is 0"}


def test_the_offset_of_the_program_region_counts(accuracy_of: Accuracy) -> None:
    files = sample.with_manifest(program_region_offset_seconds=1.5)
    found = accuracy_of(files)
    errors = [
        abs(1.25 * t + 1.5 - t) / t
        for t in (sample.seconds(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1))
    ]
    assert found["mape_original"] == pytest.approx(100 * sum(errors) / 8)


def test_for_a_person_the_same_in_words(accuracy_of: Accuracy) -> None:
    accuracy_of(sample.files())
    out = StringIO()
    call_command("accuracy", "Toy", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "Toy 1.0, as published, as published"
    assert "  mean error, as profiled  25.00 %" in lines
    assert "  mean error, corrected    12.50 %, sd 17.68 %" in lines
    assert "  greedy cover             3 configurations" in lines


def test_invalid_runs_do_not_count(accuracy_of: Accuracy) -> None:
    accuracy_of(sample.files())
    Measurement.objects.filter(run__kind="plain", run__configuration__assignments={}).update(value=1e6)
    assert _printed("toy")["mape_original"] != pytest.approx(25.0)
    Run.objects.filter(kind="plain", configuration__assignments={}).update(invalid_reason="wrong")
    assert _printed("toy")["mape_original"] == pytest.approx(25.0)


def test_a_system_that_is_not_there_ends_with_2() -> None:
    with pytest.raises(CommandError, match="there is no system 'nobody'") as refused:
        call_command("accuracy", "nobody")
    assert refused.value.returncode == 2


def test_a_stranger_sees_no_accuracy(accuracy_of: Accuracy, charlie: Person) -> None:
    accuracy_of(sample.files())
    with pytest.raises(NotFound):
        report_accuracy(access_to(charlie.principal, "toy").system)


@pytest.mark.parametrize("name", ["lucene", "density"])
def test_the_published_systems_have_their_published_accuracy(
    reference_data: Path, operator: Principal, name: str
) -> None:
    folder = reference_data / "comprex" / name
    expected = json.loads((folder / "expected.json").read_text())
    import_file(principal=operator, format_name="comprex", path=folder, system_name=name)
    found = _printed(name)
    assert found["mape_original"] == pytest.approx(expected["mape_O"], abs=0.006)
    corrected = found["mape_corrected"]
    assert list(corrected["per_correction"].values()) == pytest.approx(
        expected["mape_C_per_published_fit"], abs=0.006
    )
    assert corrected["mean"] == pytest.approx(expected["mape_C_mean"], abs=0.006)
    assert corrected["sd"] == pytest.approx(expected["mape_C_sd"], abs=0.006)
    assert found["terms"]["local_threshold"] == expected["terms_abs_ge_s_local_threshold_then_union"]
    assert found["terms"]["global_threshold"] == expected["terms_abs_ge_s_global_sum"]
    assert found["configurations"] == expected["configs"]
    assert found["regions"] == expected["regions"]
    assert found["distinct_subspaces"] == expected["distinct_subspaces"]
    assert found["uncovered_subspaces"] == expected["uncovered_subspaces"]
    assert found["cover_size"] == expected["own_greedy_cover"]
    assert found["published_predictions_max_abs_diff_s"] <= expected["published_predictions_max_abs_diff_s"]
    assert ModelCorrection.objects.count() == len(expected["mape_C_per_published_fit"]) + (
        1 if name == "lucene" else 2
    )
    assert PublishedPrediction.objects.count() == 2000

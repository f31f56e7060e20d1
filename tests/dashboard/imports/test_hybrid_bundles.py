"""Bundles carry hybrid models: byte for byte there and back, as good as before, and refused where they contradict."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.stored import LearnedModel
from dashboard.access import Principal
from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import FILE_OF
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.errors import Faults, InvalidBundle
from dashboard.importers.model_records import HybridRecord, RegionTermsRecord, TermsRecord
from dashboard.importers.records import (
    EnvironmentRecord,
    LevelRecord,
    MetricRecord,
    OptionRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.whitebox_records import CountedRunRecord, CountsRecord
from dashboard.models import ModelFit, PerformanceModel, System, SystemOption
from dashboard.selectors.configurations import options_of
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.hybrid_inputs import hybrid_models
from dashboard.selectors.learned_models import hybrid_of
from dashboard.services.imports.importing import import_file
from tests.dashboard.imports.test_white_box_bundles import ON
from tests.dashboard.imports.test_white_box_bundles import RECORDS as TRACED

WHOLE = TermsRecord(({}, ON), (0.1 + 0.2, -0.0125), (1e-6, -2e-7, 3e-6), 17)
MODEL = HybridRecord(
    batch=0,
    revision="1.0",
    workload="small",
    environment=0,
    metric=0,
    code=HYBRID_VERSION,
    seed=0,
    tainted=True,
    current=True,
    options=("A",),
    configurations=20,
    checked=20,
    error=3.25,
    rank_correlation=0.875,
    regret=1.5,
    margin=0.25,
    whole=WHOLE,
    regions=(
        RegionTermsRecord("tiny:f", replace(WHOLE, terms=(ON,), coefficients=(-0.01,), covariance=(0.0,))),
    ),
)
RECORDS = replace(TRACED, metrics=(MetricRecord("time", "s", "cpu", "lower"),), hybrid_models=(MODEL,))


def imported(tmp_path: Path, operator: Principal, records: SystemRecords, name: str) -> None:
    path = tmp_path / f"{name}-{records.batches[0].digest[:4]}.zip"
    write_bundle(records, path)
    import_file(principal=operator, format_name="bundle", path=path, system_name=name.title())


def stored(slug: str) -> LearnedModel:
    """The hybrid model of a system, as pages read it."""
    analysis = PerformanceModel.objects.get(system__slug=slug, kind=PerformanceModel.Kind.HYBRID)
    return hybrid_of(analysis, options_of(analysis.system))[0]


@pytest.mark.django_db
def test_hybrid_models_survive_byte_for_byte(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    copied = load_system_records(System.objects.get(slug="copy"))
    assert bundle_files(copied) == bundle_files(RECORDS)
    (row,) = hybrid_models(System.objects.get(slug="copy"))
    assert (row.revision, row.workload, row.configurations, row.is_current) == ("1.0", "small", 20, True)
    assert stored("copy").model.terms.coefficients.tolist() == [0.1 + 0.2, -0.0125]


@pytest.mark.django_db
def test_a_model_that_was_out_of_date_stays_so(tmp_path: Path, operator: Principal) -> None:
    stale = replace(RECORDS, hybrid_models=(replace(MODEL, current=False, error=None, checked=0),))
    imported(tmp_path, operator, stale, "copy")
    assert bundle_files(load_system_records(System.objects.get(slug="copy"))) == bundle_files(stale)
    assert not hybrid_models(System.objects.get(slug="copy"))[0].is_current


@pytest.mark.django_db
def test_options_that_come_later_leave_a_model_as_it_is(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    option = OptionRecord("B", (LevelRecord(False, "off"), LevelRecord(True, "on")))
    write_bundle(SystemRecords(options=(option,)), tmp_path / "more.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "more.zip", system_name="Copy")
    assert SystemOption.objects.filter(system__slug="copy").count() == 2
    assert stored("copy").model.predict(np.array([[1, 0], [1, 1]])).tolist() == pytest.approx(
        [0.2875, 0.2875]
    )
    (again,) = load_system_records(System.objects.get(slug="copy")).hybrid_models
    assert again.whole == WHOLE


def of_another_batch(**changes: Any) -> SystemRecords:
    """The same system and models without the first batch's data."""
    batch = replace(RECORDS.batches[0], digest="f" * 64)
    return replace(RECORDS, batches=(batch,), counts=(), white_box_analyses=(), **changes)


@pytest.mark.django_db
def test_the_own_model_of_a_system_stays(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    before = ModelFit.objects.get().pk
    imported(tmp_path, operator, of_another_batch(), "copy")
    assert ModelFit.objects.get().pk == before
    assert PerformanceModel.objects.count() == 1


@pytest.mark.django_db
def test_a_model_takes_the_place_of_one_of_older_rules(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    ModelFit.objects.update(method_version="hybrid-0")
    version = PerformanceModel.objects.get().data_version
    assert hybrid_models(System.objects.get(slug="copy")) == ()
    imported(tmp_path, operator, of_another_batch(), "copy")
    assert len(hybrid_models(System.objects.get(slug="copy"))) == 1
    assert stored("copy").configurations == 20
    assert ModelFit.objects.count() == 1
    assert PerformanceModel.objects.get().data_version > version


@pytest.mark.django_db
def test_models_of_other_rules_are_left_out_and_told(tmp_path: Path, operator: Principal) -> None:
    other = replace(MODEL, code="hybrid-0", metric=1)
    metrics = (*RECORDS.metrics, MetricRecord("time", "s", "wall", "lower"))
    write_bundle(replace(RECORDS, metrics=metrics, hybrid_models=(MODEL, other)), tmp_path / "copy.zip")
    outcome = import_file(
        principal=operator, format_name="bundle", path=tmp_path / "copy.zip", system_name="Copy"
    )
    assert [one.code for one in load_system_records(System.objects.get(slug="copy")).hybrid_models] == [
        HYBRID_VERSION
    ]
    assert PerformanceModel.objects.count() == 1
    (remark,) = outcome.remarks
    assert remark.startswith("1 hybrid model is of other rules")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("elsewhere", "is_current"),
    [
        ({}, False),
        ({"revision": "2.0"}, True),
        ({"workload": "large"}, True),
        ({"environment": 1}, True),
    ],
)
@pytest.mark.parametrize("counted", [False, True])
def test_only_what_others_measured_at_its_place_makes_a_model_out_of_date(
    tmp_path: Path, operator: Principal, elsewhere: dict[str, Any], *, is_current: bool, counted: bool
) -> None:
    at: dict[str, Any] = {"revision": "1.0", "workload": "small", "environment": 0} | elsewhere
    run = CountedRunRecord(0, at["workload"], at["environment"], ((0, 1),))
    first = replace(
        RECORDS,
        revisions=(RevisionRecord("1.0"), RevisionRecord("2.0")),
        workloads=(WorkloadRecord("small"), WorkloadRecord("large")),
        environments=(*RECORDS.environments, EnvironmentRecord("d" * 64, "another machine")),
        white_box_analyses=(),
        counts=(CountsRecord(0, at["revision"], (("tiny:f", 1, 0, "call"),), (run,)),) if counted else (),
        runs=() if counted else (RunRecord(batch=0, configuration=0, repetition=1, kind="plain", **at),),
        hybrid_models=(),
    )
    imported(tmp_path, operator, first, "copy")
    imported(tmp_path, operator, of_another_batch(), "copy")
    (row,) = hybrid_models(System.objects.get(slug="copy"))
    assert row.is_current is is_current


@pytest.mark.django_db
def test_a_bundle_without_hybrid_models_is_read(tmp_path: Path, operator: Principal) -> None:
    folder = tmp_path / "older"
    write_bundle(TRACED, folder)
    (folder / FILE_OF["hybrid_models"]).unlink()
    import_file(principal=operator, format_name="bundle", path=folder, system_name="Older")
    assert load_system_records(System.objects.get(slug="older")).hybrid_models == ()


def faults_of(**changes: Any) -> str:
    faults = Faults()
    check(replace(RECORDS, hybrid_models=(replace(MODEL, **changes),)), faults)
    try:
        faults.stop_if_any()
    except InvalidBundle as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"batch": 1}, "there are only 1 for batch"),
        ({"environment": 1}, "there are only 1 for environment"),
        ({"metric": 1}, "there are only 1 for metric"),
        ({"revision": "2.0"}, "the revision is unknown"),
        ({"workload": "large"}, "the workload is unknown"),
        ({"options": ("Z",)}, "the option is unknown"),
        ({"whole": replace(WHOLE, terms=({}, {"A": "high"}))}, "A has no such level"),
        ({"whole": replace(WHOLE, terms=(ON, ON))}, "a term is there twice"),
        ({"whole": replace(WHOLE, coefficients=(1.0,))}, "2 terms have 1 coefficients"),
        ({"whole": replace(WHOLE, covariance=(1.0,))}, "2 terms have 1 covariances, not 3"),
        ({"whole": TermsRecord((), (), (), 0)}, "a model has no terms"),
        ({"regions": MODEL.regions * 2}, "two models are of one region"),
    ],
)
def test_what_contradicts_the_rest_is_told(changes: dict[str, Any], told: str) -> None:
    assert faults_of() == ""
    assert told in faults_of(**changes)

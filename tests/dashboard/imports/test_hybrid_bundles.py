"""Bundles carry hybrid models: byte for byte there and back, as good as before, and refused where they contradict."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics.influence.learned_hybrid import HYBRID_VERSION
from analytics.influence.located import LearnedInRegions
from dashboard.access import Principal
from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import HYBRIDS
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.errors import Faults, InvalidBundle
from dashboard.importers.hybrid_records import HybridRecord, RegionTermsRecord, TermsRecord
from dashboard.importers.records import LevelRecord, MetricRecord, OptionRecord, SystemRecords
from dashboard.models import Analysis, ModelFit, Option
from dashboard.selectors.approaches.hybrid import hybrid_models
from dashboard.selectors.hybrid_models import hybrid_of
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.systems.records import load_system_records
from dashboard.services.imports.importing import import_file
from tests.dashboard.imports.test_traced_bundles import ON
from tests.dashboard.imports.test_traced_bundles import RECORDS as TRACED

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
    whole=WHOLE,
    regions=(
        RegionTermsRecord("tiny:f", replace(WHOLE, terms=(ON,), coefficients=(-0.01,), covariance=(0.0,))),
    ),
)
RECORDS = replace(TRACED, metrics=(MetricRecord("time", "s", "cpu", "lower"),), hybrids=(MODEL,))


def imported(tmp_path: Path, operator: Principal, records: SystemRecords, name: str) -> None:
    write_bundle(records, tmp_path / f"{name}.zip")
    import_file(
        principal=operator, format_name="bundle", path=tmp_path / f"{name}.zip", system_name=name.title()
    )


def stored(slug: str) -> LearnedInRegions:
    """The hybrid model of a system, as pages read it."""
    analysis = Analysis.objects.get(system__slug=slug, kind=Analysis.Kind.HYBRID)
    return hybrid_of(analysis, options_of(analysis.system))[0]


@pytest.mark.django_db
def test_hybrid_models_survive_byte_for_byte(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    copied = load_system_records(principal=operator, system_slug="copy")
    assert bundle_files(copied) == bundle_files(RECORDS)
    (row,) = hybrid_models(principal=operator, slug="copy")
    assert (row.revision, row.workload, row.configurations, row.is_current) == ("1.0", "small", 20, True)
    assert stored("copy").model.terms.coefficients.tolist() == [0.1 + 0.2, -0.0125]


@pytest.mark.django_db
def test_a_model_that_was_out_of_date_stays_so(tmp_path: Path, operator: Principal) -> None:
    stale = replace(RECORDS, hybrids=(replace(MODEL, current=False, error=None, checked=0),))
    imported(tmp_path, operator, stale, "copy")
    assert bundle_files(load_system_records(principal=operator, system_slug="copy")) == bundle_files(stale)
    assert not hybrid_models(principal=operator, slug="copy")[0].is_current


@pytest.mark.django_db
def test_options_that_come_later_leave_a_model_as_it_is(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    option = OptionRecord("B", (LevelRecord(False, "off"), LevelRecord(True, "on")))
    write_bundle(SystemRecords(options=(option,)), tmp_path / "more.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "more.zip", system_name="Copy")
    assert Option.objects.filter(system__slug="copy").count() == 2
    assert stored("copy").model.predict(np.array([[1, 0], [1, 1]])).tolist() == pytest.approx(
        [0.2875, 0.2875]
    )
    (again,) = load_system_records(principal=operator, system_slug="copy").hybrids
    assert again.whole == WHOLE


@pytest.mark.django_db
def test_the_own_model_of_a_system_stays(tmp_path: Path, operator: Principal) -> None:
    imported(tmp_path, operator, RECORDS, "copy")
    before = ModelFit.objects.get().pk
    other = replace(RECORDS, batches=(replace(RECORDS.batches[0], digest="f" * 64),), counts=(), tracings=())
    write_bundle(other, tmp_path / "other.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "other.zip", system_name="Copy")
    assert ModelFit.objects.get().pk == before
    assert Analysis.objects.count() == 1


@pytest.mark.django_db
def test_a_bundle_without_hybrid_models_is_read(tmp_path: Path, operator: Principal) -> None:
    folder = tmp_path / "older"
    write_bundle(TRACED, folder)
    (folder / HYBRIDS).unlink()
    import_file(principal=operator, format_name="bundle", path=folder, system_name="Older")
    assert load_system_records(principal=operator, system_slug="older").hybrids == ()


def faults_of(**changes: Any) -> str:
    faults = Faults()
    check(replace(RECORDS, hybrids=(replace(MODEL, **changes),)), faults)
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

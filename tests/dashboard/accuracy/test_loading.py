"""Loading an analysis: which runs count, and how they lie in the arrays."""

from pathlib import Path

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import (
    Batch,
    Configuration,
    Metric,
    PerformanceModel,
    Region,
    RegionMeasurement,
    Run,
    System,
)
from dashboard.selectors.model_loading import load_model
from dashboard.selectors.performance_models import get_model, list_models, newest_model
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import comprex_sample as sample
from tests.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def toy(tmp_path: Path, operator: Principal) -> System:
    """The sample, imported."""
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")
    return System.objects.get(slug="toy")


def test_the_arrays_hold_seconds_by_region_configuration_and_repetition(
    toy: System, operator: Principal
) -> None:
    times = load_model(newest_model(access_to(operator, "toy").system)).times
    assert times.values.shape == (4, 4, 3)
    assert times.ran.all()
    assert (times.aggregate_repetitions, times.program_region, times.offset) == ("median", "program", 0.0)
    methods = {"program": "R0", "toy.Main.main()V": "R1", "toy.Main.foo(Z)V": "R2", "toy.Main.bar(Z)V": "R3"}
    for row, key in enumerate(times.regions):
        for column, levels in enumerate(times.configurations):
            expected = sample.microseconds(methods[key], *levels.tolist()) / 1e6
            assert np.median(times.values[row, column]) == pytest.approx(expected)


def test_configurations_keep_their_names(toy: System, operator: Principal) -> None:
    loaded = load_model(newest_model(access_to(operator, "toy").system))
    assert loaded.names == ("c0", "c1", "c2", "c3")
    assert loaded.times.configurations.tolist() == [list(levels) for levels in sample.PROFILED]


def test_the_number_of_queries_is_constant(toy: System, operator: Principal, tmp_path: Path) -> None:
    with CaptureQueriesContext(connection) as few:
        load_model(newest_model(access_to(operator, "toy").system))
    RegionMeasurement.objects.filter(run__configuration__name__in=["c1", "c2"]).delete()
    Run.objects.filter(kind="profiled", configuration__name__in=["c1", "c2"]).delete()
    with CaptureQueriesContext(connection) as fewer:
        load_model(newest_model(access_to(operator, "toy").system))
    assert len(few) == len(fewer) <= 8


def test_failed_and_invalid_runs_are_left_out_of_the_repetitions(toy: System, operator: Principal) -> None:
    Run.objects.filter(kind="profiled", configuration__name="c1", repetition=0).update(status="failed")
    Run.objects.filter(kind="profiled", configuration__name="c1", repetition=1).update(invalid_reason="slept")
    Run.objects.filter(kind="profiled", configuration__name="c2").update(invalid_reason="slept")
    loaded = load_model(newest_model(access_to(operator, "toy").system))
    assert loaded.names == ("c0", "c1", "c3")
    assert loaded.times.ran.sum(axis=1).tolist() == [3, 1, 3]


def test_an_analysis_without_valid_runs_says_so(toy: System, operator: Principal) -> None:
    Run.objects.update(invalid_reason="slept")
    with pytest.raises(NotFound, match="no valid profiled run"):
        load_model(newest_model(access_to(operator, "toy").system))


def test_an_exhaustive_analysis_whose_runs_measured_no_region_says_so(
    toy: System, operator: Principal
) -> None:
    PerformanceModel.objects.update(kind=PerformanceModel.Kind.FULL_FACTORIAL)
    RegionMeasurement.objects.all().delete()
    with pytest.raises(NotFound, match="no measured region in its valid runs"):
        load_model(newest_model(access_to(operator, "toy").system))


def test_a_batch_that_is_being_written_is_not_seen(toy: System, operator: Principal) -> None:
    Batch.objects.update(state=Batch.State.WRITING)
    assert list_models(access_to(operator, "toy").system) == ()
    with pytest.raises(NotFound, match="no analysis"):
        load_model(newest_model(access_to(operator, "toy").system))


def test_a_corrected_import_does_not_mix_with_an_earlier_one(
    toy: System, operator: Principal, tmp_path: Path
) -> None:
    files = sample.changed("region_measurements.csv.gz", "c0,R0,1,1000000", "c0,R0,1,1000001")
    folder = sample.as_folder(tmp_path / "again", files)
    import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")
    newest, oldest = list_models(access_to(operator, "toy").system)
    for row in (newest, oldest):
        loaded = load_model(get_model(row.model_id))
        assert loaded.times.ran.shape == (4, 3)
    assert load_model(newest_model(access_to(operator, "toy").system)).row.model_id == newest.model_id


def test_an_exhaustive_analysis_reads_all_runs_of_its_place(toy: System, operator: Principal) -> None:
    analysis = _exhaustive(toy, ["A", "B", "C"])
    other = Batch.objects.create(system=toy, format="measure", digest="other", state=Batch.State.VISIBLE)
    _another_run(analysis, other, "c0", 0, 9.0)
    loaded = load_model(get_model(analysis.pk))
    assert loaded.times.ran.sum(axis=1).tolist() == [4, 3, 3, 3]
    program = list(loaded.times.regions).index("program")
    assert loaded.times.values[program, 0].tolist() == [0.999, 1.0, 1.001, 9.0]
    assert {partition.n_subspaces for partition in loaded.times.partitions} == {8}


def test_an_exhaustive_analysis_holds_other_options_as_most_of_its_runs_do(
    toy: System, operator: Principal
) -> None:
    analysis = _exhaustive(toy, ["A"])
    loaded = load_model(get_model(analysis.pk))
    assert (loaded.names, loaded.held) == (("c0", "c1"), {})
    Run.objects.filter(kind="profiled", configuration__name__in=["c0", "c1"]).delete()
    for repetition in range(5, 9):
        _another_run(analysis, analysis.batch, "c2", repetition, 1.0)
    loaded = load_model(get_model(analysis.pk))
    assert (loaded.names, loaded.held) == (("c2",), {"B": "true"})


def test_analyses_of_systems_of_others_are_not_found(toy: System, charlie: Person, system: System) -> None:
    with pytest.raises(NotFound):
        list_models(access_to(charlie.principal, "toy").system)
    with pytest.raises(NotFound, match="no analysis"):
        newest_model(access_to(Principal.operator(), "small").system)


def _exhaustive(toy: System, options: list[str]) -> PerformanceModel:
    analysis = PerformanceModel.objects.get(system=toy)
    analysis.pk = None
    analysis.kind = PerformanceModel.Kind.FULL_FACTORIAL
    analysis.options = options
    analysis.save()
    return analysis


def _another_run(
    analysis: PerformanceModel, batch: Batch, name: str, repetition: int, seconds: float
) -> None:
    run = Run.objects.create(
        batch=batch,
        revision_id=analysis.revision_id,
        configuration=Configuration.objects.get(name=name),
        workload_id=analysis.workload_id,
        environment_id=analysis.environment_id,
        repetition=repetition,
        kind=Run.Kind.PROFILED,
    )
    RegionMeasurement.objects.create(
        run=run,
        region=Region.objects.get(key="program"),
        metric=Metric.objects.get(pk=analysis.region_metric_id),
        value=seconds,
    )

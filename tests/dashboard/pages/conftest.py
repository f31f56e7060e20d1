"""A small system with all its configurations measured: 40 ms, A adds 10, A with B adds 30 more."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.access import Principal, current_principal
from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Measurement,
    Metric,
    PerformanceModel,
    Region,
    RegionMeasurement,
    Revision,
    Run,
    System,
    Workload,
)
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers.feature_model_sample import model, option, write

REPETITIONS = 3
OPTIONAL = "<optional>True</optional>"
PLACE = (
    "<locations><sourceRange><path>src/pkg/hot.py</path><start><line>11</line><column>1</column></start>"
    "<end><line>12</line><column>9</column></end></sourceRange></locations>"
)
LATER = PLACE.replace("<path>", "<revisionRange><introduced>later</introduced></revisionRange><path>")


@pytest.fixture
def measured(system: System) -> PerformanceModel:
    """The analysis of `system`, profiled three times and measured end to end once in each configuration."""
    batch = Batch.objects.create(system=system, format="test", digest="0" * 64, state=Batch.State.VISIBLE)
    metric = Metric.objects.create(quantity="time", unit="s", clock=Metric.Clock.WALL)
    region = Region.objects.create(system=system, key="pkg.hot", package="pkg", name="hot")
    program = Region.objects.create(system=system, key="(program)", name="rest", is_program=True)
    workload, environment = Workload.objects.get(), Environment.objects.get()
    revision = Revision.objects.get()
    for configuration in Configuration.objects.filter(system=system):
        on = set(configuration.assignments)
        hot = 0.010 * ("A" in on) + 0.030 * (on == {"A", "B"})
        place = {
            "batch": batch,
            "revision": revision,
            "configuration": configuration,
            "workload": workload,
            "environment": environment,
        }
        for repetition in range(REPETITIONS):
            run = Run.objects.create(**place, repetition=repetition, kind=Run.Kind.PROFILED)
            noise = 0.0001 * repetition
            RegionMeasurement.objects.create(
                run=run, region=region, metric=metric, value=hot + noise * len(on)
            )
            RegionMeasurement.objects.create(run=run, region=program, metric=metric, value=0.040 + noise)
        plain = Run.objects.create(**place, repetition=0, kind=Run.Kind.PLAIN)
        Measurement.objects.create(run=plain, metric=metric, value=0.040 + hot)
    return PerformanceModel.objects.create(
        system=system,
        batch=batch,
        revision=revision,
        workload=workload,
        environment=environment,
        kind=PerformanceModel.Kind.FULL_FACTORIAL,
        region_metric=metric,
        total_metric=metric,
        aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
        aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
        options=["A", "B"],
    )


@pytest.fixture
def modelled(system: System, operator: Principal, tmp_path: Path) -> System:
    """The small system with a feature model: A and B exclude each other, A lies in two lines."""
    content = model(
        option("A", OPTIONAL, "<excludedOptions><options>B</options></excludedOptions>", PLACE),
        option("B", OPTIONAL, LATER),
    )
    path = write(tmp_path, content)
    import_file(principal=operator, format_name="feature-model", path=path, system_name=system.name)
    return system


@pytest.fixture
def study(operator: Principal, tmp_path: Path) -> Iterator[Callable[..., Principal]]:
    """Imports a table of configurations as a system, one metric in seconds; what comes after is in the request of who imported it."""

    def imported(table: str, *, name: str = "Study", metric: str = "performance") -> Principal:
        path = tmp_path / "measurements.csv"
        path.write_text(table)
        given = {"unit": (f"{metric}=s",)}
        import_file(principal=operator, format_name="spl-conqueror", path=path, system_name=name, given=given)
        return operator

    token = current_principal.set(operator)
    yield imported
    current_principal.reset(token)


@pytest.fixture
def remembered(measured: PerformanceModel) -> PerformanceModel:
    """A second model of `measured`, of memory: 100 MB, A takes 50 MB less, B 20 MB more."""
    memory = Metric.objects.create(quantity="memory", unit="MB", clock=Metric.Clock.NONE)
    program = Region.objects.get(system=measured.system, is_program=True)
    for run in Run.objects.filter(batch=measured.batch).select_related("configuration"):
        on = run.configuration.assignments
        used = 100.0 - 50.0 * ("A" in on) + 20.0 * ("B" in on)
        if run.kind == Run.Kind.PROFILED:
            RegionMeasurement.objects.create(run=run, region=program, metric=memory, value=used)
        else:
            Measurement.objects.create(run=run, metric=memory, value=used)
    measured.pk, measured.region_metric, measured.total_metric = None, memory, memory
    measured.save()
    return measured

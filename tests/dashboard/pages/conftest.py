"""A small system with all its configurations measured: 40 ms, A adds 10, A with B adds 30 more."""

import pytest

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

REPETITIONS = 3


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

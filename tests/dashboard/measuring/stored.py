"""Runs as they are stored, made without running anything."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction

from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Measurement,
    Metric,
    Order,
    OrderPosition,
    Region,
    RegionMeasurement,
    Revision,
    Run,
    System,
    Workload,
)
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.full_factorial import refresh_factorial_models
from dashboard.services.performance_models.term_histories import refresh_term_points
from dashboard.services.points import keys_of_batches, update_points

BEGAN = datetime(2024, 3, 1, 12, tzinfo=UTC)


def add_revisions(system: System, names: Sequence[str]) -> list[Revision]:
    """Make revisions where missing and list these, in this order, as the releases of the subject."""
    order, _ = Order.objects.get_or_create(system=system, name="releases")
    revisions = [Revision.objects.get_or_create(system=system, name=name)[0] for name in names]
    OrderPosition.objects.bulk_create(
        OrderPosition(order=order, revision=revision, position=position, listed=True)
        for position, revision in enumerate(revisions)
    )
    return revisions


def add_batch(system: System, **fields: object) -> Batch:
    """Make a visible batch as a measuring job does."""
    digest = f"{Batch.objects.count():064d}"
    values = {"format": "measure", "digest": digest, "state": Batch.State.VISIBLE, **fields}
    return Batch.objects.create(system=system, **values)


def add_run(
    batch: Batch,
    configuration: Configuration,
    revision: Revision | None = None,
    *,
    value: float | None = None,
    repetition: int = 1,
    region_value: float | None = None,
    **fields: object,
) -> Run:
    """Store one execution: end to end `value` seconds by both clocks, and profiled where `region_value` is given."""
    system = batch.system
    started = BEGAN + timedelta(seconds=10 * Run.objects.count())
    place = {
        "batch": batch,
        "revision": revision or Revision.objects.get(system=system, name="1.0"),
        "configuration": configuration,
        "workload": Workload.objects.get(system=system),
        "environment": Environment.objects.get(),
        "repetition": repetition,
        "started_at": started,
    }
    run = Run.objects.create(kind=Run.Kind.PLAIN, **(place | fields))
    if value is not None:
        for clock in (Metric.Clock.WALL, Metric.Clock.CPU):
            Measurement.objects.create(run=run, metric=seconds(clock), value=value)
    if region_value is not None:
        profiled = Run.objects.create(kind=Run.Kind.PROFILED, **(place | fields))
        region, _ = Region.objects.get_or_create(
            system=system, key="program", defaults={"name": "everything else", "is_program": True}
        )
        RegionMeasurement.objects.create(
            run=profiled, region=region, metric=seconds(Metric.Clock.CPU), value=region_value
        )
    return run


def add_timed(
    batch: Batch, clock: Metric.Clock, timed: Sequence[tuple[Configuration, Revision, float]]
) -> None:
    """Store many executions at once: each its seconds by one clock, one after the other."""
    place = {
        "batch": batch,
        "workload": Workload.objects.get(system=batch.system),
        "environment": Environment.objects.get(),
        "kind": Run.Kind.PLAIN,
    }
    before = Run.objects.count()
    runs = Run.objects.bulk_create(
        Run(
            configuration=configuration,
            revision=revision,
            repetition=1,
            started_at=BEGAN + timedelta(seconds=10 * at),
            **place,
        )
        for at, (configuration, revision, _) in enumerate(timed, before)
    )
    metric = seconds(clock)
    Measurement.objects.bulk_create(
        Measurement(run=run, metric=metric, value=value)
        for run, (_, _, value) in zip(runs, timed, strict=True)
    )


def settle(batches: Iterable[Batch]) -> None:
    """Do what a measuring job does at its end: points, analyses and histories of terms."""
    for batch in batches:
        with transaction.atomic():
            update_points(system=batch.system, keys=keys_of_batches([batch.pk]))
            refresh_factorial_models(
                system=batch.system, contexts=MeasurementContext.of_runs(batch.runs.all())
            )
            refresh_term_points(system=batch.system, contexts=MeasurementContext.of_runs(batch.runs.all()))


def measure_everything(
    system: System, revisions: Sequence[Revision], *, repetitions: int = 2, step: float = 0.0
) -> Batch:
    """Measure all configurations at these revisions: 1 s, A adds 2, B adds 3, both a further 4; `step` a revision."""
    batch = add_batch(system)
    for position, revision in enumerate(revisions):
        for configuration in Configuration.objects.filter(system=system).order_by("pk"):
            on = set(configuration.assignments)
            value = 1.0 + 2.0 * ("A" in on) + 3.0 * ("B" in on) + 4.0 * (len(on) == 2) + step * position
            for repetition in range(1, repetitions + 1):
                add_run(
                    batch, configuration, revision, value=value, region_value=value, repetition=repetition
                )
    settle([batch])
    return batch

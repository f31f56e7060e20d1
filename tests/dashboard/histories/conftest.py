"""A system over five revisions: T = 10 + 5 A + 3 A B seconds; from revision 4 on, A costs 9."""

import pytest
from django.db import transaction

from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Measurement,
    Metric,
    Order,
    OrderPosition,
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
from tests.dashboard.kept import Rows, all_rows, put_back
from tests.people import Person

REVISIONS = ("1", "2", "3", "4", "5", "6")
MEASURED = ("1", "2", "4", "5", "6")
REPETITIONS = 3


def true_time(revision: str, assignments: dict[str, str], repetition: int) -> float:
    """The end-to-end seconds of one run; repetitions differ by 10 ms."""
    influence = 9.0 if int(revision) >= 4 else 5.0
    time = 10.0 + influence * ("A" in assignments) + 3.0 * (len(assignments) == 2)
    return time + 0.01 * (repetition - 2)


@pytest.fixture(scope="session")
def kept_measurements() -> list[Rows]:
    """The rows of the system as it was measured; empty until somebody asks for them."""
    return []


@pytest.fixture
def system(request: pytest.FixtureRequest, db: None, kept_measurements: list[Rows]) -> System:
    """The small system; where the test has its `batch`, measured, which is done once. Made before any other row."""
    if "batch" not in request.fixturenames:
        made: System = request.getfixturevalue("system")
        return made
    if kept_measurements:
        put_back(kept_measurements[0])
    else:
        measure(request.getfixturevalue("system"))
        kept_measurements.append(all_rows())
    return System.objects.get(slug="small")


@pytest.fixture
def batch(system: System) -> Batch:
    """Four configurations of five of six revisions, three repetitions each, by CPU and by wall clock."""
    return Batch.objects.get(system=system)


def measure(system: System) -> None:
    """Store the runs of the batch, and what follows from them."""
    order = Order.objects.create(system=system, name="releases")
    Revision.objects.filter(system=system).delete()
    revisions = Revision.objects.bulk_create(Revision(system=system, name=name) for name in REVISIONS)
    OrderPosition.objects.bulk_create(
        OrderPosition(order=order, revision=revision, position=position)
        for position, revision in enumerate(revisions)
    )
    Configuration.objects.filter(system=system).update(name="")
    batch = Batch.objects.create(system=system, format="measure", digest="d", state=Batch.State.VISIBLE)
    place = {
        "batch": batch,
        "workload": Workload.objects.get(system=system),
        "environment": Environment.objects.get(),
        "kind": Run.Kind.PLAIN,
    }
    configurations = list(Configuration.objects.filter(system=system))
    runs = Run.objects.bulk_create(
        Run(**place, revision=revision, configuration=configuration, repetition=repetition)
        for revision in revisions
        if revision.name in MEASURED
        for configuration in configurations
        for repetition in range(1, REPETITIONS + 1)
    )
    metrics = [seconds(Metric.Clock.CPU), seconds(Metric.Clock.WALL)]
    Measurement.objects.bulk_create(
        Measurement(
            run=run,
            metric=metric,
            value=true_time(run.revision.name, run.configuration.assignments, run.repetition),
        )
        for run in runs
        for metric in metrics
    )
    refresh(system, batch)


def refresh(system: System, batch: Batch) -> None:
    """What a measuring job does at its end."""
    with transaction.atomic():
        update_points(system=system, keys=keys_of_batches([batch.pk]))
        refresh_factorial_models(system=system, contexts=MeasurementContext.of_runs(batch.runs.all()))
        refresh_term_points(system=system, contexts=MeasurementContext.of_runs(batch.runs.all()))


@pytest.fixture
def measured(batch: Batch, alice: Person) -> Person:
    """Alice, with the system measured."""
    return alice

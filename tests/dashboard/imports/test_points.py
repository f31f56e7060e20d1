"""Points of histories follow the end-to-end runs."""

from collections.abc import Iterable
from statistics import mean, stdev

import pytest
from django.db import transaction

from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Measurement,
    Metric,
    Point,
    Revision,
    Run,
    Series,
    System,
)
from dashboard.services.points import SeriesKey, keys_of_batches, update_points

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(system: System) -> Batch:
    """A visible batch of the small system, which has revisions 1.0, 2.0 and 3.0."""
    for name in ("2.0", "3.0"):
        Revision.objects.create(system=system, name=name)
    return Batch.objects.create(system=system, format="test", digest="1", state=Batch.State.VISIBLE)


def _measure(
    batch: Batch, revision: str, values: Iterable[float], kind: Run.Kind = Run.Kind.PLAIN, first: int = 0
) -> None:
    metric, _ = Metric.objects.get_or_create(quantity="time", unit="s", clock="wall")
    for repetition, value in enumerate(values, start=first):
        run = Run.objects.create(
            batch=batch,
            revision=Revision.objects.get(system=batch.system, name=revision),
            configuration=Configuration.objects.get(system=batch.system, name="c0"),
            workload=batch.system.workloads.get(),
            environment=Environment.objects.get(),
            repetition=repetition,
            kind=kind,
        )
        Measurement.objects.create(run=run, metric=metric, value=value)


def _points(system: System) -> dict[str, tuple[int, float, float | None]]:
    rows = Point.objects.filter(series__system=system).values_list("revision__name", "n", "median", "spread")
    return {name: (n, median, spread) for name, n, median, spread in rows}


def _update(batch: Batch) -> int:
    with transaction.atomic():
        return update_points(system=batch.system, keys=keys_of_batches([batch.pk]))


def test_a_point_is_the_median_with_the_standard_deviation_of_its_runs(batch: Batch) -> None:
    _measure(batch, "1.0", [1.0, 3.0, 2.0])
    _measure(batch, "2.0", [5.0])
    assert _update(batch) == 2
    assert _points(batch.system) == {"1.0": (3, 2.0, 1.0), "2.0": (1, 5.0, None)}


def test_one_revision_alone_makes_no_series(batch: Batch) -> None:
    _measure(batch, "1.0", [1.0, 3.0])
    assert _update(batch) == 0
    assert not Series.objects.exists()


def test_profiled_runs_make_no_points(batch: Batch) -> None:
    for revision in ("1.0", "2.0"):
        _measure(batch, revision, [1.0], Run.Kind.PROFILED)
    assert keys_of_batches([batch.pk]) == frozenset()


def test_runs_of_several_batches_share_a_point(batch: Batch) -> None:
    _measure(batch, "1.0", [1.0, 2.0])
    _measure(batch, "2.0", [5.0])
    _update(batch)
    second = Batch.objects.create(system=batch.system, format="test", digest="2", state=Batch.State.VISIBLE)
    _measure(second, "1.0", [9.0])
    _update(second)
    assert _points(batch.system)["1.0"][:2] == (3, 2.0)
    assert Point.objects.get(revision__name="1.0").batch == second
    assert Series.objects.get().data_version == 2


def test_runs_that_are_being_written_do_not_count(batch: Batch) -> None:
    _measure(batch, "1.0", [1.0])
    _measure(batch, "2.0", [1.0])
    hidden = Batch.objects.create(system=batch.system, format="test", digest="2")
    _measure(hidden, "3.0", [1.0])
    with transaction.atomic():
        update_points(system=batch.system, keys=keys_of_batches([batch.pk, hidden.pk]))
    assert set(_points(batch.system)) == {"1.0", "2.0"}


def test_invalid_runs_take_their_points_away_and_restored_ones_bring_them_back(batch: Batch) -> None:
    for revision in ("1.0", "2.0", "3.0"):
        _measure(batch, revision, [1.0, 2.0])
    _update(batch)
    whole = _points(batch.system)
    Run.objects.filter(revision__name="2.0").update(invalid_reason="the machine slept")
    Run.objects.filter(revision__name="3.0", repetition=0).update(status=Run.Status.FAILED)
    _update(batch)
    assert _points(batch.system) == {"1.0": whole["1.0"], "3.0": (1, 2.0, None)}
    Run.objects.update(invalid_reason="", status=Run.Status.OK)
    _update(batch)
    assert _points(batch.system) == whole


def test_points_that_came_as_aggregates_stay(batch: Batch) -> None:
    _measure(batch, "1.0", [1.0])
    _measure(batch, "2.0", [1.0])
    _update(batch)
    Point.objects.create(
        series=Series.objects.get(), revision=Revision.objects.get(name="3.0"), batch=batch, n=7, median=4.0
    )
    _update(batch)
    assert _points(batch.system)["3.0"] == (7, 4.0, None)


@pytest.mark.django_db(transaction=True)
def test_points_move_only_inside_a_transaction(system: System) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        update_points(system=system, keys=[SeriesKey(1, 1, 1, 1)])


def _publish_aggregate(batch: Batch, revision: str, value: float, deviation: float | None, n: int) -> None:
    _measure(batch, revision, [value], first=Run.objects.filter(revision__name=revision).count())
    Measurement.objects.filter(run__revision__name=revision, value=value).update(deviation=deviation, n=n)


def test_a_point_of_one_published_aggregate_is_that_aggregate(batch: Batch) -> None:
    _publish_aggregate(batch, "1.0", 2.0, 0.25, 5)
    _publish_aggregate(batch, "2.0", 3.0, None, 5)
    _update(batch)
    assert _points(batch.system) == {"1.0": (5, 2.0, 0.25), "2.0": (5, 3.0, None)}


def test_several_aggregates_spread_like_the_executions_behind_them(batch: Batch) -> None:
    one, other = [1.0, 2.0, 4.0], [3.0, 7.0]
    _publish_aggregate(batch, "1.0", mean(one), stdev(one), 3)
    _publish_aggregate(batch, "1.0", mean(other), stdev(other), 2)
    _measure(batch, "2.0", [5.0])
    _update(batch)
    n, median, spread = _points(batch.system)["1.0"]
    assert (n, median) == (5, mean(one))
    assert spread == pytest.approx(stdev([*one, *other]))

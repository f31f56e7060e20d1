"""A short history knows how its noise is autocorrelated, and how likely it wanders, from the long ones beside it."""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.models import (
    Batch,
    Environment,
    Metric,
    Order,
    OrderPosition,
    Point,
    Revision,
    Series,
    System,
    Workload,
)
from dashboard.selectors.histories.curves import load_curves
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.series import get_series
from dashboard.services.metrics import seconds

pytestmark = pytest.mark.django_db
LONG, SHORT = 150, 40


@pytest.fixture
def short_series(system: System) -> Series:
    """Four benchmarks of 150 revisions with independent noise, and one of the last 40 with a step of 5 %."""
    rng = np.random.default_rng(4)
    order = Order.objects.create(system=system, name="dates")
    revisions = Revision.objects.bulk_create(Revision(system=system, name=f"r{i}") for i in range(LONG))
    OrderPosition.objects.bulk_create(
        OrderPosition(order=order, revision=revision, position=at) for at, revision in enumerate(revisions)
    )
    batch = Batch.objects.create(system=system, format="asv", digest="d", state=Batch.State.VISIBLE)
    where = {
        "system": system,
        "subject_kind": Series.SubjectKind.BENCHMARK,
        "workload": Workload.objects.filter(system=system).first(),
        "environment": Environment.objects.first(),
        "metric": seconds(Metric.Clock.WALL),
    }
    for number, length in enumerate([LONG] * 4 + [SHORT]):
        one = Series.objects.create(subject=f"bench_{number}", identity=f"{number:064}", **where)
        values = 0.02 * rng.normal(size=length)
        if length == SHORT:
            values[18:] += np.log(1.05)
        Point.objects.bulk_create(
            Point(series=one, revision=revision, batch=batch, n=1, median=float(np.exp(value)))
            for revision, value in zip(revisions[-length:], values, strict=True)
        )
    return one


def test_long_siblings_tell_the_noise_of_a_short_history(short_series: Series) -> None:
    system = short_series.system
    order = ordered_revisions(system=system, order="dates")
    row = get_series(system=system, series_id=short_series.pk)
    curve = load_curves(system, [row], order)[short_series.pk]
    assert curve.autocorrelation is not None
    assert curve.autocorrelation <= 0.1
    # None of four.
    assert curve.wander == pytest.approx(1 / 6)
    certainties = [
        max((one.certainty for one in some.changes().changes), default=0.0)
        for some in (replace(curve, autocorrelation=None, wander=None), curve)
    ]
    assert certainties[1] >= certainties[0]
    (change,) = curve.changes().changes
    assert abs(change.bracket_after - (LONG - SHORT + 18)) <= 2


def test_siblings_that_bend_tell_a_short_history_that_it_may(short_series: Series) -> None:
    system = short_series.system
    for one in system.series.exclude(pk=short_series.pk).filter(subject__in=["bench_0", "bench_1"]):
        points = list(one.points.order_by("revision_id"))
        for at, point in enumerate(points):
            point.median = (point.median or 0.0) * (1.0 + 0.2 * max(at / LONG - 0.5, 0.0))
        Point.objects.bulk_update(points, ["median"])
    order = ordered_revisions(system=system, order="dates")
    row = get_series(system=system, series_id=short_series.pk)
    assert load_curves(system, [row], order)[short_series.pk].wander == pytest.approx(3 / 6)

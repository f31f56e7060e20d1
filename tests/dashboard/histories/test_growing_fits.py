"""A long history that is looked at again goes on from what is kept, and is what a fresh process computes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints import growing as growing_changes
from analytics.histories import growing as growing_levels
from analytics.histories.change_prior import ChangePrior
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings
from dashboard.access import access_to
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
from dashboard.selectors.histories import curves, growing
from dashboard.selectors.histories.growing import fit_long, search_points
from dashboard.services.histories.fits import fit_system
from dashboard.services.metrics import seconds
from tests.people import Person


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has just begun: nothing is kept."""
    monkeypatch.setattr(growing, "_fits", {})
    monkeypatch.setattr(growing, "_searches", {})


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Measurements:
    """A history with a step at its end; nothing is kept of any."""
    forget(monkeypatch)
    logs = np.random.default_rng(23).normal(0, 0.02, 1_045)
    logs[1_025:] += 0.1
    return Measurements.of(2 * np.arange(1_045), np.exp(logs))


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which computations were made of a whole history."""
    made: list[str] = []

    def grow(*given: Any) -> object:
        made.append("fit")
        return growing_levels.grow(*given)

    def search_growing(*given: Any) -> object:
        made.append("search")
        return growing_changes.search_growing(*given)

    monkeypatch.setattr(growing, "grow", grow)
    monkeypatch.setattr(growing, "search_growing", search_growing)
    return made


def check(measured: Measurements, settings: HistorySettings, prior: ChangePrior | None = None) -> None:
    """Both are those of the whole."""
    found, expected = fit_long(measured, settings, prior), fit(measured, settings, change_prior=prior)
    np.testing.assert_allclose(found.level_means, expected.level_means, rtol=1e-9)
    np.testing.assert_allclose(found.level_variances, expected.level_variances, rtol=1e-9)
    assert found.settings == settings
    changes = ChangePointSettings(autocorrelation=0.2)
    assert search_points(measured, changes) == find_change_points(measured, changes)


def test_a_revision_that_was_measured_since_is_appended(points: Measurements, whole: list[str]) -> None:
    for end in (1_020, 1_021, 1_021, 1_040):
        check(points.part(0, end), HistorySettings(length=2 * end))
    assert whole == ["fit", "search"]
    assert len(search_points(points, ChangePointSettings()).changes) == 1


def test_a_value_that_moved_has_the_whole_computed_anew(points: Measurements, whole: list[str]) -> None:
    check(points.part(0, 1_020), HistorySettings())
    values = points.values.copy()
    values[500] *= 1.01
    check(replace(points, values=values), HistorySettings())
    # One that was invalidated.
    check(points.part(0, 1_010), HistorySettings())
    assert whole == ["fit", "search"] * 3


def test_other_settings_and_another_change_prior_have_the_whole_computed_anew(
    points: Measurements, whole: list[str]
) -> None:
    check(points.part(0, 1_020), HistorySettings())
    check(points, HistorySettings(noise_floor=0.01))
    lines = np.full(2_200, 5.0)
    check(points, HistorySettings(), ChangePrior.of_changes(0, lines))
    check(points, HistorySettings(), ChangePrior.of_changes(0, lines, [(900, 905)]))
    # By little, where no sample of places might see it.
    check(points, HistorySettings(), ChangePrior.of_changes(0, lines, [(901, 906)]))
    assert whole.count("fit") == 5
    assert whole.count("search") == 1


@pytest.mark.django_db
def test_a_revision_that_one_series_gets_has_no_sibling_searched_again(system: System, alice: Person) -> None:
    """Siblings are kept by what was measured of them; one of which a point moved is searched again."""
    curves.changes_of_content.cache_clear()
    order = Order.objects.create(system=system, name="dates")
    batch = Batch.objects.create(system=system, format="asv", digest="d", state=Batch.State.VISIBLE)
    series = [
        Series.objects.create(
            system=system,
            subject_kind=Series.SubjectKind.BENCHMARK,
            subject=f"parse {number}",
            identity=f"{number}" * 64,
            workload=Workload.objects.get(system=system),
            environment=Environment.objects.get(),
            metric=seconds(Metric.Clock.WALL),
        )
        for number in range(4)
    ]
    values = np.exp(np.random.default_rng(31).normal(0, 0.02, (42, 4)))
    for start, end, some in ((0, 40, series), (40, 42, series[:1])):
        for at in range(start, end):
            revision = Revision.objects.create(system=system, name=f"r{at}")
            OrderPosition.objects.create(order=order, revision=revision, position=at)
            for of, value in zip(some, values[at].tolist(), strict=False):
                Point.objects.create(series=of, revision=revision, batch=batch, n=1, median=value)
        Series.objects.filter(pk__in=[one.pk for one in some]).update(data_version=end)
        fit_system(access=access_to(alice.principal, system.slug))
        assert curves.changes_of_content.cache_info().misses == 4
    Point.objects.filter(series=series[2], revision__name="r7").update(median=1.5)
    Series.objects.filter(pk=series[0].pk).update(data_version=99)
    fit_system(access=access_to(alice.principal, system.slug))
    assert curves.changes_of_content.cache_info().misses == 5

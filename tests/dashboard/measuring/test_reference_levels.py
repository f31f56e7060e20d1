"""What reference runs took when the revisions of a series were measured, for whoever asks whether the machine moved."""

from typing import Any

import pytest

from dashboard.models import Configuration, Metric, System
from dashboard.selectors.histories.history import reference_levels
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import list_series
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, settle

pytestmark = pytest.mark.database


def _series(system: System, subject: str, clock: Metric.Clock) -> SeriesRow:
    return next(one for one in list_series(system=system) if (one.subject, one.clock) == (subject, clock))


def test_the_reference_of_a_series_has_a_level_at_each_measured_revision(system: System) -> None:
    """The median over the runs that count, of the same configuration and the clock of the series."""
    revisions = add_revisions(system, ["1.0", "1.1", "1.2"])
    batch = add_batch(system)
    default = Configuration.objects.get(system=system, assignments={})
    other = Configuration.objects.filter(system=system).exclude(pk=default.pk).first()
    assert other is not None
    for revision, times in zip(revisions, [(0.04, 0.05, 0.09), (0.08,), ()], strict=True):
        for repetition, taken in enumerate(times, start=1):
            columns: dict[str, Any] = {"reference_cpu_before": taken, "reference_cpu_after": taken}
            columns |= {"reference_wall_before": 2 * taken, "reference_wall_after": 8 * taken}
            add_run(batch, default, revision, value=1.0, repetition=repetition, **columns)
    spoilt: dict[str, Any] = {"reference_cpu_before": 9.0, "reference_cpu_after": 9.0}
    add_run(batch, default, revisions[0], value=1.0, repetition=9, invalid_reason="a fan broke", **spoilt)
    add_run(batch, other, revisions[0], value=1.0, **spoilt)
    add_run(batch, default, revisions[2], value=1.0)
    settle([batch])
    names = [revision.name for revision in revisions]
    series = _series(system, default.identity, Metric.Clock.CPU)
    found = reference_levels(series=series, revisions=names)
    assert found == pytest.approx({"1.0": 0.05, "1.1": 0.08})
    series = _series(system, default.identity, Metric.Clock.WALL)
    found = reference_levels(series=series, revisions=names[:1])
    assert found == pytest.approx({"1.0": 4 * 0.05})

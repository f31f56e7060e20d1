"""Histories that step where a test says, fitted; and the history of the only series."""

from collections.abc import Callable

import numpy as np

from dashboard.access import Access, Principal, access_to
from dashboard.models import Configuration, Metric, Series, System
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.history_list import findings
from dashboard.services.histories.fits import fit_system
from dashboard.services.points import keys_of_batches, update_points
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_timed


def add_stepping(
    system: System, operator: Principal, revisions: int, *level_of: Callable[[int], float | None]
) -> Access:
    """Store and fit the CPU times of one configuration for each `level_of`, the default one first.

    That is its level at a revision, r0 to the last, around which a run scatters by 0.5 %; None where it was not measured.
    """
    # Ids come again when a test is rolled back.
    findings._findings.cache_clear()
    stored = add_revisions(system, [f"r{at}" for at in range(revisions)])
    batch = add_batch(system)
    configurations = Configuration.objects.filter(system=system).order_by("pk")
    rng = np.random.default_rng(3)
    timed = [
        (configuration, revision, value * float(np.exp(0.005 * rng.normal())))
        for at, revision in enumerate(stored)
        for configuration, level in zip(configurations, level_of, strict=False)
        if (value := level(at)) is not None
    ]
    add_timed(batch, Metric.Clock.CPU, timed)
    update_points(system=system, keys=keys_of_batches([batch.pk]))
    access = access_to(operator, system.slug)
    fit_system(access=access)
    return access


def only_history(access: Access) -> History:
    """The history of the only series."""
    return get_history(system=access.system, series_id=Series.objects.get().pk)

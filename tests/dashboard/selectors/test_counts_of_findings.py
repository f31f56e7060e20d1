"""Beside a finding of a configuration stands what was counted there; a change of counts alone is listed as one."""

from collections.abc import Mapping

import numpy as np
import pytest

from dashboard.access import Access, Principal, access_to
from dashboard.models import Configuration, CountedRun, CountSites, Measurement, Run, System
from dashboard.pages.history_list.words import counts_text
from dashboard.selectors.counts import pack_counts, pack_sites
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery, ListedFinding
from dashboard.services.histories.fits import fit_system
from dashboard.services.metrics import WORK, counted
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, settle

_SITES = [("tiny:f", 1, 0, "call"), ("tiny:g", 2, 0, "call")]


def count(run: Run, amounts: tuple[int, int]) -> None:
    """Count beside a run, by `_SITES`."""
    own = {"batch": run.batch, "revision": run.revision}
    CountSites.objects.get_or_create(**own, defaults={"sites": pack_sites(_SITES)})
    CountedRun.objects.create(
        **own,
        configuration=run.configuration,
        workload=run.workload,
        environment=run.environment,
        counts=pack_counts(dict(enumerate(amounts))),
    )
    Measurement.objects.create(run=run, metric=counted(WORK), value=sum(amounts))


def found(
    system: System, operator: Principal, step: float, counts: Mapping[int, tuple[int, int]], number: int
) -> tuple[ListedFinding, ...]:
    """The findings of 24 revisions whose time steps at the 12th; the revisions in `counts` are counted."""
    rng = np.random.default_rng(8)
    revisions = add_revisions(system, [f"r{at}" for at in range(24)])
    batch = add_batch(system)
    default = Configuration.objects.get(system=system, assignments={})
    for at, revision in enumerate(revisions):
        run = add_run(
            batch, default, revision, value=(1 + step * (at >= 12)) * float(np.exp(0.01 * rng.normal()))
        )
        if at in counts:
            count(run, counts[at])
    # Findings are kept by it.
    System.objects.filter(pk=system.pk).update(data_version=300 + number)
    settle([batch])
    access: Access = access_to(operator, system.slug)
    fit_system(access=access)
    return found_changes(access.system, HistoryQuery()).told


def said(finding: ListedFinding) -> str:
    return counts_text(finding).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({at: (100, 100 + 50 * (at >= 12)) for at in range(24)}, "Work +25.0 % (tiny:g +25.0 %)"),
        (dict.fromkeys((3, 20), (100, 100)),
         "Work equal in every function: memory, cache, code layout, libraries or the machine"),
        (dict.fromkeys((3, 7), (100, 100)), "Work was never counted there"),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_change_of_the_time_says_what_was_counted_there(
    system: System, operator: Principal, counts: dict[int, tuple[int, int]], words: str
) -> None:
    """By the counted revisions nearest to it."""
    listed = found(system, operator, 0.3, counts, len(words))
    times = [one for one in listed if one.shown[0].quantity == "time"] or list(listed)
    assert said(times[0]) == words


def test_a_change_of_counts_alone_is_listed_as_what_it_is(system: System, operator: Principal) -> None:
    (finding,) = found(system, operator, 0.0, {at: (100, 100 + 50 * (at >= 12)) for at in range(24)}, 99)
    assert said(finding) == "Of counts alone, no change of the time is told: work +25.0 % (tiny:g +25.0 %)"

"""Regions are searched in what they cost and as shares of the whole: a share that the rest moved is no change."""

import numpy as np

from analytics.changepoints import ChangePointSettings
from analytics.findings import SeriesChange
from analytics.findings.region_changes import region_changes

AT = 60


def found(steps: list[float], *, machine: float = 0.0, seed: int = 1) -> list[SeriesChange]:
    """The changes of regions that cost ten each and from `AT` on more by their step, on a machine whose speed scatters."""
    rng = np.random.default_rng(seed)
    after = np.arange(120) >= AT
    costs = (10.0 + np.array(steps)[:, None] * after) * (1.0 + 0.01 * rng.normal(size=(len(steps), 120)))
    costs *= np.exp(machine * rng.normal(size=120))
    settings = ChangePointSettings(suite=len(steps))
    return region_changes(range(len(steps)), np.arange(120), costs, settings, more_is_worse=True)


def test_what_the_cost_shows_is_told_once() -> None:
    (one,) = found([2.0, 0.0, 0.0, 0.0, 0.0])
    assert (one.series, one.after, one.of_share) == (0, AT, False)


def test_a_region_that_became_a_larger_part_leaves_no_change_of_the_others() -> None:
    """Each of the others becomes a smaller share of the whole by a sixth."""
    assert {one.series for one in found([6.0, 0.0, 0.0])} == {0}


def test_a_region_whose_cost_is_known_to_have_stayed_did_not_change() -> None:
    """Of four regions three change at once: the fourth becomes a smaller share, and the typical region costs more."""
    assert {one.series for one in found([2.0, -2.0, 0.0, 1.5])} == {0, 1, 3}


def test_a_share_shows_a_step_that_the_speed_of_the_machine_hides() -> None:
    changes = found([2.0, 0.0, 0.0, 0.0, 0.0], machine=0.3)
    assert [(one.series, one.after, one.of_share) for one in changes] == [(0, AT, True)]
    # What a region costs is not known without the machine's speed: the size is the share's, of the cost before.
    assert 1.0 < changes[0].size < 2.5


def test_nothing_is_found_where_nothing_but_the_machine_changes() -> None:
    """A step of its speed is one of every cost and of no share."""
    assert not [one for seed in range(20) for one in found([0.0] * 5, machine=0.1, seed=seed)]
    assert {one.of_share for one in found([2.0] * 5)} == {False}

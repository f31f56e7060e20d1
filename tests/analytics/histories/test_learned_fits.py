"""What was learned at a milestone is enough to fit all values up to the next one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from analytics.histories.change_prior import ChangePrior
from analytics.histories.history import fit
from analytics.histories.learned_fit import LearnedFit
from analytics.histories.milestones import LONGEST_EXACT, MilestoneError, milestone_of
from analytics.histories.settings import HistorySettings
from tests.analytics.histories.test_growing_histories import ROUNDING, SETTINGS, history


@hypothesis_settings(max_examples=20, deadline=None)
@given(
    kind=st.sampled_from(sorted(SETTINGS)),
    first=st.integers(LONGEST_EXACT + 1, 1_049),
    seed=st.integers(0, 2**32 - 1),
    walk=st.sampled_from([0.0, 0.0005, 0.01]),
    told=st.sets(st.sampled_from(["repeated", "prior"])),
)
def test_what_was_learned_gives_the_fit_of_more_values(
    kind: str, first: int, seed: int, walk: float, told: set[str]
) -> None:
    """Up to the next milestone it is the fit of the whole; there it says that all is to be learned anew."""
    points, settings = history(1_050, seed=seed, walk=walk, repeated="repeated" in told), SETTINGS[kind]
    lines = np.full(int(points.positions[-1]) + 9, 5.0)
    moves = ChangePrior.of_changes(0, lines, [(700, 704)]) if "prior" in told else None
    learned = LearnedFit.of(points.part(0, first), settings, moves)
    found = learned.fitted(points.part(0, 1_049), settings, moves)
    expected = fit(points.part(0, 1_049), settings, change_prior=moves)
    assert (found.scale, found.unit) == (expected.scale, expected.unit)
    for name in ("level_means", "level_variances", "level_covariances", "noise_variances"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=ROUNDING, atol=1e-12)
    assert found.level_quantiles == expected.level_quantiles
    assert found.step_quantiles == expected.step_quantiles
    # However many of the values it was learned with, the numbers are the same to the bit.
    again = LearnedFit.of(points.part(0, 1_049), settings, moves).fitted(
        points.part(0, 1_049), settings, moves
    )
    np.testing.assert_array_equal(found.level_means, again.level_means)
    with pytest.raises(MilestoneError):
        learned.fitted(points, settings, moves)


def test_what_was_learned_lets_old_levels_go_as_growing_does() -> None:
    """A history that hardly moves: what lies 2,000 values behind is not followed, with one step of letting go after the milestone."""
    points = history(6_320, walk=0.0)
    count = milestone_of(len(points))
    assert len(points) - count > 250
    found = LearnedFit.of(points, HistorySettings()).fitted(points, HistorySettings())
    expected = fit(points)
    for name in ("level_means", "level_variances", "level_covariances"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=ROUNDING, atol=1e-12)

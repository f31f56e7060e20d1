"""A change is confirmed, refuted or left open by runs that were made to look for it."""

import numpy as np
import pytest

from analytics.findings.confirmation import ConfirmationState, measured_again


def _runs(level: float, noise: float, seed: int, runs: int = 10) -> np.ndarray:
    return level * np.exp(noise * np.random.default_rng(seed).normal(size=runs))


@pytest.mark.parametrize(
    ("now", "found", "smallest", "noise", "says"),
    [
        (1.3, 0.3, 0.05, 0.01, ConfirmationState.CONFIRMED),
        (1.12, 0.3, 0.05, 0.01, ConfirmationState.CONFIRMED),
        (0.7, -0.3, 0.05, 0.01, ConfirmationState.CONFIRMED),
        (1.0, 0.3, 0.05, 0.01, ConfirmationState.REFUTED),
        (1.0, -0.3, 0.0, 0.01, ConfirmationState.REFUTED),
        (0.7, 0.3, 0.05, 0.01, ConfirmationState.REFUTED),
        (1.02, 0.2, 0.08, 0.005, ConfirmationState.REFUTED),
        (1.0, 0.06, 0.05, 0.25, ConfirmationState.OPEN),
    ],
)
def test_what_runs_say_of_a_change(
    now: float, found: float, smallest: float, noise: float, says: ConfirmationState
) -> None:
    result = measured_again(_runs(1.0, noise, 1), _runs(now, noise, 2), found=found, smallest=smallest)
    assert (result.state, result.is_short) == (says, False)
    assert result.size == pytest.approx(now - 1, abs=4 * noise)


def test_few_runs_leave_it_open() -> None:
    few = np.array([1.0, 1.0])
    result = measured_again(few, few * 2, found=1.0, smallest=0.05)
    assert (result.state, result.is_short) == (ConfirmationState.OPEN, True)


def test_a_change_that_is_not_there_is_hardly_ever_confirmed() -> None:
    found = [
        measured_again(_runs(1.0, 0.02, 2 * at), _runs(1.0, 0.02, 2 * at + 1), found=0.1, smallest=0.0).state
        for at in range(200)
    ]
    assert found.count(ConfirmationState.CONFIRMED) <= 5
    assert found.count(ConfirmationState.REFUTED) >= 150

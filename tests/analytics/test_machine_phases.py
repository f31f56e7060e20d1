"""Two speeds, bursts and drift of a machine are told apart from reference runs, and taken out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.machine_phases import MachinePhases, machine_phases


def quiet(n: int = 200, seed: int = 1, noise: float = 0.01) -> np.ndarray:
    """Times about 0.05 s with normal noise."""
    return 0.05 * np.exp(noise * np.random.default_rng(seed).normal(size=n))


@pytest.mark.parametrize("noise", [0.002, 0.01, 0.05])
@pytest.mark.parametrize(("n", "most"), [(20, 2), (40, 0), (200, 0)])
def test_noise_alone_is_none_of_them(noise: float, n: int, most: int) -> None:
    """On 100 machines each, but for two where twenty runs are few; the times of the others stay as they are."""
    machines = [quiet(n, seed, noise) for seed in range(100)]
    found = [machine_phases(times) for times in machines]
    assert sum(not one.is_steady for one in found) <= most
    for times, one in zip(machines, found, strict=True):
        assert not one.is_steady or one.steady == pytest.approx(times)


def test_two_speeds_are_marked_at_their_runs() -> None:
    slow = np.arange(200) // 25 % 2 == 1
    found = machine_phases(quiet() * np.where(slow, 1.8, 1.0))
    assert found.slow is not None
    assert (found.slow == slow).all()
    assert found.speeds_apart == pytest.approx(0.8, abs=0.02)
    assert (found.speed_changes, found.bursts, found.drift) == (7, 0, 0.0)
    assert np.std(np.log(found.steady)) < 0.013


def test_bursts_are_marked_at_their_runs() -> None:
    """Five of two runs each, 40 % slower."""
    hit = np.isin(np.arange(200) % 40, (17, 18))
    found = machine_phases(quiet() * np.where(hit, 1.4, 1.0))
    assert (found.burst == hit).all()
    assert (found.bursts, found.slow, found.drift) == (5, None, 0.0)
    assert np.std(np.log(found.steady)) < 0.013


def test_frequent_bursts_are_no_second_speed() -> None:
    """Every sixth run is hit: a sixth of all is slow, and none for long."""
    found = machine_phases(quiet() * np.where(np.arange(200) % 6 == 2, 1.6, 1.0))
    assert found.slow is None
    assert found.bursts == 33


@pytest.mark.parametrize("shape", ["up", "up and down"])
def test_drift_is_told_with_its_size(shape: str) -> None:
    """Of 8 %; the parts that are compared are a tenth of the runs, so a little of it is lost."""
    way = np.linspace(0, 1, 200) if shape == "up" else 1 - np.abs(np.linspace(-1, 1, 200))
    found = machine_phases(quiet() * (1 + 0.08 * way))
    assert found.drift == pytest.approx(0.08, abs=0.015)
    assert (found.slow, found.bursts) == (None, 0)
    assert np.std(np.log(found.steady)) < 0.012


@given(seed=st.integers(0, 2**32), scale=st.floats(1e-3, 1e3), n=st.integers(1, 120))
def test_neither_the_unit_nor_the_number_of_runs_matters(seed: int, scale: float, n: int) -> None:
    """Whatever the machine did: the same is told of times in another unit, for each run."""
    rng = np.random.default_rng(seed)
    times = np.exp(rng.normal(0, 0.3, n) * (rng.random(n) < 0.3) + rng.normal(0, 0.01, n))
    one, other = machine_phases(times), machine_phases(scale * times)

    def told(found: MachinePhases) -> tuple[object, ...]:
        return (
            None if found.slow is None else found.slow.tolist(),
            found.burst.tolist(),
            found.speed_changes,
        )

    assert told(one) == told(other)
    assert other.steady == pytest.approx(scale * one.steady)
    assert len(one.burst) == len(one.steady) == n

"""A change that the machine's reference runs show as well is the machine's; one that they do not show is not."""

import numpy as np
import pytest

from analytics.findings import Finding, list_findings
from tests.analytics.findings.changes import change

AT = 60


def found(step: float, relative: float, *, noise: float = 0.01, points: int = 120, seed: int = 2) -> Finding:
    """The finding of a change at `AT` where reference runs took longer by `step` from there on."""
    rng = np.random.default_rng(seed)
    times = np.asarray(0.05 * np.exp(noise * rng.normal(size=points)))
    times[AT:] *= 1.0 + step
    (one,) = list_findings([change(1, (AT - 1, AT), relative)], references={1: (np.arange(points), times)})
    return one


def test_a_change_that_the_reference_shows_is_the_machines() -> None:
    one = found(0.2, 0.19)
    assert one.verdict == "machine"
    assert one.machine is not None
    assert one.machine.relative == pytest.approx(0.2, abs=2 * one.machine.error)
    assert 0 < one.machine.error < 0.01


def test_a_program_that_follows_the_machine_only_in_part_changed_with_it() -> None:
    assert found(0.2, 0.1).verdict == "machine"


@pytest.mark.parametrize(("step", "relative"), [(0.0, 0.2), (-0.2, 0.2), (0.05, 0.2), (0.2, -0.15)], ids=str)
def test_what_the_reference_does_not_explain_is_told(step: float, relative: float) -> None:
    assert found(step, relative).verdict == "told"


def test_too_few_reference_runs_blame_nobody() -> None:
    assert found(0.2, 0.19, points=AT + 4).verdict == "told"


def test_noise_of_reference_runs_rarely_takes_the_blame() -> None:
    """Of 300 changes of 2 % beside reference runs that scatter by 10 % at most three."""
    blamed = sum(found(0.0, 0.02, noise=0.1, seed=seed).verdict == "machine" for seed in range(300))
    assert blamed <= 3

"""A slow drift is a finding of its own: no revision explains it, no step back ends it, and the machine may be to blame."""

import numpy as np

from analytics.findings import list_findings
from tests.analytics.findings.changes import change


def test_a_drift_stands_beside_the_steps_within_its_span() -> None:
    drift = change(1, (0, 100), 0.08, is_slow=True)
    step, back = change(2, (40, 41), 0.1), change(1, (100, 101), -0.08)
    found = list_findings([drift, step, back])
    assert [(one.verdict, one.before, one.after) for one in found] == [
        ("told", 100, 101),
        ("told", 0, 100),
        ("told", 40, 41),
    ]
    assert all(len(one.changes) == 1 for one in found)


def test_a_drift_that_chance_shows_is_a_candidate() -> None:
    (one,) = list_findings([change(1, (0, 100), 0.08, is_slow=True, is_candidate=True)])
    assert one.verdict == "candidate"


def reference(rise: float, points: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """What reference runs took, longer by that share at the end."""
    noise = 0.01 * np.random.default_rng(4).normal(size=points)
    return np.arange(points), 0.05 * np.exp(noise + np.log1p(rise) * np.linspace(0.0, 1.0, points))


def test_a_drift_that_the_reference_shows_is_the_machines() -> None:
    drift = change(1, (0, 99), 0.08, is_slow=True)
    (one,) = list_findings([drift], references={1: reference(0.09)})
    assert one.verdict == "machine"
    assert one.machine is not None
    assert abs(one.machine.relative - 0.09) < one.machine.error < 0.05


def test_a_reference_that_stayed_or_went_the_other_way_blames_nobody() -> None:
    drift = change(1, (0, 99), 0.08, is_slow=True)
    for some in (reference(0.0), reference(-0.09), reference(0.09, points=30)):
        (one,) = list_findings([drift], references={1: some})
        assert one.verdict == "told"

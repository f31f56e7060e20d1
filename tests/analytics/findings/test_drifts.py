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


def test_drifts_that_go_alike_at_the_same_time_are_one_finding() -> None:
    alike = [
        change(series, span, 0.05 + series / 100, is_slow=True)
        for series, span in enumerate([(0, 100), (0, 90), (20, 100)])
    ]
    other_way = change(7, (0, 100), -0.08, is_slow=True)
    later = change(8, (70, 100), 0.08, is_slow=True)
    found = list_findings([*alike, other_way, later])
    assert sorted((one.before, one.after, len(one.changes)) for one in found) == [
        (0, 100, 1),
        (0, 100, 3),
        (70, 100, 1),
    ]


def test_no_chain_of_overlaps_joins_drifts_that_hardly_overlap() -> None:
    chain = [change(at, (30 * at, 30 * at + 100), 0.08, is_slow=True) for at in range(4)]
    assert max(len(one.changes) for one in list_findings(chain)) == 2


def test_two_drifts_of_one_series_are_two_findings() -> None:
    both = [change(1, (0, 100), 0.08, is_slow=True), change(1, (0, 100), 0.05, is_slow=True)]
    assert len(list_findings(both)) == 2

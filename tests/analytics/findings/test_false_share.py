"""Of the changes that a list tells as facts few are false, however many series it is made of."""

import numpy as np
from scipy.stats import false_discovery_control

from analytics.findings import list_findings
from analytics.findings.list_of_findings import chance_limit
from tests.analytics.findings.changes import change


def test_the_limit_tells_what_scipy_tells() -> None:
    rng = np.random.default_rng(5)
    chances = np.append(rng.random(480), 1e-4 * rng.random(20) ** 3)
    told = false_discovery_control(chances) <= 0.05
    assert 10 < told.sum() < 30
    limit = chance_limit(chances.tolist(), len(chances), 0.05)
    assert (told == (chances <= limit)).all()


def test_series_without_a_change_make_the_limit_stricter() -> None:
    one = change(1, (9, 10), chance=0.001)
    assert [found.verdict for found in list_findings([one], 10)] == ["told"]
    assert [found.verdict for found in list_findings([one], 1000)] == ["candidate"]


def test_nothing_is_told_of_chances_alone() -> None:
    """In 200 suites of 500 series, whose chances are what chance gives, at most some tell anything."""
    rng = np.random.default_rng(6)
    told = sum(chance_limit(rng.random(500).tolist(), 500, 0.05) > 0 for _ in range(200))
    assert told <= 20

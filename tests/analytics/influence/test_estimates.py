"""Values with their interval."""

import pytest

from analytics.influence.terms import Estimate


@pytest.mark.parametrize(
    ("told", "possible"),
    [
        (Estimate(2.0, 0.5), Estimate(2.0, 0.5)),
        (Estimate(0.2, 0.5), Estimate(0.2, ends=(0.0, 0.7))),
        (Estimate(0.0, 0.5), Estimate(0.0, ends=(0.0, 0.5))),
        (Estimate(-0.2, 0.5), Estimate(-0.2, 0.5)),
        (Estimate(2.0, ends=(1.0, 4.0)), Estimate(2.0, ends=(1.0, 4.0))),
        (Estimate(2.0), Estimate(2.0)),
    ],
)
def test_no_interval_of_what_cannot_be_negative_reaches_below_zero(
    told: Estimate, possible: Estimate
) -> None:
    assert told.never_negative() == possible

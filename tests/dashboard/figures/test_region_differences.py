"""Which regions differ between two configurations, in words."""

from dataclasses import replace

from dashboard.figures.region_differences import differences_finding
from dashboard.selectors.model_rows import Estimate
from tests.dashboard.figures.test_regions_hotspots import FOUND, ROWS, plain


def test_what_is_in_no_region_is_none_of_the_regions_that_differ() -> None:
    """It has a row in the figure; the pages count regions without it everywhere."""
    program = replace(ROWS[2], key="program", is_program=True)
    differing = [
        replace(row, between=Estimate(value, 0.001))
        for row, value in zip((*ROWS[:2], program), (0.02, 0.0005, 0.01), strict=True)
    ]
    said = plain(differences_finding(replace(FOUND, regions=tuple(differing))))
    assert said.endswith("1 region of 2 beyond their noise")

"""Revisions with the same code share a place in line and what was measured of it."""

import numpy as np
import pytest

from analytics.histories.code_versions import code_versions
from analytics.histories.measurements import Measurements


def test_neighbours_with_the_same_code_share_a_place_and_gaps_are_kept() -> None:
    """Positions 0 1 2 5 6 hold a a b b c; from 2 to 5 nothing is known of what is in between."""
    line = code_versions((0, 1, 2, 5, 6), ("a", "a", "b", "b", "c"), (None, 0, 7, 0, 20))
    assert line.version_at == {0: 0, 1: 0, 2: 1, 5: 1, 6: 2}
    assert line.revisions_of == {0: (0, 1), 1: (2, 5), 2: (6, 6)}
    assert line.changed_lines.tolist() == [7, 20]
    assert line.between((0, 2)) == (1, 6)
    assert line.length == 3


def test_where_no_code_is_known_places_are_positions() -> None:
    """Releases have no content: nothing is shared, and every step counts alike."""
    line = code_versions((3, 4, 8), ("", "", ""), (None, None, None))
    assert line.version_at == {3: 3, 4: 4, 8: 8}
    assert line.change_prior() is None
    points = Measurements.of([3, 8], [1.0, 2.0])
    assert line.by_version(points).positions.tolist() == [3, 8]


def test_an_exact_revert_shares_the_measurement_of_what_it_leads_back_to() -> None:
    """Only the first a was measured; the last one holds the same code."""
    line = code_versions((0, 1, 2), ("a", "b", "a"), (None, 5, 5))
    by_version = line.by_version(Measurements.of([0, 1], [1.0, 2.0]))
    assert by_version.positions.tolist() == [0, 1, 2]
    assert by_version.values.tolist() == [1.0, 2.0, 1.0]


def test_two_revisions_of_one_place_are_one_point_that_knows_their_difference() -> None:
    """What the same code differs by is noise: it counts as spread."""
    line = code_versions((0, 1, 2), ("a", "a", "b"), (None, 0, 5))
    by_version = line.by_version(Measurements.of([0, 1, 2], [1.0, 1.2, 3.0], [2, 2, 2], [0.0, 0.0, 0.0]))
    assert by_version.positions.tolist() == [0, 1]
    assert by_version.values[0] == pytest.approx(1.1)
    assert by_version.spreads[0] > 0.1


def test_large_changes_and_changes_elsewhere_carry_more_of_the_mass() -> None:
    """A step of 10,000 lines weighs more than one of 1; where others changed, half of all lies."""
    line = code_versions((0, 1, 2, 3), ("a", "b", "c", "d"), (None, 1, 10_000, 1))
    by_size = line.change_prior()
    assert by_size is not None
    steps = np.diff(by_size.cumulative)
    assert steps == pytest.approx(np.array([2, 11, 2]) / 5)
    transferred = line.change_prior(((0, 1),))
    assert transferred is not None
    assert np.diff(transferred.cumulative)[0] == pytest.approx(0.5 * 2 / 5 + 1.5)

"""What counts prove of options and regions: as much as all configurations say, once enough were run."""

import numpy as np
import pytest

from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.effects import region_effects
from tests.analytics.whitebox.test_count_evidence import EVERYTHING, SPACE, Turns, turns

SITES = (("f", 1, 0, "call"), ("f", 2, 4, "turn"), ("g", 9, 0, "call"))


def counted(rows: np.ndarray, loop: Turns) -> ConfigurationCounts:
    counts = np.array([[1, loop(row), 3] for row in rows], dtype=np.int64)
    return ConfigurationCounts(SPACE, rows, counts, SITES)


def test_the_effect_of_an_option_is_the_most_that_moving_it_alone_moves() -> None:
    found = region_effects(counted(EVERYTHING, turns((7, (0,)), (3, (0, 1)))))
    assert found.regions == ("f", "g")
    assert found.moved.tolist() == [[10, 0], [3, 0], [0, 0], [0, 0]]
    assert found.pairs.tolist() == [8, 8, 8, 8]
    assert found.differing.tolist() == [[8, 0], [4, 0], [0, 0], [0, 0]]
    # 1 entry, 5 turns, 7 in every second run and 3 in every fourth.
    assert found.work.tolist() == [round(1 + 5 + 3.5 + 0.75), 3]
    assert found.recall == 1.0


def test_what_one_pair_of_runs_alone_shows_speaks_for_more_that_none_shows() -> None:
    few = region_effects(counted(EVERYTHING[[0, 8, 4, 2, 1]], turns((7, (0,)), (3, (1,)), (2, (2,)))))
    assert few.differing[:, 0].tolist() == [1, 1, 1, 0]
    assert few.recall == pytest.approx(3 / (3 + 3 * 2 / 2))


def test_where_nothing_was_counted_or_nothing_moves_no_recall_is_told() -> None:
    still = region_effects(counted(EVERYTHING[:2], turns()))
    assert (still.recall, still.moved.sum()) == (None, 0)
    nothing = ConfigurationCounts(SPACE, EVERYTHING[:0], np.zeros((0, 0), dtype=np.int64), ())
    assert region_effects(nothing).recall is None

"""What taints say can be held against counts only where enough pairs of runs differ in one option alone."""

import numpy as np

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.refinement import first_to_count, next_to_pair

SPACE = OptionSpace(tuple(Option(name, ("off", "on")) for name in "ABCDEF"))


def pairs(rows: tuple[tuple[int, ...], ...]) -> list[int]:
    """In how many pairs of runs each option differs alone."""
    counted = ConfigurationCounts(SPACE, np.array(rows), np.zeros((len(rows), 0), dtype=np.int64), ())
    return [len(own) for own in counted.neighbours]


def test_runs_are_paired_until_enough_of_them_differ_in_each_option_alone() -> None:
    valid = ValidConfigurations.unconstrained(SPACE)
    first = first_to_count(SPACE, valid)
    assert pairs(first) == [2] * 6
    more = next_to_pair(SPACE, valid, first, 10, 100)
    assert min(pairs((*first, *more))) >= 10
    # Each beside one run alone would be 48.
    assert len(more) <= 24
    assert not {*first} & {*more}
    assert next_to_pair(SPACE, valid, (*first, *more), 10, 100) == ()
    assert next_to_pair(SPACE, valid, first, 10, 3) == more[:3]

"""Measurements that do not fit together are refused with the place."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import InfluenceError
from analytics.influence.models import fit
from tests.analytics.influence.written_terms import written
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace((Option("A", (False, True)), Option("codec", ("zlib", "lz4", "none"))))
OTHER = OptionSpace((Option("Z", (False, True)),))
PARTITION = Partition.exhaustive(SPACE, ["codec"])
VALUES = np.arange(12.0).reshape(1, 6, 2)
TIMES = measured(SPACE, [PARTITION], every_configuration(SPACE), VALUES)


def _with(values: np.ndarray[Any, Any], place: tuple[int, int, int], value: float) -> np.ndarray[Any, Any]:
    changed = values.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": VALUES[:, :5]}, r"shape \(1, 5, 2\): expected \(1 regions, 6 configurations"),
        ({"ran": np.ones((6, 3), dtype=bool)}, r"ran has shape \(6, 3\): expected \(6, 2\)"),
        ({"partitions": ()}, "with 0 partitions"),
        ({"partitions": (Partition.exhaustive(OTHER, "Z"),)}, "region R0 is over other options"),
        ({"ran": np.arange(12).reshape(6, 2) > 1}, "configuration 0 has no run"),
        ({"values": _with(VALUES, (0, 4, 1), np.nan)}, "region R0, configuration 4, repetition 1: nan"),
        ({"program_region": "R7", "offset": 1.5}, "offset 1.5 belongs to region R7, which is not measured"),
        ({"aggregate_repetitions": "mode"}, "unknown aggregator 'mode'"),
        ({"regions": (), "partitions": (), "values": VALUES[:0]}, "at least one region"),
    ],
)
def test_a_fault_is_named_with_its_place(change: dict[str, Any], message: str) -> None:
    """What, where, which value."""
    with pytest.raises(InfluenceError, match=message):
        replace(TIMES, **change)


def test_two_regions_of_one_name_are_refused() -> None:
    """Terms could not be told apart."""
    with pytest.raises(InfluenceError, match=r"2 regions \(1 names\)"):
        replace(
            TIMES,
            regions=("R0", "R0"),
            partitions=(PARTITION, PARTITION),
            values=np.repeat(VALUES, 2, axis=0),
        )


def test_levels_that_do_not_exist_are_refused() -> None:
    """In the measurements and in questions to the model."""
    with pytest.raises(ConfigurationError, match="codec has no level number 3"):
        replace(TIMES, configurations=TIMES.configurations + np.array([0, 1]))
    model = fit(TIMES)
    with pytest.raises(ConfigurationError, match="codec has no level number 3"):
        model.predict(np.array([[0, 3]]))
    with pytest.raises(ConfigurationError, match="one column per option"):
        model.relative_to(np.array([0]))


def test_an_option_of_three_levels_has_a_term_for_each_other_level() -> None:
    """Relative to any of them."""
    at_lz4 = fit(TIMES, SPACE.encode([{"codec": "lz4"}])[0]).terms
    assert written(at_lz4) == [
        "intercept",
        "codec [lz4 -> zlib]",
        "codec [lz4 -> none]",
    ]
    assert at_lz4.coefficients.tolist() == [5.5, -2.0, 2.0]


def test_an_interaction_of_options_with_three_and_two_levels_has_two_terms() -> None:
    """One per combination of changes: numbers as levels are written as they are."""
    space = OptionSpace((Option("threads", (1, 2, 4)), Option("A", (False, True))))
    values = np.array([10.0, 11, 6, 9, 4, 9]).reshape(1, 6, 1)
    part = Partition.exhaustive(space, space.names)
    terms = fit(measured(space, [part], every_configuration(space), values)).terms
    shown = dict(zip(written(terms), terms.coefficients.tolist(), strict=True))
    assert shown == {
        "intercept": 10,
        "threads [1 -> 2]": -4,
        "threads [1 -> 4]": -6,
        "A [off -> on]": 1,
        "A [off -> on] × threads [1 -> 2]": 2,
        "A [off -> on] × threads [1 -> 4]": 4,
    }


def test_a_program_without_options_has_an_intercept() -> None:
    """The smallest model there is."""
    space = OptionSpace(())
    part = Partition.from_formulas(space, ["True"])
    model = fit(measured(space, [part], np.zeros((1, 0), dtype=np.int8), np.array([[[3.0, 5.0]]])))
    assert model.terms.coefficients.tolist() == [4.0]
    assert model.predict(np.zeros((2, 0), dtype=np.int8)).tolist() == [4.0, 4.0]

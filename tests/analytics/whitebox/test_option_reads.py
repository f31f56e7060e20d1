"""SPLat's walk over the options that a program reads: each way through the program is run once."""

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.option_reads import ReadingRun, ReadsModel, next_to_read

# A program: an option that is read, and what follows for each of its levels; None ends it.
Program = Any


@st.composite
def programs(draw: st.DrawFn) -> tuple[tuple[int, ...], Program, list[dict[int, int]]]:
    """Levels of each option, a program over them, and combinations that are forbidden."""
    sizes = tuple(draw(st.lists(st.integers(2, 3), min_size=1, max_size=5)))

    def program(depth: int) -> Program:
        if depth == 0 or draw(st.integers(0, 4)) == 0:
            return None
        option = draw(st.integers(0, len(sizes) - 1))
        return option, [program(depth - 1) for _ in range(sizes[option])]

    forbidden = (
        draw(
            st.lists(
                st.dictionaries(st.integers(0, len(sizes) - 1), st.integers(0, 1), min_size=2, max_size=2),
                max_size=2,
            )
        )
        if len(sizes) > 1
        else []
    )
    return sizes, program(4), forbidden


def run(program: Program, row: tuple[int, ...]) -> ReadingRun:
    """What a run of the program reads, each option the first time."""
    reads: list[int] = []
    while program is not None:
        option, ways = program
        if option not in reads:
            reads.append(option)
        program = ways[row[option]]
    return ReadingRun(row, tuple(reads))


def walk(valid: ValidConfigurations, program: Program) -> list[ReadingRun]:
    """All runs of a walk."""
    made: list[ReadingRun] = []
    while (found := next_to_read(valid, made)) is not None:
        row, sure = found
        made.append(run(program, tuple(row.tolist())))
        assert made[-1].reads[: len(sure)] == sure
    return made


def trace(one: ReadingRun) -> tuple[tuple[int, int], ...]:
    """The options that were read with their levels, in order."""
    return tuple((option, one.row[option]) for option in one.reads)


@given(programs())
@settings(max_examples=80, deadline=None)
def test_each_trace_that_a_valid_configuration_has_is_run_exactly_once(
    drawn: tuple[tuple[int, ...], Program, list[dict[int, int]]],
) -> None:
    sizes, program, forbidden = drawn
    space = OptionSpace(tuple(Option(f"o{at}", tuple(range(size))) for at, size in enumerate(sizes)))
    valid = ValidConfigurations.unconstrained(space).without(forbidden)
    allowed = [row for row in product(*map(range, sizes)) if valid.allows(np.array([row], dtype=np.int8))[0]]
    made = walk(valid, program)
    truth = {trace(run(program, row)) for row in allowed}
    assert sorted(map(trace, made)) == sorted(truth)
    # What a program does is its trace: the model is exact wherever it is asked.
    values = np.array([float(hash(trace(one)) % 1009) for one in made])
    every = np.array(allowed, dtype=np.int8).reshape(len(allowed), len(sizes))
    expected = [float(hash(trace(run(program, row))) % 1009) for row in allowed]
    assert ReadsModel(tuple(made), values).predict(every).tolist() == expected


def test_the_walk_goes_back_to_the_option_that_was_read_last() -> None:
    space = OptionSpace(tuple(Option(name, (False, True)) for name in "abc"))
    valid = ValidConfigurations.unconstrained(space)
    # c is read where a is on, b always.
    program = (1, [(0, [None, (2, [None, None])])] * 2)
    assert [one.row for one in walk(valid, program)] == [
        (0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (1, 1, 1),
    ]  # fmt: skip


def test_a_run_of_which_nothing_is_known_leads_nowhere_else() -> None:
    space = OptionSpace(tuple(Option(name, (False, True)) for name in "ab"))
    valid = ValidConfigurations.unconstrained(space)
    assert next_to_read(valid, [ReadingRun((0, 0), ())]) is None
    model = ReadsModel((ReadingRun((0, 0), (1,)),), np.array([3.0]))
    np.testing.assert_equal(model.predict(np.array([[1, 0], [0, 1]], dtype=np.int8)), [3.0, np.nan])

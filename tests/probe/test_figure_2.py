"""The running example of the ICSE 2021 paper (Fig. 2), traced and timed from its source.

Its clock is virtual: waiting adds to a counter, so that times are those of the paper and have no noise.
"""

import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.times import RegionTimes
from analytics.whitebox.decisions import Decision, Extensions
from analytics.whitebox.exploration import Exploration
from probe.taint.instrument import install_names
from probe.taint.records import RECORD, SITES
from probe.taint.tracing import traced
from tests.analytics.strategies import levels_in
from tests.analytics.whitebox.whole_exploration import explore, with_run
from tests.probe.programs import Programs, forget

SOURCE = """
def work(seconds):
    wait(seconds)

def run(options):
    a = options["A"]
    b = options["B"]
    c = options["C"]
    d = options["D"]
    work(1)
    i = 0
    if a:
        work(1)
        foo(b)
        i = 20
    else:
        work(2)
        i = 5
    while i > 0:
        bar(c)
        i -= 1

def foo(x):
    if x:
        work(4)
    else:
        work(1)

def bar(x):
    if x:
        work(3)
    else:
        work(1)
"""
SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
PAPER = {
    "run": {"!A", "A"},
    "foo": {"!A", "A & !B", "A & B"},
    "bar": {"!A & !C", "!A & C", "A & !C", "A & C"},
}
TERMS = {
    "run": {"": 3.0, "A": -1.0},
    "foo": {"A": 1.0, "AB": 3.0},
    "bar": {"": 5.0, "A": 15.0, "C": 10.0, "AC": 30.0},
}


class Traced:
    """The program on its virtual clock; `spent` has the seconds of each region, those of others being their callers'."""

    def __init__(self, folder: Path) -> None:
        install_names()
        self.spent: Counter[str] = Counter()
        self._program: Any = Programs(folder).load(SOURCE, rewritten=True)
        self._program.wait = self._wait

    def _wait(self, seconds: int) -> None:
        frame = sys._getframe()
        while frame.f_code.co_name not in PAPER:
            assert frame.f_back is not None
            frame = frame.f_back
        self.spent[frame.f_code.co_name] += seconds

    def __call__(self, configuration: IntArray) -> list[Decision]:
        forget()
        self.spent.clear()
        traced(self._program.run, levels_in(SPACE, configuration))
        return [
            Decision.reached(
                _function_at(SITES[site].line),
                str(SITES[site].line),
                [at for at in range(4) if data >> at & 1],
                [at for at in range(4) if control >> at & 1],
                configuration,
                entry=SITES[site].kind == "entry",
            )
            for site, data, control in RECORD.decisions
        ]


def _function_at(line: int) -> str:
    above = [text for text in SOURCE.splitlines()[:line] if text.startswith("def ")]
    return above[-1].removeprefix("def ").partition("(")[0]


def explored(program: Traced, start: tuple[int, ...], extensions: Extensions | None = None) -> Exploration:
    first = np.array(start, dtype=np.int8)
    state = with_run(Exploration(SPACE, extensions=extensions or Extensions()), first, program(first))
    return explore(program, state)


def modelled(program: Traced, state: Exploration) -> InfluenceModel:
    """The composed model of the configurations that the analysis has chosen."""
    values = []
    for configuration in state.configurations:
        program(configuration)
        values.append([program.spent[region] for region in PAPER])
    return fit(
        RegionTimes(
            space=SPACE,
            regions=tuple(PAPER),
            partitions=[state.partitions[region][0] for region in PAPER],
            configurations=state.configurations,
            values=np.array(values, dtype=float).T[:, :, np.newaxis],
            ran=np.ones((len(values), 1), dtype=bool),
        )
    )


@pytest.mark.parametrize("start", list(product((0, 1), repeat=4)))
def test_the_papers_partitions_and_models_in_4_of_16_configurations_from_any_start(
    tmp_path: Path, start: tuple[int, ...]
) -> None:
    program = Traced(tmp_path)
    state = explored(program, start)
    assert len(state.executed) == 4
    assert {region: set(part.formulas) for region, (part,) in state.partitions.items()} == PAPER
    model = modelled(program, state)
    for region, expected in TERMS.items():
        table = model.local_model(region)
        terms = {
            "".join(name for name, level in zip("ABCD", levels, strict=True) if level == 1): value
            for levels, value in zip(table.levels, table.coefficients, strict=True)
        }
        assert {name: value for name, value in terms.items() if value} == pytest.approx(expected)
    every = np.array(list(product((0, 1), repeat=4)), dtype=np.int8)
    a, b, c, _ = every.T
    assert model.predict(every) == pytest.approx(3 - a + a + 3 * a * b + 5 + 15 * a + 10 * c + 30 * a * c)


def test_a_function_without_decisions_takes_time_where_its_callers_call_it_and_asks_for_no_run_more(
    tmp_path: Path,
) -> None:
    """It is called by all three regions: under A, under A and B, under A and C, and unconditionally."""
    state = explored(Traced(tmp_path), (0, 0, 0, 0), Extensions(callers=True))
    assert len(state.executed) == 4
    partitions = state.partitions
    parts = partitions.pop("work")
    assert {frozenset(SPACE.names[at] for at in part.options) for part in parts} == {
        frozenset("A"),
        frozenset("AB"),
        frozenset("AC"),
    }
    assert {region: set(part.formulas) for region, (part,) in partitions.items()} == PAPER

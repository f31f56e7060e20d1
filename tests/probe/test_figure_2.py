"""The running example of the ICSE 2021 paper (Fig. 2), traced from its source."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from analytics.configurations.decisions import Decision
from analytics.configurations.exploring import Exploration, explore
from analytics.configurations.options import IntArray, Option, OptionSpace
from probe.taint.records import RECORD, SITES
from probe.taint.rewriter import install_names
from probe.taint.tracing import forget, traced
from tests.probe.programs import Programs

SOURCE = """
def work(seconds):
    pass

def run(options):
    a = options["A"]
    b = options["B"]
    c = options["C"]
    d = options["D"]
    work(1)
    i = 0
    if a:  # run
        work(1)
        foo(b)
        i = 20
    else:
        work(2)
        i = 5
    while i > 0:  # run
        bar(c)
        i -= 1

def foo(x):
    if x:  # foo
        work(4)
    else:
        work(1)

def bar(x):
    if x:  # bar
        work(3)
    else:
        work(1)
"""
SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))


@pytest.mark.parametrize("start", list(product((0, 1), repeat=4)))
def test_the_papers_partitions_in_4_of_16_configurations_from_any_start(
    tmp_path: Path, start: tuple[int, ...]
) -> None:
    install_names()
    program = Programs(tmp_path).load(SOURCE, rewritten=True)
    lines = SOURCE.splitlines()

    def trace(configuration: IntArray) -> list[Decision]:
        forget()
        traced(program.run, SPACE.decode(configuration))
        return [
            Decision.reached(
                lines[SITES[site].line - 1].partition("# ")[2],
                str(SITES[site].line),
                [at for at in range(4) if data >> at & 1],
                [at for at in range(4) if control >> at & 1],
                configuration,
            )
            for site, data, control in RECORD.decisions
        ]

    first = np.array(start, dtype=np.int8)
    state = explore(trace, Exploration(SPACE).traced(first, trace(first)))
    assert len(state.executed) == 4
    assert {region: set(part.formulas) for region, (part,) in state.partitions.items()} == {
        "run": {"!A", "A"},
        "foo": {"!A", "A & !B", "A & B"},
        "bar": {"!A & !C", "!A & C", "A & !C", "A & C"},
    }

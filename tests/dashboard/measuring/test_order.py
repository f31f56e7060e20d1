"""Wherever two are compared, their order is mixed: plans and pairs of `measure` are tested beside them."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from dashboard.services.measuring.doctor import judge
from dashboard.services.tracking.tracked_series import RandomizedRuns
from runner.machine_state import machine_state


class Series:
    """A series that only notes which revision it was asked to run."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.checkpoint = SimpleNamespace(lots=(), chosen_runs=0)
        plain = SimpleNamespace(count=lambda: len(self.names))
        self.batch = SimpleNamespace(runs=SimpleNamespace(filter=lambda **_: plain))
        self.job = SimpleNamespace(checkpoint=self.checkpoint, save_checkpoint=self._save)

    def _save(self, **changes: Any) -> None:
        self.checkpoint.__dict__.update(changes)

    def runs(self, revision: str) -> SimpleNamespace:
        return SimpleNamespace(count=lambda: self.names.count(revision))

    def measure(self, revision: str, repetition: int) -> None:
        assert repetition == self.names.count(revision) + 1
        self.names.append(revision)


def test_a_coin_decides_which_of_two_runs_next_in_searches_and_confirmations() -> None:
    """Of 400 runs each side has between 130 and 270 (but for 1 time in 10 to the 12th), and every order of two occurs."""
    series: Any = Series()
    lots = RandomizedRuns(series)
    for _ in range(400):
        lots.draw("old", "new")
    assert [run for run, _ in series.checkpoint.lots] == series.names
    assert all({*lot} == {"old", "new"} for lot in series.checkpoint.lots)
    assert 130 < series.names.count("new") < 270
    pairs = set(zip(series.names, series.names[1:], strict=False))
    assert pairs == {(one, other) for one in ("old", "new") for other in ("old", "new")}


def test_a_run_that_was_interrupted_is_made_as_it_was_drawn() -> None:
    """Drawn again, whoever interrupts would choose."""
    series: Any = Series()
    for _ in range(40):
        expected = [("old", "new"), ("new", "old")][len(series.names) % 2]
        series.checkpoint.lots = (*series.checkpoint.lots, expected)
        RandomizedRuns(series).draw("old", "new")
    assert series.names == ["old", "new"] * 20


def test_the_doctor_compares_in_turns() -> None:
    """On a machine that becomes slower by 20 % identical runs differ one after the other, and not in turns."""
    noise = np.random.default_rng(1).normal(0, 0.004, 80)
    found = judge(
        0.05 * np.exp(np.linspace(0, np.log(1.2), 80) + noise), machine_state(), machine_state(), 10.0
    )
    longest = found.powers[-1]
    assert longest.alarms_apart > 0.9
    assert longest.alarms <= 0.05

"""What is costly is computed by one thread at a time, and once for all who ask for the same."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.access import Refused
from dashboard.selectors.computed_once import Busy, Turns, computed_once, computing_for


def _waits_for(turns: Turns, many: int) -> None:
    """Return when so many threads wait there."""
    until = time.monotonic() + 60
    while len(turns) != many:
        assert time.monotonic() < until
        time.sleep(0.005)


def test_who_asks_for_the_same_meanwhile_takes_that_answer() -> None:
    computed = []

    @computed_once(size=4)
    def slow(key: int) -> list[int]:
        computed.append(key)
        time.sleep(0.2)
        return [key]

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(slow, [1] * 6))
    assert computed == [1]
    assert all(one is answers[0] for one in answers)


def test_one_is_computed_at_a_time_and_what_is_kept_waits_for_nobody() -> None:
    computing, most, began, go_on = [0], [0], threading.Event(), threading.Event()

    @computed_once(size=4)
    def slow(key: int) -> int:
        computing[0] += 1
        most[0] = max(most[0], computing[0])
        if key > 1:
            began.set()
            assert go_on.wait(10)
        computing[0] -= 1
        return key

    assert slow(1) == 1
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(slow, key) for key in (2, 3, 4)]
        assert began.wait(10)
        assert slow(1) == 1
        assert not any(one.done() for one in asked)
        go_on.set()
        assert [one.result() for one in asked] == [2, 3, 4]
    assert most == [1]


def test_the_oldest_answer_goes_and_a_failure_is_not_kept() -> None:
    computed = []

    @computed_once(size=2)
    def answer(key: int) -> int:
        computed.append(key)
        if key < 0:
            raise ValueError(key)
        return key

    for key in (1, 2, 3, 3, 2, 1):
        assert answer(key) == key
    assert computed == [1, 2, 3, 1]
    for _ in range(2):
        with pytest.raises(ValueError, match="-1"):
            answer(-1)
    assert computed[4:] == [-1, -1]


def test_nobody_waits_without_end() -> None:
    began, go_on = threading.Event(), threading.Event()

    @computed_once(size=2, wait_seconds=0.1)
    def slow(key: int) -> int:
        began.set()
        assert go_on.wait(10)
        return key

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(slow, 1)
        assert began.wait(10)
        with pytest.raises(Busy, match="again in a minute") as refused:
            slow(2)
        assert isinstance(refused.value, Refused)
        go_on.set()
        assert first.result() == 1


def test_who_asks_for_much_makes_another_wait_for_one_of_them() -> None:
    """What is computed goes on to its end; then it is the turn of those who had none."""
    computed, go_on, turns = [], threading.Event(), Turns()

    @computed_once(size=9, turns=turns)
    def slow(key: str) -> str:
        computed.append(key)
        assert go_on.wait(60)
        return key

    def ask(key: str) -> str:
        computing_for.set(key[0])
        return slow(key)

    with ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(ask, "a1")]
        _waits_for(turns, 0)
        while not computed:
            time.sleep(0.005)
        for many, key in enumerate(("a2", "a3", "b1", "a4", "b2"), 1):
            asked.append(threads.submit(ask, key))
            _waits_for(turns, many)
        go_on.set()
        assert [one.result() for one in asked] == ["a1", "a2", "a3", "b1", "a4", "b2"]
    assert computed == ["a1", "b1", "a2", "b2", "a3", "a4"]


def test_who_gave_up_is_passed_over() -> None:
    turns = Turns()
    assert turns.take("a", 60)
    assert not turns.take("b", 0.01)
    assert not turns.take("a", 0.01)
    turns.give("a")
    assert turns.take("c", 0.01)
    turns.give("c")
    assert len(turns) == 0

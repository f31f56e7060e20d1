"""How benchmarks take times."""

from benchmarks.timing import pairs_in_turns


def test_two_that_are_compared_take_turns() -> None:
    """A B B A A B: over each four calls both have the same mean place, and each pair holds one of both in their order."""
    calls: list[str] = []

    def called(name: str) -> str:
        calls.append(name)
        return name

    assert pairs_in_turns(lambda: called("A"), lambda: called("B"), 3) == [("A", "B")] * 3
    assert "".join(calls) == "ABBAAB"

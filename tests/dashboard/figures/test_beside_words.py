"""Time and counts of one change side by side, in words that say where they agree and where not."""

from dataclasses import replace

import pytest

from dashboard.figures.histories_words import count_text, meaning, time_text
from dashboard.selectors.histories.beside_rows import ChangeBeside
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import ChangeRow

BEFORE, AFTER = (RevisionPlace(at, str(at), at, "", "", None) for at in (1, 2))
ELSEWHERE = "The time changed and instructions hardly: memory, cache, I/O or the machine."


def slower(relative: float) -> ChangeRow:
    """A change of the time by so much of the level before."""
    return ChangeRow(
        BEFORE, AFTER, BEFORE, AFTER, relative, relative, relative, relative,
        "level before", 0.99, 0.0, False, 1.0, 0, relative > 0,
    )  # fmt: skip


def beside(time: float | None, counts: float | None, *moved: str, told: bool = True) -> ChangeBeside:
    """A stretch in which time and counts differ by these shares."""
    change = slower(time) if told and time is not None else None
    return ChangeBeside(BEFORE, AFTER, time, counts, change, tuple((one, 1.0) for one in moved))


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("change", "time", "counts", "means"),
    [
        (beside(0.08, 0.0), "CPU time +8 %", "instructions unchanged within 0.0 %", ELSEWHERE),
        (beside(0.08, 0.00002, "f"), "CPU time +8 %", "instructions +0.002 % in f", ELSEWHERE),
        (beside(0.08, 0.12, "f", "g"), "CPU time +8 %", "instructions +12.0 % in f, g", ""),
        (beside(-0.22, 0.227, *"fghij"), "CPU time −22 %", "instructions +22.7 % in f, g, h and 2 more",
         "By instructions it is the opposite: what is executed now runs more quickly (branches, cache, vectors)."),
        (beside(0.004, 0.12, "f", told=False), "CPU time undecided (+0.4 %)", "instructions +12.0 % in f",
         "No change of the time is told: more or longer runs show whether it is felt."),
        (beside(None, 0.12, told=False), "CPU time not measured there", "instructions +12.0 %", ""),
        (beside(0.08, None), "CPU time +8 %", "instructions not counted there", ""),
        (beside(0.08, 0.0, "f", "g"), "CPU time +8 %", "instructions 0.000 % in f, g", ELSEWHERE),
    ],
)  # fmt: skip
def test_time_and_counts_are_told_beside_each_other(
    change: ChangeBeside, time: str, counts: str, means: str
) -> None:
    assert plain(time_text(change, "CPU time")) == time
    assert plain(count_text(change, "instructions")) == counts
    assert meaning(change, "instructions") == means


def test_a_quicker_program_that_executes_less_needs_no_words() -> None:
    assert meaning(replace(beside(-0.1, -0.09, "f")), "work") == ""

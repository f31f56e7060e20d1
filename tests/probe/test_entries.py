"""Functions without decisions: where they are called, and what that says of their time."""

from pathlib import Path

from analytics.configurations.options import Option, OptionSpace
from analytics.whitebox.decisions import Decision, Extensions, partitions_from
from probe.taint.records import RECORD, SITES
from tests.probe.programs import Programs

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))
CALLED_UNDER_BOTH = """
def heavy(n):
    return sum(range(n))
def run(o):
    if o["A"] and o["B"]:
        heavy(10)
"""


def entries(folder: Path, text: str) -> list[Decision]:
    """The entries of one run with A and B on, and the other decisions, as the analysis takes them."""
    Programs(folder).run(text, A=True, B=True)
    lines = text.splitlines()
    return [
        Decision.reached(
            "heavy" if "heavy" in lines[SITES[site].line - 1] else "run",
            str(SITES[site].line),
            [at for at in range(2) if data >> at & 1],
            [at for at in range(2) if control >> at & 1],
            SPACE.reference + 1,
            entry=SITES[site].kind == "entry",
        )
        for site, data, control in RECORD.decisions
    ]


def test_a_function_called_under_two_options_has_time_only_with_both(tmp_path: Path) -> None:
    seen = [one for one in entries(tmp_path, CALLED_UNDER_BOTH) if one.region == "heavy"]
    assert partitions_from(SPACE, seen) == {}
    ((part,),) = partitions_from(SPACE, seen, Extensions(callers=True)).values()
    assert set(part.formulas) == {"A & B", "!B | !A"}


def test_a_function_called_under_no_option_has_no_partition(tmp_path: Path) -> None:
    text = 'def heavy():\n    return 1\ndef run(o):\n    heavy()\n    if o["A"]:\n        pass\n'
    assert "heavy" not in partitions_from(SPACE, entries(tmp_path, text), Extensions(callers=True))


def test_a_generator_is_entered_where_it_was_made(tmp_path: Path) -> None:
    text = 'def heavy():\n    yield 1\ndef run(o):\n    if o["A"]:\n        g = heavy()\n        next(g)\n'
    seen = [one for one in entries(tmp_path, text) if one.region == "heavy"]
    assert {one.control for one in seen} == {((0, 1),)}


def test_loops_whose_length_no_option_decides_are_their_callers_too(tmp_path: Path) -> None:
    """Such a function decides on no option itself: its ways of being called are not crossed."""
    text = (
        "def heavy(n):\n    for _ in range(n):  # heavy\n        pass\n"
        'def run(o):\n    if o["A"]:\n        heavy(1)\n    if o["B"]:\n        heavy(2)\n'
    )
    seen = [one for one in entries(tmp_path, text) if one.region == "heavy"]
    (crossed,) = partitions_from(SPACE, seen)["heavy"]
    assert crossed.n_subspaces == 4
    parts = partitions_from(SPACE, seen, Extensions(callers=True))["heavy"]
    assert [part.formulas for part in parts] == [("!A", "A"), ("!B", "B")]

"""Which lines of a region's source show the options of their decisions."""

from analytics.whitebox.evidence import TaintedSite
from dashboard.pages.regions.chips import changed_decisions


def _decision(line: int, data: tuple[str, ...] = (), control: tuple[str, ...] = ()) -> TaintedSite:
    return TaintedSite(
        region="m:f", file="m.py", line=line, column=4, kind="if", text="if x:", writes="", reads=(),
        data=data, control=control,
    )  # fmt: skip


DECISIONS = {
    one.line: [one]
    for one in (
        _decision(2, control=("A",)),
        _decision(3, control=("A",)),
        _decision(5, data=("B",), control=("A",)),
        _decision(6, control=("A",)),
        _decision(7, control=("A", "B")),
        _decision(9, control=("A",)),
        _decision(11, data=("A", "B"), control=("A",)),
        _decision(12, data=("B", "A"), control=("B",)),
    )
}


def test_options_stand_where_they_change() -> None:
    """Where a value of seven options is tested line by line, 108 chips said one thing."""
    assert list(changed_decisions(DECISIONS, None)) == [2, 5, 6, 7, 9, 11]


def test_the_line_whose_chain_is_shown_keeps_its_options() -> None:
    assert list(changed_decisions(DECISIONS, 12)) == [2, 5, 6, 7, 9, 11, 12]

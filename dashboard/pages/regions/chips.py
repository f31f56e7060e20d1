"""Chips of options on lines that decide: pressed, they lead to the chain."""

from collections.abc import Mapping, Sequence

from dash import html

from analytics.whitebox.evidence import TaintedSite
from dashboard.figures.numbers import count, plural
from dashboard.pages.components.blocks import Piece, lens_button
from dashboard.selectors.counts import OutcomeCount

_DATA = "{} is in the value that is tested here. Show how it gets here"
_REGION = "Show how {} gets here"
# One of a kind, and several.
_WORDS = {"turn": ("turn", "turns"), "entered": ("call", "calls"), "case": ("match", "matches")}
_UNDER = "{} decides whether this line is reached. Show how"


def changed_decisions(
    decisions: Mapping[int, Sequence[TaintedSite]], here: int | None
) -> dict[int, Sequence[TaintedSite]]:
    """The decisions, by line, whose options are to be shown: a line that tests and is under the same options as the one before says nothing new.

    The line `here`, whose chain is shown, is always among them.
    """
    shown: dict[int, Sequence[TaintedSite]] = {}
    before: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    for line, sites in sorted(decisions.items()):
        tested = frozenset(name for one in sites for name in one.data)
        under = frozenset(name for one in sites for name in one.control) - tested
        if (tested, under) != before or line == here:
            shown[line] = sites
        before = (tested, under)
    return shown


def decision_chips(decisions: Sequence[TaintedSite], *, option: str, line: int | None) -> html.Span | None:
    """The options of the decisions of one line, once each; `option` and `line` tell the one whose chain is shown."""
    inside = dict.fromkeys(name for one in decisions for name in one.data)
    under = dict.fromkeys(name for one in decisions for name in one.control if name not in inside)
    if not inside and not under:
        return None
    at = decisions[0].line
    chips: list[Piece] = [
        option_chip(name, line=at, under=name in under, pressed=name == option and line == at)
        for name in (*inside, *under)
    ]
    if under:
        chips.insert(len(inside), html.Span("under", className="source-under"))
    return html.Span(chips, className="source-chips")


def option_chip(name: str, *, line: int | None, under: bool, pressed: bool) -> html.Button:
    """One option: filled where it is in the value, outlined where it decides whether the line is reached."""
    said = (_REGION if line is None else _UNDER if under else _DATA).format(name)
    change = {"option": name, "line": None if line is None else str(line)}
    look = "chip chip-option chip-under" if under else "chip chip-option"
    return lens_button(name, change, look=look, pressed=pressed, name=said, title=said)


def outcome_counts(outcomes: Sequence[OutcomeCount], at: str) -> html.Span | None:
    """How often the decisions of one line went each way; `at` says in which configuration."""
    if not outcomes:
        return None
    parts = []
    for one in outcomes:
        times = _between(one.low, one.high) if one.count is None else count(one.count)
        single, several = _WORDS.get(one.outcome, (one.outcome, one.outcome))
        parts.append(f"{times} {single if times == '1' else several}")
    first = outcomes[0]
    where = f"Counted {at}" if first.count is not None else "Counted"
    over = plural(first.configurations, "counted configuration")
    spread = "; ".join(f"{one.outcome} {_between(one.low, one.high)}" for one in outcomes)
    return html.Span(", ".join(parts), className="source-counts", title=f"{where}. Over {over}: {spread}")


def _between(low: int, high: int) -> str:
    return count(low) if low == high else f"{count(low)} to {count(high)}"

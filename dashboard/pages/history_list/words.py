"""Findings in words: what changed which way, why something is not told, and what counts say of it."""

from collections.abc import Sequence

from dashboard.figures.counts_words import beside_time, move_text
from dashboard.figures.histories_drifts import slowly_text
from dashboard.figures.histories_words import FILTERED, revision_text
from dashboard.figures.numbers import count, number, percent
from dashboard.selectors.history_list.rows import FoundChanges, ListedChange, ListedFinding

# Of the series between which cost moved, so many are named.
_NAMED = 3


def filtered_texts(found: FoundChanges) -> list[str]:
    """`Not told: 12 candidates, not certain enough` for each of `FILTERED`; "" where nothing was filtered for that."""
    counts = {why: many for why, many, _ in found.filtered}
    return [
        f"Not told: {count(counts[why])} {words}" if why in counts else "" for why, words in FILTERED.items()
    ]


def way(finding: ListedFinding) -> str:
    """`slower`, `faster`; `worse` or `better` of anything but time."""
    first = finding.shown[0]
    worse = first.last is not None and first.last.is_worse
    if first.quantity == "time" and not (first.last is not None and first.last.of_share):
        return "slower" if worse else "faster"
    return "worse" if worse else "better"


def own_place(change: ListedChange | None, finding: ListedFinding) -> str:
    """`By itself: 3.11 → 3.11.1`: where a history alone places what several together place elsewhere; "" where it agrees."""
    if change is None or (change.before, change.after) == (finding.before, finding.after):
        return ""
    return f"By itself: {revision_text(change.before)} → {revision_text(change.after)}"


def slow_text(change: ListedChange | None) -> str:
    """`Slowly over 12 months: no step explains it`; "" of a step."""
    if change is None or not change.is_slow:
        return ""
    return slowly_text(change.slow_from, change.at)


def reason_text(finding: ListedFinding) -> str:
    """Why a change is not told: `4.1 % of the module a moved from f to g; together they changed by +0.1 ± 0.5 %`; "" where its count says it."""
    if (machine := finding.machine) is not None:
        size = number(100 * abs(machine.relative), 100 * machine.error, "%")
        return f"Reference runs became {size} {'slower' if machine.relative > 0 else 'faster'} there, too"
    if (possible := finding.possible) is not None:
        odds = percent(100 * possible.probability, 0)
        return (
            f"With {odds} it only moved within {possible.domain}: "
            f"{listed(finding.may_have_moved)} scatter too much to tell. Measure again"
        )
    if (move := finding.move) is None:
        return ""
    ends = [
        f"{way} {listed(names)}" for way, names in (("from", finding.moved_from), ("to", finding.moved_to))
    ]
    left = number(100 * move.left, 100 * move.error, "%", signed=True)
    return f"{percent(100 * move.share)} of {move.domain} moved {' '.join(ends)}; together they changed by {left}"


def counts_text(finding: ListedFinding) -> str:
    """What counts say: `Work +4.9 % (render +4.8 %)`, that they are equal or never were taken there, or that they changed alone.

    "" where the system counts nothing.
    """
    counts, change = finding.counts, finding.shown[0].last
    if counts is None or change is None:
        return ""
    if counts.move is None:
        return f"{counts.quantity.capitalize()} was never counted there"
    if counts.is_alone:
        return f"Of counts alone, no change of the time is told: {move_text(counts.move, counts.quantity)}"
    said = beside_time(change.relative, counts.move, counts.quantity)
    return said[0].upper() + said[1:]


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {count(len(names) - _NAMED)} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more

"""Time and counts of one change in words: whether they agree, and what it means where they do not."""

from dashboard.figures.numbers import percent
from dashboard.selectors.histories.rows import ChangeBeside

# So many functions are named in a sentence.
_NAMED = 3
# Counts that differ by less than this share of what the time differs by do not explain it.
_EXPLAINS = 0.2
_ELSEWHERE = "memory, cache, I/O or the machine"


def count_text(change: ChangeBeside, quantity: str) -> str:
    """`instructions +12 % in f, g`, or `instructions unchanged within 0.0 %`."""
    if change.counts is None:
        return f"{quantity} not counted there"
    moved = [region for region, _ in change.moved]
    if not moved and not change.counts:
        return f"{quantity} unchanged within 0.0 %"
    # Where digits would hide it, it says so.
    size = percent(100 * change.counts, 1 if abs(change.counts) >= 0.0005 else 3, signed=True)
    more = f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    where = f" in {', '.join(moved[:_NAMED])}{more}" if moved else ""
    return f"{quantity} {size}{where}"


def time_text(change: ChangeBeside, measure: str) -> str:
    """`CPU time +8 %`, or `CPU time undecided (+0.4 %)` where no change of it is told."""
    if change.told is not None:
        return f"{measure} {percent(100 * change.told.relative, 0, signed=True)}"
    if change.time is None:
        return f"{measure} not measured there"
    return f"{measure} undecided ({percent(100 * change.time, signed=True)})"


def meaning(change: ChangeBeside, quantity: str) -> str:
    """What it means where time and counts disagree; "" where they agree, or one of them is not known."""
    if change.counts is None or (change.told is None and change.time is None):
        return ""
    if change.told is None:
        return "No change of the time is told: more or longer runs show whether it is felt."
    time, counts = change.told.relative, change.counts
    if abs(counts) < _EXPLAINS * abs(time):
        return f"The time changed and {quantity} hardly: {_ELSEWHERE}."
    if (time > 0) != (counts > 0):
        slower = "more slowly" if time > 0 else "more quickly"
        return f"By {quantity} it is the opposite: what is executed now runs {slower} (branches, cache, vectors)."
    return ""

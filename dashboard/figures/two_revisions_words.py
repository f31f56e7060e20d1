"""What two revisions differ by, in words."""

from collections.abc import Mapping

from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import GAP, MINUS, count, number, percent, plural, scale_for
from dashboard.selectors.two_revisions.rows import ComparedRevisions, ComparedValue, RevisionDifference, Told

KINDS = {"configuration": "configuration", "term": "term", "region": "region", "benchmark": "benchmark"}
# What stands behind the number of series.
TOLD: Mapping[Told, str] = {
    "differs": "differ",
    "within": "within noise",
    "missing": "not measured at both",
    "same": "measured once for both",
    "unknown": "without known noise",
}
# A change that a history tells may lie within the noise of the runs of two revisions.
_ALONE = "Only runs of these two are compared: a history sees the revisions around them too, and tells smaller changes"
# An interval of 95 % leaves out zero so often where nothing differs.
_BY_CHANCE = 0.05
# Beyond, a change is told as a factor.
_LARGE = 10.0
# Below, a tenth of a percent is told.
_SMALL = 0.1


def sentence(found: ComparedRevisions) -> str:
    """`Between 3.2.1 and 3.2.2, 6 of 60 series differ beyond their noise: 1 slower, 5 faster`."""
    pair = f"{revision_text(found.before.name)} and {revision_text(found.after.name)}"
    differing = found.shown(told="differs")
    compared = sum(found.counts.get(one, 0) for one in ("differs", "within", "same"))
    if not compared:
        return f"Nothing was measured at both {pair}"
    if not differing:
        told = f"None of {plural(compared, 'series', 'series')} differs beyond its noise between {pair}"
        # Below stand rows whose histories tell a change between both.
        return (
            f"{told}: they hold the same code"
            if found.same_code
            else f"{told}, by the runs of these two alone"
        )
    worse = sum(row.is_worse for row in differing)
    parts = [f"{count(n)} {word}" for n, word in ((worse, "worse"), (len(differing) - worse, "better")) if n]
    verb = "differs beyond its" if len(differing) == 1 else "differ beyond their"
    return (
        f"{count(len(differing))} of {plural(compared, 'series', 'series')} {verb} noise between {pair}: "
        f"{', '.join(parts)}"
    )


def subtitle(found: ComparedRevisions) -> str:
    """How sure that is, why a history may tell a change where none differs, and what the middle of all differences of times says of the machine."""
    told = f"Of those that are told, at most 5{GAP}% are noise on average; each interval holds with 95{GAP}%"
    if found.counts.get("within") and not found.counts.get("differs") and not found.same_code:
        within = found.shown(told="within")
        clear = sum(row.at_least > 0 for row in within)
        told = f"{_ALONE}. Each interval holds with 95{GAP}%"
        if clear:
            # Else rows such as "-50 % (-87 to -13 %)" would stand as within noise without a reason.
            told = (
                f"{_ALONE}. Of {count(len(within))} intervals of 95{GAP}%, {count(clear)} "
                f"{'leaves' if clear == 1 else 'leave'} out zero, where chance alone makes about "
                f"{count(max(round(_BY_CHANCE * len(within)), 1))}: none stands out enough to be told"
            )
    if found.middle is None:
        return told
    return f"{told}. The middle of all differences of times is {percent(100 * found.middle, signed=True)}"


def short_histories_text(short: int, of: int) -> str:
    """Why a history tells nothing where this page does; "" where all have enough revisions."""
    if not short:
        return ""
    whose = "The histories" if short == of else f"{count(short)} of the {count(of)} histories"
    return (
        f"{whose} below have too few measured revisions to claim or deny a change at any of them. "
        "Two revisions by themselves can be compared."
    )


def change_text(row: RevisionDifference) -> str:
    """`+45 % (40 to 50 %)`: the relative change with its 95 % interval; `+1.2 %` where it is exact."""
    if row.relative is None:
        return "–"
    if row.relative > _LARGE:
        return f"{count(round(row.relative + 1))} times as much"
    places = 1 if min(abs(part) for part in (row.relative, _LARGE)) < _SMALL else 0
    size = percent(100 * row.relative, places, signed=True)
    if row.low is None or row.high is None or row.is_exact:
        return size
    low, high = (f"{100 * end:.{places}f}".replace("-", MINUS) for end in (row.low, row.high))
    return f"{size} ({low} to {high}{GAP}%)"


def difference_text(row: RevisionDifference) -> str:
    """`+5.2 ± 0.4 ms`: the absolute difference with half of its interval, in a unit that fits."""
    if row.absolute is None:
        return "–"
    margin = None
    if row.absolute_low is not None and row.absolute_high is not None:
        margin = (row.absolute_high - row.absolute_low) / 2
    return number(row.absolute, margin, row.series.unit, signed=True)


def value_texts(row: RevisionDifference) -> tuple[str, str]:
    """The values at both revisions, in one unit."""
    values = [one.value for one in (row.before, row.after) if one is not None]
    scale = scale_for(values, row.series.unit)
    before, after = (number(one.value if one else None, scale=scale) for one in (row.before, row.after))
    return before, after


def runs_text(value: ComparedValue | None) -> str:
    """`3 runs`, and where they were made if that is another revision of the same code."""
    if value is None:
        return "not measured"
    where = f" at {revision_text(value.measured_at)}, the same code" if value.measured_at else ""
    return f"{plural(value.runs, 'run')}{where}"


def modes_text(apart: float, *, of_runs: bool) -> str:
    """The warning of a distribution with two modes."""
    what = "Runs take" if of_runs else "Values jump between"
    return f"{what} two levels, {percent(100 * apart, 0)} apart: a difference may be a jump"


def where_text(row: RevisionDifference, *, several: bool) -> str:
    """What was measured, and where, if there is more than one place."""
    one = row.series
    place = f", {one.workload}, {one.environment}" if several else ""
    return f"{one.kind}, {one.measure}{place}"

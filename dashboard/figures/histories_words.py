"""What a history found, as sentences."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence

from analytics.changepoints import CERTAIN
from analytics.influence.terms import Estimate
from dashboard.figures.counts_words import disagreement
from dashboard.figures.histories_drifts import drifted, over
from dashboard.figures.numbers import (
    GAP,
    MINUS,
    DisplayScale,
    estimate_text,
    fewest,
    fixed,
    number,
    percent,
    plural,
    scale_for,
    share,
    without_margin,
)
from dashboard.figures.release_words import released_text
from dashboard.release_names import release_of
from dashboard.selectors.histories.beside_rows import ChangeBeside
from dashboard.selectors.histories.rows import (
    AnnotationRow,
    ChangeRow,
    History,
    MeasuredPoint,
    SeriesRow,
    largest_change,
)

_COMMIT = re.compile(r"\b[0-9a-f]{40,64}\b")
_SHOWN = 10
_MESSAGE = 50
# Nothing that was measured is quite certain.
_NEARLY = 0.999
# From here on a history that shows no change says how large one must be to be seen: smaller than 2 % are told nowhere.
_SEEN = 0.025
# So many functions are named in a sentence.
_NAMED = 3
# What people note at revisions, by kind.
ANNOTATION_KINDS = {
    "release": "release",
    "machine": "machine changed",
    "benchmark": "benchmark changed",
    "note": "note",
}
# Why something is not told, in the words of a count: `12 went away`.
FILTERED = {
    "candidate": "candidates, not certain enough",
    "went away": "went away again",
    "cost shift": "moved within a sum that stayed",
    "machine": "of the machine, whose reference moved as well",
    "possible move": "that may only have moved, measure again",
}


def is_commit(name: str) -> bool:
    """Whether a revision is called by its commit's hash."""
    return _COMMIT.fullmatch(name) is not None


def annotation_text(annotation: AnnotationRow) -> str:
    """`benchmark changed, 2.0 to 2.3: a longer input`: what somebody noted, and where."""
    ends = dict.fromkeys(revision_text(one.name) for one in (annotation.first, annotation.last))
    return f"{ANNOTATION_KINDS[annotation.kind]}, {' to '.join(ends)}: {annotation.text}"


def revision_text(name: str) -> str:
    """A revision as people read it: a commit as the release that it is, else by the beginning of its hash."""
    return (release_of(name) or name[:_SHOWN]) if is_commit(name) else name


def shortened(text: str) -> str:
    """A sentence in which commits are told as `revision_text` does."""
    return _COMMIT.sub(lambda found: revision_text(found[0]), text)


def revision_title(name: str, message: str) -> str:
    """A revision in a list: a commit with its release, if it is one, and the first words of its message."""
    if not is_commit(name):
        return name
    return " ".join(filter(None, [release_of(name), name[:_SHOWN], message[:_MESSAGE].strip()]))


def git_command(names: Sequence[str]) -> str:
    """A git command that shows these commits, in this order."""
    return shlex.join(["git", "log", "--no-walk=unsorted", "--oneline", *names])


def scale_of(history: History) -> DisplayScale:
    """The unit that fits the values of a history."""
    return scale_for([point.median for point in history.points], history.series.unit)


def finding(history: History) -> str:
    """The largest change as a sentence, or that there is none, or that too little was measured to tell.

    After several changes the level of now stands in it: a later one may have undone the largest.
    """
    name = subject(history.series)
    largest, drift = largest_change(history.changes), history.drift
    if largest is None:
        if not history.enough_data:
            return f"{name}: too few measurements to tell whether it changed"
        if drift is not None:
            how = certain(drift.certainty, is_candidate=drift.is_candidate)
            return f"{name} {drifted(drift, history.series)}{over(drift.first.released_at, drift.last.released_at)} ({how})"
        told = f"{name} shows no change over {len(history.measured)} measured revisions"
        return f"{told}, with low power" if power_text(history) else told
    others = len(history.changes) - 1
    now = estimate_text(level_now(history), scale=scale_of(history))
    rest = f", and changed {plural(others, 'more time')}: {now} now" if others else ""
    if drift is not None:
        rest += f", and {drifted(drift, history.series)} since {revision_text(drift.first.name)}"
    where = place_text(largest)
    how = "counted, without noise" if largest.is_exact else certain(largest.certainty)
    return f"{name} {changed(largest, history.series)} {where} ({how}){rest}"


def place_text(change: ChangeRow) -> str:
    """`between a1b2c3d4e5 and f6a7b8c9d0, first released in 2.6.0`: its place, and the release where that tells more."""
    before, after = (one.name for one in change.place)
    told = [
        f"between {revision_text(before)} and {revision_text(after)}",
        released_text(change.released_in, after),
    ]
    return ", ".join(filter(None, told))


def workloads_finding(histories: Sequence[History]) -> str:
    """In how many workloads something changed, and where most of them did."""
    told = [[one for one in history.changes if not one.is_candidate] for history in histories]
    changed_ones = [changes for changes in told if changes]
    if not changed_ones:
        return f"{subject(histories[0].series)}: no change in any of {len(histories)} workloads"
    places = Counter((one.before.name, one.after.name) for changes in changed_ones for one in changes)
    (before, after), most = places.most_common(1)[0]
    where = f"between {revision_text(before)} and {revision_text(after)}"
    said = f"{subject(histories[0].series)} changed in {len(changed_ones)} of {len(histories)} workloads"
    return f"{said}, {where}" if most == len(changed_ones) else f"{said}, {most} of them {where}"


def level_now(history: History) -> Estimate:
    """The level at the newest revision, in the metric's unit, with its band: as it is drawn, since single points scatter."""
    if not history.band:
        return Estimate(history.points[-1].median)
    newest = history.band[-1]
    return Estimate.of(newest.estimate, (newest.upper_95 - newest.lower_95) / 2)


def same_code(point: MeasuredPoint) -> str:
    """Where the value of a revision comes from that was not measured itself."""
    return f"same code as {revision_text(point.same_as)}, measured there"


def subject(series: SeriesRow) -> str:
    """Whose history it is: a configuration, a term, a region or a benchmark."""
    if series.kind == "term":
        return f"The influence of {series.label}"
    if series.clock == "count":
        of = "the default configuration" if series.label == "default" else series.label
        return f"The {series.quantity} of {of}"
    return "The default configuration" if series.label == "default" else series.label


def measured_text(series: SeriesRow) -> str:
    """What the history of a term is of, how and where it was measured, and what it is relative to."""
    where = f"workload {series.workload}, on {series.environment}"
    return f"{series.measure} end to end, {where}; relative to the default configuration"


def changed(change: ChangeRow, series: SeriesRow) -> str:
    """`became 67 % slower`; for a term `grew by 4.1 ms`, since a share of a small influence says little.

    Of a candidate `may have become 67 % slower`.
    """
    may = "may have " if change.is_candidate else ""
    if series.kind == "term" or change.reference != "level before":
        scale = scale_for([change.size], series.unit)
        verb = ("grown" if may else "grew") if change.size > 0 else ("shrunk" if may else "shrank")
        return f"{may}{verb} by {number(abs(change.size), _margin(change), scale=scale)}"
    amount = f"{100 * abs(change.relative):.{1 if change.is_exact else 0}f}\N{NO-BREAK SPACE}%"
    if series.quantity == "time":
        return (
            f"{'may have become' if may else 'became'} {amount} {'slower' if change.is_slower else 'faster'}"
        )
    verb = ("risen" if may else "rose") if change.size > 0 else ("fallen" if may else "fell")
    return f"{may}{verb} by {amount}"


def certain(certainty: float, *, is_candidate: bool = False) -> str:
    """`96 % certain`: how likely it is that there is a change at all. Beside a size alone `a candidate, 59 % certain`."""
    return f"{'a candidate, ' if is_candidate else ''}{share(min(certainty, _NEARLY))} certain"


def power_text(history: History) -> str:
    """`Low power: steps below 6 % cannot be seen yet (found with 80 %).`; "" where a step of the least size is seen, or a change."""
    if history.seen_from is None or history.seen_from < _SEEN:
        return ""
    of = " of what the default configuration takes" if history.series.kind == "term" else ""
    least = f"{fixed(100 * history.seen_from, 1 if history.seen_from < 0.1 else 0)}{GAP}%"
    return f"Low power: steps below {least}{of} cannot be seen yet (found with 80{GAP}%)."


def doubt_text(change: ChangeRow) -> str:
    """How certain a change is, and what keeps one of high certainty a candidate."""
    if change.is_exact:
        return "counted, without noise"
    told = certain(change.certainty, is_candidate=change.is_candidate)
    if change.is_candidate and change.certainty >= CERTAIN:
        told += f"; noise alone shows one as clear in {share(change.chance)} of histories"
    return told


def alarm_rate_text(rate: float, suite: int) -> str:
    """How often a change may be told as a fact where there is none, one series and all of a `suite` taken together."""
    whose = (
        "histories without a change may tell one"
        if suite == 1
        else "suites without a change may tell one anywhere"
    )
    return f"In a year of history, at most {fewest(100 * rate)}{GAP}% of {whose} as a fact."


def change_size(change: ChangeRow, scale: DisplayScale) -> str:
    """The size of a change as people say it: relative to the level before, or in the metric's unit for a term."""
    if change.reference == "level before":
        return signed_percent(change.relative, 1 if change.is_exact else 0)
    # With the digits of its interval, which has no room where this stands.
    rounded = without_margin(change.size, _margin(change), scale, signed=True)
    return f"{rounded}{GAP}{scale.unit}".rstrip()


def _margin(change: ChangeRow) -> float | None:
    """Half of the 95 % interval of a size, in the metric's unit: shares are of one reference."""
    if change.is_exact or not change.relative:
        return None
    return abs((change.high - change.low) / 2 * change.size / change.relative)


def interval(change: ChangeRow, scale: DisplayScale) -> str:
    """The size of a change with its 95 % interval: `+67 % (63 to 71 %)`, of an influence `+82 ± 20 ms`."""
    size = change_size(change, scale)
    if change.is_exact or not change.relative:
        return size
    if change.reference != "level before":
        return number(change.size, _margin(change), scale=scale, signed=True)
    low, high = sorted((change.low, change.high))
    return f"{size} ({100 * low:.0f} to {100 * high:.0f} %)".replace("-", MINUS)


def signed_percent(share: float, places: int = 0) -> str:
    """`+67 %`, with a true minus."""
    return f"{100 * share:+.{places}f} %".replace("-", MINUS)


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
    return disagreement(change.told.relative, change.counts, quantity)

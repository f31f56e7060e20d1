"""Terms, configurations and findings in words."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from analytics.power import most_alarms
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import (
    GAP,
    TIME_UNITS,
    DisplayScale,
    count,
    estimate_text,
    fixed,
    listing,
    number,
    plural,
    scale_for,
    share,
)
from dashboard.selectors.model_rows import (
    ChosenConfiguration,
    Estimate,
    Influences,
    LevelChange,
    ModelIdentity,
    TermRegions,
    TermRow,
)

TIMES = " × "
# Changes that say no more than the option's name does.
_PLAIN = frozenset({("off", "on"), ("0", "1"), ("false", "true"), ("no", "yes")})
_UNCERTAINTY = re.compile(r"\s±\s\S+")
_HEADS = 3  # terms that a sentence names
_WIDE = 1000.0  # of sizes that differ by more the smallest one says nothing
_SHORT = 56
_STANDS_OUT = 0.7  # the next one is at most this part of what stands out


def change_text(change: LevelChange) -> str:
    """`codehilite [off → on]`."""
    return f"{change.option} [{change.from_level} → {change.to_level}]"


def change_name(change: LevelChange) -> str:
    """One change in short: `tables`, or with its level `mode=fast`."""
    if (change.from_level.lower(), change.to_level.lower()) in _PLAIN:
        return change.option
    return f"{change.option}={change.to_level}"


def term_text(term: TermRow) -> str:
    """`codehilite × fenced_code [off → on]`: the levels once where all options change alike."""
    steps = {(change.from_level, change.to_level) for change in term.changes}
    if len(steps) != 1:
        return TIMES.join(change_text(change) for change in term.changes)
    start, end = steps.pop()
    return f"{TIMES.join(change.option for change in term.changes)} [{start} → {end}]"


def term_short(term: TermRow) -> str:
    """The text of a term in at most about `_SHORT` characters: levels alone, then what does not fit is counted."""
    whole = term_text(term)
    names = [change_name(change) for change in term.changes]
    for text in (whole, TIMES.join(names)):
        if len(text) <= _SHORT or term.degree == 1:
            return text
    shown: list[str] = []
    for name in names:
        if shown and len(TIMES.join([*shown, name])) > _SHORT - len(" + 9 more"):
            break
        shown.append(name)
    left = term.degree - len(shown)
    return TIMES.join(shown) + (f" + {left}{GAP}more" if left else "")


def term_names(term: TermRow) -> str:
    """A term inside a sentence: `codehilite with fenced_code`."""
    first, *others = [change_name(change) for change in term.changes]
    if not others:
        return first
    if len(others) > 2:
        return f"{first} with {others[0]} and {len(others) - 1}{GAP}more options"
    return f"{first} with {' and '.join(others)}"


def configuration_text(chosen: ChosenConfiguration, most: int = 3) -> str:
    """A configuration by its name, or by what differs from the default."""
    if chosen.name:
        return chosen.name
    parts = [f"{option} {level}" for option, level in chosen.differences]
    if len(parts) > most:
        return f"{', '.join(parts[:most])} and {len(parts) - most}{GAP}more"
    return ", ".join(parts) or "default"


def at_text(chosen: ChosenConfiguration) -> str:
    """A configuration at the end of a sentence: `by default`, `with codehilite on`."""
    text = configuration_text(chosen)
    return "by default" if text == "default" else f"with {text}"


def quantity_text(model: ModelIdentity) -> str:
    """The measured quantity with its clock: `wall time`, `CPU time`."""
    clock = {"wall": "wall ", "cpu": "CPU "}.get(model.clock, "")
    return f"{clock}{model.quantity}"


def axis_text(model: ModelIdentity, scale: DisplayScale) -> str:
    """The quantity with the unit that a figure shows: `CPU time, ms`; a unit that nobody told is said so."""
    return f"{quantity_text(model)}, {scale.unit or 'unknown unit'}"


def system_text(model: ModelIdentity, revision: str) -> str:
    """The system in a sentence: `Markdown at 3.3` where a `revision` was asked for, "" for any, else `Markdown`."""
    return f"{model.system_name} at {revision_text(model.revision)}" if revision else model.system_name


def amount_text(name: str, model: ModelIdentity, taken: Estimate) -> str:
    """What something takes: `lrzip takes 8.1 s`, `OpenVPN reaches 845 Mbit`, `VP8 has a size of 12 B`."""
    if not math.isfinite(taken.value):
        return f"{name}: the measured configurations do not determine its {quantity_text(model)}"
    return range_text(name, model, estimate_text(taken, model.unit))


def impossible_text(model: ModelIdentity, value: float) -> str:
    """What is said of a prediction that nothing can take, as a time below zero; "" of all others.

    Sums of influences lead there where these do not add up: far from the configurations that they were learned of.
    """
    if not (model.is_learned and model.is_never_negative and value < 0.0):
        return ""
    return "below zero, so these influences do not add up here: only a measurement tells it"


def range_text(name: str, model: ModelIdentity, said: str) -> str:
    """Likewise of a number, or a range of numbers, that is written already."""
    if is_time(model):
        return f"{name} takes {said}"
    if not model.lower_is_better:
        return f"{name} reaches {said}"
    unit = "" if model.unit else " (unknown unit)"
    return f"{name} has a {quantity_text(model)} of {said}{unit}"


def intervals_text(estimates: Iterable[Estimate]) -> str:
    """What an axis says of intervals, where there are any: without repetitions there are none."""
    told = any(one.low is not None for one in estimates)
    return ", with 95 % intervals" if told else "; without repetitions there are no intervals"


def together_text(parts: int) -> str:
    """What an axis says where `parts` that are too small stand in one row: they vary together, so theirs do not add."""
    return "; of several in one row none is known" if parts > 1 else ""


def influences_finding(terms: Sequence[TermRow], model: ModelIdentity, *, hidden: bool = False) -> str:
    """What the largest terms add, and below what all others stay; `hidden`: filters may leave out some, or all."""
    if not terms and hidden:
        return "No term passes these filters"
    if not terms:
        return "This model has no term: what was measured does not show that an option matters"
    sizes = [abs(term.influence.value) for term in terms]
    scale = scale_for(sizes, model.unit)
    unit = f"{GAP}{scale.unit}" if scale.unit else ""
    heads = _heads(sizes)
    if heads == 0:
        low, high = (number(size, None, model.unit, scale=scale.bare) for size in (sizes[-1], sizes[0]))
        span = f"{low} to {high}" if sizes[-1] > sizes[0] / _WIDE else f"up to {high}"
        largest = number(terms[0].influence.value, None, model.unit, signed=True)
        return f"{count(len(terms))} terms of {span}{unit}; the largest is {term_names(terms[0])}, {largest}"
    parts = []
    verbs = ("costs", "saves") if is_time(model) else ("adds", "takes away")
    said = ""
    for term in terms[:heads]:
        verb = verbs[0] if term.influence.value > 0 else verbs[1]
        size, margin = abs(term.influence.value), term.influence.margin
        # No more digits than its row shows, where the interval stands beside it.
        rounded = _UNCERTAINTY.sub("", number(size, margin, model.unit))
        amount = min(rounded, number(size, None, model.unit), key=len)
        parts.append(f"{term_names(term)} {verb + ' ' if verb != said else ''}{amount}")
        said = verb
    sentence = listing(parts)
    rest = sizes[heads:]
    if not rest or rest[0] == 0.0:
        return sentence
    # The next number with one leading digit above the largest of the others.
    above = rest[0] * scale.factor
    power = math.floor(math.log10(above))
    bound = f"{fixed((math.floor(above / 10**power) + 1) * 10**power, max(-power, 0))}{unit}"
    others = "the other term" if len(rest) == 1 else f"the other {count(len(rest))} terms"
    return f"{sentence}; {others} at most {bound}{' each' if len(rest) > 1 else ''}"


def regions_finding(found: TermRegions) -> str:
    """Where most of a term arises."""
    total = number(found.term.influence.value, None, found.model.unit, signed=True)
    if not found.regions:
        return f"All of {total} arises outside of the measured regions"
    first = found.regions[0]
    if len(found.regions) == 1 and found.outside is None:
        return f"All of {total} arises in {region_text(first.name)}"
    if first.share is not None and first.share >= 0.5:
        return f"{share(first.share)} of {total} arise in {region_text(first.name)}"
    largest = found.regions[:_HEADS]
    part = sum(region.share or 0.0 for region in largest)
    names = listing([region_text(region.name) for region in largest])
    more = len(found.regions) - len(largest)
    elsewhere = [f"in {more}{GAP}more"] * (more > 0) + ["outside of regions"] * (found.outside is not None)
    if 0.0 < part < 1.0 and elsewhere:
        return f"{share(part)} of {total} arise in {names}, the rest {' and '.join(elsewhere)}"
    return f"{total} arises in {names}"


def comparison_finding(found: Influences) -> str:
    """The difference between two configurations, and the term that makes most of it."""
    model, target = found.model, found.target_time
    if target is None or found.difference is None:
        return influences_finding(found.terms, model)
    values = (found.base_time.value, target.value)
    difference = found.difference.value
    if not math.isfinite(difference):
        unknown = [
            configuration_text(chosen)
            for chosen, value in zip((found.base, found.target), values, strict=True)
            if chosen is not None and not math.isfinite(value)
        ]
        return (
            f"The measured configurations do not determine the {quantity_text(model)} of {listing(unknown)}"
        )
    scale = scale_for(values, model.unit)
    if difference == 0.0:
        return f"Both have {number(values[0], None, model.unit, scale=scale)}"
    slower = (difference > 0) == model.lower_is_better
    # What has a direction only because its source says so is better or worse, not faster or slower.
    words = ("slower", "faster") if is_time(model) or not model.lower_is_better else ("worse", "better")
    word = words[0] if slower else words[1]
    amount = number(abs(difference), found.difference.margin, model.unit)
    before, after = (number(value, None, model.unit, scale=scale) for value in values)
    doubt = ", which may be chance" if found.difference.may_be_zero else ""
    sentence = f"{amount} {word}{doubt}: from {before} to {after}"
    # Larger terms cancel each other: they make no part of the difference.
    same = [term for term in found.terms if 0 < term.influence.value / difference <= 1.1]
    if same:
        size = number(abs(same[0].influence.value), None, model.unit)
        sentence += f"; {term_names(same[0])} makes {size} of it"
    return sentence


def shortened(text: str, most: int) -> str:
    """A text of at most `most` characters, cut at its end."""
    return text if len(text) <= most else text[: most - 1] + "…"


def region_text(name: str) -> str:
    """A region's name without the types of its parameters: `CharArrayMap.containsKey`."""
    return name.partition("(")[0] or name


def _heads(sizes: Sequence[float]) -> int:
    """How many of the sorted sizes stand out, at most three: all of few, else before the largest drop, if it is one."""
    if len(sizes) <= 2:
        return len(sizes)
    drops = [
        sizes[k] / sizes[k - 1] if sizes[k - 1] else 1.0 for k in range(1, min(_HEADS, len(sizes) - 1) + 1)
    ]
    return drops.index(min(drops)) + 1 if min(drops) <= _STANDS_OUT else 0


def is_time(model: ModelIdentity) -> bool:
    """Whether less is faster: the metric is in a unit of time."""
    return model.unit in TIME_UNITS


def direction(influence: Estimate, *, lower_is_better: bool) -> Literal["slower", "faster", "uncertain"]:
    """What an influence is drawn as: `slower` (for the worse), `faster`, or `uncertain` where it may be zero."""
    if influence.may_be_zero or influence.value == 0:
        return "uncertain"
    return "slower" if (influence.value > 0) == lower_is_better else "faster"


def differing_text(differing: int, comparisons: int, runs_of_each: int) -> str:
    """What measuring a revision against itself showed: `two identical sets of 5 runs differed in 0 of 20 comparisons: at most 14 %`."""
    of = f"two identical sets of {plural(runs_of_each, 'run')} differed in {count(differing)} of {plural(comparisons, 'comparison')}"
    return f"{of}: at most {share(most_alarms(differing, comparisons))}"

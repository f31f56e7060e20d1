"""What a step is made of, in words."""

from collections.abc import Sequence

from analytics.step_parts import StepPart, StepParts
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import DisplayScale, number, plural, scale_for
from dashboard.selectors.explanations.rows import ExplainedStep

REST_OF_REGIONS = "noise, and what the profiler adds"
# What the program region is to a step.
OUTSIDE = "not in any measured region"
BODIES = {
    "changed": "body changed",
    "added": "seen only after",
    "removed": "seen only before",
    "same": "",
    "": "",
}


def others_text(parts: StepParts) -> str:
    """What the folded parts of a step are: `14 others that may be zero or are small`."""
    one = len(parts.folded) == 1
    return f"{plural(len(parts.folded), 'other')} that may be zero or {'is' if one else 'are'} small"


def rest_of_terms(found: ExplainedStep) -> str:
    """What the rest of a step's terms is."""
    if not found.untold:
        return "noise"
    return f"noise, and what was not measured: {', '.join(found.untold)}"


def amount_text(part: StepPart, scale: DisplayScale) -> str:
    """`+15.0 ± 0.6 ms`: a part with half of its 95 % interval, where that is known."""
    return number(part.amount, None if part.low is None else part.half, scale=scale, signed=True)


def title(found: ExplainedStep) -> str:
    """`+15.0 ± 0.6 ms between 3.2 and 3.3: mostly codehilite, in CodeHilite.hilite`.

    Where the configuration alone tells the step, and no option apart, it is not named as its own cause.
    """
    before, after = (revision_text(one.name) for one in found.nearest)
    pair = f"between {before} and {after}"
    size = amount_text(found.step, scale_for([found.step.amount], found.series.unit))
    terms = found.terms.parts if found.terms is not None else ()
    terms = terms if any(one.key for one in terms) else ()
    named = [one.key for one in terms if makes_most(one, found.step)]
    causes = [found.labels[key] if key else f"in {found.labels[key]}" for key in named]
    causes += [f"in {one.name}" for one in found.moved if makes_most(one.part, found.step)][:1]
    told = f": mostly {', '.join(causes)}" if causes else ""
    return f"{size} {pair}{told}"


def makes_most(part: StepPart, step: StepPart) -> bool:
    """Whether a part makes half of a step or more: one in the other direction, however sure, makes none of it."""
    return part.amount * step.amount > 0 and abs(part.amount) >= abs(step.amount) / 2


def levels_text(found: ExplainedStep) -> str:
    """Which revisions tell the levels on both sides."""
    before, after = found.revisions
    if before == after == 1:
        return "by what was measured at these two; each with its 95 % interval"
    sides = f"{plural(before, 'measured revision')} before and {plural(after, 'measured revision')} after"
    return f"by the levels of {sides}; each with its 95 % interval"


def bar_spans(amounts: Sequence[float]) -> list[tuple[float, float]]:
    """Return where each bar begins and how long it is, in percent: each begins where the one before ends, the last at zero."""
    ends = [0.0]
    for amount in amounts[:-1]:
        ends.append(ends[-1] + amount)
    spans = [(ends[at], ends[at + 1]) for at in range(len(amounts) - 1)] + [(0.0, amounts[-1])]
    low, high = min(min(span) for span in spans), max(max(span) for span in spans)
    unit = 100 / ((high - low) or 1.0)
    return [((min(span) - low) * unit, abs(span[1] - span[0]) * unit) for span in spans]

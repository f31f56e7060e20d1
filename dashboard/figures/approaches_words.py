"""Approaches in words: what each is, what it cost, and what the evaluation found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from analytics.evaluation import ApproachRow
from dashboard.figures.numbers import GAP, DisplayScale, count, long_scale, long_time, percent
from dashboard.selectors.evaluation_rows import EvaluationView

TIME: Literal["time"] = "time"
CONFIGURATIONS: Literal["configurations"] = "configurations"


_NO_UNIT = DisplayScale("")
_UNITS = {"h": "hours", "min": "minutes", "s": "seconds", "ms": "milliseconds"}
# Percent below which errors are drawn alike: a logarithmic axis has no zero.
FLOOR = 0.01
_SHORT = {
    "composed": "composed",
    "composed-corrected": "corrected",
    "methods": "methods",
    "methods-filtered": "methods, filtered",
    "methods-corrected": "methods, corrected",
    "methods-filtered-corrected": "methods, filtered, corrected",
    "stepwise": "stepwise",
    "lasso-chosen": "lasso",
    "pair-wise-lasso-chosen": "pair-wise lasso",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What an approach is charged with: a key, the title of its axis, and for a time the unit that it is shown in."""

    key: Literal["time", "configurations"]
    axis: str
    scale: DisplayScale = _NO_UNIT


def cost_of(row: ApproachRow, cost: Cost) -> float:
    """The cost of an approach; 0 where it is not known."""
    if cost.key == CONFIGURATIONS:
        return float(row.configurations)
    return (row.seconds_once or 0.0) * cost.scale.factor


def cost_for(view: EvaluationView, wanted: str | None) -> Cost:
    """The cost that is wanted, or configurations where no time was measured."""
    times = [row.seconds_once for row in view.evaluation.rows if row.seconds_once]
    if wanted == CONFIGURATIONS or not times:
        return Cost(CONFIGURATIONS, "measured configurations")
    scale = long_scale(times)
    return Cost(TIME, f"{_UNITS[scale.unit]} of measuring each configuration once", scale)


def kind_text(row: ApproachRow) -> str:
    """Whether people can read the model, and whether it tells where in the code."""
    if not row.interpretable:
        return "black box"
    return "interpretable and local" if row.local else "interpretable"


def label_of(row: ApproachRow) -> str:
    """An approach beside its point: the learner alone, since a column is one sampling; short, since columns are near."""
    return _SHORT.get(row.learner, row.learner_title)


def hover(row: ApproachRow) -> str:
    """Everything about one approach that has an error."""
    lines = [
        f"<b>{name(row)}</b>",
        f"{percent(row.error)} ({percent(min(row.errors))} to {percent(max(row.errors))})",
        f"{count(row.configurations)} configurations{cost_text(row)}",
        kind_text(row),
    ]
    if row.terms:
        lines.append(f"{count(row.terms[0][1])} terms")
    return "<br>".join(lines)


def name(row: ApproachRow) -> str:
    """An approach as a whole: `random forest on 200 at random`; a composed model by its own name."""
    if row.local:
        return row.learner_title
    return f"{row.learner_title} on {row.sampling_title}" if row.learner_title else row.sampling_title


def cost_text(row: ApproachRow) -> str:
    """`, 26.7 min`, blank where no time was measured."""
    return "" if row.seconds_once is None else f", {long_time(row.seconds_once)}"


def judged(view: EvaluationView) -> list[ApproachRow]:
    """The approaches that have an error: those tested on what they did not see first, and those that err least."""
    return sorted(
        (row for row in view.evaluation.rows if row.errors), key=lambda row: (row.seen, row.error or 0.0)
    )


def finding(view: EvaluationView) -> str:
    """The approach that errs least, the best that people can read, and what the composed model does."""
    rows = judged(view)
    if not rows:
        return "No approach could be evaluated"
    best = rows[0]
    said = [f"{name(best)} errs least: {_said(best)}{' of measuring' if best.seconds_once else ''}"]
    readable = next((row for row in rows if row.interpretable), best)
    local = next((row for row in rows if row.local), best)
    if readable is not best:
        said.append(f"Of those that people can read, {name(readable)}: {_said(readable)}")
    if local is not best:
        where = "tells where in the code" + (
            ", but saw the configurations it is tested on" if local.seen else ""
        )
        # It may be named already.
        named = "it also" if local is readable else f"{name(local)}, {_said(local)},"
        said.append(f"{named} {where}")
    return ". ".join(one[0].upper() + one[1:] for one in said)


def _said(row: ApproachRow) -> str:
    return percent(row.error) + ("" if row.seconds_once is None else f" after {long_time(row.seconds_once)}")


def fixed_text(view: EvaluationView) -> str:
    """The options that never varied with their level: `wikilinks off, toc off`."""
    return ", ".join(f"{option} {level}" for option, level in view.evaluation.fixed)


def axes_text(view: EvaluationView, cost: Cost) -> str:
    """What the figure shows."""
    found = view.evaluation
    words = (
        f"Error by {cost.axis}: median over {found.seeds} test sets of {count(found.test)} configurations, bars from the "
        "least to the largest; dotted, the least error for the cost."
    )
    drawn = any(error < FLOOR for row in view.evaluation.rows for error in row.errors)
    return f"{words} Errors below {FLOOR}{GAP}% stand at {FLOOR}." if drawn else words


def notes(view: EvaluationView) -> Sequence[str]:
    """What the evaluation leaves out or holds fixed, and why."""
    said = []
    if view.evaluation.fixed:
        said.append(f"Never varied in what was measured, so held fixed: {fixed_text(view)}.")
    said += [f"{name(row)}: no error, {row.reason}." for row in view.evaluation.rows if row.reason]
    said += [
        f"{row.sampling_title}: {row.missing} of its {row.wanted} configurations were never measured; it was taken without them."
        for row in {
            row.sampling: row for row in view.evaluation.rows if row.missing and not row.reason
        }.values()
    ]
    said += [
        f"{name(row)}: made from other runs of the configurations it is tested on, since they leave too few others; its "
        "error is no guess about new configurations."
        for row in view.evaluation.rows
        if row.seen and row.errors
    ]
    said += [
        f"{name(row)}: {count(row.unpredicted)} predictions are unknown, its errors are without them."
        for row in view.evaluation.rows
        if row.unpredicted and row.errors
    ]
    if view.left_out:
        said.append(f"{count(view.left_out)} configurations are left out: their value is not above 0.")
    return said

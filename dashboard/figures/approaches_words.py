"""Approaches in words: what each is, what it cost, and what the comparison found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.figures.numbers import GAP, count, fixed, percent
from dashboard.selectors.approaches.rows import ComparisonView, RowView

MINUTES: Literal["minutes"] = "minutes"
CONFIGURATIONS: Literal["configurations"] = "configurations"


# Percent below which errors are drawn alike: a logarithmic axis has no zero.
FLOOR = 0.01
_SHORT = {
    "composed": "composed",
    "composed-corrected": "corrected",
    "stepwise": "stepwise",
    "lasso-chosen": "lasso",
    "pair-wise-lasso-chosen": "pair-wise lasso",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What an approach is charged with: a key, and the title of its axis."""

    key: Literal["minutes", "configurations"]
    axis: str


COSTS = {
    MINUTES: Cost(MINUTES, "minutes of measuring each configuration once"),
    CONFIGURATIONS: Cost(CONFIGURATIONS, "measured configurations"),
}


def cost_of(row: RowView, cost: Cost) -> float:
    """The cost of an approach; 0 where it is not known."""
    if cost.key == CONFIGURATIONS:
        return float(row.row.configurations)
    return (row.row.seconds_once or 0.0) / 60


def cost_for(view: ComparisonView, wanted: str | None) -> Cost:
    """The cost that is wanted, or configurations where no time was measured."""
    timed = any(row.row.seconds_once for row in view.rows)
    return COSTS[CONFIGURATIONS] if wanted == CONFIGURATIONS or not timed else COSTS[MINUTES]


def kind_text(row: RowView) -> str:
    """Whether people can read the model, and whether it tells where in the code."""
    if not row.row.interpretable:
        return "black box"
    return "interpretable and local" if row.row.local else "interpretable"


def label_of(row: RowView) -> str:
    """An approach beside its point: the learner alone, since a column is one sampling; short, since columns are near."""
    return _SHORT.get(row.row.learner, row.learner)


def hover(row: RowView) -> str:
    """Everything about one approach."""
    one = row.row
    lines = [
        f"<b>{name(row)}</b>",
        f"{percent(one.error)} ({spread_text(row)})",
        f"{count(one.configurations)} configurations{cost_text(row)}",
        kind_text(row),
    ]
    if one.terms:
        lines.append(terms_text(row))
    return "<br>".join(lines)


def name(row: RowView) -> str:
    """An approach as a whole: `random forest on 200 at random`; a composed model by its own name."""
    if row.row.local:
        return row.learner
    return f"{row.learner} on {row.sampling}" if row.learner else row.sampling


def spread_text(row: RowView) -> str:
    """From the least to the largest error."""
    return f"{percent(min(row.row.errors))} to {percent(max(row.row.errors))}" if row.row.errors else "–"


def cost_text(row: RowView) -> str:
    """`, 26.7 min`, blank where no time was measured."""
    return "" if row.row.seconds_once is None else f", {minutes(row.row.seconds_once)}"


def minutes(seconds: float | None) -> str:
    """A time in minutes, with one digit below a hundred."""
    if seconds is None:
        return "–"
    value = seconds / 60
    places = 0 if value >= 100 else 1 if value >= 1 else 3
    return f"{fixed(value, places)}{GAP}min"


def terms_text(row: RowView) -> str:
    """How many terms matter."""
    return ", ".join(f"{count(number)} terms" for _, number in row.row.terms[:1])


def finding(view: ComparisonView) -> str:
    """The approach that errs least, the best that people can read, and what the composed model does."""
    rows = sorted((row for row in view.rows if row.row.errors), key=lambda row: row.row.error or 0.0)
    if not rows:
        return "No approach could be compared"
    best = rows[0]
    parts = [_said(best, " errs least")]
    if not best.row.interpretable:
        readable = next((row for row in rows if row.row.interpretable), None)
        if readable is not None:
            parts.append(f"of those that people can read, {_said(readable)}")
    local = next((row for row in rows if row.row.local), None)
    if local is not None and local is not best:
        parts.append(f"{_said(local)} and tells where in the code")
    sentence = "; ".join(parts)
    return sentence[0].upper() + sentence[1:]


def _said(row: RowView, words: str = "") -> str:
    return f"{name(row)}{words} ({percent(row.row.error)}{cost_text(row)})"


def axes_text(view: ComparisonView, cost: Cost) -> str:
    """What the figure shows."""
    found = view.comparison
    words = (
        f"Error by {cost.axis}: median over {found.seeds} test sets of {count(found.test)} configurations, bars from the "
        "least to the largest; dotted, the least error for the cost."
    )
    drawn = any(error < FLOOR for row in view.rows for error in row.row.errors)
    return f"{words} Errors below {FLOOR}{GAP}% stand at {FLOOR}." if drawn else words


def notes(view: ComparisonView) -> Sequence[str]:
    """What the comparison leaves out, and why."""
    said = [f"{name(row)}: no error, {row.row.reason}." for row in view.rows if row.row.reason]
    said += [
        f"{row.sampling}: {row.row.missing} of its {row.row.wanted} configurations were never measured; it was taken without them."
        for row in {
            row.row.sampling: row for row in view.rows if row.row.missing and not row.row.reason
        }.values()
    ]
    unknown = [row for row in view.rows if row.row.unpredicted and row.row.errors]
    said += [
        f"{name(row)}: {count(row.row.unpredicted)} predictions are unknown, its errors are without them."
        for row in unknown
    ]
    if view.left_out:
        said.append(f"{count(view.left_out)} configurations are left out: their value is not above 0.")
    return said
